//! Where calls, results and their copies stand in the records of each agent. A form only finds the place; what is
//! put there is decided by the plan.

mod chat;
mod claude;
mod codex;
mod pi;

use super::args;
use super::content::{self, Done};
use super::edit::Edits;
use super::plan::{Claim, What, price_of};
use crate::json::{Json, Kind, quote};
use crate::language::tokens;
use crate::transcript::Family;
use crate::transcript::stub;
use foldhash::HashMap;

/// The claims by what identifies their places, and what was done so far.
pub struct Work<'p> {
    pub claims: &'p [Claim],
    by_id: HashMap<&'p str, usize>,
    by_line: HashMap<u32, usize>,
    /// By claim: the change that was made at its first copy.
    pub done: Vec<Option<Made>>,
}

/// What a claim took away, once made.
#[derive(Debug, Default, Clone)]
pub struct Made {
    pub chars: usize,
    /// Of these the characters of text, and their estimated tokens.
    pub text: usize,
    pub tokens: f64,
    /// Tokens of images, whatever their data weighs.
    pub images: f64,
    /// Images whose data was no base64.
    pub damaged: usize,
    /// Text before and after, for the copies in other records.
    old: String,
    new: String,
}

impl<'p> Work<'p> {
    pub fn new(claims: &'p [Claim]) -> Work<'p> {
        let by_id = claims
            .iter()
            .enumerate()
            .filter(|(_, c)| !c.id.is_empty())
            .map(|(at, c)| (c.id.as_str(), at))
            .collect();
        let by_line = claims
            .iter()
            .enumerate()
            .filter(|(_, c)| c.line > 0)
            .map(|(at, c)| (c.line, at))
            .collect();
        Work {
            claims,
            by_id,
            by_line,
            done: vec![None; claims.len()],
        }
    }

    fn claim(&self, id: &str) -> Option<(usize, &'p Claim)> {
        let at = *self.by_id.get(id)?;
        Some((at, self.claims.get(at)?))
    }

    /// The input of a call: a JSON value, or the text of one inside a string, or raw text.
    fn input<'t>(&mut self, id: &str, value: Json<'t>, edits: &mut Edits<'t>) {
        let Some((at, claim)) = self.claim(id) else {
            return;
        };
        let What::Input { note, .. } = &claim.what else {
            return;
        };
        let (old, new) = match value.str() {
            Some(text) => {
                let short = match Json::parse(&text) {
                    Ok(inner) => args::json(inner, note),
                    Err(_) => args::raw(&text, note),
                };
                let Some(short) = short else { return };
                if !edits.set(value, quote(&short)) {
                    return;
                }
                (text.into_owned(), short)
            }
            None => {
                let Some(short) = args::json(value, note) else {
                    return;
                };
                if !edits.set(value, short.clone()) {
                    return;
                }
                (value.raw().to_owned(), short)
            }
        };
        self.note(
            at,
            Done {
                old,
                new,
                ..Done::default()
            },
        );
    }

    /// The content of a result and the side data beside it.
    fn output<'t>(
        &mut self,
        id: &str,
        content: Option<Json<'t>>,
        side: Option<Json<'t>>,
        kind: &str,
        edits: &mut Edits<'t>,
    ) {
        let Some((at, claim)) = self.claim(id) else {
            return;
        };
        match &claim.what {
            What::Input { mirrors, .. } => {
                if *mirrors && let Some(side) = side {
                    content::mirror(side, "", "", edits);
                }
            }
            What::Images => {
                let Some(done) = content.and_then(|c| content::result(c, claim, kind, edits))
                else {
                    return;
                };
                if let Some(side) = side {
                    content::image_data(side, edits);
                }
                self.note(at, done);
            }
            What::Output { .. } | What::Cut { .. } => {
                let Some(done) = content.and_then(|c| content::result(c, claim, kind, edits))
                else {
                    return;
                };
                if let Some(side) = side {
                    content::mirror(side, &done.old, &done.new, edits);
                }
                self.note(at, done);
            }
        }
    }

    /// A copy of a call or its result in another record.
    fn copy<'t>(&mut self, id: &str, side: Json<'t>, edits: &mut Edits<'t>) {
        let Some((at, claim)) = self.claim(id) else {
            return;
        };
        let made = self.done.get(at).cloned().flatten().unwrap_or_default();
        match &claim.what {
            What::Input { mirrors: false, .. } => {}
            What::Images => content::image_data(side, edits),
            What::Input { .. } => content::mirror(side, "", "", edits),
            // An event may stand in front of the output itself.
            _ if made.new.is_empty() => content::mirror(side, "", "", edits),
            _ => content::mirror(side, &made.old, &made.new, edits),
        }
    }

    /// The images of a prompt.
    fn prompt<'t>(&mut self, line: u32, content: Json<'t>, kind: &str, edits: &mut Edits<'t>) {
        let Some(at) = self.by_line.get(&line).copied() else {
            return;
        };
        if content.kind() == Kind::Array
            && let Some(done) = content::images(content, kind, edits)
        {
            self.note(at, done);
        }
    }

    fn note(&mut self, at: usize, done: Done) {
        let Some(slot) = self.done.get_mut(at).filter(|s| s.is_none()) else {
            return;
        };
        let old = done.old.chars().count();
        let new = done.new.chars().count();
        let price = price_of(old, tokens::sampled(&done.old));
        *slot = Some(Made {
            chars: (old + done.data).saturating_sub(new),
            text: old.saturating_sub(new),
            tokens: tokens::fixed(old.saturating_sub(new), price),
            images: (done.images * tokens::IMAGE_TOKENS) as f64,
            damaged: done.damaged,
            old: done.old,
            new: done.new,
        });
    }
}

/// Makes the planned changes in one record of a line.
pub type Form = fn(Json<'_>, u32, &mut Work<'_>) -> Option<String>;

/// The form of a family that can be written back.
pub fn of(family: Family) -> Option<Form> {
    Some(match family {
        Family::ClaudeCode => {
            |record, line, work| within(record, |e| claude::record(record, line, work, e))
        }
        Family::Pi => |record, line, work| within(record, |e| pi::record(record, line, work, e)),
        Family::Codex => {
            |record, line, work| within(record, |e| codex::record(record, line, work, e))
        }
        Family::OpenAi | Family::Anthropic => {
            |record, line, work| within(record, |e| chat::record(record, line, work, e))
        }
        _ => return None,
    })
}

fn within<'t>(record: Json<'t>, make: impl FnOnce(&mut Edits<'t>)) -> Option<String> {
    let mut edits = Edits::new(record.raw());
    make(&mut edits);
    edits.done()
}

/// Whether a text is a stub already; forms that keep frames around outputs ask.
fn is_stub(text: &str) -> bool {
    text.starts_with(stub::HEAD)
}
