//! `compact replay` from outside: what is printed, kept, compared and reported.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn replay(dir: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_compact"))
        .current_dir(dir)
        .arg("replay")
        .args(args)
        .output()
        .expect("the program starts")
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn lines(output: &Output) -> Vec<Value> {
    let text = out(output);
    text.lines()
        .map(|l| serde_json::from_str(l).expect("one JSON value a line"))
        .collect()
}

/// The samples, in folders of an archive, among files that are no sessions.
fn archive() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let mut names: Vec<_> = std::fs::read_dir(samples)
        .expect("the samples are part of the repository")
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "jsonl"))
        .collect();
    names.sort();
    for (at, path) in names.iter().enumerate() {
        let folder = dir.path().join("arch").join(["a", "b", "b/c"][at % 3]);
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::copy(path, folder.join(path.file_name().expect("a name"))).expect("a copy");
    }
    std::fs::write(dir.path().join("arch/notes.txt"), "no session\n").expect("written");
    std::fs::write(dir.path().join("arch/a/package.json"), "{\"a\": 1}\n").expect("written");
    std::fs::write(dir.path().join("arch/b/table.jsonl"), "{\"n\": 1}\n").expect("written");
    dir
}

#[test]
fn every_sample_keeps_the_promises() {
    let dir = archive();
    for args in [&["arch", "--json"][..], &["arch", "--json", "--every", "1"]] {
        let output = replay(dir.path(), args);
        let sessions = lines(&output);
        assert!(sessions.len() >= 8, "{}", err(&output));
        for session in &sessions {
            assert_eq!(session["ok"], true, "{session}");
            assert_eq!(session["checks"].as_object().map(|c| c.len()), Some(8));
        }
        let paths: Vec<_> = sessions.iter().map(|s| s["path"].as_str()).collect();
        assert!(paths.is_sorted(), "{paths:?}");
        assert_eq!(output.status.code(), Some(0));
        assert!(err(&output).is_empty(), "{}", err(&output));
    }
    let text = out(&replay(dir.path(), &["arch"]));
    assert!(
        text.lines()
            .last()
            .is_some_and(|l| l.contains(" ok, 0 failed; ")),
        "{text}"
    );
}

#[test]
fn the_same_bytes_for_any_number_of_jobs_and_shards() {
    let dir = archive();
    let whole = out(&replay(dir.path(), &["arch", "--json", "--jobs", "1"]));
    assert_eq!(
        whole,
        out(&replay(dir.path(), &["arch", "--json", "--jobs", "5"]))
    );
    let mut parts: Vec<String> = Vec::new();
    for shard in ["1/3", "2/3", "3/3"] {
        let output = replay(dir.path(), &["arch", "--json", "--shard", shard]);
        let part: Vec<String> = out(&output).lines().map(str::to_owned).collect();
        assert!(!part.is_empty(), "{shard}");
        parts.extend(part);
    }
    // One JSON object a line, its path first: sorting the lines sorts by path.
    parts.sort();
    let mut want: Vec<&str> = whole.lines().collect();
    want.sort_unstable();
    assert_eq!(parts, want);
    // More parts than sessions: an empty part has nothing to fail.
    let output = replay(dir.path(), &["arch/a", "--json", "--shard", "40/40"]);
    assert_eq!(
        (output.status.code(), out(&output)),
        (Some(0), String::new())
    );
}

