//! The scanner itself: byte positions in, byte positions out.
//!
//! Two speeds. [`value`] validates every byte, eight at a time inside strings. The `skip_*` functions run
//! on text that `value` has accepted and only look for ends.

use super::Broken;
use super::map::Mapping;
use std::borrow::Cow;

/// The first position at or after `at` that is no JSON white space.
pub fn blank(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
        at += 1;
    }
    at
}

/// Like [`blank`], passing commas too: from one element's end to the next one's start, in valid text.
pub fn separator(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\n' | b'\r' | b'\t' | b',')) {
        at += 1;
    }
    at
}

/// Validates one value that starts at `at`; gives the position behind it. `map` is told where long values end.
pub fn value(bytes: &[u8], at: usize, map: &mut impl Mapping) -> Result<usize, Broken> {
    // What is open: whether it is an object, and its place in the map. A vector, so that depth costs heap, not stack.
    let mut levels: Vec<(bool, u32)> = Vec::new();
    let mut at = at;
    loop {
        // A value starts here.
        at = match bytes.get(at) {
            None => return Err(Broken::Cut),
            Some(b'"') => {
                let text = map.begin();
                let (end, escaped) = string(bytes, at, map)?;
                map.string(at, end, escaped.then_some(text));
                end
            }
            Some(&open @ (b'{' | b'[')) => {
                let inside = blank(bytes, at + 1);
                let object = open == b'{';
                match (bytes.get(inside), object) {
                    (Some(b'}'), true) | (Some(b']'), false) => inside + 1,
                    (_, true) => {
                        levels.push((true, map.open(at)));
                        at = key(bytes, inside)?;
                        continue;
                    }
                    (_, false) => {
                        levels.push((false, map.open(at)));
                        at = inside;
                        continue;
                    }
                }
            }
            Some(b't') => literal(bytes, at, b"true")?,
            Some(b'f') => literal(bytes, at, b"false")?,
            Some(b'n') => literal(bytes, at, b"null")?,
            Some(b'-' | b'0'..=b'9') => number(bytes, at)?,
            Some(_) => return Err(Broken::At(at)),
        };
        // A value has ended here: close what closes.
        loop {
            let Some(&(object, place)) = levels.last() else {
                return Ok(at);
            };
            at = blank(bytes, at);
            match (bytes.get(at), object) {
                (Some(b','), true) => {
                    at = key(bytes, blank(bytes, at + 1))?;
                    break;
                }
                (Some(b','), false) => {
                    at = blank(bytes, at + 1);
                    break;
                }
                (Some(b'}'), true) | (Some(b']'), false) => {
                    levels.pop();
                    at += 1;
                    map.close(place, at);
                }
                (None, _) => return Err(Broken::Cut),
                _ => return Err(Broken::At(at)),
            }
        }
    }
}

/// A key, its colon and the blanks behind it.
fn key(bytes: &[u8], at: usize) -> Result<usize, Broken> {
    match bytes.get(at) {
        Some(b'"') => {}
        None => return Err(Broken::Cut),
        Some(_) => return Err(Broken::At(at)),
    }
    let colon = blank(bytes, string(bytes, at, &mut ())?.0);
    match bytes.get(colon) {
        Some(b':') => Ok(blank(bytes, colon + 1)),
        None => Err(Broken::Cut),
        Some(_) => Err(Broken::At(colon)),
    }
}

fn literal(bytes: &[u8], at: usize, word: &[u8]) -> Result<usize, Broken> {
    let rest = &bytes[at..];
    if rest.starts_with(word) {
        Ok(at + word.len())
    } else if word.starts_with(rest) {
        Err(Broken::Cut)
    } else {
        Err(Broken::At(at))
    }
}

fn digits(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b'0'..=b'9')) {
        at += 1;
    }
    at
}

