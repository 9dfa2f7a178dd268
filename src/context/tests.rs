use std::fs;
use std::path::Path;

use super::*;

fn put(dir: &Path, path: &str, text: impl AsRef<[u8]>) {
    let path = dir.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn all(dir: &Path) -> Report {
    gather(dir, &Options::default()).unwrap()
}

fn paths(report: &Report) -> Vec<&str> {
    report.files.iter().map(|file| file.path.as_str()).collect()
}

/// `count` lines of ten characters.
fn lines(letter: char, count: usize) -> String {
    (1..=count).map(|n| format!("{letter}{n:08}\n")).collect()
}

#[test]
fn caps_follow_the_window() {
    let rows = [
        (None, 20_000, 12_000),
        (Some(1), 8_000, 12_000),
        (Some(8_000), 8_000, 12_000),
        (Some(32_000), 8_000, 12_800),
        (Some(64_000), 20_000, 25_600),
        (Some(128_000), 30_720, 51_200),
        (Some(200_000), 48_000, 80_000),
        (Some(1_000_000), 240_000, 120_000),
        (Some(2_100_000), 500_000, 120_000),
        (Some(u64::MAX), 500_000, 120_000),
    ];
    for (window, file, total) in rows {
        assert_eq!(
            Caps::of(&Options {
                window,
                ..Options::default()
            }),
            Caps { file, total },
            "{window:?}"
        );
    }
}

#[test]
fn explicit_caps_win() {
    let options = Options {
        window: Some(1_000_000),
        file_max: Some(9),
        total_max: Some(5),
        ignore: false,
    };
    assert_eq!(Caps::of(&options), Caps { file: 9, total: 5 });
}

#[test]
fn one_family_a_folder_and_blank_files_do_not_count() {
    let dir = tempfile::tempdir().unwrap();
    put(dir.path(), "AGENTS.md", "함께 쓰는 규칙\n");
    put(dir.path(), "CLAUDE.md", "가려진 규칙\n");
    put(dir.path(), "own/.snowpea/instructions.md", "own rules\n");
    put(dir.path(), "own/AGENTS.md", "shadowed\n");
    put(dir.path(), "blank/AGENTS.override.md", " \n");
    put(dir.path(), "blank/CLAUDE.md", "claude rules\n");
    put(dir.path(), "node_modules/x/AGENTS.md", "somebody else's\n");
    let report = all(dir.path());
    assert_eq!(
        paths(&report),
        [
            "AGENTS.md",
            "blank/CLAUDE.md",
            "own/.snowpea/instructions.md"
        ]
    );
    assert!(!report.text.contains("가려진") && !report.text.contains("shadowed"));
    assert!(report.notices.is_empty(), "{:?}", report.notices);
}

#[test]
fn the_same_content_stands_once() {
    let dir = tempfile::tempdir().unwrap();
    put(dir.path(), "AGENTS.md", "시험을 먼저 씁니다.\n");
    // Decomposed, other line ends, a byte-order mark: still the same rule.
    let nfd: String =
        unicode_normalization::UnicodeNormalization::nfd("시험을 먼저 씁니다.\r\n").collect();
    put(dir.path(), "src/AGENTS.md", format!("\u{feff}{nfd}"));
    let report = all(dir.path());
    assert_eq!(report.files[1].duplicate_of.as_deref(), Some("AGENTS.md"));
    assert_eq!(
        (report.files[1].kept, report.files[1].truncated),
        (0, false)
    );
    assert_eq!(report.text.matches("시험을 먼저").count(), 1);
    assert!(report.text.contains("src/AGENTS.md: the same as AGENTS.md"));
}

#[test]
fn the_deepest_gives_way_first_and_is_still_named() {
    let dir = tempfile::tempdir().unwrap();
    put(dir.path(), "AGENTS.md", lines('R', 900));
    put(dir.path(), "src/AGENTS.md", lines('S', 400));
    put(dir.path(), "src/client/AGENTS.md", lines('C', 400));
    let kept = |total_max| {
        let report = gather(
            dir.path(),
            &Options {
                total_max: Some(total_max),
                ..Options::default()
            },
        )
        .unwrap();
        assert!(
            report.text.chars().count() as u64 <= total_max,
            "{total_max}"
        );
        if total_max > 300 {
            assert!(report.text.contains("src/client/AGENTS.md"), "{total_max}");
        }
        report
            .files
            .iter()
            .map(|file| file.kept)
            .collect::<Vec<_>>()
    };
    assert_eq!(kept(18_000), [9_000, 4_000, 4_000]);
    let cut = kept(12_000);
    assert_eq!((cut[0], cut[2]), (9_000, 0));
    assert!(cut[1] > 2_000 && cut[1] < 3_000);
    assert_eq!(kept(0), [0, 0, 0]);
    for total in (0..20_000).step_by(97) {
        kept(total);
    }
}

#[test]
fn ignore_reads_nothing() {
    let report = gather(
        Path::new("no such folder"),
        &Options {
            ignore: true,
            ..Options::default()
        },
    )
    .unwrap();
    assert_eq!((report.text.as_str(), report.files.len()), ("", 0));
    assert!(gather(Path::new("no such folder"), &Options::default()).is_err());
}

#[test]
fn odd_bytes_are_shown_and_said() {
    let dir = tempfile::tempdir().unwrap();
    put(dir.path(), "AGENTS.md", b"\xc1\xa4 rule \x1b[31m\n");
    put(dir.path(), "utf16/AGENTS.md", b"\xff\xfea\0");
    let report = all(dir.path());
    assert_eq!(paths(&report), ["AGENTS.md"]);
    assert!(report.text.contains("\u{fffd}") && !report.text.contains('\u{1b}'));
    assert!(
        report
            .notices
            .iter()
            .any(|notice| notice.contains("AGENTS.md: not UTF-8"))
    );
    assert!(
        report
            .notices
            .iter()
            .any(|notice| notice.contains("utf16/AGENTS.md") && notice.contains("UTF-16"))
    );
}

#[test]
fn depth_and_number_are_limited_and_said() {
    let dir = tempfile::tempdir().unwrap();
    put(dir.path(), "a/b/c/d/AGENTS.md", "deep\n");
    put(dir.path(), "a/b/c/d/e/AGENTS.md", "too deep\n");
    for n in 0..45 {
        put(
            dir.path(),
            &format!("p{n:02}/AGENTS.md"),
            format!("rule {n}\n"),
        );
    }
    let report = all(dir.path());
    assert_eq!(report.files.len(), FILES);
    assert!(!report.text.contains("too deep"));
    assert!(
        report
            .notices
            .iter()
            .any(|notice| notice.starts_with("6 more instruction files")),
        "{:?}",
        report.notices
    );
    assert!(
        report
            .notices
            .iter()
            .any(|notice| notice.contains("deeper than 4"))
    );
}

#[cfg(unix)]
#[test]
fn links_that_go_nowhere_are_said() {
    use std::os::unix::fs::symlink;
    let dir = tempfile::tempdir().unwrap();
    put(dir.path(), "docs/rules.md", "linked rule\n");
    put(dir.path(), "src/keep.txt", "");
    put(dir.path(), "lib/keep.txt", "");
    symlink("docs/rules.md", dir.path().join("AGENTS.md")).unwrap();
    symlink(".", dir.path().join("loop")).unwrap();
    symlink("AGENTS.md", dir.path().join("src/AGENTS.md")).unwrap();
    symlink("gone.md", dir.path().join("lib/CLAUDE.md")).unwrap();
    let report = all(dir.path());
    assert_eq!(paths(&report), ["AGENTS.md"]);
    assert!(report.text.contains("linked rule"));
    for part in [
        "loop: links to folders are not followed (1)",
        "src/AGENTS.md: skipped",
        "lib/CLAUDE.md: skipped",
    ] {
        assert!(
            report.notices.iter().any(|notice| notice.contains(part)),
            "{part}: {:?}",
            report.notices
        );
    }
}

#[cfg(unix)]
#[test]
fn decomposed_names_are_shown_composed() {
    let dir = tempfile::tempdir().unwrap();
    let nfd: String = unicode_normalization::UnicodeNormalization::nfd("문서").collect();
    put(dir.path(), &format!("{nfd}/AGENTS.md"), "한 줄\n");
    let report = all(dir.path());
    assert_eq!(paths(&report), ["문서/AGENTS.md"]);
    assert!(report.notices.iter().any(|notice| notice.contains("NFD")));
}

#[test]
fn the_json_has_exactly_the_promised_keys() {
    let dir = tempfile::tempdir().unwrap();
    put(dir.path(), "AGENTS.md", "x\n");
    let json = serde_json::to_string(&all(dir.path())).unwrap();
    assert_eq!(
        json,
        r#"{"file_max":20000,"total_max":12000,"files":[{"path":"AGENTS.md","chars":2,"kept":2,"truncated":false,"duplicate_of":null}],"text":"Instructions from AGENTS.md:\n\nx\n"}"#
    );
}
