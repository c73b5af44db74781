//! Names that look the same on a screen, so that "Аnа" in Cyrillic is not taken for "Ana".

use unicode_security::confusable_detection::skeleton;

/// Returns whether two names look the same, in whatever scripts and cases they are written (UTS #39).
pub(super) fn are_alike(one: &str, other: &str) -> bool {
    let shape = |name: &str| skeleton(name).collect::<String>().to_lowercase();
    // Different letters look alike in lower case than in capitals.
    shape(one) == shape(other) || shape(&one.to_lowercase()) == shape(&other.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_lookalikes_from_other_scripts() {
        for (one, other) in [
            ("Аnа", "Ana"),
            ("АNА", "ana"),
            ("Βеа", "Bea"),
            ("Jоnаs", "Jonas"),
            ("lan", "Ian"),
            ("Аnа", "Αnа"),
            ("Zo0", "Zoo"),
        ] {
            assert!(are_alike(one, other) && are_alike(other, one), "{one} and {other}");
        }
        for (one, other) in [("Ana", "Anna"), ("Вова", "Bob"), ("Ana", "Áná"), ("Иван", "Ivan"), ("Ana", "Ana 2")]
        {
            assert!(!are_alike(one, other), "{one} and {other}");
        }
    }
}