fn number(bytes: &[u8], start: usize) -> Result<usize, Broken> {
    let some = |from: usize| {
        let to = digits(bytes, from);
        if to > from {
            Ok(to)
        } else if to == bytes.len() {
            Err(Broken::Cut)
        } else {
            Err(Broken::At(to))
        }
    };
    let first = if bytes.get(start) == Some(&b'-') {
        start + 1
    } else {
        start
    };
    let mut at = if bytes.get(first) == Some(&b'0') {
        first + 1
    } else {
        some(first)?
    };
    if bytes.get(at) == Some(&b'.') {
        at = some(at + 1)?;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1;
        if matches!(bytes.get(at), Some(b'+' | b'-')) {
            at += 1;
        }
        at = some(at)?;
    }
    Ok(at)
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// A mask whose lowest set bit marks the first byte that is a quote, a backslash or a control character.
#[inline(always)]
fn special(word: u64) -> u64 {
    let zero = |w: u64| w.wrapping_sub(ONES) & !w & HIGH;
    let quote = zero(word ^ (ONES * u64::from(b'"')));
    let slash = zero(word ^ (ONES * u64::from(b'\\')));
    let control = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
    quote | slash | control
}

/// The position of the next quote, backslash or control character at or after `at`. What is near is found eight
/// bytes at a time; long runs (images, prose) are passed in steps that the compiler turns into vector code.
#[inline]
fn plain_run(bytes: &[u8], mut at: usize) -> usize {
    for _ in 0..NEAR {
        let Some(word) = bytes.get(at..at + 8) else {
            return plain_rest(bytes, at);
        };
        let mask = special(u64::from_le_bytes(word.try_into().unwrap_or_default()));
        if mask != 0 {
            return at + (mask.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while let Some(chunk) = bytes.get(at..at + WIDE) {
        let found = |b: u8| u8::from(b == b'"') | u8::from(b == b'\\') | u8::from(b < 0x20);
        if chunk.iter().fold(0, |any, &b| any | found(b)) != 0 {
            break;
        }
        at += WIDE;
    }
    while let Some(word) = bytes.get(at..at + 8) {
        let mask = special(u64::from_le_bytes(word.try_into().unwrap_or_default()));
        if mask != 0 {
            return at + (mask.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    plain_rest(bytes, at)
}

/// So many words of eight bytes are looked at one by one before long steps are worth it.
const NEAR: usize = 6;
const WIDE: usize = 64;

fn plain_rest(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&b) = bytes.get(at) {
        if b == b'"' || b == b'\\' || b < 0x20 {
            break;
        }
        at += 1;
    }
    at
}

/// What stands for the byte behind a backslash; 0 for those that are no escape or (`u`) a longer one. A table, since
/// a choice of eight ways is guessed wrong by the processor most of the time.
static SIMPLE: [u8; 256] = {
    let mut simple = [0; 256];
    simple[b'"' as usize] = b'"';
    simple[b'\\' as usize] = b'\\';
    simple[b'/' as usize] = b'/';
    simple[b'b' as usize] = 8;
    simple[b'f' as usize] = 12;
    simple[b'n' as usize] = b'\n';
    simple[b'r' as usize] = b'\r';
    simple[b't' as usize] = b'\t';
    simple
};

/// Validates a string that starts with its quote at `start`; gives the position behind its closing quote, and whether it
/// holds an escape. If so, `map` is told what it says.
#[inline]
fn string(bytes: &[u8], start: usize, map: &mut impl Mapping) -> Result<(usize, bool), Broken> {
    let mut at = start + 1;
    // The first byte that `map` has not been told of.
    let mut untold = at;
    let mut escaped = false;
    // A text fault is reported only if nothing worse follows: a cut line must stay "cut".
    let mut text_fault = false;
    loop {
        at = plain_run(bytes, at);
        match bytes.get(at) {
            None => return Err(Broken::Cut),
            Some(b'"') if text_fault => return Err(Broken::Text),
            Some(b'"') => {
                if escaped {
                    map.piece(&bytes[untold..at]);
                }
                return Ok((at + 1, escaped));
            }
            Some(b'\\') => match bytes.get(at + 1) {
                None => return Err(Broken::Cut),
                Some(&escape) if SIMPLE[usize::from(escape)] != 0 => {
                    map.piece(&bytes[untold..at]);
                    map.escape(char::from(SIMPLE[usize::from(escape)]));
                    escaped = true;
                    at += 2;
                    untold = at;
                }
                Some(b'u') => {
                    map.piece(&bytes[untold..at]);
                    let unit = hex4(bytes, at + 2)?;
                    let mut code = unit;
                    at += 6;
                    if (0xD800..0xDC00).contains(&unit) {
                        let low = match (bytes.get(at), bytes.get(at + 1)) {
                            (Some(b'\\'), Some(b'u')) => hex4(bytes, at + 2).ok(),
                            _ => None,
                        };
                        match low {
                            Some(low @ 0xDC00..=0xDFFF) => {
                                code = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                                at += 6;
                            }
                            _ => text_fault = true,
                        }
                    } else if (0xDC00..0xE000).contains(&unit) {
                        text_fault = true;
                    }
                    map.escape(char::from_u32(code).unwrap_or('\u{FFFD}'));
                    escaped = true;
                    untold = at;
                }
                Some(_) => return Err(Broken::At(at + 1)),
            },
            Some(_) => {
                text_fault = true;
                at += 1;
            }
        }
    }
}

fn hex4(bytes: &[u8], at: usize) -> Result<u32, Broken> {
    let mut unit = 0;
    for i in at..at + 4 {
        let digit = match bytes.get(i) {
            None => return Err(Broken::Cut),
            Some(&b) => (b as char).to_digit(16).ok_or(Broken::At(i))?,
        };
        unit = unit * 16 + digit;
    }
    Ok(unit)
}

/// The next `byte` at or after `at`. What is near, as in keys and lines of code, is found without a call.
#[inline(always)]
fn next(byte: u8, bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = at;
    for _ in 0..4 {
        let Some(chunk) = bytes.get(at..at + 8) else {
            break;
        };
        let word = u64::from_le_bytes(chunk.try_into().unwrap_or_default());
        let word = word ^ (ONES * u64::from(byte));
        let mask = word.wrapping_sub(ONES) & !word & HIGH;
        if mask != 0 {
            return Some(at + (mask.trailing_zeros() / 8) as usize);
        }
        at += 8;
    }
    let rest = bytes.get(at..)?;
    memchr::memchr(byte, rest).map(|hop| at + hop)
}

/// In valid text: the position behind the string that starts at `start`.
pub fn skip_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(quote) = next(b'"', bytes, at) {
        let slashes = bytes[start + 1..quote]
            .iter()
            .rev()
            .take_while(|&&b| b == b'\\')
            .count();
        if slashes % 2 == 0 {
            return quote + 1;
        }
        at = quote + 1;
    }
    bytes.len()
}

/// In valid text: the position behind the value that starts at `start`.
pub fn skip_value(bytes: &[u8], start: usize) -> usize {
    match bytes.get(start) {
        Some(b'"') => skip_string(bytes, start),
        Some(b'{' | b'[') => {
            let mut depth = 0usize;
            let mut at = start;
            while let Some(&b) = bytes.get(at) {
                match b {
                    b'"' => {
                        at = skip_string(bytes, at);
                        continue;
                    }
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => {
                        depth -= 1;
                        if depth == 0 {
                            return at + 1;
                        }
                    }
                    _ => {}
                }
                at += 1;
            }
            bytes.len()
        }
        _ => {
            let mut at = start;
            while !matches!(
                bytes.get(at),
                None | Some(b',' | b']' | b'}' | b' ' | b'\n' | b'\r' | b'\t')
            ) {
                at += 1;
            }
            at
        }
    }
}

/// Characters of a valid string body, as [`unescape`] would give them.
pub fn chars(body: &str) -> usize {
    let bytes = body.as_bytes();
    let mut count = body.chars().count();
    let mut at = 0;
    while let Some(hop) = memchr::memchr(b'\\', bytes.get(at..).unwrap_or_default()) {
        at += hop;
        let width = match bytes.get(at + 1) {
            Some(b'u') => match hex4(bytes, at + 2) {
                Ok(0xD800..0xDC00) => 12,
                _ => 6,
            },
            _ => 2,
        };
        count = count.saturating_sub(width - 1);
        at += width;
    }
    count
}

/// The text of a valid string body (without its quotes).
pub fn unescape(body: &str) -> Cow<'_, str> {
    let bytes = body.as_bytes();
    let Some(first) = memchr::memchr(b'\\', bytes) else {
        return Cow::Borrowed(body);
    };
    let mut out = String::with_capacity(body.len());
    out.push_str(&body[..first]);
    let mut at = first;
    while at < bytes.len() {
        let simple = bytes.get(at + 1).map_or(0, |&b| SIMPLE[usize::from(b)]);
        let (c, width) = match bytes.get(at + 1) {
            _ if simple != 0 => (char::from(simple), 2),
            Some(b'u') => {
                let unit = hex4(bytes, at + 2).unwrap_or(0xFFFD);
                if (0xD800..0xDC00).contains(&unit) {
                    let low = hex4(bytes, at + 8).unwrap_or(0xDC00);
                    let code =
                        0x10000 + ((unit - 0xD800) << 10) + (low.wrapping_sub(0xDC00) & 0x3FF);
                    (char::from_u32(code).unwrap_or('\u{FFFD}'), 12)
                } else {
                    (char::from_u32(unit).unwrap_or('\u{FFFD}'), 6)
                }
            }
            Some(&b) => (b as char, 2),
            None => ('\\', 1),
        };
        out.push(c);
        at += width;
        let slash = next(b'\\', bytes, at).unwrap_or(bytes.len());
        out.push_str(body.get(at..slash).unwrap_or_default());
        at = slash;
    }
    Cow::Owned(out)
}
