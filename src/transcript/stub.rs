//! What stands in a transcript where something was left out of it: one factual line, always in the same words, so
//! that whoever reads it next knows it again. `prune` and the loop guard write these lines.

use super::Ref;
use memchr::memmem;
use std::fmt::Write;

/// How every stub begins.
pub const HEAD: &str = "[left out: ";
/// How the marker of one image begins (SPEC 6.4).
const IMAGE: &str = "image attached: ";

/// Whether the arguments of a call (JSON text or raw) hold a stub.
pub fn in_args(text: &str) -> bool {
    memmem::find(text.as_bytes(), HEAD.as_bytes()).is_some()
}

/// Whether a result holds a stub: a line that begins with one. A file that is shown with line numbers and
/// holds such a line does not.
pub fn in_result(text: &str) -> bool {
    let bytes = text.as_bytes();
    let starts = |mark: &str| {
        memmem::find_iter(bytes, mark.as_bytes())
            .any(|at| at == 0 || bytes.get(at - 1) == Some(&b'\n'))
    };
    starts(HEAD) || starts(IMAGE)
}

/// `[left out: Read src/a.rs, 3400 characters; REASON]`
pub fn output(tool: &str, path: Option<&str>, chars: usize, reason: &str) -> String {
    let mut stub = format!("{HEAD}{}", line(tool));
    if let Some(path) = path {
        let _ = write!(stub, " {}", line(path));
    }
    let _ = write!(stub, ", {chars} characters");
    if !reason.is_empty() {
        let _ = write!(stub, "; {reason}");
    }
    stub.push(']');
    stub
}

/// `[left out: 3400 characters; NOTE]`, for a string inside arguments or side data.
pub fn string(chars: usize, note: &str) -> String {
    if note.is_empty() {
        format!("{HEAD}{chars} characters]")
    } else {
        format!("{HEAD}{chars} characters; {note}]")
    }
}

/// The line in the middle of a cut output.
pub fn middle(lines: usize, chars: usize) -> String {
    if lines > 0 {
        format!("{HEAD}{lines} lines, {chars} characters]")
    } else {
        format!("{HEAD}{chars} characters]")
    }
}

const UNCHANGED: &str = "unchanged since the earlier read of ";
const SAME: &str = "same result as the earlier ";

/// The same file was read again: what a loop guard would have answered (SPEC 5).
pub fn unchanged(path: &str, lines: u32, hash: &str) -> String {
    format!("{HEAD}{UNCHANGED}{} ({lines} lines, {hash})]", line(path))
}

/// Whether a result gave way to a line that points to an earlier result: [`unchanged`], [`same_result`].
pub fn is_repeat(text: &str) -> bool {
    text.strip_prefix(HEAD)
        .is_some_and(|t| t.starts_with(UNCHANGED) || t.starts_with(SAME))
}

/// The same call gave the same result.
pub fn same_result(tool: &str, lines: u32) -> String {
    format!("{HEAD}{SAME}{} call ({lines} lines)]", line(tool))
}

/// The marker of images that are not shown, `image attached: NAME WxH MIME (K KB)`.
pub fn image(image: &super::Image<'_>) -> String {
    let mut parts = Vec::new();
    if let Some(name) = &image.name {
        parts.push(line(name));
    }
    if let Some((w, h)) = image.size {
        parts.push(format!("{w}x{h}"));
    }
    parts.push(line(image.mime.as_deref().unwrap_or("image")));
    let mut line = format!("{IMAGE}{}", parts.join(" "));
    if let Some(bytes) = image.bytes {
        let _ = write!(line, " ({} KB)", bytes.div_ceil(1024).max(1));
    }
    line
}

/// Whether a line is the marker of an image, and nothing else.
pub fn is_image(line: &str) -> bool {
    let line = line.trim();
    let last = line.rsplit(' ').next().unwrap_or_default();
    let kind = last == "image" || last.starts_with("image/");
    line.starts_with(IMAGE) && (line.ends_with(" KB)") || kind) && !line.contains('\n')
}

/// Whether a text may hold such a line.
pub fn has_image(text: &str) -> bool {
    memmem::find(text.as_bytes(), IMAGE.as_bytes()).is_some()
}

/// ` at #12`, or nothing for a record without a number.
pub fn at(reference: Option<Ref>) -> String {
    reference.map_or(String::new(), |r| format!(" at {r}"))
}

/// A name on one line.
fn line(text: &str) -> String {
    crate::language::visible(&crate::language::one_line(text)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stubs_are_known_again() {
        assert!(in_result(&output("Read", Some("a.rs"), 400, "")));
        assert!(in_result(&format!("line 1\n{}\nline 9", middle(7, 80))));
        let image = crate::transcript::Image {
            name: Some("a.png".into()),
            mime: Some("image/png".into()),
            bytes: Some(5000),
            size: Some((800, 600)),
        };
        assert_eq!(
            super::image(&image),
            "image attached: a.png 800x600 image/png (5 KB)"
        );
        assert!(is_image(&super::image(&image)) && in_result(&super::image(&image)));
        let damaged = crate::transcript::Image {
            bytes: None,
            size: None,
            ..image
        };
        assert_eq!(super::image(&damaged), "image attached: a.png image/png");
        assert!(is_image(&super::image(&damaged)));
        assert!(is_image(
            &super::image(&crate::transcript::Image::default())
        ));
        assert!(!is_image("image attached: see below"));
        assert!(!in_result("    12\t[left out: no stub, a line of a file"));
        assert!(in_args(&format!(
            r#"{{"content":"{}"}}"#,
            string(400, "read again at #5")
        )));
        assert!(!in_args(r#"{"content":"left out"}"#));
    }
}