#[test]
fn what_cannot_be_done_is_2() {
    let dir = archive();
    for (args, what) in [
        (&["arch", "gone"][..], "gone: no such file"),
        (&["arch/notes.txt"], "arch/notes.txt: no session format"),
        (
            &["arch/a/package.json"],
            "arch/a/package.json: no session format",
        ),
        (&["arch", "--shard", "4/3"], "1/4"),
        (&["arch", "--every", "0"], "--every"),
        (
            &["arch", "--every", "2", "--at-compactions"],
            "--at-compactions",
        ),
        (
            &["arch", "--report", "r.pdf"],
            "r.pdf: no report has this ending",
        ),
        (&["arch", "--check", "nowhere"], "nowhere: no such folder"),
    ] {
        let output = replay(dir.path(), args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(err(&output).contains(what), "{}", err(&output));
        assert!(out(&output).is_empty(), "{}", out(&output));
    }
    std::fs::create_dir(dir.path().join("empty")).expect("a folder");
    let output = replay(dir.path(), &["empty"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("no session in it"));
    // The others are replayed all the same.
    let output = replay(dir.path(), &["arch/notes.txt", "arch/a", "--json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(!lines(&output).is_empty());
    // A damaged line is an error with --strict only.
    let output = replay(dir.path(), &["arch", "--strict", "--json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        err(&output).contains("claude-damaged.jsonl:"),
        "{}",
        err(&output)
    );
}

/// Keeps the briefs, then pretends that two of them were others once.
fn kept(dir: &Path) -> Vec<std::path::PathBuf> {
    let output = replay(dir, &["arch", "--write", "briefs", "-q"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let mut briefs: Vec<_> = ["a", "b", "b/c"]
        .iter()
        .flat_map(|f| std::fs::read_dir(dir.join("briefs").join(f)).expect("briefs"))
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.is_file())
        .collect();
    briefs.sort();
    briefs
}

#[test]
fn a_changed_brief_fails_and_shows_the_change() {
    let dir = archive();
    let briefs = kept(dir.path());
    let same = replay(dir.path(), &["arch", "--check", "briefs"]);
    assert_eq!(same.status.code(), Some(0), "{}", out(&same));
    let text = std::fs::read_to_string(&briefs[1]).expect("a brief");
    std::fs::write(
        &briefs[1],
        text.replacen("## Session Goal", "## Session Aim", 1),
    )
    .expect("written");
    std::fs::remove_file(&briefs[3]).expect("removed");
    let changed = replay(dir.path(), &["arch", "--check", "briefs"]);
    assert_eq!(changed.status.code(), Some(1));
    let text = out(&changed);
    assert!(
        text.contains("  -## Session Aim\n  +## Session Goal\n"),
        "{text}"
    );
    assert_eq!(text.matches("brief: none was kept").count(), 1);
    assert_eq!(text.matches("brief: changed").count(), 1);
    let json = lines(&replay(
        dir.path(),
        &["arch", "--check", "briefs", "--json"],
    ));
    let found: Vec<_> = json.iter().filter(|s| s["ok"] == false).collect();
    assert_eq!(found.len(), 2);
    // It ends at the first, whoever was faster.
    for jobs in ["1", "4"] {
        let args = [
            "arch",
            "--check",
            "briefs",
            "--json",
            "--fail-fast",
            "--jobs",
            jobs,
        ];
        let fast = lines(&replay(dir.path(), &args));
        assert_eq!(fast.last().map(|s| s["ok"].clone()), Some(false.into()));
        assert_eq!(fast, json[..fast.len()]);
        assert!(fast[..fast.len() - 1].iter().all(|s| s["ok"] == true));
    }
}

#[test]
fn reports_are_whole_and_have_no_clock() {
    let dir = archive();
    let args = [
        "arch", "--json", "--report", "r.json", "--report", "r.xml", "--report", "r.html",
    ];
    let output = replay(dir.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).expect("a report");
    let first = ["r.json", "r.xml", "r.html"].map(read);
    replay(dir.path(), &args);
    assert_eq!(first, ["r.json", "r.xml", "r.html"].map(read));
    let json: Value = serde_json::from_str(&first[0]).expect("JSON");
    let listed = json["sessions"].as_array().map(Vec::as_slice);
    assert_eq!(listed, Some(lines(&output).as_slice()));
    assert_eq!(json["totals"]["failed"], 0);
    assert!(first[1].starts_with("<?xml"));
    // A report is no session, wherever it lies.
    std::fs::copy(dir.path().join("r.json"), dir.path().join("arch/r.json")).expect("a copy");
    let again = replay(dir.path(), &["arch", "--json"]);
    assert_eq!(out(&again), out(&output));
}

/// Opens the page in a browser, if there is one: it sorts by a click, asks for nothing, complains of nothing.
#[test]
fn the_page_works_in_a_browser() {
    let browser = Path::new("/usr/bin/chromium");
    if !browser.is_file() {
        println!("skipped: no {} on this machine", browser.display());
        return;
    }
    let dir = archive();
    let briefs = kept(dir.path());
    std::fs::write(&briefs[0], "## Session Goal\nsomething else <b>\n").expect("written");
    replay(
        dir.path(),
        &["arch", "--check", "briefs", "--report", "r.html"],
    );
    let page = std::fs::read_to_string(dir.path().join("r.html")).expect("a report");
    let script = "
<script>
const column = at => [...document.querySelectorAll('#sessions tbody tr')].map(r => r.cells[at].dataset.v ?? r.cells[at].textContent);
const click = at => document.querySelectorAll('#sessions thead button')[at].click();
const seen = {};
click(5); seen.up = column(5).map(Number);
click(5); seen.down = column(5).map(Number);
click(1); seen.paths = column(1);
seen.sort = [...document.querySelectorAll('#sessions th')].map(h => h.getAttribute('aria-sort'));
seen.open = document.querySelectorAll('details[open]').length;
seen.curves = document.querySelectorAll('polyline').length;
seen.requests = performance.getEntriesByType('resource').map(r => r.name);
const result = document.createElement('pre');
result.id = 'result'; result.textContent = 'RESULT' + JSON.stringify(seen) + 'END';
document.body.append(result);
</script></body>";
    let tested = dir.path().join("tested.html");
    std::fs::write(&tested, page.replace("</body>", script)).expect("written");
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--enable-logging=stderr",
        ])
        .args(["--virtual-time-budget=2000", "--dump-dom"])
        .arg(format!(
            "--user-data-dir={}",
            dir.path().join("profile").display()
        ))
        .arg(format!("file://{}", tested.display()))
        .output()
        .expect("the browser starts");
    let (dom, log) = (out(&output), err(&output));
    let Some((result, _)) = dom
        .split_once("id=\"result\">RESULT")
        .and_then(|(_, rest)| rest.split_once("END</pre>"))
    else {
        panic!("no result: {log}");
    };
    let seen: Value = serde_json::from_str(result).expect("JSON");
    let numbers = |key: &str| -> Vec<u64> {
        let values = seen[key].as_array().cloned().unwrap_or_default();
        values.iter().filter_map(Value::as_u64).collect()
    };
    let (up, mut down) = (numbers("up"), numbers("down"));
    assert!(up.len() >= 8 && up.is_sorted(), "{up:?}");
    down.reverse();
    assert_eq!(up, down);
    assert!(
        seen["paths"]
            .as_array()
            .is_some_and(|p| p.is_sorted_by_key(|v| v.as_str()))
    );
    assert_eq!(seen["sort"][1], "ascending");
    assert_eq!(seen["sort"][5], "none");
    assert_eq!(seen["open"], 1, "the failed session is open");
    assert!(seen["curves"].as_u64() > Some(0));
    assert_eq!(seen["requests"], serde_json::json!([]));
    assert!(!log.contains("CONSOLE"), "{log}");
}
