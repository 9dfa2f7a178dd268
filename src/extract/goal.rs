//! What the session set out to do: up to six lines of the first real request (SPEC 1.3).

pub use super::said::peel;
use super::turns::Turn;
use super::{said, sentence};
use crate::language;
use crate::lexicon::{Group, Rules};
use crate::state::Item;
use std::borrow::Cow;

/// Lines kept, and their length in user-perceived characters.
const LINES: usize = 6;
const LENGTH: usize = 200;
/// A structured prompt has at least so many characters and bracketed markers (G5).
const STRUCTURED: usize = 1200;

/// The part of a text that asks: of a structured prompt the preamble and the REQUEST, TASK, ASK and GOAL parts; of a
/// command's template the user's own input; else all of it.
pub fn asked(text: &str) -> Cow<'_, str> {
    if let Some(input) = template_input(text) {
        return Cow::Owned(input);
    }
    let marker = |line: &str| -> Option<String> {
        let inner = line
            .trim()
            .trim_start_matches('#')
            .trim()
            .strip_prefix('[')?;
        let name = &inner[..inner.find(']')?];
        let upper = name
            .chars()
            .all(|c| c.is_ascii_uppercase() || !c.is_alphanumeric())
            && name.chars().filter(char::is_ascii_uppercase).count() >= 3;
        upper.then(|| name.to_owned())
    };
    // The cheap signs first: this is asked of every message, several times.
    let markers = || text.lines().filter(|l| marker(l).is_some());
    if text.len() < STRUCTURED
        || !text.contains('[')
        || markers().nth(1).is_none()
        || language::length(text) < STRUCTURED
    {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    let mut keep = true;
    for line in text.lines() {
        let mut line = line;
        if let Some(name) = marker(line) {
            keep = ["REQUEST", "TASK", "ASK", "GOAL"].iter().any(|k| {
                name.split(|c: char| !c.is_ascii_uppercase())
                    .any(|w| w == *k)
            });
            line = line.split_once(']').map_or("", |(_, rest)| rest.trim());
        }
        if keep && !line.is_empty() {
            out.push_str(line);
            out.push('\n');
        }
    }
    Cow::Owned(out)
}

/// What a person typed behind a command whose template surrounds it: the block under a heading `User Input`, or the
/// `ARGUMENTS:` line that ends a skill.
fn template_input(text: &str) -> Option<String> {
    if !text.contains('#') {
        return None;
    }
    let mut lines = text.lines();
    lines.by_ref().find(|l| {
        let bare = l
            .trim()
            .trim_start_matches('#')
            .trim()
            .trim_end_matches(':');
        l.trim_start().starts_with('#') && bare.eq_ignore_ascii_case("user input")
    })?;
    let mut inside = false;
    let mut out: Vec<&str> = Vec::new();
    for line in lines {
        let trimmed = line.trim();
        if trimmed.starts_with("```") {
            if inside {
                break;
            }
            inside = true;
        } else if inside {
            out.push(line);
        } else if !trimmed.is_empty() {
            // Text before the block: the template's shape is another one.
            return None;
        }
    }
    // An empty block: the person added nothing to the template.
    inside.then(|| out.join("\n").trim().to_owned())
}

/// The goal lines of a message, empty if it has none of substance.
pub fn lines(turn: &Turn, rules: &Rules) -> Vec<Item> {
    let text = asked(&turn.text);
    let lines = objective(said::said(&text));
    let mut kept: Vec<String> = Vec::new();
    let mut more = 0usize;
    // The last line kept announces what follows it.
    let mut announces = false;
    for line in &lines {
        if !kept.is_empty() && rules.any(Group::TemplateSignals, line) {
            break;
        }
        let (marked, line) = (line.trim(), peel(line));
        if line.is_empty() || !is_goal_line(line, rules) {
            continue;
        }
        if announces
            && marked != line
            && sentence::act(line, rules) != sentence::Act::Order
            && let Some(last) = kept.last_mut()
        {
            more += usize::from(!add_part(last, line));
            continue;
        }
        announces = kept.len() < LINES && rules.any(Group::ListLeads, line);
        if kept.len() == LINES {
            more += 1;
        } else {
            kept.push(clip_sentence(line));
        }
    }
    if kept.is_empty() {
        // A document as a prompt: its title is what it is about.
        let title = lines
            .iter()
            .find(|l| l.starts_with('#') && language::length(l) <= LENGTH);
        kept.extend(title.map(|l| clip_sentence(l)));
    }
    let mut items: Vec<Item> = kept
        .into_iter()
        .map(|l| Item::new(l, turn.reference))
        .collect();
    // What goes beyond is counted on the last line kept, so that every item is a line of the person.
    if let Some(last) = items.last_mut() {
        last.more = more;
    }
    items
}

