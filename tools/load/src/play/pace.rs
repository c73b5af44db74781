//! How long players wait before they act.

use game::Chance;
use std::str::FromStr;
use std::time::Duration;

/// A range in milliseconds from which each delay is drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ActPace {
    least: u32,
    most: u32,
}

impl ActPace {
    /// Returns a random delay.
    pub fn pause(self, chance: &mut Chance) -> Duration {
        let more = chance.below(self.most - self.least + 1);
        Duration::from_millis(u64::from(self.least + more))
    }
}

impl FromStr for ActPace {
    type Err = String;

    fn from_str(text: &str) -> Result<ActPace, String> {
        let (least, most) = text.split_once('-').unwrap_or((text, text));
        let read = |number: &str| number.parse().ok().filter(|number| *number < 3_600_000);
        match (read(least), read(most)) {
            (Some(least), Some(most)) if least <= most => Ok(ActPace { least, most }),
            _ => Err("expected milliseconds such as 500 or 200-1000, up to an hour".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::Seed;

    #[test]
    fn a_pause_lies_within_its_bounds() {
        let pace: ActPace = "200-203".parse().unwrap();
        let chance = &mut Chance::new(Seed([7; 32]));
        let mut pauses: Vec<u128> = (0..100).map(|_| pace.pause(chance).as_millis()).collect();
        pauses.sort_unstable();
        pauses.dedup();
        assert_eq!(pauses, [200, 201, 202, 203]);
        assert_eq!("0".parse::<ActPace>().unwrap().pause(chance), Duration::ZERO);
    }
}
