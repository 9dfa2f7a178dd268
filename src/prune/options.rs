//! What may be pruned, how, and what never (CONTRACT 6).

use crate::usage::Windows;

/// A way of saving characters. Each call is touched by one of them only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strategy {
    /// The output of a call that was made again later with the same arguments.
    Dedupe,
    /// The body of a write whose file was read or written whole later.
    Supersede,
    /// Long strings in the arguments of a failed call.
    Errors,
    /// Head and tail of a long output stay.
    Truncate,
    /// Outputs of old tool rounds.
    Outputs,
    /// Reads that a later edit made stale.
    Reads,
    /// Image data.
    Images,
    /// What a loop guard would have answered with one line.
    Repeats,
}

impl Strategy {
    /// Every strategy, in the order in which they claim calls.
    pub const ALL: [Strategy; 8] = [
        Strategy::Dedupe,
        Strategy::Supersede,
        Strategy::Errors,
        Strategy::Truncate,
        Strategy::Outputs,
        Strategy::Reads,
        Strategy::Images,
        Strategy::Repeats,
    ];
    /// The default, in the order in which they claim calls.
    pub const DEFAULT: [Strategy; 3] = [Strategy::Dedupe, Strategy::Supersede, Strategy::Errors];

    /// Its name in flags and reports.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Dedupe => "dedupe",
            Strategy::Supersede => "supersede",
            Strategy::Errors => "errors",
            Strategy::Truncate => "truncate",
            Strategy::Outputs => "outputs",
            Strategy::Reads => "reads",
            Strategy::Images => "images",
            Strategy::Repeats => "repeats",
        }
    }

    /// A comma-separated list; `all` is every one. The three of the default always come first, in their order.
    ///
    /// # Errors
    /// An unknown name, or none at all.
    pub fn list(text: &str) -> Result<Vec<Strategy>, String> {
        let mut named = Vec::new();
        for word in text.split(',').map(str::trim).filter(|w| !w.is_empty()) {
            let word = word.to_ascii_lowercase();
            if word == "all" {
                named.extend(Strategy::ALL);
                continue;
            }
            let known = Strategy::ALL.iter().find(|s| s.name() == word);
            named.push(*known.ok_or_else(|| {
                format!("{word:?} is no strategy; there are dedupe, supersede, errors, truncate, outputs, reads, images, repeats, all")
            })?);
        }
        let mut list: Vec<Strategy> = Vec::new();
        let first = Strategy::DEFAULT.iter().filter(|s| named.contains(s));
        for strategy in first.chain(&named) {
            if !list.contains(strategy) {
                list.push(*strategy);
            }
        }
        if list.is_empty() {
            return Err("no strategy is named".to_owned());
        }
        Ok(list)
    }
}

/// What counts as a turn (SPEC 0.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TurnUnit {
    /// One response of the model.
    #[default]
    Step,
    /// From one human message to the next.
    User,
}

/// How to prune.
#[derive(Debug, Clone)]
pub struct Options {
    /// In the order in which they claim calls; see [`Strategy::list`].
    pub strategies: Vec<Strategy>,
    /// `supersede` counts any later read, of whatever file.
    pub aggressive: bool,
    /// Turns until a failed call may lose its long arguments.
    pub error_turns: u32,
    /// Tool rounds whose outputs stay whole.
    pub keep_rounds: u32,
    /// Tokens a single output may have at most.
    pub cap_tokens: u64,
    /// Share of the room left in the window that one output may not take.
    pub headroom: f64,
    /// Caps in tokens for single tools, by name.
    pub tool_caps: Vec<(String, u64)>,
    /// Share of a cut output that is its head; `None`: 0.5, and 0.3 for failures.
    pub head_ratio: Option<f64>,
    pub windows: Windows,
    /// The newest turns are never touched; 0 switches that off.
    pub protect_turns: u32,
    pub turn_unit: TurnUnit,
    /// Names or globs of tools that are never touched.
    pub protect_tools: Vec<String>,
    /// Globs of paths that are never touched.
    pub protect_paths: Vec<String>,
    /// The tools that are protected unless that is switched off.
    pub default_protection: bool,
    /// Below this many tokens nothing is changed at all.
    pub min_savings: u64,
    /// A fixed price instead of the estimate.
    pub chars_per_token: Option<f64>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            strategies: Strategy::DEFAULT.to_vec(),
            aggressive: false,
            error_turns: 5,
            keep_rounds: 6,
            cap_tokens: 50_000,
            headroom: 0.5,
            tool_caps: Vec::new(),
            head_ratio: None,
            windows: Windows::default(),
            protect_turns: 3,
            turn_unit: TurnUnit::Step,
            protect_tools: Vec::new(),
            protect_paths: Vec::new(),
            default_protection: true,
            min_savings: 0,
            chars_per_token: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_and_ordered() {
        use Strategy::*;
        assert_eq!(
            Strategy::list("outputs,errors,dedupe,outputs"),
            Ok(vec![Dedupe, Errors, Outputs])
        );
        assert_eq!(Strategy::list("all"), Ok(Strategy::ALL.to_vec()));
        assert!(
            Strategy::list("dedup")
                .unwrap_err()
                .contains("no strategy; there are")
        );
        assert!(Strategy::list(" , ").is_err());
    }
}
