//! The terminal's modes: set once, restored always.
//!
//! Owns raw mode, the alternate screen, bracketed paste, focus reports and the keyboard protocols.
//! Every way out (exit, panic, signal, suspend, an editor) goes through the one [`restore`]. Nothing
//! here asks the terminal anything and waits: some never answer (C115).

use std::{
    fmt,
    io::{self, Write},
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    time::Duration,
};

use crossterm::{
    Command,
    cursor::Show,
    event::{
        DisableBracketedPaste, DisableFocusChange, EnableBracketedPaste, EnableFocusChange,
        KeyboardEnhancementFlags, PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags,
    },
    execute, queue,
    style::ResetColor,
    terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode},
};
use ratatui::layout::Size;

/// The modes are set: [`restore`] has something to do.
static ENTERED: AtomicBool = AtomicBool::new(false);

/// Asks for the background colour; the answer, if any, comes as input, and
/// [`Decoder`](crate::input::Decoder) knows it.
pub const QUERY_BACKGROUND: &[u8] = b"\x1b]11;?\x1b\\";

/// Wanted of the kitty protocol: no two keys the same, and which key it is on a US keyboard, so that
/// ctrl-c is found where the layout has no Latin letters.
const KEYBOARD_FLAGS: KeyboardEnhancementFlags =
    KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES
        .union(KeyboardEnhancementFlags::REPORT_ALTERNATE_KEYS);

/// How long an ESC waits for the rest of a key. Over ssh one key can come in two packets.
const ESCAPE_DELAY: Duration = Duration::from_millis(25);
const ESCAPE_DELAY_SSH: Duration = Duration::from_millis(100);

/// xterm's modifyOtherKeys: modified keys that have no bytes of their own, such as shift-enter. tmux
/// passes them on only to programs that ask for this. The second level would tell of ctrl-c and the like
/// in the long form too, which gains nothing here.
struct AskModifiedKeys;

/// Back to what it was before.
struct GiveBackModifiedKeys;

impl Command for AskModifiedKeys {
    fn write_ansi(&self, f: &mut impl fmt::Write) -> fmt::Result {
        f.write_str("\x1b[>4;1m")
    }
}

impl Command for GiveBackModifiedKeys {
    fn write_ansi(&self, f: &mut impl fmt::Write) -> fmt::Result {
        f.write_str("\x1b[>4m")
    }
}

/// As the person has set it, else what suits the connection.
pub fn escape_delay(set: Option<u32>) -> Duration {
    let over_ssh = || {
        ["SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT"]
            .iter()
            .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
    };
    match set {
        Some(millis) => Duration::from_millis(millis.into()),
        None if over_ssh() => ESCAPE_DELAY_SSH,
        None => ESCAPE_DELAY,
    }
}

/// Takes the terminal over; again after it may have been in other hands.
pub fn enter() -> io::Result<()> {
    if ENTERED.load(Ordering::SeqCst) {
        // crossterm sets raw mode only where it believes it is off.
        disable_raw_mode()?;
    }
    enable_raw_mode()?;
    let mut out = io::stdout();
    // The keyboard flags are kept per screen: pushed after the switch, popped before it. They are
    // sent unasked; a terminal that does not know them ignores them. One push for one pop (C107).
    queue!(out, EnterAlternateScreen)?;
    if ENTERED.swap(true, Ordering::SeqCst) {
        queue!(out, PopKeyboardEnhancementFlags)?;
    }
    execute!(
        out,
        PushKeyboardEnhancementFlags(KEYBOARD_FLAGS),
        AskModifiedKeys,
        EnableBracketedPaste,
        EnableFocusChange,
    )
}

/// Columns and rows. Asked of the terminal itself: crossterm's own answer opens `/dev/tty` each
/// time, and where that is gone runs `tput`.
///
/// # Errors
/// The terminal is gone.
pub fn size() -> io::Result<Size> {
    let size = rustix::termios::tcgetwinsize(rustix::stdio::stdout())?;
    Ok(Size::new(size.ws_col, size.ws_row))
}

/// Gives the terminal back as it was. Does nothing the second time; never fails: a terminal that
/// has gone away needs nothing.
pub fn restore() {
    if !ENTERED.swap(false, Ordering::SeqCst) {
        return;
    }
    let _ = execute!(
        io::stdout(),
        DisableFocusChange,
        DisableBracketedPaste,
        GiveBackModifiedKeys,
        PopKeyboardEnhancementFlags,
        ResetColor,
        Show,
        LeaveAlternateScreen,
    );
    let _ = disable_raw_mode();
    let _ = io::stdout().flush();
}

/// As [`restore`]; a terminal that takes no output for `patience` is left as it is, and the process
/// ends.
pub fn restore_within(patience: Duration) {
    let (done, waiting) = mpsc::channel::<()>();
    let watch = move || {
        if waiting.recv_timeout(patience) == Err(mpsc::RecvTimeoutError::Timeout) {
            std::process::exit(1);
        }
    };
    // Without the thread the wait is only longer.
    let _ = std::thread::Builder::new()
        .name("watchdog".into())
        .spawn(watch);
    restore();
    drop(done);
}

/// A panic of the UI's own thread gives the terminal back before its message is printed; one in
/// any other thread is logged, since the UI lives on.
pub fn install_panic_hook() {
    let ui = std::thread::current().id();
    let default = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().id() == ui {
            restore();
            default(info);
        } else {
            tracing::error!(%info, "a background thread panicked");
        }
    }));
}
