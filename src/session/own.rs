//! Calls of `compact recall` itself: what they print was said elsewhere, so neither they nor their results are
//! ever hits (SPEC 1.11). Their numbers stay, and they can be opened.

use crate::shell;
use crate::transcript::{Args, Call, tools};

/// Whether the call runs `compact recall`.
pub fn is_recall(call: &Call<'_>) -> bool {
    if call.tool != tools::Tool::Shell {
        return false;
    }
    let args = call.args.as_str();
    if !(args.contains("recall") && args.contains("compact")) {
        return false;
    }
    match &call.args {
        Args::Raw(command) => runs_recall(command),
        Args::Json(_) => {
            tools::command(&call.args.json()).is_some_and(|command| runs_recall(&command))
        }
    }
}

/// Whether one of the commands in this shell text is `compact recall`, by whatever path it is called.
fn runs_recall(command: &str) -> bool {
    command.contains("recall")
        && shell::parse(command).commands.iter().any(|c| {
            let name = c.program.rsplit(['/', '\\']).next().unwrap_or_default();
            (name == "compact" || name == "compact.exe")
                && c.args().find(|a| !a.starts_with('-')) == Some("recall")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recall_is_seen_wherever_it_runs() {
        for yes in [
            "compact recall '토큰 만료' session.jsonl",
            "cd /w && ./target/release/compact recall '#3' s.jsonl | head -20",
            "timeout 5 compact recall x -",
        ] {
            assert!(runs_recall(yes), "{yes}");
        }
        for no in [
            "compact session.jsonl",
            "grep 'compact recall' README.md",
            "echo recall",
            "compact ./recall",
        ] {
            assert!(!runs_recall(no), "{no}");
        }
    }
}
