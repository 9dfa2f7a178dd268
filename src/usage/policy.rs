//! What the caller asked for: thresholds and how they are applied. One struct, so that no default returns
//! silently because an option was not passed on.

use super::share::Share;
use super::window::Windows;

/// How the configured share becomes a number of tokens (SPEC 3.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum StaticRule {
    /// The share of the window (less --max-output)
    #[default]
    Plain,
    /// As the hermes agent does it: small windows fire later
    Hermes,
}

/// The rules of one judgement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    pub windows: Windows,
    pub threshold: Share,
    pub critical: Share,
    /// No alarm below so many tokens.
    pub min_tokens: u64,
    /// Milliseconds of transcript time.
    pub cooldown: i64,
    /// Warnings in one compaction cycle.
    pub max_warnings: u64,
    pub adaptive: bool,
    /// Millionths: how many times the floor the threshold should be.
    pub gap: u64,
    pub ceiling: Share,
    pub max_output: Option<u64>,
    pub cap: Option<u64>,
    pub static_rule: StaticRule,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy {
            windows: Windows::default(),
            threshold: Share::percent(80),
            critical: Share::percent(95),
            min_tokens: 50_000,
            cooldown: 60_000,
            max_warnings: 3,
            adaptive: false,
            gap: 2_000_000,
            ceiling: Share::percent(85),
            max_output: None,
            cap: None,
            static_rule: StaticRule::Plain,
        }
    }
}

/// The lower end of the range a threshold may have.
pub const LOWEST: Share = Share::percent(50);
/// The upper end of that range.
pub const HIGHEST: Share = Share::percent(95);

impl Policy {
    /// Refuses shares that mean nothing together.
    ///
    /// # Errors
    /// One sentence that names the range.
    pub fn check(&self) -> Result<(), String> {
        if self.threshold < LOWEST || self.threshold > HIGHEST {
            return Err(format!(
                "--threshold {} is outside 0.5 to 0.95; give a share in that range",
                self.threshold.as_f64()
            ));
        }
        if self.threshold >= self.critical {
            return Err(format!(
                "--threshold {} is not below --critical {}; lower one or raise the other",
                self.threshold.as_f64(),
                self.critical.as_f64()
            ));
        }
        Ok(())
    }
}
