//! Users' rules files: `{"rules": {GROUP: [REGEX, …]}}` (CONTRACT 11).

use std::fmt;

use crate::language::unmarked;
use serde_json::Value;

use super::group::Group;
use super::needs::Needs;
use super::rule::{Lazy, Literals, Matcher, Pattern, Rule, compile};

/// A rules file as the caller read it.
#[derive(Debug, Clone)]
pub struct RulesFile {
    /// The path as the user wrote it.
    pub name: String,
    pub text: String,
}

/// An entry that was skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    pub file: String,
    pub group: String,
    /// The pattern, control characters written out; `None` when the whole group was skipped.
    pub pattern: Option<String>,
    pub reason: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: ", self.file, self.group)?;
        if let Some(pattern) = &self.pattern {
            write!(f, "\"{pattern}\" ")?;
        }
        write!(f, "skipped: {}", self.reason)
    }
}

/// What makes a set of rules unusable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RulesError {
    /// A name after `--disable-builtin` that is no group.
    UnknownGroup(String),
    /// A file that is no rules file.
    File { file: String, reason: String },
}

impl fmt::Display for RulesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RulesError::UnknownGroup(name) => {
                write!(
                    f,
                    "unknown group \"{name}\"; the groups are {}",
                    group_names()
                )
            }
            RulesError::File { file, reason } => write!(f, "{file}: {reason}"),
        }
    }
}

impl std::error::Error for RulesError {}

/// The groups a rules file may add to and `--disable-builtin` may switch off (CONTRACT 11).
pub const USER_GROUPS: [Group; 5] = [
    Group::AgentNotices,
    Group::GoalExclusions,
    Group::BlockerExclusions,
    Group::TaskVerbs,
    Group::Preferences,
];

impl Group {
    /// The group of that name if users may name it.
    pub fn from_user(name: &str) -> Option<Group> {
        USER_GROUPS.into_iter().find(|group| group.name() == name)
    }
}

fn group_names() -> String {
    USER_GROUPS.map(Group::name).join(", ")
}

/// The groups behind the names of `--disable-builtin`.
pub(super) fn disabled_groups(names: &[String]) -> Result<Vec<Group>, RulesError> {
    names
        .iter()
        .map(|name| Group::from_user(name).ok_or_else(|| RulesError::UnknownGroup(name.clone())))
        .collect()
}

/// Adds the good rules of the file, and a warning for each of the others.
pub(super) fn read(
    file: &RulesFile,
    rules: &mut Vec<Rule>,
    warnings: &mut Vec<Warning>,
) -> Result<(), RulesError> {
    let bad = |reason: String| RulesError::File {
        file: file.name.clone(),
        reason,
    };
    let value: Value =
        serde_json::from_str(unmarked(&file.text)).map_err(|e| bad(format!("not JSON: {e}")))?;
    let groups = value
        .get("rules")
        .and_then(Value::as_object)
        .ok_or_else(
            || bad("no rules file: expected {\"rules\": {GROUP: [REGEX, …]}}".to_owned()),
        )?;
    for (name, patterns) in groups {
        let mut warn = |pattern: Option<String>, reason: String| {
            warnings.push(Warning {
                file: file.name.clone(),
                group: name.clone(),
                pattern,
                reason,
            });
        };
        let Some(group) = Group::from_user(name) else {
            warn(
                None,
                format!("unknown group; the groups are {}", group_names()),
            );
            continue;
        };
        let Some(patterns) = patterns.as_array() else {
            warn(None, "expected a list of regular expressions".to_owned());
            continue;
        };
        for (index, pattern) in patterns.iter().enumerate() {
            let Some(pattern) = pattern.as_str() else {
                warn(Some(pattern.to_string()), "expected a text".to_owned());
                continue;
            };
            match checked(pattern) {
                Ok(pattern) => rules.push(Rule {
                    source: file.name.clone().into(),
                    group,
                    index,
                    line: None,
                    matcher: Matcher::Pattern(Box::new(Pattern {
                        find: Lazy::with_needs(pattern.clone().into(), Needs::of(&pattern)),
                        unless: None,
                        unless_anywhere: None,
                    })),
                    literals: Literals::of(&pattern),
                    text: pattern.into(),
                }),
                Err(reason) => warn(Some(shown(pattern)), reason),
            }
        }
    }
    Ok(())
}

/// The pattern in NFC, as the texts are, if it compiles.
fn checked(pattern: &str) -> Result<String, String> {
    if pattern.contains('\u{8}') {
        return Err("it holds a backspace: in JSON a word border is written \\\\b".to_owned());
    }
    if pattern.is_empty() {
        return Err("it is empty".to_owned());
    }
    let pattern = crate::language::nfc(pattern).into_owned();
    match compile(&pattern) {
        Ok(_) => Ok(pattern),
        Err(regex::Error::CompiledTooBig(_)) => Err("it is too large".to_owned()),
        Err(error) => {
            // The engine draws the pattern and points at it; its last line says what is wrong.
            let text = error.to_string();
            let last = text.lines().last().unwrap_or_default().trim();
            Err(last.strip_prefix("error: ").unwrap_or(last).to_owned())
        }
    }
}

fn shown(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    for c in pattern.chars() {
        match c {
            '\u{8}' => out.push_str("\\b"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&c.escape_unicode().to_string()),
            c => out.push(c),
        }
    }
    out
}
