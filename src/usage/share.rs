//! A share of a window, exact: 79.9995 % is below 80 %, whatever a binary fraction makes of either.

use std::fmt;

/// A share in millionths; 1,000,000 is the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share(u64);

/// Millionths in a whole.
pub const WHOLE: u64 = 1_000_000;

impl Share {
    /// So many percent.
    pub const fn percent(percent: u64) -> Share {
        Share(percent * (WHOLE / 100))
    }

    /// `0.80` and `80%`; with `bare_percent` also `75`, which is percent then.
    ///
    /// # Errors
    /// No number, or a number that is no share between 0 and 1.
    pub fn parse(text: &str, bare_percent: bool) -> Result<Share, String> {
        let text = text.trim();
        let wrong = || format!("{text:?} is no share; write 0.80 or 80%");
        let (digits, percent) = match text.strip_suffix('%') {
            Some(digits) => (digits.trim_end(), true),
            None => (text, false),
        };
        let value = millionths(digits).ok_or_else(wrong)?;
        let value = if percent || (bare_percent && value >= WHOLE) {
            value / 100
        } else {
            value
        };
        if value > WHOLE {
            return Err(wrong());
        }
        Ok(Share(value))
    }

    /// Whole tokens of the share: `int(window × share)`.
    pub fn of(self, window: u64) -> u64 {
        (u128::from(window) * u128::from(self.0) / u128::from(WHOLE)) as u64
    }

    /// The fewest tokens that are not below the share.
    pub fn reached_at(self, window: u64) -> u64 {
        (u128::from(window) * u128::from(self.0)).div_ceil(u128::from(WHOLE)) as u64
    }

    /// Between 0 and 1.
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / WHOLE as f64
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hundredths = self.0 % 10_000;
        if hundredths == 0 {
            write!(f, "{} %", self.0 / 10_000)
        } else {
            let digits = format!("{hundredths:04}");
            write!(f, "{}.{} %", self.0 / 10_000, digits.trim_end_matches('0'))
        }
    }
}

/// A plain decimal number in millionths; further digits are cut off.
pub fn millionths(text: &str) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    if (whole.is_empty() && part.is_empty()) || !digits(whole) || !digits(part) || whole.len() > 9 {
        return None;
    }
    let whole: u64 = if whole.is_empty() {
        0
    } else {
        whole.parse().ok()?
    };
    let part: String = part.chars().chain("000000".chars()).take(6).collect();
    Some(whole * WHOLE + part.parse::<u64>().ok()?)
}

/// Used ÷ window in whole percent, rounded down and never above 100. `None`: no window.
pub fn percent(used: u64, window: u64) -> Option<u64> {
    let percent = (u128::from(used) * 100).checked_div(u128::from(window))?;
    Some(percent.min(100) as u64)
}

/// Used ÷ window for display: two decimals, rounded down, never above 1.
pub fn shown(used: u64, window: u64) -> Option<f64> {
    percent(used, window).map(|p| p as f64 / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read_as_written() {
        for (text, bare, want) in [
            ("0.80", false, Some(80)),
            ("80%", false, Some(80)),
            ("80 %", true, Some(80)),
            ("75", true, Some(75)),
            ("1", true, Some(1)),
            ("0.75", true, Some(75)),
            ("75", false, None),
            ("-0.8", false, None),
            ("", false, None),
            (".", false, None),
            ("high", true, None),
            ("NaN", false, None),
        ] {
            assert_eq!(
                Share::parse(text, bare).ok(),
                want.map(Share::percent),
                "{text}"
            );
        }
    }

    #[test]
    fn nothing_is_rounded_up() {
        let share = Share::percent(80);
        assert_eq!(share.of(200_000), 160_000);
        assert_eq!(share.reached_at(200_000), 160_000);
        // 79,999 of 99,999 is below 80 % although int(99,999 × 0.8) is 79,999.
        assert_eq!(share.of(99_999), 79_999);
        assert_eq!(share.reached_at(99_999), 80_000);
        assert_eq!(shown(159_999, 200_000), Some(0.79));
        assert_eq!(shown(400_000, 200_000), Some(1.0));
        assert_eq!(shown(1, 0), None);
    }

    #[test]
    fn shares_are_shown_in_percent() {
        assert_eq!(Share::percent(80).to_string(), "80 %");
        assert_eq!(
            Share::parse("0.855", false).map(|s| s.to_string()),
            Ok("85.5 %".into())
        );
    }
}
