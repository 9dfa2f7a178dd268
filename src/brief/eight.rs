//! `--layout eight`: eight fixed headings, always all, `None` where empty (SPEC 1.17).
//!
//! Requests, constraints and delegated sessions are rebuilt from every message on every run, so that no earlier
//! brief can lose them.

mod agent;
mod evidence;

use super::paths::{home, short_path};
use super::sections::mark;
use super::{Options, closing, fit, plain};
use crate::language::{clip, head_tail, wrap};
use crate::session::Session;
use crate::state::{Item, State, TodoStatus};
use evidence::Evidence;

/// Items of a section, and characters of a line, from generous to least.
const ROOMS: [(usize, usize); 6] = [
    (usize::MAX, 200),
    (40, 200),
    (16, 160),
    (8, 120),
    (3, 100),
    (1, 60),
];
/// Files named as context (SPEC 1.17).
const FILES: usize = 10;

/// The brief within `ceiling` characters; `None` when even the least does not fit.
pub fn brief(
    session: &Session,
    state: &State,
    options: &Options,
    ceiling: usize,
) -> Option<String> {
    let view = View::new(session, state, options);
    ROOMS
        .iter()
        .enumerate()
        .find_map(|(level, &(count, width))| {
            let request = (ceiling >> (level + 1)).max(width);
            let text = view.write(count, width, request);
            (text.chars().count() <= ceiling).then_some(text)
        })
}

/// The smallest there is.
pub fn least(session: &Session, state: &State, options: &Options) -> String {
    let (count, width) = ROOMS.last().copied().unwrap_or((1, 60));
    View::new(session, state, options).write(count, width, width)
}

struct View<'s> {
    state: &'s State,
    options: &'s Options,
    evidence: Evidence,
}

impl<'s> View<'s> {
    fn new(session: &'s Session, state: &'s State, options: &'s Options) -> View<'s> {
        View {
            state,
            options,
            evidence: Evidence::of(session, state),
        }
    }

    fn short(&self, path: &str) -> String {
        short(self.state, path)
    }

    fn write(&self, count: usize, width: usize, request: usize) -> String {
        let sections: [(&str, Vec<String>); 8] = [
            ("User Requests", self.requests(count, width, request)),
            ("Final Goal", self.goal(count, width)),
            ("Work Completed", self.done(count, width)),
            ("Remaining Tasks", self.remaining(count, width)),
            ("Active Working Context", self.context(count, width)),
            ("Explicit Constraints", self.constraints(count, width)),
            ("Agent Verification State", self.verification(count, width)),
            (
                "Delegated Agent Sessions",
                newest(&self.evidence.agents, count)
                    .iter()
                    .map(|a| format!("- {}", clip(a, width.max(120))))
                    .collect(),
            ),
        ];
        let columns = self.options.columns();
        let mut out = String::new();
        for (name, lines) in sections {
            out.push_str(&fit::heading(name, self.options.style));
            if lines.is_empty() {
                out.push_str("None\n");
            }
            for line in lines {
                out.push_str(&wrap(&line, columns, 2));
                out.push('\n');
            }
            out.push('\n');
        }
        out.push_str(&wrap(&closing(self.state, self.options), columns, 2));
        out.push('\n');
        out
    }

    fn requests(&self, count: usize, width: usize, request: usize) -> Vec<String> {
        let Some((last, earlier)) = self.evidence.requests.split_last() else {
            return Vec::new();
        };
        // The first one stays with the newest.
        let mut lines = listed(newest(earlier, count), width);
        if lines.len() < earlier.len()
            && let Some(first) = earlier.first()
        {
            lines.insert(0, listed(std::slice::from_ref(first), width).concat());
            let out = earlier.len() + 1 - lines.len();
            if out > 0 {
                lines.insert(1, format!("- (+{out} between)"));
            }
        }
        let text = plain::shown(last.text.trim());
        let text = head_tail(&text, request, "\n…\n");
        let whole: Vec<String> = text
            .lines()
            .map(|l| plain::neutral(l.trim_end()).into_owned())
            .collect();
        lines.push(format!("- {} ({})", whole.join("\n  "), last.reference));
        lines
    }

    fn goal(&self, count: usize, width: usize) -> Vec<String> {
        let mut lines = super::sections::goal(self.state, count, width);
        // The last change with all its lines.
        let changes = &self.state.scope_change;
        let last = changes.last().map(|c| c.reference);
        let from = changes.iter().position(|c| Some(c.reference) == last);
        let change = from.and_then(|from| changes.get(from..));
        lines.extend(listed(change.unwrap_or_default(), width));
        lines
    }

    fn done(&self, count: usize, width: usize) -> Vec<String> {
        let mut lines = Vec::new();
        let changed: Vec<String> = self
            .state
            .files
            .iter()
            .filter(|f| f.modified > 0 || f.created || f.deleted || f.renamed_from.is_some())
            .map(|f| {
                let what = match (f.deleted, f.created) {
                    (true, _) => "deleted",
                    (_, true) => "created",
                    _ => "changed",
                };
                format!("- {what} {} ({})", self.short(&f.path), f.reference)
            })
            .collect();
        lines.extend_from_slice(newest(&changed, count));
        for commit in newest(&self.state.commits, count) {
            let hash: String = commit.hash.chars().take(7).collect();
            let text = plain::line(&format!("{hash} {}", commit.subject));
            lines.push(format!("- {} ({})", clip(&text, width), commit.reference));
        }
        let finished: Vec<&crate::state::Todo> = self
            .state
            .todos
            .iter()
            .filter(|t| t.status == TodoStatus::Completed)
            .collect();
        for todo in newest(&finished, count) {
            let text = plain::line(&todo.text);
            lines.push(format!("- [x] {} ({})", clip(&text, width), todo.reference));
        }
        let passed = self
            .evidence
            .checks
            .iter()
            .rfind(|c| c.passed == Some(true));
        if let Some(check) = passed {
            lines.push(format!("- passed: {}", check.named(width)));
        }
        lines
    }

    fn remaining(&self, count: usize, width: usize) -> Vec<String> {
        let open: Vec<String> = self
            .state
            .todos
            .iter()
            .filter_map(|t| {
                let mark = match t.status {
                    TodoStatus::Pending => "[ ]",
                    TodoStatus::InProgress => "[~]",
                    _ => return None,
                };
                let text = plain::line(&t.text);
                Some(format!("- {mark} {} ({})", clip(&text, width), t.reference))
            })
            .collect();
        let mut lines: Vec<String> = open.iter().take(count).cloned().collect();
        for blocker in newest(&self.state.blockers, count.min(5)) {
            let text = plain::line(&blocker.text);
            lines.push(format!(
                "- {}{} ({})",
                mark(blocker),
                clip(&text, width),
                blocker.reference
            ));
        }
        lines
    }

    fn context(&self, count: usize, width: usize) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(cwd) = &self.state.session.cwd {
            lines.push(format!("- cwd: {}", plain::line(cwd)));
        }
        if let Some(branch) = &self.state.session.branch {
            lines.push(format!("- branch: {}", plain::line(branch)));
        }
        let mut files: Vec<&crate::state::File> = self.state.files.iter().collect();
        files.sort_by_key(|f| f.reference);
        let names: Vec<String> = newest(&files, count.min(FILES))
            .iter()
            .map(|f| self.short(&f.path))
            .collect();
        if !names.is_empty() {
            lines.push(format!("- files: {}", names.join(", ")));
        }
        if let Some(failed) = &self.evidence.failed {
            lines.push(format!("- last failed: {}", clip(failed, width)));
        }
        lines
    }

