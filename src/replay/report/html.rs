//! One page for people: totals, a table that sorts by a click, and for each session how full its context was, what
//! the brief made of it, and what did not hold. Self-contained: it asks no network for anything.

use super::{Totals, number, page::SCRIPT, page::STYLE, percent};
use crate::replay::{Change, Check, Curve, Failure, Replayed};
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// The page.
pub fn page(sessions: &[Replayed]) -> String {
    let totals = Totals::of(sessions);
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy"
                    content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";
                link rel="icon" href="data:,";
                title { "compact replay: " (totals.sessions) " sessions, " (totals.failed) " failed" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    h1 { "compact replay" }
                    (tiles(&totals))
                    h2 { "Sessions" }
                    (table(sessions))
                    h2 { "One by one" }
                    @for (at, session) in sessions.iter().enumerate() { (details(at, session)) }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
    .into_string()
}

fn tiles(totals: &Totals) -> Markup {
    let tile = |name: &str, value: String, more: String| {
        html! { div.tile { span.name { (name) } strong { (value) } span.more { (more) } } }
    };
    html! {
        div.tiles {
            (tile("Sessions", number(totals.sessions), format!("{} ok, {} failed", number(totals.ok), number(totals.failed))))
            (tile("Tokens", percent(totals.reduction), format!("less: {} → {}", number(totals.tokens_in), number(totals.tokens_out))))
            (tile("Characters", number(totals.chars_out), format!("of {}", number(totals.chars_in))))
            (tile("Compactions", number(totals.compactions), "by the agents themselves".into()))
            (tile("Records", number(totals.records), format!("{} damaged lines skipped", number(totals.skipped))))
        }
    }
}

fn table(sessions: &[Replayed]) -> Markup {
    let heads = [
        ("Result", false),
        ("Session", false),
        ("Format", false),
        ("Records", true),
        ("Skipped", true),
        ("Tokens before", true),
        ("after", true),
        ("less", true),
        ("Compactions", true),
    ];
    let cell = |n: u64| html! { td.n data-v=(n) { (number(n)) } };
    html! {
        div.scroll { table #sessions {
            thead { tr {
                @for (name, numeric) in heads {
                    th scope="col" aria-sort="none" class=[numeric.then_some("n")] { button type="button" { (name) } }
                }
            } }
            tbody {
                @for (at, session) in sessions.iter().enumerate() {
                    tr {
                        td { (verdict(session)) }
                        td.path { a href={ "#s" (at) } { (session.name()) } }
                        td { (session.format) }
                        (cell(session.records)) (cell(session.skipped))
                        (cell(session.tokens_in)) (cell(session.tokens_out))
                        td.n data-v=(session.reduction()) { (percent(session.reduction())) }
                        (cell(session.compactions))
                    }
                }
            }
        } }
    }
}

fn verdict(session: &Replayed) -> Markup {
    html! { @if session.ok() { span.ok { "✓ ok" } } @else { span.bad { "✗ failed" } } }
}

fn details(at: usize, session: &Replayed) -> Markup {
    html! {
        details id={ "s" (at) } open[!session.ok()] {
            summary { (verdict(session)) " " span.path { (session.name()) } }
            div.body {
                @if !session.failures.is_empty() {
                    ul.failures {
                        @for failure in &session.failures { (failed(failure)) }
                    }
                }
                @if let Some(change) = &session.change { (changed(change)) }
                p.checks {
                    @for check in Check::ALL {
                        @if session.holds(check) { span.ok { "✓ " (check.name()) } }
                        @else { span.bad { "✗ " (check.name()) } }
                        " "
                    }
                }
                (sizes(session))
                (curve(&session.curve))
            }
        }
    }
}

fn failed(failure: &Failure) -> Markup {
    html! {
        li {
            strong { (failure.check.name()) } ": " (failure.what)
            @if let Some(reference) = &failure.reference { " " code { (reference) } }
        }
    }
}

fn changed(change: &Change) -> Markup {
    html! {
        @match change {
            Change::Same => {}
            Change::New => p { (change.line()) }
            Change::Changed { diff } => pre.diff {
                @for line in diff.lines() {
                    @if line.starts_with('+') { ins { (line) "\n" } }
                    @else if line.starts_with('-') { del { (line) "\n" } }
                    @else { (line) "\n" }
                }
            }
        }
    }
}

