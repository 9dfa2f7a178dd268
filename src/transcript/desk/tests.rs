use super::*;

#[test]
fn what_is_no_time_is_none() {
    let mut sink = |_: Entry<'_>| {};
    let mut desk = Desk::new(&mut sink, Family::Pi);
    for written in ["", "x", "soon", "2026-01-01T00:00:00", "1770109205"] {
        desk.time(written);
    }
    assert_eq!(desk.session.started, desk.session.ended);
    assert_eq!(desk.session.ended.as_deref(), Some("2026-01-01T00:00:00"));
}
