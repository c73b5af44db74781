//! The secret that all servers share. What they say to each other is made of it (a bearer token), and compared in constant
//! time, so that how long a refusal takes tells nothing.

use sha2::{Digest, Sha256};
use std::fmt;
use subtle::ConstantTimeEq;

/// Shorter ones can be guessed.
const SHORTEST: usize = 16;

/// A secret, which nothing prints.
#[derive(Clone)]
pub struct Secret {
    token: String,
    hash: [u8; 32],
}

impl Secret {
    /// # Errors
    /// If it is too short.
    pub fn new(text: &str) -> Result<Secret, String> {
        if text.chars().count() < SHORTEST {
            return Err(format!(
                "the secret that all servers share must have at least {SHORTEST} characters"
            ));
        }
        // A hash is of hex digits, whatever characters the secret has, and serves for nothing else.
        let token = hex::encode(hash(format!("rookery nodes\n{text}").as_bytes()));
        Ok(Secret { hash: hash(token.as_bytes()), token })
    }

    /// Whether this was said by somebody who knows the secret. Hashes are compared, which are all of one length.
    pub fn is_known_to(&self, said: &[u8]) -> bool {
        self.hash.ct_eq(&hash(said)).into()
    }

    /// What a server says to another.
    pub fn token(&self) -> &str {
        &self.token
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

fn hash(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_knows_the_secret_has_its_token() {
        let secret = Secret::new("of sixteen letters").unwrap();
        let same = Secret::new("of sixteen letters").unwrap();
        assert!(secret.is_known_to(same.token().as_bytes()));
        let other = Secret::new("Of sixteen letters").unwrap();
        for wrong in ["", "of sixteen letters", other.token(), &secret.token()[1..]] {
            assert!(!secret.is_known_to(wrong.as_bytes()), "{wrong:?}");
        }
        let printed = format!("{secret:?}");
        assert!(!printed.contains("sixteen") && !printed.contains(secret.token()));
    }

    #[test]
    fn a_secret_is_long_and_of_any_characters() {
        assert!(Secret::new("123456789012345").is_err());
        assert!(Secret::new("1234567890123456").is_ok());
        assert!(Secret::new("šešiolika simbolių").unwrap().token().is_ascii());
    }
}
