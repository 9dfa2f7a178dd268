//! The sections that come from the state, each as lines; how many and how long is the caller's `Room`.

use super::paths::short_path;
use super::{Options, Section, plain};
use crate::language::{clip, clip_chars, head_tail, squash, wrap};
use crate::state::{Blocker, BlockerKind, Commit, File, Item, State, TodoStatus};
use crate::transcript::Ref;
use std::collections::BTreeMap;

/// How much of each section is shown.
#[derive(Debug, Clone, Copy, Default)]
pub struct Room {
    /// Characters of a request; longer ones are cut at both ends.
    pub request: usize,
    /// Items of each list; 0 leaves it out.
    pub goals: usize,
    pub earlier: usize,
    pub preferences: usize,
    pub outstanding: usize,
    pub todos: usize,
    pub files: usize,
    pub commits: usize,
}

/// From all that is ever shown (SPEC 8) down to the two requests on a line each.
pub fn rooms(ceiling: usize) -> [Room; 6] {
    let full = Room {
        request: ceiling / 2,
        goals: 6,
        earlier: 3,
        preferences: 10,
        outstanding: 5,
        todos: usize::MAX,
        files: 10,
        commits: 8,
    };
    let half = Room {
        request: ceiling / 4,
        todos: 12,
        files: 6,
        commits: 5,
        ..full
    };
    let few = Room {
        request: ceiling / 5,
        goals: 4,
        preferences: 5,
        outstanding: 3,
        todos: 6,
        files: 4,
        commits: 3,
        ..half
    };
    let fewer = Room {
        request: (ceiling / 6).max(LINE),
        goals: 2,
        earlier: 2,
        preferences: 3,
        outstanding: 2,
        todos: 3,
        files: 2,
        commits: 1,
    };
    let requests = Room {
        request: fewer.request,
        goals: 2,
        ..Room::default()
    };
    let line = Room {
        request: LINE,
        goals: 1,
        ..requests
    };
    [full, half, few, fewer, requests, line]
}

/// A request clipped to a line, in characters.
const LINE: usize = 72;
/// Longest lines shown, in characters (SPEC 8).
const GOAL: usize = 200;
const EARLIER: usize = 160;
const BLOCKER: usize = 150;
/// Changes of plan shown.
const SCOPES: usize = 3;

/// A section's heading and body.
pub type Body = (Section, String);

/// The sections with content, in order, without the transcript. Bodies end without a line break.
pub fn bodies(state: &State, options: &Options, room: &Room) -> Vec<Body> {
    let columns = options.columns();
    let mut out: Vec<Body> = Vec::new();
    let mut add = |section: Section, lines: Vec<String>| {
        if options.wants(section) && !lines.is_empty() {
            let wrapped: Vec<String> = lines.iter().map(|l| wrap(l, columns, 2)).collect();
            out.push((section, wrapped.join("\n")));
        }
    };
    add(
        Section::Goal,
        goal(state, room.goals, GOAL.min(room.request)),
    );
    add(Section::Earlier, items(shown_earlier(state, room), EARLIER));
    // What the plan is now stands in its first lines.
    let scope = state.scope_change.len().min(SCOPES).min(room.earlier);
    add(
        Section::Scope,
        items(state.scope_change.get(..scope).unwrap_or_default(), GOAL),
    );
    add(Section::Latest, latest(state, room));
    add(Section::Preferences, preferences(state, room));
    add(Section::Outstanding, outstanding(state, room));
    add(Section::Todos, todos(state, room));
    add(Section::Files, files(state, options, room));
    add(Section::Commits, commits(&state.commits, room));
    out
}

fn item(text: &str, reference: impl std::fmt::Display, max: usize) -> String {
    let text = plain::line(text);
    let text = plain::neutral(&text);
    format!("- {} ({reference})", clip(&text, max))
}

fn items(list: &[Item], max: usize) -> Vec<String> {
    list.iter()
        .map(|i| item(&i.text, i.reference, max))
        .collect()
}

/// The first lines of the goal, and how many the message has beyond them (G1).
pub(super) fn goal(state: &State, count: usize, max: usize) -> Vec<String> {
    let count = count.min(state.goal.len());
    let (shown, rest) = state.goal.split_at(count);
    let mut lines = items(shown, max);
    let more = rest.len() + state.goal.last().map_or(0, |l| l.more);
    if let Some(first) = state.goal.first().filter(|_| more > 0) {
        let word = if more == 1 { "line" } else { "lines" };
        lines.push(format!("- (+{more} more {word}, {})", first.reference));
    }
    lines
}

/// Whether the latest request is the goal itself.
pub fn latest_is_goal(state: &State) -> bool {
    state
        .latest_request
        .as_ref()
        .is_some_and(|l| state.goal.iter().any(|g| g.reference == l.reference))
}