/// Adds a list item that asks for nothing by itself to the line that announces it (`a table with:`), if it fits: it
/// says what the thing asked for has to have. False if it does not.
fn add_part(line: &mut String, part: &str) -> bool {
    let mark = if line.ends_with(':') { " " } else { "; " };
    let fits = language::length(line) + mark.len() + language::length(part) <= LENGTH;
    if fits {
        line.push_str(mark);
        line.push_str(part);
    }
    fits
}

/// Of a document with headings, the lines below the one that names the objective; else all lines.
fn objective(lines: Vec<&str>) -> Vec<&str> {
    let heading = |l: &str| l.starts_with('#');
    let names = |l: &str| {
        let bare = l
            .trim_start_matches('#')
            .trim()
            .trim_end_matches(':')
            .to_lowercase();
        [
            "objective",
            "objectives",
            "goal",
            "goals",
            "task",
            "request",
            "목표",
            "목적",
            "요청",
            "요청 사항",
            "할 일",
            "작업",
        ]
        .contains(&bare.as_str())
    };
    let at = lines.iter().position(|l| heading(l) && names(l));
    match at.filter(|_| lines.iter().filter(|l| heading(l)).count() >= 3) {
        Some(at) => lines[at + 1..]
            .iter()
            .copied()
            .take_while(|l| !heading(l))
            .collect(),
        None => lines,
    }
}

fn clip_sentence(line: &str) -> String {
    language::clip(line, LENGTH).into_owned()
}

/// Whether the line can be a goal (G3, G4).
fn is_goal_line(line: &str, rules: &Rules) -> bool {
    let orders = || sentence::act(line, rules) == sentence::Act::Order;
    if language::length(line) <= 5 && !orders() {
        return false;
    }
    if sentence::is_acknowledgement(line, rules)
        || is_address(line, rules)
        || crate::redact::contains_secret(line)
        || line.contains("[redacted")
    {
        return false;
    }
    if rules.any(Group::GoalExclusions, line) || looks_like_code(line) {
        return false;
    }
    language::length(line) <= LENGTH || is_prose(line)
}

/// A URL or path with nothing, or only a short word, behind it (G4). `/w/a.rs 참고` is none, `/w/a.rs 고쳐줘` an order.
pub fn is_address(line: &str, rules: &Rules) -> bool {
    let line = peel(line);
    let bare = unquote(line);
    let first = if bare.len() < line.len() {
        // Blanks inside the quotes belong to the path.
        bare
    } else {
        first_token(line)
    };
    let line = bare;
    let url = ["http://", "https://", "file://", "git@"]
        .iter()
        .any(|p| first.starts_with(p));
    let path = first.starts_with(['/', '~', '.']) && first[1..].contains('/')
        || first.starts_with('@') && first.contains(['/', '.'])
        || first.len() > 2 && first.as_bytes()[1] == b':' && first.as_bytes()[2] == b'\\';
    if !url && !path {
        return false;
    }
    let rest = line[first.len()..].trim();
    rest.is_empty()
        // Behind an address `확인` alone asks for it.
        || (language::length(rest) < 10
            && !rules.any(Group::TaskVerbs, rest)
            && !matches!(
                sentence::act(rest, rules),
                sentence::Act::Order | sentence::Act::Question
            ))
}

/// A path dropped into a terminal may come in quotes: `'/tmp/a screen.png'`.
fn unquote(line: &str) -> &str {
    ['\'', '"', '`']
        .iter()
        .find_map(|q| line.strip_prefix(*q)?.strip_suffix(*q))
        .filter(|inner| !inner.contains(['\'', '"', '`']))
        .unwrap_or(line)
}

