//! The terminal's modes: set once, restored always.
//!
//! Owns raw mode, the alternate screen, bracketed paste, focus and mouse reports and the keyboard
//! protocols.
//! Every way out (exit, panic, signal, suspend, an editor) goes through the one [`restore`]. Nothing
//! here asks the terminal anything and waits: some never answer.

use std::{
    ffi::OsStr,
    fmt,
    io::{self, Write},
    os::unix::ffi::OsStrExt,
    path::Path,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicPtr, AtomicU8, Ordering},
        mpsc,
    },
    time::{Duration, Instant},
};

use crossterm::{
    Command,
    cursor::MoveTo,
    event::{
        EnableBracketedPaste, EnableFocusChange, KeyboardEnhancementFlags,
        PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags,
    },
    execute, queue,
    terminal::{Clear, ClearType, EnterAlternateScreen, disable_raw_mode, enable_raw_mode},
};
use ratatui::layout::Size;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    stdio::{stdin, stdout},
    termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr},
};

use super::{pictures, writer};
use crate::{
    guard,
    ui::{CaretShape, contain},
    vt::{MAX_COLS, MAX_ROWS},
};

/// The modes are set: [`restore`] has something to do.
pub(super) static ENTERED: AtomicBool = AtomicBool::new(false);

/// The mouse is wanted: told by [`want_mouse`].
static MOUSE: AtomicBool = AtomicBool::new(false);

