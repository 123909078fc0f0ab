//! The built-in demo agent (the other side of the protocol).

/// Speaks the protocol on stdin and stdout until stdin ends.
///
/// # Errors
/// Stdin or stdout fails.
pub fn run() -> anyhow::Result<()> {
    anyhow::bail!("the demo agent is not part of this build")
}