/// Before and after as bars of one scale.
fn sizes(session: &Replayed) -> Markup {
    let most = session.tokens_in.max(session.tokens_out).max(1) as f64;
    let bar = |name: &str, tokens: u64, chars: u64, class: &str| {
        let width = (tokens as f64 / most * 300.0).max(1.0);
        html! {
            tr {
                th scope="row" { (name) }
                td { svg width="300" height="12" role="img" aria-label={ (name) ": " (number(tokens)) " tokens" } {
                    rect class=(class) width={ (format!("{width:.1}")) } height="12" rx="2" {}
                } }
                td.n { (number(tokens)) " tokens" } td.n { (number(chars)) " characters" }
            }
        }
    };
    html! {
        table.sizes { tbody {
            (bar("Session", session.tokens_in, session.chars_in, "before"))
            (bar("Brief", session.tokens_out, session.chars_out, "after"))
        } }
    }
}

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 180.0;
/// Room for the numbers at the left and below.
const LEFT: f64 = 64.0;
const BELOW: f64 = 22.0;
const ABOVE: f64 = 8.0;

fn curve(curve: &Curve) -> Markup {
    let most = curve.points.iter().map(|p| p.1).max().unwrap_or(0);
    if curve.points.len() < 2 || most == 0 {
        return html! { p.more { "The transcript does not say how full the context was." } };
    }
    let top = round_up(most);
    let last = f64::from(curve.answers.saturating_sub(1).max(1));
    let x = |answer: f64| LEFT + answer / last * (WIDTH - LEFT - 8.0);
    let y = |tokens: f64| ABOVE + (1.0 - tokens / top as f64) * (HEIGHT - ABOVE - BELOW);
    let line: Vec<String> = curve
        .points
        .iter()
        .map(|(at, tokens)| format!("{:.1},{:.1}", x(f64::from(*at)), y(*tokens as f64)))
        .collect();
    let line = line.join(" ");
    let base = y(0.0);
    let (first, end) = (x(0.0), x(last));
    let cuts = match curve.compactions.len() {
        0 => String::new(),
        1 => "; the dashed line is a compaction".to_owned(),
        n => format!("; the {n} dashed lines are compactions"),
    };
    let label = format!(
        "Context in tokens over {} answers, at most {}{cuts}",
        curve.answers,
        number(most),
    );
    html! {
        figure {
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(label) {
                @for part in [0u64, 1, 2] {
                    @let tokens = top * part / 2;
                    @let at = format!("{:.1}", y(tokens as f64));
                    line.grid x1=(LEFT) x2=(WIDTH - 8.0) y1=(at) y2=(at) {}
                    text x=(LEFT - 6.0) y=(at) text-anchor="end" dominant-baseline="middle" { (thousands(tokens)) }
                }
                polygon.area points={ (format!("{first:.1},{base:.1} ")) (line) (format!(" {end:.1},{base:.1}")) } {}
                polyline.line points=(line) {}
                @for at in &curve.compactions {
                    // Between the answer before and the one after.
                    @let x = format!("{:.1}", x((f64::from(*at) - 0.5).clamp(0.0, last)));
                    line.cut x1=(x) x2=(x) y1=(ABOVE) y2=(format!("{base:.1}")) { title { "compaction" } }
                }
                text x=(LEFT) y=(HEIGHT - 6.0) { "answer 1" }
                text x=(WIDTH - 8.0) y=(HEIGHT - 6.0) text-anchor="end" { (number(u64::from(curve.answers))) }
            }
            figcaption { (label) }
        }
    }
}

/// The next 1, 2 or 5 followed by zeros.
fn round_up(n: u64) -> u64 {
    let mut step = 1u64;
    loop {
        for factor in [1, 2, 5] {
            match step.checked_mul(factor) {
                Some(round) if round >= n => return round,
                Some(_) => {}
                None => return n,
            }
        }
        match step.checked_mul(10) {
            Some(next) => step = next,
            None => return n,
        }
    }
}

fn thousands(n: u64) -> String {
    if n >= 1000 && n.is_multiple_of(500) {
        let k = n as f64 / 1000.0;
        format!("{k}k")
    } else {
        number(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::report::tests::sessions;

    #[test]
    fn text_is_escaped_and_nothing_is_fetched() {
        let page = page(&sessions());
        assert!(!page.contains("<script>알림"));
        assert!(page.contains("&lt;script&gt;알림"));
        assert!(page.contains("- old &amp; &lt;b&gt;"));
        for outside in ["http://", "https://", "src=", "@import", "url("] {
            assert!(!page.contains(outside), "{outside}");
        }
        assert!(page.contains("<code>#33</code>"));
        assert_eq!(page.matches("class=\"cut\"").count(), 1);
    }

    #[test]
    fn scales_are_round() {
        assert_eq!(round_up(90_000), 100_000);
        assert_eq!(round_up(1), 1);
        assert_eq!(round_up(201), 500);
        assert_eq!(thousands(100_000), "100k");
        assert_eq!(thousands(2500), "2.5k");
    }
}
