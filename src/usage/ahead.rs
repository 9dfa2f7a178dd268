//! What the next request will hold beyond the last reading: an estimate of everything that came after it
//! (SPEC 3.1, 1 and 0.6).

use super::readings::{Event, Reading};
use crate::language::tokens;
use crate::session::Session;
use crate::transcript::{Block, Entry, Voice};

/// Characters and estimated tokens of texts, and tokens of images.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    chars: f64,
    tokens: f64,
    images: f64,
}

impl Size {
    /// `sample` may be shortened; `chars` is the whole.
    fn add(&mut self, sample: &str, chars: f64) {
        let kept = sample.chars().count() as f64;
        if kept > 0.0 && chars > 0.0 {
            self.chars += chars;
            self.tokens += tokens::sampled(sample) * (chars / kept);
        }
    }
}

/// How characters become tokens.
#[derive(Debug, Clone, Copy)]
enum Price {
    Fixed(f64),
    /// The estimate by script times a factor, within 2 to 6 characters a token.
    Calibrated(f64),
}

impl Price {
    fn of(self, size: Size) -> f64 {
        let text = match self {
            Price::Fixed(chars_per_token) => {
                tokens::fixed(size.chars.round() as usize, chars_per_token)
            }
            Price::Calibrated(factor) => {
                (size.tokens * factor).clamp(size.chars / 6.0, size.chars / 2.0)
            }
        };
        text + size.images
    }
}

fn add(session: &Session, entry: &Entry<'static>, size: &mut Size) {
    for (i, block) in entry.blocks.iter().enumerate() {
        match block {
            Block::Said { voice, text } => {
                if *voice != Voice::Summary {
                    size.add(text, text.chars().count() as f64);
                }
            }
            Block::Thinking { .. } => {}
            // Images of a result are blocks of their own as well.
            Block::Image(_) => size.images += tokens::IMAGE_TOKENS as f64,
            Block::Call(call) => {
                if let Some(step) = session.step_at(entry, i) {
                    size.add(call.args.as_str(), f64::from(step.row.args_chars));
                }
            }
            Block::Result(_) => {}
        }
    }
}

/// Texts of the active entries between two places. Results stand at their calls, so they are added from there.
fn between(session: &Session, from: u32, to: u32) -> Size {
    let mut size = Size::default();
    let inside = |seq: u32| seq > from && seq < to;
    for entry in session.active().filter(|e| inside(e.seq)) {
        add(session, entry, &mut size);
    }
    for step in session.steps() {
        if let (Some(entry), Some(outcome)) = (step.answered, step.outcome)
            && inside(entry.seq)
        {
            size.add(&outcome.text, f64::from(step.row.result_chars));
        }
    }
    size
}

/// The factor between the estimate and what the prompts really grew by, 1 without evidence.
fn calibrate(session: &Session, events: &[Event]) -> f64 {
    let (mut grown, mut estimated) = (0.0, 0.0);
    let mut last: Option<Reading> = None;
    let mut sums: Option<Vec<(u32, f64)>> = None;
    for event in events {
        let Event::Reading(reading) = event else {
            last = None;
            continue;
        };
        if let Some(before) = last.filter(|b| b.model == reading.model && reading.tokens > b.tokens)
        {
            let sums = sums.get_or_insert_with(|| running(session));
            let until = |seq: u32| {
                let at = sums.partition_point(|(s, _)| *s < seq);
                at.checked_sub(1)
                    .and_then(|i| sums.get(i))
                    .map_or(0.0, |(_, sum)| *sum)
            };
            // The answer of `before` is part of what was added.
            estimated += until(reading.seq) - until(before.seq);
            grown += (reading.tokens - before.tokens) as f64;
        }
        last = Some(*reading);
    }
    if estimated > 0.0 && grown > 0.0 {
        grown / estimated
    } else {
        1.0
    }
}

/// Estimated tokens up to and including each active entry.
fn running(session: &Session) -> Vec<(u32, f64)> {
    let mut each: std::collections::BTreeMap<u32, f64> = std::collections::BTreeMap::new();
    for entry in session.active() {
        let mut size = Size::default();
        add(session, entry, &mut size);
        each.insert(entry.seq, size.tokens + size.images);
    }
    for step in session.steps() {
        if let (Some(entry), Some(outcome)) = (step.answered, step.outcome) {
            let mut size = Size::default();
            size.add(&outcome.text, f64::from(step.row.result_chars));
            *each.entry(entry.seq).or_default() += size.tokens;
        }
    }
    let mut sum = 0.0;
    each.into_iter()
        .map(|(seq, tokens)| {
            sum += tokens;
            (seq, sum)
        })
        .collect()
}

/// Estimated tokens of what follows the last reading (its answer included) or the last compaction.
pub fn tail(session: &Session, events: &[Event], chars_per_token: Option<f64>) -> u64 {
    let price = match chars_per_token {
        Some(chars) => Price::Fixed(chars),
        None => Price::Calibrated(calibrate(session, events)),
    };
    let last = events.iter().rev().find_map(|e| match e {
        Event::Reading(r) => Some((r.seq, r.output)),
        Event::Boundary { seq, .. } => Some((*seq, 0)),
        _ => None,
    });
    let Some((seq, output)) = last else {
        return 0;
    };
    let after = price.of(between(session, seq, u32::MAX));
    output.saturating_add(tokens::whole(after) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::testing::session;
    use crate::usage::events;

    /// Three prompts of a growing context, then a long result that no prompt has held yet.
    fn grown(per_char: u64) -> (u64, u64) {
        let mut lines = vec![
            r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-05T09:00:00Z","cwd":"/w"}"#.to_owned(),
        ];
        let text = "변경 내용을 검토하고 시험을 다시 돌립니다. ".repeat(40);
        let chars = text.chars().count() as u64;
        for n in 0..6_u64 {
            let message = if n % 2 == 0 {
                format!(r#""role":"user","content":"{text}""#)
            } else {
                let prompt = 10_000 + n / 2 * chars * per_char / 100;
                format!(
                    r#""role":"assistant","model":"m","content":[{{"type":"text","text":"네"}}],"usage":{{"input":{prompt},"output":3}}"#
                )
            };
            let parent = match n {
                0 => "null".to_owned(),
                n => format!("\"e{}\"", n - 1),
            };
            lines.push(format!(
                r#"{{"type":"message","id":"e{n}","parentId":{parent},"timestamp":"2026-01-05T09:00:0{n}Z","message":{{{message}}}}}"#
            ));
        }
        lines.push(format!(
            r#"{{"type":"message","id":"z","parentId":"e5","timestamp":"2026-01-05T09:00:09Z","message":{{"role":"user","content":"{text}"}}}}"#
        ));
        let session = session(&lines.join("\n"));
        (tail(&session, &events(&session), None), chars)
    }

    #[test]
    fn the_price_is_learned_from_the_file_within_bounds() {
        // 40 tokens a hundred characters is what the file shows, and what its tail is estimated at.
        let (tokens, chars) = grown(40);
        let want = chars * 40 / 100;
        assert!(tokens.abs_diff(want) <= want / 20, "{tokens} of {want}");
        // Nothing costs more than a token for two characters, nor less than one for six.
        let (tokens, chars) = grown(500);
        assert!(tokens.abs_diff(chars / 2) <= 8, "{tokens}, {chars}");
        let (tokens, chars) = grown(1);
        assert!(tokens.abs_diff(chars / 6) <= 8, "{tokens}, {chars}");
    }
}
