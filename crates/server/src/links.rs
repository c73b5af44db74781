//! Builds links from the configured public URL, or from the address of the request.

use crate::config::Config;
use axum::http::HeaderMap;
use axum::http::header::HOST;

/// The server's URL as the client sees it.
pub struct Links {
    origin: String,
    base: String,
}

impl Links {
    /// Returns the links for the response to a request with these headers.
    pub fn of(config: &Config, headers: &HeaderMap) -> Links {
        if let Some(public) = &config.public_url {
            let origin = format!(
                "{}://{}",
                public.scheme_str().unwrap_or("https"),
                public.authority().map_or("", |authority| authority.as_str())
            );
            return Links { origin, base: format!("{}/", public.path().trim_end_matches('/')) };
        }
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
        // `X-Forwarded-Proto`: only a proxy knows which scheme the browser used. A client that forges it affects only
        // its own links.
        let proto = headers.get("x-forwarded-proto").and_then(|proto| proto.to_str().ok());
        let scheme = if proto == Some("https") { "https" } else { "http" };
        Links { origin: format!("{scheme}://{host}"), base: "/".to_owned() }
    }

    /// Returns the path below which everything is served, with slashes at both ends.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Returns the absolute URL of a path below the base.
    pub fn absolute(&self, path: &str) -> String {
        format!("{}{}{path}", self.origin, self.base)
    }
}