/// The first word; an escaped blank belongs to a path.
fn first_token(line: &str) -> &str {
    let mut escaped = false;
    for (at, c) in line.char_indices() {
        if c.is_whitespace() && !escaped {
            return &line[..at];
        }
        escaped = c == '\\' && !escaped;
    }
    line
}

/// Control flow of a program, not of a person (G3): no Hangul, and an end or an arrow that prose does not have.
fn looks_like_code(line: &str) -> bool {
    let hangul = line.chars().any(language::script::is_hangul);
    let end = line.trim_end();
    !hangul
        && (end.ends_with(';')
            || end.ends_with('{')
            || end.ends_with('}')
            || line.contains("=>") && line.contains('(')
            || line.contains(") {"))
}

/// At least six words, half letters, few digits and symbols.
fn is_prose(line: &str) -> bool {
    let total = line.chars().count().max(1);
    let count = |f: &dyn Fn(char) -> bool| line.chars().filter(|c| f(*c)).count();
    line.split_whitespace().count() >= 6
        && count(&|c| c.is_alphabetic()) * 2 >= total
        && count(&|c| c.is_ascii_digit()) * 10 < total
        && count(&|c| "{}[]<>=;|\\$&^".contains(c)) * 100 < total * 3
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::testing::Talk;

    #[test]
    fn addresses_need_an_order_behind_them() {
        let rules = Rules::builtin();
        for (line, want) in [
            ("/w/a/b.rs 참고", true),
            ("/w/a/b.rs 중복 코드를 정리해줘", false),
            ("https://example.com/a", true),
            ("https://example.com/a 고쳐줘", false),
            ("- /var/log/x", true),
            ("로그 회전을 설정해줘", false),
            ("./my\\ dir/a.rs", true),
        ] {
            assert_eq!(is_address(line, rules), want, "{line}");
        }
    }

    #[test]
    fn markers_are_peeled() {
        for (line, want) in [
            ("1) Add retries", "Add retries"),
            ("- [ ] 문서", "문서"),
            ("[긴급] 고쳐줘", "[긴급] 고쳐줘"),
            ("2.5배 빠르게", "2.5배 빠르게"),
        ] {
            assert_eq!(peel(line), want);
        }
    }

    #[test]
    fn what_a_thing_must_have_stands_on_the_line_that_asks_for_it() {
        let goal = |text: &str| -> Vec<String> {
            let rules = Rules::builtin();
            let session = Talk::in_dir("/w").person(text).session();
            let turns = super::super::turns::turns(&session, rules);
            let items = lines(&turns[0], rules);
            items.into_iter().map(|i| i.text).collect()
        };
        assert_eq!(
            goal(
                "Write a page about the ferry with:\n- a table of harbours\n- last year's prices\nAdd a map."
            ),
            [
                "Write a page about the ferry with: a table of harbours; last year's prices",
                "Add a map."
            ]
        );
        // Items that ask are lines of their own; so are those that nothing announces.
        assert_eq!(
            goal("다음을 해줘:\n- 선착장 목록을 정리해줘\n- 지도를 넣어줘"),
            ["다음을 해줘:", "선착장 목록을 정리해줘", "지도를 넣어줘"]
        );
        assert_eq!(
            goal("Write a page about the ferry.\n- a table of harbours").len(),
            2
        );
    }

    #[test]
    fn a_structured_prompt_counts_by_its_request() {
        let filler = "옛날 이야기 ".repeat(200);
        let text = format!("앞말\n[REFERENCE]\n삭제해줘 {filler}\n[REQUEST]\n로그를 분석해줘\n");
        assert_eq!(asked(&text), "앞말\n로그를 분석해줘\n");
        assert_eq!(
            asked("[REQUEST] 짧다\n[TASK] x"),
            "[REQUEST] 짧다\n[TASK] x"
        );
    }

    #[test]
    fn typed_input_stands_inside_a_template() {
        assert_eq!(
            asked("## User Input\n\n```text\n로그인 화면\n```\n\nYou **MUST** consider it"),
            "로그인 화면"
        );
    }
}
