//! Validation of player names.

mod lookalikes;

use precis_profiles::Nickname;
use precis_profiles::precis_core::profile::PrecisFastInvocation;
use serde::{Deserialize, Serialize};
use std::fmt;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;
use unicode_segmentation::UnicodeSegmentation;

/// Maximum length in characters (grapheme clusters).
const MAX_CHARACTERS: usize = 20;
/// Maximum number of combining marks on one letter. More would overlap the lines around them ("Zalgo text").
const MAX_MARKS: usize = 2;
/// Maximum length in bytes. Twenty characters with two marks each fit easily. It limits the size of a single grapheme
/// cluster.
const MAX_BYTES: usize = 200;

/// The empty braille cell, which the profile accepts as a letter although it is invisible.
const BLANK: char = '\u{2800}';

/// Names of bots: short, and common in the languages people play in.
const BOTS: [&str; 8] = ["Mira", "Jonas", "Zosia", "Bence", "Lotte", "Emil", "Rasa", "Kuba"];

/// A valid name: 1–20 characters that pass the PRECIS Nickname profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Name(String);

impl Name {
    /// Returns the name as normalised by the profile, or `None` if it is not allowed.
    pub fn new(raw: &str) -> Option<Name> {
        if raw.len() > MAX_BYTES * 2 {
            return None;
        }
        let name = enforce(raw)?;
        let characters = name.graphemes(true).count();
        let fits = (1..=MAX_CHARACTERS).contains(&characters) && name.len() <= MAX_BYTES;
        (fits && !piles_up_marks(&name, MAX_MARKS) && !name.contains(BLANK)).then_some(Name(name))
    }

    /// Returns this name, or this name with the first number that makes it unique among `taken`.
    pub(crate) fn apart_from<'a>(&self, taken: impl Iterator<Item = &'a Name> + Clone) -> Name {
        let free = |name: &Name| !taken.clone().any(|other| name.looks_like(other));
        if free(self) {
            return self.clone();
        }
        (2..)
            .map(|number| {
                // A long name is shortened to make room for the number.
                let suffix = format!(" {number}");
                let kept: String = self.0.graphemes(true).take(MAX_CHARACTERS - suffix.len()).collect();
                Name(kept.trim_end().to_owned() + &suffix)
            })
            .find(free)
            .expect("one of the numbers is free")
    }

    fn looks_like(&self, other: &Name) -> bool {
        // The profile cannot compare names with newer emoji. For those, only differences in case go unnoticed.
        Nickname::compare(self.0.as_str(), other.0.as_str()).unwrap_or(self.0 == other.0)
            || lookalikes::are_alike(&self.0, &other.0)
    }

    /// Returns a bot name that nobody at the table has.
    pub(crate) fn of_a_bot<'a>(taken: impl Iterator<Item = &'a Name> + Clone) -> Name {
        let free = |name: &&&str| !taken.clone().any(|other| Name((**name).to_owned()).looks_like(other));
        let name = BOTS.iter().find(free).unwrap_or(&BOTS[0]);
        Name((*name).to_owned()).apart_from(taken.clone())
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Applies the profile. Its Unicode tables are older than many emoji people like in their names and would refuse them.
/// So each emoji is replaced by one the tables know, and put back afterwards.
fn enforce(raw: &str) -> Option<String> {
    const KNOWN: char = '🎲';
    let is_pictograph = |c: &char| ('\u{1f300}'..='\u{1faff}').contains(c);
    let mut pictographs = raw.chars().filter(is_pictograph);
    let hidden: String = raw.chars().map(|c| if is_pictograph(&c) { KNOWN } else { c }).collect();
    let name = Nickname::enforce(hidden).ok()?.into_owned();
    Some(name.chars().map(|c| if c == KNOWN { pictographs.next().unwrap_or(c) } else { c }).collect())
}

/// Returns whether any letter has more than `most` combining marks.
pub(crate) fn piles_up_marks(text: &str, most: usize) -> bool {
    let mut marks = 0;
    text.nfd().any(|c| {
        marks = if canonical_combining_class(c) == 0 { 0 } else { marks + 1 };
        marks > most
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_names_in_many_scripts() {
        for name in
            ["Ana", "Ąžuolė", "Łukasz", "Őrs Gergő", "Müller", "李小龙", "عمر", "Zoë 🎲", "Mïra 🦉🪿", "O'Neil", "Việt"]
        {
            assert_eq!(Name::new(name).map(|name| name.to_string()), Some(name.to_owned()));
        }
    }

    #[test]
    fn trims_and_collapses_spaces() {
        assert_eq!(Name::new("  Ana   Maria ").unwrap().as_str(), "Ana Maria");
    }

    #[test]
    fn refuses_names_that_cannot_be_displayed() {
        for name in [
            "",
            "   ",
            "Ana\u{0}",
            "Ana\nBea",
            "Ana\u{202e}Bea",
            "Ana\u{200b}",
            "\u{2800}",
            "\u{2066}Ana",
            "a\u{301}\u{302}\u{303}",
            "abcdefghijklmnopqrstu",
        ] {
            assert_eq!(Name::new(name), None, "{name:?} was accepted");
        }
    }

    #[test]
    fn counts_characters_as_grapheme_clusters() {
        let flags = "ė́".repeat(20);
        assert!(Name::new(&flags).is_some(), "two marks on each of twenty letters");
        assert!(Name::new(&"x".repeat(20)).is_some());
    }

    #[test]
    fn numbers_a_name_that_is_taken() {
        let ana = Name::new("Ana").unwrap();
        let table = [Name::new("ANA").unwrap(), Name::new("Ana 2").unwrap()];
        assert_eq!(ana.apart_from(table.iter()).as_str(), "Ana 3");
        let cyrillic = Name::new("Аnа").unwrap();
        assert_eq!(cyrillic.apart_from(table.iter()).as_str(), "Аnа 3", "it looks the same");
        let long = Name::new("abcdefghij klmnopqrs").unwrap();
        assert_eq!(long.apart_from([long.clone()].iter()).as_str(), "abcdefghij klmnopq 2");
    }
}
