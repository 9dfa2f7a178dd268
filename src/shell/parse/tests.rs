use super::*;

fn shown(text: &str) -> Vec<String> {
    parse(text)
        .commands
        .iter()
        .map(|c| {
            let args: Vec<&str> = c.args().collect();
            let dir = match c.dir.as_deref() {
                Some("") => String::new(),
                Some(dir) => format!("@{dir} "),
                None => "@? ".to_owned(),
            };
            format!("{dir}{} {}", c.program, args.join(" "))
                .trim_end()
                .to_owned()
        })
        .collect()
}

#[test]
fn simple_commands_are_found_everywhere() {
    for (text, want) in [
        ("cargo test", vec!["cargo test"]),
        ("a && b || c; d | e", vec!["a", "b", "c", "d", "e"]),
        ("bash -lc 'cd /w && rm a'", vec!["cd /w", "@/w rm a"]),
        ("sh -c \"git commit -m 'x y'\"", vec!["git commit -m x y"]),
        ("env X=1 FOO=2 cargo test", vec!["cargo test"]),
        ("sudo -u me rm a", vec!["rm a"]),
        ("time cargo build", vec!["cargo build"]),
        ("timeout 10 ./run", vec!["./run"]),
        ("timeout -k 5 10s cargo test", vec!["cargo test"]),
        ("nohup ./server > log 2>&1 &", vec!["./server"]),
        ("ls | xargs -n1 rm -f", vec!["ls", "rm -f"]),
        (
            "if make; then echo ok; else echo no; fi",
            vec!["make", "echo ok", "echo no"],
        ),
        ("for f in a b; do cat $f; done", vec!["cat $f"]),
        (
            "(cd app && npm test); ls",
            vec!["cd app", "@app npm test", "ls"],
        ),
        (
            "cd app && cd src && ls",
            vec!["cd app", "@app cd src", "@app/src ls"],
        ),
        ("cd $X && ls", vec!["cd $X", "@? ls"]),
        (
            "x=$(git rev-parse HEAD); ls",
            vec!["git rev-parse HEAD", "", "ls"],
        ),
        ("/usr/bin/git status", vec!["git status"]),
        ("eval 'ls -l'", vec!["ls -l"]),
        ("echo 'open", vec!["echo open"]),
        ("echo a ) && rm x", vec!["echo a )", "rm x"]),
    ] {
        assert_eq!(shown(text), want, "{text}");
    }
}

#[test]
fn words_inside_strings_are_no_commands() {
    for text in [
        "echo 'git commit -m x'",
        "grep -rn \"git commit\" .",
        "ssh host 'rm a'",
    ] {
        assert_eq!(parse(text).commands.len(), 1, "{text}");
    }
}

#[test]
fn conditions_and_certainty_are_told() {
    let script = parse("a && b || c; if d; then e; fi; f &");
    let got: Vec<(&str, bool, bool)> = script
        .commands
        .iter()
        .map(|c| (c.program.as_str(), c.conditional, c.certain))
        .collect();
    assert_eq!(
        got,
        [
            ("a", false, true),
            ("b", true, true),
            ("c", true, false),
            ("d", false, true),
            ("e", true, false),
            ("f", false, true),
        ]
    );
    assert!(script.commands.last().is_some_and(|c| c.background));
}

#[test]
fn deep_and_broken_texts_are_split_instead() {
    for text in [
        format!("{}a{}", "(".repeat(5000), ")".repeat(5000)),
        "$(".repeat(9000),
        "{ ".repeat(9000),
        "if ".repeat(9000),
        "! ".repeat(9000),
        "echo 99999999999999999999>x".to_owned(),
        "''>x".to_owned(),
        "`".repeat(9001),
    ] {
        let _ = parse(&text);
    }
}
