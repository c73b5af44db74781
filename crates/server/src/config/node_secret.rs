//! The secret that all servers share. They authenticate with a bearer token derived from it, which is compared in
//! constant time, so that the time of a refusal reveals nothing.

use sha2::{Digest, Sha256};
use std::fmt;
use subtle::ConstantTimeEq;

/// Minimum length. Shorter secrets can be guessed.
const SHORTEST: usize = 16;

/// A secret. `Debug` does not print it.
#[derive(Clone)]
pub struct Secret {
    token: String,
    hash: [u8; 32],
}

impl Secret {
    /// Derives the token from the secret.
    ///
    /// # Errors
    /// Fails if the secret is too short.
    pub fn new(text: &str) -> Result<Secret, String> {
        if text.chars().count() < SHORTEST {
            return Err(format!("the secret that all servers share must have at least {SHORTEST} characters"));
        }
        // The token is a hash: it is ASCII whatever characters the secret has, and it is used for nothing else.
        let token = hex::encode(hash(format!("rookery nodes\n{text}").as_bytes()));
        Ok(Secret { hash: hash(token.as_bytes()), token })
    }

    /// Returns whether this is the token of the secret. The comparison is between hashes, which all have the same
    /// length.
    pub fn is_known_to(&self, said: &[u8]) -> bool {
        self.hash.ct_eq(&hash(said)).into()
    }

    /// Returns the token that servers send to each other.
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
    fn accepts_only_the_token_of_the_same_secret() {
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
    fn a_secret_is_long_and_may_have_any_characters() {
        assert!(Secret::new("123456789012345").is_err());
        assert!(Secret::new("1234567890123456").is_ok());
        assert!(Secret::new("šešiolika simbolių").unwrap().token().is_ascii());
    }
}
