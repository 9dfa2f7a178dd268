//! The brief and the state of every sample, as reviewed by a person. After a change of wording:
//! `INSTA_UPDATE=always cargo test --test snapshots`, then read the difference.

use compact::session::Session;
use compact::transcript::{Options, Source};
use compact::{brief, extract, lexicon::Rules};
use std::path::Path;

#[test]
fn samples() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .expect("the samples are part of the repository")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".jsonl") || name.ends_with(".json"))
        .collect();
    names.sort();
    assert!(!names.is_empty());
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for name in names {
            let path = folder.join(&name);
            let source = Source::from_arg(&path.to_string_lossy());
            let session =
                Session::read(&source, &Options::default()).expect("a sample is readable");
            let mut state = extract::extract(&session, Rules::builtin());
            let options = brief::Options::default();
            let text = brief::render_into(&session, &mut state, &options)
                .expect("the default ceiling is large enough");
            let stem = name.split('.').next().unwrap_or(&name);
            insta::assert_snapshot!(format!("{stem}.brief"), text);
            let json = serde_json::to_string_pretty(&state).expect("a state is plain data");
            insta::assert_snapshot!(format!("{stem}.state"), json);
        }
    });
}

/// Another ceiling, another style, another layout: never more than asked for, the requests always there.
#[test]
fn ceilings_hold() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/claude-korean.jsonl");
    let session = Session::read(
        &Source::from_arg(&path.to_string_lossy()),
        &Options::default(),
    )
    .expect("a sample is readable");
    let mut state = extract::extract(&session, Rules::builtin());
    for layout in [brief::Layout::Default, brief::Layout::Eight] {
        for style in [brief::Style::Markdown, brief::Style::PiVcc] {
            for max in (200..3000).step_by(137) {
                let options = brief::Options {
                    max_chars: Some(max),
                    layout,
                    style,
                    ..brief::Options::default()
                };
                match brief::render_into(&session, &mut state, &options) {
                    Ok(text) => {
                        assert!(text.chars().count() <= max, "{layout:?} {style:?} {max}");
                        assert_eq!(text.matches("compact recall '#N'").count(), 1);
                    }
                    Err(error) => assert!(error.to_string().contains("at least"), "{error}"),
                }
            }
        }
    }
}
