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
    output + tokens::whole(after) as u64
}