fn latest(state: &State, room: &Room) -> Vec<String> {
    let Some(request) = &state.latest_request else {
        return Vec::new();
    };
    if latest_is_goal(state) {
        return Vec::new();
    }
    let text = plain::shown(request.text.trim());
    let text = if room.request <= LINE {
        clip_chars(&plain::line(&text), room.request).into_owned()
    } else {
        head_tail(&text, room.request, "\n…\n").into_owned()
    };
    let mut lines: Vec<String> = text
        .lines()
        .map(|l| plain::neutral(l.trim_end()).into_owned())
        .collect();
    if let Some(last) = lines.last_mut() {
        last.push_str(&format!(" ({})", request.reference));
    }
    lines
}

/// The requests between goal and latest that are printed.
fn shown_earlier<'s>(state: &'s State, room: &Room) -> &'s [Item] {
    let from = state.earlier_requests.len().saturating_sub(room.earlier);
    state.earlier_requests.get(from..).unwrap_or_default()
}

fn preferences(state: &State, room: &Room) -> Vec<String> {
    let said: Vec<String> = state
        .goal
        .iter()
        .chain(&state.scope_change)
        .chain(&state.latest_request)
        .chain(shown_earlier(state, room))
        .map(|i| squash(&i.text))
        .collect();
    let standing = state
        .preferences
        .iter()
        .filter(|p| p.superseded_by.is_none())
        .filter(|p| {
            let text = squash(&p.text);
            !said.iter().any(|s| s.contains(&text))
        });
    // One message must not fill the list (SPEC 1.5 P1).
    let mut of_message: BTreeMap<Ref, usize> = BTreeMap::new();
    let mut lines: Vec<String> = standing
        .rev()
        .filter(|p| {
            let count = of_message.entry(p.reference).or_default();
            *count += 1;
            *count <= OF_ONE_MESSAGE
        })
        .take(room.preferences)
        .map(|p| item(&p.text, p.reference, GOAL))
        .collect();
    lines.reverse();
    lines
}

/// Standing rules of one message that are shown; the state keeps all.
const OF_ONE_MESSAGE: usize = 2;

/// Who says so, or that it has not ended: a command alone reads as if it had failed.
pub fn mark(blocker: &Blocker) -> &'static str {
    match blocker.kind {
        _ if blocker.person => "[user] ",
        BlockerKind::InFlight => "[no result] ",
        _ => "",
    }
}

fn outstanding(state: &State, room: &Room) -> Vec<String> {
    let from = state.blockers.len().saturating_sub(room.outstanding);
    let shown: &[Blocker] = state.blockers.get(from..).unwrap_or_default();
    shown
        .iter()
        .map(|b| {
            let line = item(&b.text, b.reference, BLOCKER);
            line.replacen("- ", &format!("- {}", mark(b)), 1)
        })
        .collect()
}

/// `[ ]`, `[~]` for the one at work; finished ones are not carried.
fn todos(state: &State, room: &Room) -> Vec<String> {
    let open = state
        .todos
        .iter()
        .filter(|t| matches!(t.status, TodoStatus::Pending | TodoStatus::InProgress));
    let total = open.clone().count();
    let mut lines: Vec<String> = open
        .take(room.todos)
        .map(|t| {
            let mark = match t.status {
                TodoStatus::InProgress => "[~]",
                _ => "[ ]",
            };
            item(&t.text, t.reference, GOAL).replacen("- ", &format!("- {mark} "), 1)
        })
        .collect();
    if total > lines.len() && !lines.is_empty() {
        lines.push(format!("- (+{} more)", total - lines.len()));
    }
    lines
}

