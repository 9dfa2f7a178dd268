//! JUnit: a suite a session, a case a check. Every CI shows it.

use crate::replay::{Change, Check, Replayed};
use anyhow::Result;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

/// The report as XML.
///
/// # Errors
/// None that input could cause; those of the XML writer.
pub fn junit(sessions: &[Replayed]) -> Result<String> {
    let mut report = Report::new("compact replay");
    for session in sessions {
        let mut suite = TestSuite::new(session.name());
        for check in Check::ALL {
            let lines: Vec<String> = session
                .failures
                .iter()
                .filter(|f| f.check == check)
                .map(super::super::Failure::line)
                .collect();
            suite.add_test_case(case(session, check.name(), &lines, ""));
        }
        if let Some(change) = &session.change {
            let (lines, diff) = match change {
                Change::Same => (vec![], ""),
                Change::New => (vec![change.line().to_owned()], ""),
                Change::Changed { diff } => (vec![change.line().to_owned()], diff.as_str()),
            };
            suite.add_test_case(case(session, "brief", &lines, diff));
        }
        report.add_test_suite(suite);
    }
    Ok(report.to_string()?)
}

fn case(session: &Replayed, name: &str, lines: &[String], more: &str) -> TestCase {
    let status = match lines.first() {
        None => TestCaseStatus::success(),
        Some(first) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(first.as_str());
            status.set_type(name);
            let mut text = lines.join("\n");
            if !more.is_empty() {
                text.push('\n');
                text.push_str(more);
            }
            status.set_description(text);
            status
        }
    };
    let mut case = TestCase::new(name, status);
    case.set_classname(session.name());
    case
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::report::tests::sessions;

    #[test]
    fn failures_are_counted_and_named() {
        let xml = junit(&sessions()).unwrap();
        assert!(
            xml.contains(r#"tests="17" skipped="0" failures="3" errors="0""#),
            "{xml}"
        );
        assert!(xml.contains(r#"message="slices: files: only in slices: a.rs (#33)""#));
        assert!(xml.contains("arch/b/&lt;script&gt;알림"));
        assert!(
            !xml.contains("timestamp") && !xml.contains("time="),
            "{xml}"
        );
        assert_eq!(xml, junit(&sessions()).unwrap());
    }
}
