//! The sample sessions in `samples/` are read as what they are: who spoke, what is active, what was counted.

use compact::session::{Session, is_human_turn};
use compact::transcript::{Mark, Options, Source, Status, Voice};

fn sample(name: &str) -> Session {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("samples")
        .join(name);
    Session::read(&Source::Path(path), &Options::default()).unwrap()
}

fn turns(session: &Session) -> usize {
    session.active().filter(|e| is_human_turn(e)).count()
}

#[test]
fn pi_leaves_the_abandoned_branch_behind() {
    let session = sample("pi-korean-branch.jsonl");
    let off: Vec<_> = session
        .entries
        .iter()
        .filter(|e| !session.is_active(e))
        .flat_map(|e| e.texts(Voice::Person))
        .collect();
    assert_eq!(off, ["SQL 함수로 먼저 해 봐요."]);
    assert_eq!(turns(&session), 4);
    let marks: Vec<_> = session.active().filter_map(|e| e.mark.as_ref()).collect();
    assert!(marks.iter().any(|m| matches!(m, Mark::Branch { .. })));
    assert!(marks.iter().any(|m| matches!(m, Mark::Compaction(_))));
    assert_eq!(session.head.title.as_deref(), Some("상품 초성 검색"));
    assert!(session.head.input.unknown.is_empty());
}

#[test]
fn codex_pairs_items_with_their_events() {
    let session = sample("codex-patch.jsonl");
    assert_eq!(session.head.window, Some(258_400));
    assert!(session.head.input.unknown.is_empty());
    assert!(session.readings().count() > 1);
    assert_eq!(session.orphans, 0);
    let patched = session
        .steps()
        .filter_map(|s| s.outcome)
        .any(|o| !o.side.changes.is_empty());
    assert!(patched);
    let failed = session
        .steps()
        .filter_map(|s| s.outcome)
        .find(|o| o.exit == Some(128));
    assert_eq!(failed.map(|o| o.status), Some(Status::Error));
    let injected = |text: &str| text.contains("environment_context");
    assert!(
        session
            .active()
            .all(|e| e.texts(Voice::Person).all(|t| !injected(t)))
    );
}

#[test]
fn chat_lines_are_numbered_one_by_one() {
    let session = sample("openai-chat.jsonl");
    assert_eq!(turns(&session), 5);
    assert_eq!(session.head.messages, session.entries.len() as u32);
    let last = session.steps().last().map(|s| s.call.name.as_ref());
    assert!(session.steps().all(|s| s.outcome.is_some()), "{last:?}");
}
