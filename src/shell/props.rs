//! Promises over odd texts: nothing panics, lines keep their limits.

use super::*;
use proptest::prelude::*;

const SEEDS: &[&str] = &[
    "cd /w && cargo test -p a 2>&1 | tail -20",
    "git commit -m \"$(cat <<'EOF'\nfix: 표\n\nit's\nEOF\n)\" && git push",
    "cat > a.md <<EOF\n$x `y`\nEOF\nls",
    "for f in *.rs; do sed -i 's/a/b/' \"$f\"; done || exit 1",
    "bash -lc 'set -e; rm -rf \"$HOME\"/x' > /dev/null 2>&1 &",
    "if [[ -f x ]]; then mv a b; else (cd y; cp a{1,2} z/); fi",
    "echo $((8<<20)) ${x:-$(a \"b\")} <(c) 3>&1 99999999999>f",
    "sudo env A=1 timeout 5 npm --prefix web run test:e2e -- x",
    "case $x in a) b;; *) c;; esac; f() { d; }; f",
];

fn pieces() -> impl Strategy<Value = String> {
    let bits = "(\\$\\(|\\)|\\(|\\(\\(|\\{ |\\}|<<E|<<-'E'|\nE\n|'|\"|`|\\\\|;|&&|\\|\\||\\||&|>|>>|2>&1|<|#| |\n|cd |git commit -m |if |then |fi|for |do |done|case |esac|sh -c |eval |A=|한글|[a-z0-9]{1,3}|\\PC){0,40}";
    prop_oneof![
        bits.prop_map(|s| s),
        (0..SEEDS.len(), 0usize..200, bits).prop_map(|(n, at, bit)| {
            let seed: Vec<char> = SEEDS[n].chars().collect();
            let at = at.min(seed.len());
            seed[..at].iter().collect::<String>() + &bit + &seed[at..].iter().collect::<String>()
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn no_command_stops_it(text in pieces()) {
        let script = parse(&text);
        let _ = (effects(&script), families(&script), git_commits(&script), history_calls(&script));
        let _ = (harmless_nonzero(&script), outcome(&text, None, None, &script));
        if let Some(f) = family(&script) {
            prop_assert!(covers(&f, &f));
        }
        let line = display(&text);
        prop_assert!(crate::language::length(&line) <= 240 && !line.contains('\n'));
        prop_assert_eq!(parse(&text), script);
    }

    #[test]
    fn no_output_stops_it(text in "((error: |Exit code: |FAILED|실패 |[0-9]{1,3}|passed|\x1b\\[3|\r|\n|\\{|:|\\PC){0,40})") {
        let _ = outcome(&text, None, Some(true), &parse("cargo test"));
        let _ = (exit_code(&text), outcome(&text, None, None, &parse("cargo test | tail")));
    }
}
