//! Signs of a text that its worth depends on, found at memory speed.

/// Signs of a text that weighing looks for, found byte by byte; where in the text they stand is left open.
#[derive(Debug, Clone, Copy, Default)]
pub struct Signs {
    /// Holds what is changed before it is shown, or may be: control characters, unusual scripts.
    pub odd: bool,
    pub digit: bool,
    pub code: bool,
    /// A word that names something exactly may be among the words.
    pub name: bool,
    pub arrow: bool,
    pub link: bool,
    pub question: bool,
    pub ideograph: bool,
    /// Characters of Markdown that a line may lose.
    pub marks: usize,
}

// Classes of bytes.
const ODD: u16 = 1;
const DIGIT: u16 = 1 << 1;
const CODE: u16 = 1 << 2;
const NAME: u16 = 1 << 3;
const ARROW: u16 = 1 << 4;
const QUESTION: u16 = 1 << 5;
const IDEOGRAPH: u16 = 1 << 6;
const MARK: u16 = 1 << 7;
/// Lead bytes whose further bytes decide.
const LEAD: u16 = 1 << 8;
const STOP: u16 = 1 << 9;
const UPPER: u16 = 1 << 10;

static CLASSES: [u16; 256] = classes();

const fn classes() -> [u16; 256] {
    let mut table = [0; 256];
    let mut b = 0;
    while b < 256 {
        table[b] = match b as u8 {
            b'\n' | b'\t' => 0,
            0..=0x1f | 0x7f => ODD,
            b'0'..=b'9' => DIGIT,
            b'A'..=b'Z' => UPPER,
            b'`' => CODE,
            b'/' | b'_' | b'=' => NAME,
            b'.' => STOP,
            b'>' => ARROW,
            b'?' => QUESTION,
            b'*' | b'#' => MARK,
            // Punctuation, Kana and jamo, rare Hangul, wide forms.
            0xe2 | 0xe3 | 0xea | 0xed | 0xef => LEAD,
            0xe4..=0xe9 => IDEOGRAPH,
            // Emoji.
            0xf0 => 0,
            0x20..=0x7e | 0x80..=0xbf | 0xeb | 0xec => 0,
            _ => ODD,
        };
        b += 1;
    }
    table
}

impl Signs {
    pub fn of(text: &str) -> Signs {
        let bytes = text.as_bytes();
        let mut all = 0;
        for byte in bytes {
            all |= CLASSES[*byte as usize];
        }
        let has = |class: u16| all & class != 0;
        let mut signs = Signs {
            odd: has(ODD),
            digit: has(DIGIT),
            code: has(CODE),
            name: has(NAME) || has(DIGIT),
            arrow: has(ARROW) && text.contains("->"),
            link: memchr::memmem::find(bytes, b"http").is_some(),
            question: has(QUESTION),
            ideograph: has(IDEOGRAPH),
            marks: 0,
        };
        if has(STOP) && !signs.name {
            // A full stop at the end of a word names nothing.
            signs.name = memchr::memchr_iter(b'.', bytes)
                .any(|at| bytes.get(at + 1).is_some_and(|b| !b.is_ascii_whitespace()));
        }
        if has(UPPER) && !signs.name {
            let camel = |w: &[u8]| w[0].is_ascii_lowercase() && w[1].is_ascii_uppercase();
            signs.name = bytes.windows(2).any(camel);
        }
        if has(MARK) {
            let bold = memchr::memmem::find_iter(bytes, b"**").count();
            signs.marks = 2 * bold
                + if memchr::memchr(b'#', bytes).is_some() {
                    16
                } else {
                    8
                };
        }
        if has(LEAD) {
            signs.lead(bytes);
        }
        signs
    }

    /// Looks at the characters whose first byte does not tell enough.
    fn lead(&mut self, bytes: &[u8]) {
        for (at, byte) in bytes.iter().enumerate() {
            if CLASSES[*byte as usize] & LEAD == 0 {
                continue;
            }
            let (second, third) = match bytes.get(at + 1..at + 3) {
                Some([second, third]) => (*second, *third),
                _ => (0, 0),
            };
            match (*byte, second, third) {
                // Direction marks and line separators are taken out.
                (0xe2, 0x80, 0x8e | 0x8f | 0xa8..=0xae) | (0xe2, 0x81, _) => self.odd = true,
                (0xe2, 0x86, _) => self.arrow = true,
                (0xe2, ..) => {}
                // Ideographic comma and full stop; jamo typed alone.
                (0xe3, 0x80, 0x81 | 0x82) | (0xe3, 0x84, 0xb0..) | (0xe3, 0x85, _) => {}
                (0xea, 0xb0.., _) | (0xed, ..=0x9d, _) | (0xed, 0x9e, ..=0xa3) => {}
                (0xef, 0xbc, _) => self.question = true,
                _ => self.odd = true,
            }
        }
    }
}