/// Presses, releases, the wheel, and moves while a button is held, in the form that knows wide screens.
/// Not each move: without a button nothing here follows the pointer.
const MOUSE_ON: &[u8] = b"\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF: &[u8] = b"\x1b[?1006l\x1b[?1002l\x1b[?1000l";

/// Whether the mouse is ours whenever the terminal is; returns what tells the terminal so now.
pub fn want_mouse(wanted: bool) -> &'static [u8] {
    MOUSE.store(wanted, Ordering::SeqCst);
    if wanted { MOUSE_ON } else { MOUSE_OFF }
}

/// Frames are drawn without the alternate screen, unless they fill it: told by [`want_inline`].
static INLINE: AtomicBool = AtomicBool::new(false);

/// The alternate screen is shown.
static ALTERNATE: AtomicBool = AtomicBool::new(false);

/// Rows that still change are on the normal screen, around the cursor: told by [`is_below`].
static BELOW: AtomicBool = AtomicBool::new(false);

/// Whether the terminal keeps its normal screen; to be told before it is taken over.
pub fn want_inline(wanted: bool) {
    INLINE.store(wanted, Ordering::SeqCst);
}

pub fn is_inline() -> bool {
    INLINE.load(Ordering::SeqCst)
}

/// Whether rows that still change are on the normal screen: what comes next must not be printed into
/// them.
pub fn is_below(drawn: bool) {
    BELOW.store(drawn, Ordering::SeqCst);
}

/// The normal screen is shown.
pub fn is_normal() -> bool {
    !ALTERNATE.load(Ordering::SeqCst)
}

/// What shows the alternate screen, empty, where the normal one is kept; `None` if it is shown.
pub fn to_alternate() -> Option<Vec<u8>> {
    if !is_inline() || ALTERNATE.swap(true, Ordering::SeqCst) {
        return None;
    }
    tell_guard();
    let mut out = Vec::new();
    let switch = queue!(
        out,
        EnterAlternateScreen,
        MoveTo(0, 0),
        Clear(ClearType::FromCursorDown),
        PushKeyboardEnhancementFlags(KEYBOARD_FLAGS),
    );
    switch.ok().map(|()| out)
}

/// What shows the normal screen again; `None` if it is shown.
pub fn to_normal() -> Option<Vec<u8>> {
    let back = is_inline() && ALTERNATE.swap(false, Ordering::SeqCst);
    back.then(|| {
        tell_guard();
        [POP_FLAGS, NORMAL_SCREEN].concat()
    })
}

/// The terminal has a title of ours, and maybe progress.
static TITLED: AtomicBool = AtomicBool::new(false);

/// No title, then the one that was put aside where the terminal can, and no progress. Some take the last
/// for a notification without words, so it is sent only where progress is shown.
const TITLE_BACK: &[u8] = b"\x1b]0;\x1b\\\x1b[23;0t";
const PROGRESS_BACK: &[u8] = b"\x1b]9;4;0\x1b\\";

/// Progress is shown.
static PROGRESS: AtomicBool = AtomicBool::new(false);

/// A title is on its way to the terminal; `progress`: it may tell progress too. Both go with [`restore`].
pub fn titled(progress: bool) {
    let had = PROGRESS.swap(progress, Ordering::SeqCst);
    if !TITLED.swap(true, Ordering::SeqCst) || had != progress {
        tell_guard();
    }
}

/// The title is ours still: nothing else has had the terminal.
pub fn is_titled() -> bool {
    TITLED.load(Ordering::SeqCst)
}

/// How the cursor looks, by its number in DECSCUSR; 0: as the person has set it.
static CARET: AtomicU8 = AtomicU8::new(0);

const CARET_BACK: &[u8] = b"\x1b[0 q";

/// What makes the cursor look like that, if it does not; goes with [`restore`].
pub fn shape_caret(shape: CaretShape) -> Option<&'static [u8]> {
    let (number, bytes): (u8, &[u8]) = match shape {
        CaretShape::Default => (0, CARET_BACK),
        CaretShape::Block => (2, b"\x1b[2 q"),
        CaretShape::Bar => (6, b"\x1b[6 q"),
    };
    (CARET.swap(number, Ordering::SeqCst) != number).then_some(bytes)
}

/// What gives title and cursor back.
pub(super) fn ours_back() -> [&'static [u8]; 3] {
    let titled = TITLED.swap(false, Ordering::SeqCst);
    let progress = PROGRESS.swap(false, Ordering::SeqCst);
    ours_back_of(titled, progress, CARET.swap(0, Ordering::SeqCst) != 0)
}

const fn ours_back_of(titled: bool, progress: bool, shaped: bool) -> [&'static [u8]; 3] {
    [
        if titled { TITLE_BACK } else { b"" },
        if progress { PROGRESS_BACK } else { b"" },
        if shaped { CARET_BACK } else { b"" },
    ]
}

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

impl Command for AskModifiedKeys {
    fn write_ansi(&self, f: &mut impl fmt::Write) -> fmt::Result {
        f.write_str("\x1b[>4;1m")
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

/// The settings of the terminal before it was taken over last.
static FOUND: Mutex<Option<Modes>> = Mutex::new(None);

/// [`settle`] has something to do.
static UNSETTLED: AtomicBool = AtomicBool::new(false);

/// The same settings as in [`FOUND`], for a handler; those before it are never freed.
pub(super) static FOUND_MODES: AtomicPtr<Termios> = AtomicPtr::new(std::ptr::null_mut());

/// What `stty` shows.
#[derive(Clone)]
pub struct Modes(Termios);

impl Modes {
    pub fn now() -> Option<Self> {
        tcgetattr(stdin()).ok().map(Self)
    }

    /// A terminal that has gone away needs nothing.
    pub fn set(&self) {
        let _ = tcsetattr(stdin(), OptionalActions::Now, &self.0);
    }

    /// The same, with a ctrl-c that throws away no output.
    fn keeping_output(mut self) -> Self {
        self.0.local_modes |= LocalModes::NOFLSH;
        self
    }
}

/// Turns off what another program may have left on, before our own modes are asked for: mouse reports,
/// focus reports, pasting in brackets, the alternate screen, keyboard flags on the normal one, application
/// keys, colours.
const CLEAN_UP: &[u8] =
    b"\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l\
\x1b[?1004l\x1b[?2004l\x1b[?1047l\x1b[=0u\x1b[?1l\x1b>\x1b[m";

/// The same on the alternate screen: all keyboard flags that were pushed there, and margins, inserting and
/// no wrapping.
const CLEAN_UP_ALTERNATE: &[u8] = b"\x1b[<16u\x1b[r\x1b[4l\x1b[?7h";

/// Where the normal screen is kept, its flags are the shell's, and margins would move the cursor.
const CLEAN_UP_NORMAL: &[u8] = b"\x1b[4l\x1b[?7h";

/// Takes the terminal over.
pub fn enter() -> io::Result<()> {
    take(false)
}

/// Takes it over after another program has had it, which may have left anything on.
pub fn take_back() -> io::Result<()> {
    take(true)
}

/// It is taken over.
pub fn is_ours() -> bool {
    ENTERED.load(Ordering::SeqCst)
}

/// Whether we may change the terminal: one whose foreground is another group would stop us for it.
pub fn is_foreground() -> bool {
    rustix::termios::tcgetpgrp(stdin()).is_ok_and(|group| group == rustix::process::getpgrp())
}

/// Whether the terminal has hung up.
pub fn is_gone() -> bool {
    let stdin = stdin();
    let mut fds = [PollFd::new(&stdin, PollFlags::empty())];
    let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
    poll(&mut fds, Some(&Timespec::default())).is_ok() && fds[0].revents().intersects(gone)
}

fn take(lent: bool) -> io::Result<()> {
    if ENTERED.load(Ordering::SeqCst) {
        // crossterm sets raw mode only where it believes it is off.
        disable_raw_mode()?;
    }
    let found = Modes::now();
    if let Some(Modes(found)) = &found {
        FOUND_MODES.store(Box::into_raw(Box::new(found.clone())), Ordering::SeqCst);
    }
    *FOUND.lock().unwrap_or_else(PoisonError::into_inner) = found;
    enable_raw_mode()?;
    let mut out = io::stdout();
    if lent {
        out.write_all(CLEAN_UP)?;
    }
    // The keyboard flags are kept per screen: pushed after the switch, popped before it. They are
    // sent unasked; a terminal that does not know them ignores them. One push for one pop:
    // a second push would leave the shell with our keyboard after the end.
    // Another program may have died there: what it left is no part of our first frame.
    if !is_inline() {
        queue!(
            out,
            EnterAlternateScreen,
            MoveTo(0, 0),
            Clear(ClearType::FromCursorDown)
        )?;
        ALTERNATE.store(true, Ordering::SeqCst);
    }
    if ENTERED.swap(true, Ordering::SeqCst) {
        queue!(out, PopKeyboardEnhancementFlags)?;
    }
    if lent {
        out.write_all(if is_inline() {
            CLEAN_UP_NORMAL
        } else {
            CLEAN_UP_ALTERNATE
        })?;
    }
    execute!(
        out,
        PushKeyboardEnhancementFlags(KEYBOARD_FLAGS),
        AskModifiedKeys,
        EnableBracketedPaste,
        EnableFocusChange,
    )?;
    if MOUSE.load(Ordering::SeqCst) {
        out.write_all(MOUSE_ON)?;
        out.flush()?;
    }
    tell_guard();
    Ok(())
}

/// Tells the guard what gives the terminal back should we be killed.
fn tell_guard() {
    let name = rustix::termios::ttyname(stdout(), Vec::new());
    match name {
        Ok(name) if ENTERED.load(Ordering::SeqCst) => {
            // Where the frames stand on the normal screen, some of their rows may be below the cursor.
            let way = way_back_of(is_inline(), ALTERNATE.load(Ordering::SeqCst), true);
            let ours = ours_back_of(
                TITLED.load(Ordering::SeqCst),
                PROGRESS.load(Ordering::SeqCst),
                true,
            );
            let bytes = [CUT, &ours.concat(), &way.concat()].concat();
            let path = OsStr::from_bytes(name.as_bytes());
            guard::terminal(Some((Path::new(path), &bytes)));
        }
        _ => guard::terminal(None),
    }
}

/// Columns and rows that are drawn on: of a window with more, the first ones. Two screens of cells are
/// kept, and a window may say that it has four thousand million of them.
const MAX_DRAWN: Size = Size::new(MAX_COLS, MAX_ROWS);

/// Columns and rows that are drawn on.
///
/// # Errors
/// The terminal is gone.
pub fn size() -> io::Result<Size> {
    window().map(drawn)
}

/// The window's columns and rows. Asked of the terminal itself: crossterm's own answer opens
/// `/dev/tty` each time, and where that is gone runs `tput`.
///
/// # Errors
/// The terminal is gone.
pub fn window() -> io::Result<Size> {
    let size = rustix::termios::tcgetwinsize(rustix::stdio::stdout())?;
    Ok(Size::new(size.ws_col, size.ws_row))
}

/// Width and height of a cell in pixels, where the terminal tells the size of its window in them.
pub fn cell() -> Option<(u16, u16)> {
    let size = rustix::termios::tcgetwinsize(rustix::stdio::stdout()).ok()?;
    let side = |pixels: u16, cells: u16| pixels.checked_div(cells).filter(|side| *side > 1);
    Some((
        side(size.ws_xpixel, size.ws_col)?,
        side(size.ws_ypixel, size.ws_row)?,
    ))
}

/// As much of a window as is drawn on.
fn drawn(window: Size) -> Size {
    Size::new(
        window.width.min(MAX_DRAWN.width),
        window.height.min(MAX_DRAWN.height),
    )
}

/// What there is to say of a window that is not drawn on as a whole.
pub fn beyond(window: Size) -> Option<String> {
    let Size { width, height } = drawn(window);
    (window != drawn(window)).then(|| {
        format!(
            "the window is {}x{}; only {width}x{height} is used",
            window.width, window.height
        )
    })
}

/// Gives the terminal back as it was. Does nothing the second time; never fails: a terminal that
/// has gone away needs nothing.
pub fn restore() {
    restore_with(|| drop(disable_raw_mode()));
}

/// As [`restore`], for the end. A ctrl-c throws away what the terminal has not taken yet, and that may be
/// the very sequences that give it back: until [`settle`] it does not.
fn restore_at_the_end() {
    let found = FOUND.lock().unwrap_or_else(PoisonError::into_inner).clone();
    restore_with(|| match found {
        Some(found) => {
            UNSETTLED.store(true, Ordering::SeqCst);
            found.keeping_output().set();
        }
        None => drop(disable_raw_mode()),
    });
}

/// The last thing done with the terminal: its settings are what they were.
pub fn settle() {
    if UNSETTLED.swap(false, Ordering::SeqCst)
        && let Some(found) = &*FOUND.lock().unwrap_or_else(PoisonError::into_inner)
    {
        found.set();
    }
}

fn restore_with(give_back_modes: impl FnOnce()) {
    if !ENTERED.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut out = io::stdout();
    for bytes in ours_back() {
        let _ = out.write_all(bytes);
    }
    let _ = out.write_all(&pictures::give_back());
    for bytes in way_back() {
        let _ = out.write_all(bytes);
    }
    let _ = out.flush();
    give_back_modes();
    tell_guard();
}

/// What gives the terminal back, in the order in which it is sent. Ready to be written by who may do nothing else.
pub(super) fn way_back() -> [&'static [u8]; 3] {
    let alternate = ALTERNATE.swap(false, Ordering::SeqCst);
    let below = BELOW.swap(false, Ordering::SeqCst);
    way_back_of(is_inline(), alternate, below)
}

const fn way_back_of(inline: bool, alternate: bool, below: bool) -> [&'static [u8]; 3] {
    match (inline, alternate) {
        (false, _) => [GIVE_BACK, NORMAL_SCREEN, b""],
        // The flags of the normal screen are still on.
        (true, true) => [
            GIVE_BACK,
            NORMAL_SCREEN,
            if below { OUT_AND_POP } else { POP_FLAGS },
        ],
        (true, false) => [GIVE_BACK, if below { OUT_OF_THE_WAY } else { b"" }, b""],
    }
}

/// Mouse and focus reports and pasting in brackets off, modified keys and the keyboard flags as they were, colours,
/// the cursor.
const GIVE_BACK: &[u8] =
    b"\x1b[?1006l\x1b[?1002l\x1b[?1000l\x1b[?1004l\x1b[?2004l\x1b[>4m\x1b[<1u\x1b[0m\x1b[?25h";

const NORMAL_SCREEN: &[u8] = b"\x1b[?1049l";

const POP_FLAGS: &[u8] = b"\x1b[<1u";

/// Below all that is on the screen, wherever the cursor is.
const OUT_OF_THE_WAY: &[u8] = b"\x1b[999B\r\n";
const OUT_AND_POP: &[u8] = b"\x1b[<1u\x1b[999B\r\n";

/// What a terminal may be in the middle of when the rest of a frame is thrown away: cancels a sequence,
/// ends a link and a synchronized update.
pub(super) const CUT: &[u8] = b"\x18\x1b]8;;\x1b\\\x1b[?2026l";

/// Ends the process where the terminal keeps it from its end: it has taken nothing for a while, or it
/// takes so little that the end is not in sight. Dropped: it does not any more.
pub struct Watchdog {
    _done: mpsc::Sender<()>,
}

impl Watchdog {
    /// How long a terminal that takes output may take for all that is printed at the end.
    const LONGEST: Duration = Duration::from_secs(30);
    const LOOK: Duration = Duration::from_millis(50);

    fn start(patience: Duration, code: u8) -> Self {
        let (done, waiting) = mpsc::channel::<()>();
        let watch = move || {
            let begun = Instant::now();
            let mut taken = begun;
            while waiting.recv_timeout(Self::LOOK) == Err(mpsc::RecvTimeoutError::Timeout) {
                if takes_output(Duration::ZERO) {
                    taken = Instant::now();
                }
                if taken.elapsed() > patience || begun.elapsed() > Self::LONGEST {
                    settle();
                    std::process::exit(code.into());
                }
            }
        };
        // Without the thread the wait is only longer.
        let _ = std::thread::Builder::new()
            .name("watchdog".into())
            .spawn(watch);
        Self { _done: done }
    }
}

/// As [`restore`], for the end: a terminal that takes no output is waited for `patience` long. Then what
/// it has not taken is thrown away, in it and in front of it, so that there is room for giving it back;
/// it finds that when it goes on. What is printed afterwards may be more than it takes: that is bounded by
/// the watchdog that is returned, which ends the process with `code`.
pub fn restore_within(patience: Duration, code: u8) -> Option<Watchdog> {
    /// For the thread that writes frames to see that it is to write no more.
    const LET_GO: Duration = Duration::from_millis(200);
    if !ENTERED.load(Ordering::SeqCst) {
        return None;
    }
    let watchdog = Watchdog::start(patience * 2 + LET_GO * 2, code);
    if writer::wait_for_frames(patience) && takes_output(patience) {
        restore_at_the_end();
        return Some(watchdog);
    }
    tracing::info!("the terminal accepts no output: pending output was discarded");
    writer::give_up_frames();
    writer::wait_for_frames(LET_GO);
    discard_output();
    let _ = io::stdout().write_all(CUT);
    restore_at_the_end();
    Some(watchdog)
}

pub fn takes_output(patience: Duration) -> bool {
    let stdout = stdout();
    let patience = Timespec::try_from(patience).ok();
    let mut fds = [PollFd::new(&stdout, PollFlags::OUT)];
    // An error is as good as a yes: writing will show it.
    poll(&mut fds, patience.as_ref()).map_or(true, |ready| ready > 0)
}

/// What was written and not taken yet.
fn discard_output() {
    let output = rustix::termios::QueueSelector::OFlush;
    let _ = rustix::termios::tcflush(rustix::stdio::stdout(), output);
}

/// A panic of the UI's own thread gives the terminal back before its message is printed; one in
/// any other thread is logged, since the UI lives on.
pub fn install_panic_hook() {
    let ui = std::thread::current().id();
    let default = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if contain::is_contained() {
            // It goes no further than what was being drawn, which says so.
            contain::heard(info);
        } else if std::thread::current().id() == ui {
            restore();
            default(info);
        } else {
            tracing::error!(%info, "a background thread panicked");
        }
    }));
}

