//! Results of Claude Code's tools: the text the model saw, the side data of `toolUseResult`, and the person's
//! words that hide in rejections and answers (FORMATS 7.7).

use super::super::{joined, text};
use super::block::source_name;
use crate::json::Json;
use crate::transcript::{Aside, Block, Entry, Outcome, Side, Status, Voice, picture};
use std::borrow::Cow;

/// Beginnings of a refusal, as the host words it.
const REFUSALS: &[&str] = &[
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action",
    "User rejected",
];
/// Behind these the person's own words follow.
const REASONS: &[&str] = &[
    "the user said:",
    "user provided the following reason for the rejection:",
    "The user provided the following feedback:",
];
/// Behind these the host goes on.
const AFTER: &[&str] = &["\n\nNote: The user's next message", "\n\nNote: "];

/// Adds the result block to the entry, with the person's words beside it.
pub fn read<'a>(block: Json<'a>, side: Option<Json<'a>>, voice: Voice, entry: &mut Entry<'a>) {
    let [call, content, error] = block.pick(["tool_use_id", "content", "is_error"]);
    let mut images = Vec::new();
    let shown: Cow<'a, str> = match content {
        Some(c) if c.is_array() => {
            for item in c.items() {
                if let Some(source) = item.get("source") {
                    let data = source.text("data").unwrap_or_default();
                    images.push(picture(source_name(item), source.text("media_type"), &data));
                }
            }
            let mut texts = c.items().filter_map(|b| b.text("text"));
            match (texts.next(), texts.next()) {
                (Some(one), None) => one,
                (None, _) => "".into(),
                _ => joined(c),
            }
        }
        other => text(other),
    };
    // Side data that is plain text tells of a failure, unless the block itself denies it.
    let plain = side.and_then(|s| s.str());
    let told = plain.as_deref().is_some_and(|s| {
        s.starts_with("Error") || error.is_none_or(|e| e.is_null()) && !s.trim().is_empty()
    });
    let failed = told || error.and_then(|e| e.bool()) == Some(true);
    let refused = plain.is_some_and(|s| s.starts_with("User rejected"))
        || REFUSALS.iter().any(|r| shown.starts_with(r))
        || shown.starts_with("[Request interrupted by user for tool use]");
    let words = refused.then(|| reason(&shown)).flatten();
    let object = side.filter(|s| s.is_object());
    let found = object.map(|s| {
        s.pick([
            "agentId",
            "backgroundTaskId",
            "task",
            "interrupted",
            "answers",
            "questions",
            "status",
            "success",
        ])
    });
    let [
        agent,
        background,
        task,
        interrupted,
        answers,
        questions,
        state,
        success,
    ] = found.unwrap_or_default();
    let side_text = |v: Option<Json<'a>>| v.and_then(|v| v.str()).filter(|s| !s.is_empty());
    let background = side_text(background).or_else(|| match failed {
        true => None,
        false => background_id(&shown).map(|id| id.to_owned().into()),
    });
    let launched = state
        .and_then(|s| s.str())
        .is_some_and(|s| s == "async_launched")
        // Copies without side data.
        || (!failed && shown.starts_with("Async agent launched"));
    let status = if refused {
        Status::Rejected
    } else if failed || success.and_then(|s| s.bool()) == Some(false) {
        Status::Error
    } else if interrupted.and_then(|i| i.bool()) == Some(true) {
        Status::Cancelled
    } else if background.is_some() || launched {
        Status::Running
    } else {
        Status::Ok
    };
    let side = Side::from(Aside {
        agent: side_text(agent),
        background,
        task: task
            .and_then(|t| t.get("id"))
            .and_then(|id| id.str().or_else(|| id.u64().map(|n| n.to_string().into()))),
        ..Aside::NOTHING
    });
    let exit = exit_code(&shown);
    entry.blocks.push(Block::Result(Box::new(Outcome {
        call: text(call),
        status,
        exit,
        text: shown,
        images: u32::try_from(images.len()).unwrap_or(u32::MAX),
        side,
    })));
    entry.blocks.extend(images.into_iter().map(Block::image));
    if voice == Voice::Person {
        if let Some(words) = words {
            entry.say(Voice::Person, words);
        }
        for answer in free_answers(answers, questions) {
            entry.say(Voice::Person, answer);
        }
    }
}

/// The id of a command that goes on in the background, for copies without side data.
fn background_id(shown: &str) -> Option<&str> {
    let rest = shown.strip_prefix("Command running in background with ID: ")?;
    let end = rest
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-')
        .unwrap_or(rest.len());
    rest.get(..end).filter(|id| !id.is_empty())
}

