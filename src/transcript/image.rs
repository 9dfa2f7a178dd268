//! What an image block says of its image: kind and size from the header, length from the base64. The data
//! itself is never kept.

use super::Image;
use base64::Engine;
use std::borrow::Cow;

/// How much base64 is decoded to find width and height; JPEG headers can hold thumbnails.
const HEAD: usize = 64 * 1024;

/// An image from its base64 text (a `data:` URL's prefix may still be there).
pub fn picture<'a>(
    name: Option<Cow<'a, str>>,
    mime: Option<Cow<'a, str>>,
    base64: &str,
) -> Image<'a> {
    let (mime, data) = match base64
        .strip_prefix("data:")
        .and_then(|rest| rest.split_once(','))
    {
        Some((head, data)) => {
            let named = head
                .split(';')
                .next()
                .filter(|m| !m.is_empty())
                .map(|m| Cow::Owned(m.to_owned()));
            (mime.or(named), data)
        }
        None => (mime, base64),
    };
    if is_damaged(data) {
        return Image {
            name,
            mime,
            ..Image::default()
        };
    }
    let padding = data.bytes().rev().take(2).filter(|&b| b == b'=').count();
    let bytes = (data.len() / 4 * 3).saturating_sub(padding) as u64;
    let head = data.get(..data.len().min(HEAD) / 4 * 4).unwrap_or_default();
    let size = base64::engine::general_purpose::STANDARD
        .decode(head)
        .ok()
        .and_then(|head| imagesize::blob_size(&head).ok())
        .map(|s| (s.width as u32, s.height as u32));
    Image {
        name,
        mime,
        bytes: (!data.is_empty()).then_some(bytes),
        size,
    }
}

/// Whether the data of an image has characters that base64 does not have: neither its length nor its header say
/// anything then.
pub fn is_damaged(data: &str) -> bool {
    let inside =
        |b: u8| b.is_ascii_alphanumeric() || b.is_ascii_whitespace() || b"+/-_=".contains(&b);
    let data = match data.strip_prefix("data:") {
        Some(rest) => rest.split_once(',').map_or(rest, |(_, data)| data),
        None => data,
    };
    !data.bytes().take(HEAD).all(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_gives_the_size_and_damage_does_not_hurt() {
        let gif = "R0lGODlhAgADAIAAAP///wAAACwAAAAAAgADAAACAoRRADs=";
        let image = picture(None, None, &format!("data:image/gif;base64,{gif}"));
        assert_eq!(
            (image.size, image.mime.as_deref()),
            (Some((2, 3)), Some("image/gif"))
        );
        let damaged = picture(None, Some("image/png".into()), "그림 데이터가 아닙니다!!");
        assert_eq!((damaged.size, damaged.bytes), (None, None));
        assert_eq!(damaged.mime.as_deref(), Some("image/png"));
        assert_eq!(picture(None, None, "").bytes, None);
    }
}