#[cfg(test)]
mod tests {
    use crossterm::{
        cursor::Show,
        event::{DisableBracketedPaste, DisableFocusChange},
        style::{Print, ResetColor},
        terminal::LeaveAlternateScreen,
    };

    use super::*;

    #[test]
    fn what_gives_the_terminal_back_is_what_takes_it_over_undone() {
        let mut out = Vec::new();
        queue!(
            out,
            DisableFocusChange,
            DisableBracketedPaste,
            Print("\x1b[>4m"),
            PopKeyboardEnhancementFlags,
            ResetColor,
            Show,
            LeaveAlternateScreen,
        )
        .expect("memory takes it");
        assert_eq!(
            String::from_utf8_lossy(&[MOUSE_OFF, &out].concat()),
            String::from_utf8_lossy(&[GIVE_BACK, NORMAL_SCREEN].concat())
        );
    }

    #[test]
    fn of_a_huge_window_a_part_is_used_and_that_is_said() {
        let (cols, rows) = (MAX_COLS, MAX_ROWS);
        for (width, height, whole) in [
            (cols - 1, rows - 1, true),
            (cols, rows, true),
            (cols + 1, rows, false),
            (cols, rows + 1, false),
            (3_000, 3_000, false),
            (u16::MAX, u16::MAX, false),
            (0, 0, true),
        ] {
            let window = Size::new(width, height);
            assert_eq!(drawn(window), Size::new(width.min(cols), height.min(rows)));
            let said = beyond(window);
            assert_eq!(said.is_none(), whole);
            assert!(said.is_none_or(|said| said.contains(&format!("{width}x{height}"))));
        }
    }
}
