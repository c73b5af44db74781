//! Documents and files for hosts: the options in the README, the metrics of the dashboard, the container files.

use clap::CommandFactory;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn the_readme_lists_every_option_with_its_default() {
    let readme = read("README.md");
    let mut checked = 0;
    for argument in server::Cli::command().get_arguments() {
        let Some(flag) = argument.get_long().filter(|flag| !["help", "version"].contains(flag)) else {
            continue;
        };
        let row = readme.lines().find(|line| line.starts_with(&format!("| `--{flag}` |")));
        let row = row.unwrap_or_else(|| panic!("--{flag} is not in the README's table"));
        let default = row.split('|').nth(2).expect("a second column").trim().trim_matches('`');
        match argument.get_default_values().first() {
            Some(value) => assert_eq!(default, value.to_str().unwrap(), "--{flag}"),
            None => assert!(["none", "from the request"].contains(&default), "--{flag} has no default"),
        }
        checked += 1;
    }
    assert!(checked >= 13, "only {checked} options were found");
    let rows = readme.lines().filter(|line| line.starts_with("| `--")).count();
    assert_eq!(rows, checked, "the README lists an unknown option");
}

#[test]
fn help_fits_a_terminal_and_names_every_command() {
    let mut command = server::Cli::command();
    let help = command.render_help().to_string();
    for name in ["backup", "doctor", "health", "move", "verify"] {
        let line = help.lines().find(|line| line.trim_start().starts_with(name));
        assert!(line.is_some(), "{name} is not in the help");
    }
    let longest = help.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(longest <= 110, "the help has a line of {longest} characters");
}

/// Returns the names of metrics in a text.
pub fn metrics(text: &str) -> Vec<String> {
    let starts = text.match_indices("rookery_").map(|(at, _)| &text[at..]);
    let names = starts.map(|rest| {
        let end = rest.find(|letter: char| !letter.is_ascii_lowercase() && letter != '_');
        rest[..end.unwrap_or(rest.len())].to_owned()
    });
    names.collect()
}

/// Returns the metrics that the server exports, from the source file that names them.
pub fn exported() -> Vec<String> {
    let source = read("crates/server/src/metrics.rs");
    metrics(source.split("#[cfg(test)]").next().expect("the part before the tests"))
}

/// Returns the exported metrics that are histograms.
fn histograms() -> Vec<String> {
    let source = read("crates/server/src/metrics.rs");
    source.split("time(\"").skip(1).filter_map(|rest| rest.split('"').next().map(str::to_owned)).collect()
}

#[test]
fn metrics_are_named_in_one_file() {
    fn named(folder: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                named(&path, found);
            } else if fs::read_to_string(&path).unwrap().contains("\"rookery_") {
                found.push(path.file_name().unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    let mut found = Vec::new();
    named(&root().join("crates/server/src"), &mut found);
    assert_eq!(found, ["metrics.rs"]);
}

#[test]
fn dashboard_and_hosting_page_match_the_exported_metrics() {
    let exported = exported();
    assert!(exported.len() >= 8, "{exported:?}");
    let histograms = histograms();
    assert!(histograms.len() >= 2, "{histograms:?}");
    let dashboard: Value = serde_json::from_str(&read("docs/hosting/grafana.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let queries = panels.iter().flat_map(|panel| panel["targets"].as_array().unwrap());
    let mut asked = Vec::new();
    for query in queries {
        asked.extend(metrics(query["expr"].as_str().unwrap()));
    }
    for name in &asked {
        // Durations are exported as histograms: buckets, sum and count.
        let parts = ["_bucket", "_sum", "_count"];
        let part = parts.iter().find_map(|part| name.strip_suffix(part));
        let is_time = histograms.iter().any(|histogram| name.starts_with(histogram));
        assert_eq!(part.is_some(), is_time, "the dashboard queries {name}, which does not exist");
        let whole = part.unwrap_or(name).to_owned();
        assert!(exported.contains(&whole), "the dashboard queries {name}, which does not exist");
    }
    let page = read("docs/hosting.md");
    for name in exported {
        assert!(asked.iter().any(|asked| asked.starts_with(&name)), "{name} is not on the dashboard");
        assert!(page.contains(&format!("`{name}`")), "{name} is not in docs/hosting.md");
    }
}

#[test]
fn every_linked_file_exists() {
    for page in ["README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/hosting.md", "docs/security.md"] {
        let text = read(page);
        let folder = root().join(page);
        let folder = folder.parent().unwrap();
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let files = links.filter(|link| !link.contains("://"));
        for link in files {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { root().join(page) } else { folder.join(file) };
            assert!(target.exists(), "{page} has a broken link to {link}");
            if !heading.is_empty() {
                let text = fs::read_to_string(target).unwrap().to_lowercase();
                let words = heading.replace('-', " ");
                let found =
                    text.lines().any(|line| line.trim_start_matches('#').trim() == words && line.starts_with('#'));
                assert!(found, "{page} has a broken link to {link}");
            }
        }
    }
}

#[test]
fn the_image_has_one_binary_and_an_unprivileged_user() {
    let dockerfile = read("Dockerfile");
    let last = dockerfile.rsplit("\nFROM ").next().unwrap();
    let lines: Vec<&str> = last.lines().collect();
    assert_eq!(lines[0], "scratch", "the image contains nothing else");
    let user = lines.iter().find_map(|line| line.strip_prefix("USER ")).expect("a user");
    assert!(user.split(':').all(|id| id.parse::<u32>().is_ok_and(|id| id > 0)), "{user}");
    for line in [r#"ENTRYPOINT ["/rookery"]"#, "VOLUME /data", "ENV ROOKERY_DATA=/data"] {
        assert!(lines.contains(&line), "no line {line}");
    }
    assert!(last.contains(r#"CMD ["/rookery", "health"]"#));
    assert!(last.contains(&format!("--chown={user} /empty /data")), "the volume belongs to the user");
}

#[test]
fn the_documented_nginx_lines_are_the_tested_ones() {
    let page = read("docs/hosting.md");
    let files = read("docs/hosting/nginx.conf") + &read("docs/hosting/nginx-subpath.conf");
    let files: Vec<&str> = files.lines().map(str::trim).collect();
    let shown = page.split("```nginx\n").skip(1).filter_map(|block| block.split("```").next());
    let lines = shown.flat_map(str::lines).filter_map(|line| line.split('#').next()).map(str::trim);
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    assert!(lines.len() > 8, "{lines:?}");
    for line in lines {
        assert!(files.contains(&line), "`{line}` is in no file under docs/hosting");
    }
}
