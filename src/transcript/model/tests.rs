use super::*;

#[test]
fn references_are_read_in_every_spelling() {
    for (text, want) in [
        ("#12", Some(Ref::Message(12))),
        ("(#12)", Some(Ref::Message(12))),
        ("m12", Some(Ref::Message(12))),
        ("#c3", Some(Ref::Injected(3))),
        ("c3", Some(Ref::Injected(3))),
        ("12", None),
        ("#", None),
        ("cat", None),
        ("#12x", None),
    ] {
        assert_eq!(text.parse::<Ref>().ok(), want, "{text}");
    }
    assert_eq!(Ref::Injected(0).to_string(), "#c0");
}

#[test]
fn times_are_read_with_and_without_a_zone() {
    assert_eq!(
        Millis::parse("2026-01-01T00:00:00Z"),
        Some(Millis(1_767_225_600_000))
    );
    assert_eq!(
        Millis::parse("2026-01-01T09:00:00+09:00"),
        Millis::parse("2026-01-01T00:00:00")
    );
    assert_eq!(Millis::parse("yesterday"), None);
}
