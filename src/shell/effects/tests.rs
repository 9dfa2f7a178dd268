use super::super::parse;
use super::*;

fn shown(text: &str) -> Vec<String> {
    effects(&parse(text))
        .into_iter()
        .map(|e| {
            let doubt = if e.certain { "" } else { "?" };
            match e.kind {
                EffectKind::Move { from } => format!("Move{doubt} {from} > {}", e.path),
                kind => format!("{kind:?}{doubt} {}", e.path),
            }
        })
        .collect()
}

#[test]
fn clear_effects_are_told() {
    for (text, want) in [
        ("rm a.rs b.rs", vec!["Delete a.rs", "Delete b.rs"]),
        ("rm -f '한 글.md'", vec!["Delete 한 글.md"]),
        ("rm -rf build out/", vec!["Clear build", "Clear out"]),
        ("rm -r build/* || true", vec![]),
        ("git rm -q old.rs", vec!["Delete old.rs"]),
        ("mv a.rs b.rs", vec!["Move a.rs > b.rs"]),
        ("mv a.rs src/", vec!["Move a.rs > src/a.rs"]),
        ("git mv a b", vec!["Move? a > b"]),
        ("mv tools core/", vec!["Move? tools > core/tools"]),
        ("cp a.rs b.rs", vec!["Create b.rs"]),
        ("touch x.txt", vec!["Create x.txt"]),
        ("echo hi > a.txt", vec!["Create a.txt"]),
        ("echo hi >> a.txt", vec!["Modify a.txt"]),
        ("cat > a.md <<'EOF'\nx > y\nEOF", vec!["Create a.md"]),
        ("ls | tee out.log", vec!["Create out.log"]),
        (
            "sed -i 's/a/b/' x.rs y.rs",
            vec!["Modify x.rs", "Modify y.rs"],
        ),
        ("sed -i '' -e 's/a/b/' x.rs", vec!["Modify x.rs"]),
        ("sed -i.bak 's/a/b/' x.rs", vec!["Modify x.rs"]),
        ("sed -n '1,20p' src/a.rs", vec!["Read src/a.rs"]),
        (
            "head -n 5 a.rs && tail -20 b.rs",
            vec!["Read a.rs", "Read b.rs"],
        ),
        ("cd app && cat ../x.rs", vec!["Read x.rs"]),
        ("cd /w && rm a", vec!["Delete /w/a"]),
        ("git checkout -- a.rs", vec!["Revert a.rs"]),
        ("git restore a.rs", vec!["Revert a.rs"]),
        ("git -C app rm a", vec!["Delete app/a"]),
        ("test -f a || rm b", vec!["Delete? b"]),
        (
            "cd app && apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: n.rs\n+x\n*** Update File: o.rs\n*** Move to: p.rs\n*** Delete File: q.rs\n*** End Patch\nEOF",
            vec![
                "Add app/n.rs",
                "Move app/o.rs > app/p.rs",
                "Delete app/q.rs",
            ],
        ),
    ] {
        assert_eq!(shown(text), want, "{text}");
    }
}

#[test]
fn unclear_ones_are_left_out() {
    for text in [
        "rm *.rs",
        "rm $F",
        "rm build/",
        "cat x > /dev/null 2>&1",
        "cat < in.txt",
        "echo 'rm a.rs'",
        "mkdir -p src",
        "cd $X && rm a",
        "ls | xargs rm",
        "sed 's/a/b/' x.rs",
        "grep x a.rs",
        "git rm --cached a",
        "git restore --staged a",
        "git checkout main",
        "ssh host 'rm a'",
        "rm \"$(ls)\"",
    ] {
        let got: Vec<String> = shown(text)
            .into_iter()
            .filter(|s| !s.starts_with("Read"))
            .collect();
        assert!(got.is_empty(), "{text}: {got:?}");
    }
}
