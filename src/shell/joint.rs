//! What joins one command to the next.

/// What stands between a command and the one written before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Joint {
    /// First command, or after `;` or a line end.
    #[default]
    Then,
    /// After `&&`, or inside `then`.
    And,
    /// After `||`, or inside `else`.
    Or,
    /// Reads what the one before prints.
    Pipe,
    /// After `&`.
    Background,
}
