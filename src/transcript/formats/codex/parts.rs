//! What items of all kinds hold: the id of a call, an image.

use super::super::shared::linked;
use super::super::text;
use crate::json::Json;
use crate::transcript::Image;
use std::borrow::Cow;

/// The id that a call and its output share.
pub fn call_id(item: Json<'_>) -> Cow<'_, str> {
    let [call, id] = item.pick(["call_id", "id"]);
    text(call.filter(|c| !c.is_null()).or(id))
}

/// An image part: data in a URL, or a file's name.
pub(super) fn image<'a>(part: Json<'a>) -> Option<Image<'a>> {
    let [url, path] = part.pick(["image_url", "path"]);
    let at = match part.str() {
        Some(at) => at,
        None => {
            let url = url.and_then(|u| u.str().or_else(|| u.text("url")));
            url.or_else(|| path.and_then(|p| p.str()))?
        }
    };
    Some(linked(at, None, None))
}