    fn constraints(&self, count: usize, width: usize) -> Vec<String> {
        let standing: Vec<Item> = self
            .state
            .preferences
            .iter()
            .filter(|p| p.superseded_by.is_none())
            .map(|p| Item::new(p.text.clone(), p.reference))
            .collect();
        listed(newest(&standing, count), width)
    }

    fn verification(&self, count: usize, width: usize) -> Vec<String> {
        let mut lines: Vec<String> = newest(&self.evidence.checks, count)
            .iter()
            .map(|c| format!("- {}", c.named(width)))
            .collect();
        if !self.evidence.checks.is_empty() {
            for (path, reference) in newest(&self.evidence.unverified, count) {
                lines.push(format!(
                    "- unverified: {path}, changed after the last passing check ({reference})"
                ));
            }
        }
        for call in newest(&self.evidence.refused, count) {
            lines.push(format!("- refused: {}", clip(call, width)));
        }
        lines
    }
}

/// A path as short as it can be said in this session.
fn short(state: &State, path: &str) -> String {
    let cwd = state.session.cwd.as_deref();
    short_path(path, cwd, cwd.and_then(home).as_deref())
}

fn newest<T>(list: &[T], count: usize) -> &[T] {
    list.get(list.len().saturating_sub(count)..)
        .unwrap_or_default()
}

fn listed(list: &[Item], width: usize) -> Vec<String> {
    list.iter()
        .map(|i| format!("- {} ({})", clip(&plain::line(&i.text), width), i.reference))
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::brief::{Layout, Options, render};
    use crate::extract::extract;
    use crate::lexicon::Rules;
    use crate::session::testing::Talk;

    #[test]
    fn the_last_change_of_plan_is_told_whole() {
        let session = Talk::in_dir("/w")
            .person("로그인을 고쳐줘")
            .agent("네")
            .person("계획 변경\n캐시를 고쳐줘\n로그도 고쳐줘")
            .session();
        let state = extract(&session, Rules::builtin());
        let options = Options {
            layout: Layout::Eight,
            ..Options::default()
        };
        let brief = render(&session, &state, &options).unwrap();
        let goal = "## Final Goal\n- 로그인을 고쳐줘 (#0)\n- 계획 변경 (#2)\n- 캐시를 고쳐줘 (#2)\n- 로그도 고쳐줘 (#2)\n";
        assert!(brief.contains(goal), "{brief}");
    }
}