/// The person's words in a refusal.
fn reason(shown: &str) -> Option<String> {
    let (at, head) = REASONS
        .iter()
        .filter_map(|r| Some((shown.find(r)?, r)))
        .min()?;
    let mut words = &shown[at + head.len()..];
    for after in AFTER {
        words = words.split(after).next().unwrap_or(words);
    }
    let words = words.trim();
    (!words.is_empty()).then(|| words.to_owned())
}

/// `Exit code 1` in front of a failed command's output.
fn exit_code(shown: &str) -> Option<i32> {
    let rest = shown
        .strip_prefix("Error: ")
        .unwrap_or(shown)
        .strip_prefix("Exit code ")?;
    rest.split(|c: char| !c.is_ascii_digit() && c != '-')
        .next()?
        .parse()
        .ok()
}

/// Answers that are none of the options offered: the person typed them.
fn free_answers<'a>(answers: Option<Json<'a>>, questions: Option<Json<'a>>) -> Vec<String> {
    let Some(answers) = answers else {
        return Vec::new();
    };
    let labels: Vec<Cow<'a, str>> = questions
        .iter()
        .flat_map(|q| q.items())
        .flat_map(|q| q.get("options"))
        .flat_map(|o| o.items())
        .filter_map(|o| o.text("label"))
        .collect();
    let offered = |answer: &str| {
        let answer = answer.trim();
        labels.iter().any(|l| l == answer)
            || (!answer.is_empty()
                && answer
                    .split(", ")
                    .all(|part| labels.iter().any(|l| l == part)))
    };
    answers
        .fields()
        .filter_map(|(_, a)| a.str())
        .filter(|a| !a.trim().is_empty() && !offered(a))
        .map(Cow::into_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_in_the_background_goes_on_without_side_data_too() {
        let status = |content: &str| {
            let mut entry = Entry::new(crate::transcript::Kind::User);
            let block = format!(r#"{{"tool_use_id":"t1","content":"{content}"}}"#);
            read(
                Json::parse(&block).unwrap(),
                None,
                Voice::Harness,
                &mut entry,
            );
            match entry.blocks.first() {
                Some(Block::Result(outcome)) => Some(outcome.status),
                _ => None,
            }
        };
        let told = "Command running in background with ID: b1. Output is being written to: /tmp/b1";
        assert_eq!(status(told), Some(Status::Running));
        assert_eq!(status(&format!("See: {told}")), Some(Status::Ok));
    }

    fn person(block: &str, side: &str) -> Vec<String> {
        let mut entry = Entry::new(crate::transcript::Kind::User);
        read(
            Json::parse(block).unwrap(),
            Some(Json::parse(side).unwrap()),
            Voice::Person,
            &mut entry,
        );
        entry.texts(Voice::Person).map(str::to_owned).collect()
    }

    #[test]
    fn words_in_a_refusal_are_the_persons() {
        let block = r#"{"tool_use_id":"t","is_error":true,"content":"The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\n포트는 8080으로 해줘\n\nNote: The user's next message may contain a correction"}"#;
        assert_eq!(
            person(block, r#""User rejected tool use""#),
            ["포트는 8080으로 해줘"]
        );
    }

    #[test]
    fn side_data_in_plain_text_is_a_failure() {
        let status = |block: &str, side: &str| {
            let mut entry = Entry::new(crate::transcript::Kind::User);
            let [block, side] = [block, side].map(|t| Json::parse(t).unwrap());
            read(block, Some(side), Voice::Person, &mut entry);
            entry.results().next().map(|r| r.status).unwrap()
        };
        let bare = r#"{"tool_use_id":"t"}"#;
        assert_eq!(
            status(bare, r#""User rejected tool use""#),
            Status::Rejected
        );
        assert_eq!(status(bare, r#""File has been modified""#), Status::Error);
        assert_eq!(status(bare, r#"[{"type":"text","text":"ok"}]"#), Status::Ok);
        assert_eq!(status(bare, r#""""#), Status::Ok);
        assert_eq!(
            status(bare, r#"{"success":false,"taskId":"1"}"#),
            Status::Error
        );
        assert_eq!(status(bare, r#"{"success":true,"taskId":"1"}"#), Status::Ok);
        let denied = r#"{"tool_use_id":"t","is_error":false}"#;
        assert_eq!(status(denied, r#""File created""#), Status::Ok);
        assert_eq!(status(denied, r#""Error: no""#), Status::Error);
    }

    #[test]
    fn only_typed_answers_are_words() {
        let side = r#"{"questions":[{"question":"어디?","options":[{"label":"왼쪽"},{"label":"오른쪽"}]}],"answers":{"어디?":"왼쪽","왜?":"그냥 가운데로"}}"#;
        assert_eq!(
            person(r#"{"tool_use_id":"t","content":"ok"}"#, side),
            ["그냥 가운데로"]
        );
    }
}
