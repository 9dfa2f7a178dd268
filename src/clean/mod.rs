//! What a person did *not* say is taken away here: wrappers of the host, reminders, command echoes,
//! notifications, skill manuals. Every format's entries pass through on their way to a sink, so nothing behind
//! this room has to know a wrapper. What a person *meant* is judged elsewhere.

mod wrappers;

pub use wrappers::{Speech, speech};

use crate::transcript::stub;
use crate::transcript::{Block, Entry, Image, Voice, picture};
use memchr::memmem;
use std::borrow::Cow;
use std::ops::Range;

/// Characters of base64 from which on an image that is written out in a text is an image, and no example of one.
const DATA: usize = 200;

/// Splits the person's words of an entry from what the host put around them. A block that holds both becomes two.
pub fn entry(entry: &mut Entry<'_>) {
    images(entry);
    pasted(entry);
    let touched = |b: &Block<'_>| matches!(b, Block::Said { voice: Voice::Person | Voice::Parent, text } if wrappers::suspicious(text));
    if entry.blocks.iter().any(touched) {
        let blocks = std::mem::take(&mut entry.blocks);
        for block in blocks {
            match block {
                Block::Said {
                    voice: voice @ (Voice::Person | Voice::Parent),
                    text,
                } if wrappers::suspicious(&text) => {
                    let Speech {
                        said,
                        aside,
                        summary,
                    } = speech(&text);
                    if let Some(aside) = aside {
                        entry.say(
                            if summary {
                                Voice::Summary
                            } else {
                                Voice::Harness
                            },
                            aside,
                        );
                    }
                    if let Some(said) = said {
                        entry.say(voice, said);
                    }
                }
                other => entry.blocks.push(other),
            }
        }
    }
    for block in &mut entry.blocks {
        if let Block::Said { text, .. } = block
            && let Cow::Owned(composed) = crate::language::nfc(text)
        {
            *text = Cow::Owned(composed);
        }
    }
}

/// Images that stand in a text as `data:` addresses are images, not words: their data is shown nowhere (SPEC 6.4).
fn pasted(entry: &mut Entry<'_>) {
    let holds = |b: &Block<'_>| matches!(b, Block::Said { text, .. } if address(text, 0).is_some());
    if !entry.blocks.iter().any(holds) {
        return;
    }
    for block in std::mem::take(&mut entry.blocks) {
        let Block::Said { voice, text } = block else {
            entry.blocks.push(block);
            continue;
        };
        let mut found = Vec::new();
        let words = replaced(&text, |image| {
            found.push(Block::image(image));
            String::new()
        });
        match words {
            Cow::Owned(words) => entry.say(voice, words.trim_end().to_owned()),
            Cow::Borrowed(_) => entry.blocks.push(Block::Said { voice, text }),
        }
        entry.blocks.append(&mut found);
    }
}

/// The text with a marker for every image that is written out in it.
pub fn without_images(text: &str) -> Cow<'_, str> {
    replaced(text, |image| stub::image(&image))
}

/// The text with something else for every image that is written out in it; borrowed where none is.
fn replaced(text: &str, mut by: impl FnMut(Image<'static>) -> String) -> Cow<'_, str> {
    let (mut out, mut at) = (String::new(), 0);
    while let Some(place) = address(text, at) {
        out.push_str(text.get(at..place.start).unwrap_or_default());
        at = place.end;
        let image = picture(None, None, text.get(place).unwrap_or_default());
        out.push_str(&by(Image {
            name: None,
            mime: image.mime.map(|m| Cow::Owned(m.into_owned())),
            ..image
        }));
    }
    if at == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(at..).unwrap_or_default());
    Cow::Owned(out)
}

/// Where the next image begins and ends that is written out in the text.
fn address(text: &str, from: usize) -> Option<Range<usize>> {
    let rest = text.as_bytes().get(from..)?;
    for at in memmem::find_iter(rest, b"data:image/") {
        let behind = rest.get(at..)?;
        let Some(mark) = memmem::find(behind.get(..behind.len().min(64))?, b";base64,") else {
            continue;
        };
        let start = mark + b";base64,".len();
        let inside = |b: &&u8| b.is_ascii_alphanumeric() || b"+/=".contains(b);
        let data = behind.get(start..)?.iter().take_while(inside).count();
        if data >= DATA {
            return Some(from + at..from + at + start + data);
        }
    }
    None
}

/// Lines that `compact prune` put in the place of a person's images are images, not words.
fn images(entry: &mut Entry<'_>) {
    let marked = |b: &Block<'_>| matches!(b, Block::Said { voice: Voice::Person | Voice::Parent, text } if stub::has_image(text));
    if !entry.blocks.iter().any(marked) {
        return;
    }
    for block in std::mem::take(&mut entry.blocks) {
        match block {
            Block::Said { voice, text } if text.lines().any(stub::is_image) => {
                let (marks, words): (Vec<&str>, Vec<&str>) =
                    text.lines().partition(|l| stub::is_image(l));
                entry.say(voice, words.join("\n"));
                let image = || Block::Image(Box::new(crate::transcript::Image::default()));
                entry.blocks.extend(marks.iter().map(|_| image()));
            }
            block => entry.blocks.push(block),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::session::testing::Talk;
    use crate::transcript::{Block, Voice};

    #[test]
    fn an_image_written_out_in_a_text_is_an_image() {
        let data = format!("data:image/png;base64,{}", "iVBORw0KGgoA".repeat(20));
        let said = |text: &str| {
            let session = Talk::in_dir("/w").person(text).session();
            let entry = session.active().next().expect("a message");
            let words: Vec<String> = entry.texts(Voice::Person).map(str::to_owned).collect();
            let images = entry.blocks.iter().filter(|b| matches!(b, Block::Image(_)));
            (words.join(" "), images.count())
        };
        assert_eq!(
            said(&format!("아이콘을 넣어줘 {data}")),
            ("아이콘을 넣어줘".to_owned(), 1)
        );
        let two = format!("왼쪽 {data} 오른쪽 {data}");
        assert_eq!(said(&two), ("왼쪽  오른쪽".to_owned(), 2));
        let example = "`data:image/gif;base64,R0lGODlhAQABAAAAACw=` 를 써줘";
        assert_eq!(said(example), (example.to_owned(), 0));
        let page = super::without_images(&format!("<img src=\"{data}\">")).into_owned();
        assert!(page.starts_with("<img src=\"image attached: ") && !page.contains("iVBOR"));
        assert_eq!(super::without_images(example), example);
    }
}