/// Files by what happened to them, the newest of all, `(+N earlier)`.
fn files(state: &State, options: &Options, room: &Room) -> Vec<String> {
    type Test = fn(&File) -> bool;
    let groups: [(&str, Test); 5] = [
        // Modified hides created and read (SPEC 1.8 F1).
        ("Modified", |f| {
            !f.deleted && f.renamed_from.is_none() && f.modified > 0
        }),
        ("Created", |f| {
            !f.deleted && f.renamed_from.is_none() && f.created && f.modified == 0
        }),
        ("Deleted", |f| f.deleted),
        ("Renamed", |f| !f.deleted && f.renamed_from.is_some()),
        ("Read", |f| {
            !f.deleted && f.renamed_from.is_none() && !f.created && f.modified == 0
        }),
    ];
    // What was changed matters more than what was only looked at.
    let changed = |f: &File| groups.iter().take(4).any(|(_, test)| test(f));
    let mut newest: Vec<&File> = state
        .files
        .iter()
        .filter(|f| !options.lean || changed(f))
        .collect();
    newest.sort_by_key(|f| (changed(f), f.reference));
    let reads = newest.iter().filter(|f| !changed(f)).count();
    let edits = newest.len() - reads;
    let shown_edits = edits.min(room.files);
    let room_for_reads = READS.saturating_sub(shown_edits);
    let shown_reads = reads.min(room.files - shown_edits).min(room_for_reads);
    let shown: Vec<&File> = newest
        .get(reads - shown_reads..reads)
        .unwrap_or_default()
        .iter()
        .chain(newest.get(newest.len() - shown_edits..).unwrap_or_default())
        .copied()
        .collect();
    let home = state.session.cwd.as_deref().and_then(super::paths::home);
    let short = |p: &str| short_path(p, state.session.cwd.as_deref(), home.as_deref());
    let mut lines = Vec::new();
    for (name, test) in groups {
        let names: Vec<String> = shown
            .iter()
            .filter(|f| test(f))
            .map(|f| match &f.renamed_from {
                Some(from) if !f.deleted => format!("{} → {}", short(from), short(&f.path)),
                _ => short(&f.path),
            })
            .collect();
        let all = newest.iter().filter(|f| test(f)).count();
        if names.is_empty() {
            continue;
        }
        let earlier = all - names.len();
        let more = if earlier > 0 {
            format!(" (+{earlier} earlier)")
        } else {
            String::new()
        };
        lines.push(format!("- {name}: {}{more}", names.join(", ")));
    }
    lines
}

/// Files only read are shown when few were changed, and few of them.
const READS: usize = 4;

fn commits(commits: &[Commit], room: &Room) -> Vec<String> {
    let from = commits.len().saturating_sub(room.commits);
    commits
        .get(from..)
        .unwrap_or_default()
        .iter()
        .map(|c| {
            let hash: String = c.hash.chars().take(7).collect();
            item(&format!("{hash} {}", c.subject), c.reference, 120)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::testing::Talk;

    #[test]
    fn rooms_only_get_smaller() {
        let rooms = rooms(8000);
        for pair in rooms.windows(2) {
            let [wide, narrow] = pair else { continue };
            assert!(narrow.request <= wide.request);
            assert!(narrow.goals <= wide.goals && narrow.earlier <= wide.earlier);
            assert!(narrow.files <= wide.files && narrow.commits <= wide.commits);
        }
        assert!(rooms.last().is_some_and(|r| r.request == LINE));
    }

    fn state(talk: &Talk) -> State {
        crate::extract::extract(&talk.session(), crate::lexicon::Rules::builtin())
    }

    #[test]
    fn one_message_shows_its_newest_two_rules() {
        let talk = Talk::in_dir("/w")
            .person("목록을 고쳐줘")
            .person("앞으로 표로 답해줘")
            .person("항상 첫째로 답해줘. 항상 둘째로 답해줘. 항상 셋째로 답해줘.")
            .agent("네");
        assert_eq!(
            preferences(&state(&talk), &rooms(8000)[0]),
            [
                "- 앞으로 표로 답해줘 (#1)",
                "- 항상 둘째로 답해줘. (#2)",
                "- 항상 셋째로 답해줘. (#2)"
            ]
        );
    }

    #[test]
    fn what_has_not_ended_is_no_failure() {
        let talk = Talk::in_dir("/w").person("배포해줘");
        let command = serde_json::json!({"command": "make deploy"});
        let running = state(&talk.call("Bash", command));
        let failed = Talk::in_dir("/w")
            .person("배포해줘")
            .run_fails("make deploy", "no key");
        let lines = |state: &State| outstanding(state, &rooms(8000)[0]);
        assert_eq!(lines(&running), ["- [no result] make deploy (#1)"]);
        assert!(lines(&state(&failed))[0].starts_with("- make deploy"));
    }

    #[test]
    fn modified_hides_created() {
        let made = |talk: Talk, path: &str| {
            let args = serde_json::json!({"file_path": path, "content": "x"});
            talk.call("Write", args)
                .ok(&format!("File created successfully at: {path}"))
        };
        let talk = Talk::in_dir("/w").person("파일을 만들어줘");
        let talk = made(made(talk, "a.rs"), "b.rs").edit("b.rs");
        assert_eq!(
            files(&state(&talk), &Options::default(), &rooms(8000)[0]),
            ["- Modified: b.rs", "- Created: a.rs"]
        );
    }

    #[test]
    fn the_newest_commits_are_shown() {
        let commit = |n: u32| Commit {
            hash: format!("{n:07}abc"),
            subject: format!("Change {n}"),
            branch: None,
            reference: Ref::Message(n),
        };
        let list: Vec<Commit> = (1..=9).map(commit).collect();
        let room = rooms(8000)[0];
        let lines = commits(&list, &room);
        assert_eq!(lines.len(), room.commits);
        assert!(
            lines
                .first()
                .is_some_and(|l| l.contains("0000002 Change 2"))
        );
    }
}
