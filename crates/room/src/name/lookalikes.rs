//! Letters of different scripts that look the same on a screen, so that "Аnа" in Cyrillic is not taken for "Ana".
//!
//! The table is ours and small: the Cyrillic, Greek, Armenian and rarer Latin letters that most fonts draw like a Latin letter
//! or a digit (after Unicode's confusables, UTS #39). The whole list has over six thousand pairs, most of them in scripts that
//! nobody at a table mixes.

/// Each Latin letter, as it looks, and those drawn like it.
const LOOKALIKES: &[(char, &str)] = &[
    ('a', "аɑα"),
    ('A', "АΑ"),
    ('b', "ƄЬь"),
    ('B', "ВΒ"),
    ('c', "сϲ"),
    ('C', "СϹ"),
    ('d', "ԁɗ"),
    ('D', "Ꭰ"),
    ('e', "еҽ"),
    ('E', "ЕΕ"),
    ('F', "Ϝ"),
    ('g', "ɡց"),
    ('G', "Ԍ"),
    ('h', "һհ"),
    ('H', "НΗ"),
    ('i', "іıɩι"),
    ('j', "јϳ"),
    ('J', "ЈͿ"),
    ('k', "кκ"),
    ('K', "КΚ"),
    ('l', "ӏǀІΙӀ1|"),
    ('M', "МΜϺ"),
    ('N', "Ν"),
    ('n', "ոп"),
    ('o', "оοօσ0"),
    ('O', "ОΟՕ"),
    ('p', "рρ"),
    ('P', "РΡ"),
    ('q', "ԛզ"),
    ('r', "г"),
    ('s', "ѕ"),
    ('S', "ЅՏ"),
    ('T', "ТΤ"),
    ('u', "սυʋ"),
    ('U', "Ս"),
    ('v', "νѵ"),
    ('V', "Ѵ"),
    ('w', "ԝѡω"),
    ('W', "Ԝ"),
    ('x', "х"),
    ('X', "ХΧ"),
    ('y', "уγү"),
    ('Y', "УΥҮ"),
    ('Z', "Ζ"),
    ('3', "ЗӠ"),
];

/// Returns whether two names look the same, whatever scripts their letters are of and whether they are capitals.
pub(super) fn are_alike(one: &str, other: &str) -> bool {
    // A capital I looks like an l, and is also a capital i.
    [false, true].into_iter().any(|i_as_l| shape(one, i_as_l).eq(shape(other, i_as_l)))
}

fn shape(name: &str, i_as_l: bool) -> impl Iterator<Item = char> {
    let looks = move |letter: char| match letter {
        'I' if i_as_l => 'l',
        letter if letter.is_ascii_alphabetic() => letter,
        letter => {
            LOOKALIKES.iter().find(|(_, like)| like.contains(letter)).map_or(letter, |(looks, _)| *looks)
        }
    };
    name.chars().flat_map(move |letter| looks(letter).to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_other_scripts_look_like_latin_ones() {
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
        for (one, other) in
            [("Ana", "Anna"), ("Вова", "Bob"), ("Ana", "Áná"), ("Иван", "Ivan"), ("Ana", "Ana 2")]
        {
            assert!(!are_alike(one, other), "{one} and {other}");
        }
    }

    #[test]
    fn no_letter_is_drawn_like_two_others() {
        let mut seen = std::collections::HashSet::new();
        for (_, like) in LOOKALIKES {
            assert!(like.chars().all(|letter| seen.insert(letter)), "{like}");
        }
    }
}
