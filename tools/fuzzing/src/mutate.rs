//! Mutations: changes, cuts, doubles or combines parts of the corpus, and inserts words that are difficult for parsers
//! of JSON, text and HTTP.

use game::Luck;

/// Maximum length of an input.
const LONGEST: usize = 64 * 1024;

/// Words that parsers often handle incorrectly: limits of numbers, empty and endless values, unusual text, line
/// endings.
const WORDS: &[&[u8]] = &[
    b"0",
    b"-1",
    b"255",
    b"256",
    b"4294967295",
    b"4294967296",
    b"18446744073709551615",
    b"18446744073709551616",
    b"-9223372036854775809",
    b"1e999",
    b"1.5",
    b"-0",
    b"null",
    b"true",
    b"\"\"",
    b"{}",
    b"[]",
    b"[[[[[[[[",
    b"{\"a\":",
    b"\\u0000",
    b"\\ud800",
    b"\\uffff",
    b"\"",
    b",",
    b":",
    b"}",
    b"]",
    b"\0",
    b"\xff",
    b"\xc3\x28",
    b"\xf0\x9f\x8e\xb2",
    b"\xe2\x80\xae",
    b"\xe2\x81\xa6",
    b"\xcc\x81\xcc\x81\xcc\x81",
    b"\xef\xbb\xbf",
    b"\r\n",
    b"\r\n\r\n",
    b"\n",
    b" ",
    b"%ff",
    b"%00",
    b"../",
    b"\"type\":",
    b"\"seat\":",
    b"\"player\":",
    b"\"n\":",
    b"\"token\":",
    b"\"entry\":",
    b"Content-Length: ",
    b"Transfer-Encoding: chunked\r\n",
    b"Host: a\r\n",
];

/// Generates inputs from a corpus.
pub struct Mutator<'a> {
    corpus: &'a [Vec<u8>],
    luck: Luck,
}

impl<'a> Mutator<'a> {
    /// Creates a mutator. The same corpus and random numbers lead to the same inputs.
    pub fn new(corpus: &'a [Vec<u8>], luck: Luck) -> Mutator<'a> {
        Mutator { corpus, luck }
    }

    /// Returns the next input.
    pub fn case(&mut self) -> Vec<u8> {
        let mut case = self.any().to_vec();
        // Mostly one change, because an input with many changes is rejected early.
        let changes = [1, 1, 1, 2, 3, 8][self.luck.below(6)];
        for _ in 0..changes {
            self.change(&mut case);
        }
        case.truncate(LONGEST);
        case
    }

    fn any(&mut self) -> &'a [u8] {
        self.corpus.get(self.luck.below(self.corpus.len().max(1))).map_or(&[], Vec::as_slice)
    }

    fn change(&mut self, case: &mut Vec<u8>) {
        let at = self.luck.below(case.len() + 1);
        match self.luck.below(10) {
            0 if at < case.len() => case[at] ^= 1 << self.luck.below(8),
            1 if at < case.len() => case[at] = self.luck.word() as u8,
            2 => case.insert(at, self.luck.word() as u8),
            3 => {
                let to = self.near(at, case.len());
                case.drain(at..to);
            }
            4 => {
                let to = self.near(at, case.len());
                let again = case[at..to].to_vec();
                case.splice(at..at, again);
            }
            5 => {
                let word = WORDS[self.luck.below(WORDS.len())];
                case.splice(at..at, word.iter().copied());
            }
            6 => {
                // Replace a number, a name or a value by another word.
                let to = at + case[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
                let word = WORDS[self.luck.below(WORDS.len())];
                case.splice(at..to, word.iter().copied());
            }
            7 => {
                let other = self.any();
                let from = self.luck.below(other.len() + 1);
                let to = self.near(from, other.len());
                case.splice(at..at, other[from..to].iter().copied());
            }
            8 => {
                // Crossover: the beginning of one input and the end of another.
                let other = self.any();
                case.truncate(at);
                case.extend_from_slice(&other[self.luck.below(other.len() + 1)..]);
            }
            _ if case.len() > 1 => {
                let (at, other) = (at.min(case.len() - 1), self.luck.below(case.len()));
                case.swap(at, other);
            }
            _ => case.push(b'{'),
        }
        case.truncate(LONGEST);
    }

    /// Returns an end that is not far from `from`.
    fn near(&mut self, from: usize, len: usize) -> usize {
        let width = 1 << self.luck.below(8);
        (from + self.luck.below(width) + 1).min(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_depend_only_on_the_seed() {
        let corpus = [b"{\"type\":\"start\"}".to_vec(), b"{\"type\":\"chat\",\"text\":\"hello\"}".to_vec()];
        let cases = |number| {
            let mut mutator = Mutator::new(&corpus, Luck::branch(number));
            (0..200).map(|_| mutator.case()).collect::<Vec<_>>()
        };
        assert_eq!(cases(7), cases(7));
        assert_ne!(cases(7), cases(8));
        let whole = cases(7).iter().filter(|case| corpus.contains(case)).count();
        assert!(whole < 40, "{whole} of 200 were not changed");
    }

    #[test]
    fn cases_can_be_made_from_an_empty_corpus() {
        let mut mutator = Mutator::new(&[], Luck::branch(1));
        assert!((0..100).map(|_| mutator.case()).any(|case| case.len() > 3));
    }
}
