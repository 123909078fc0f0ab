//! The person's editor and pager, as command lines. Running them on the terminal is the caller's.

use std::{
    env,
    ffi::OsString,
    fs::{self, Permissions},
    io::{self, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

/// A program and its arguments, no shell involved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommandLine {
    pub program: OsString,
    pub args: Vec<OsString>,
}

/// How an editor's command line names the line to open.
enum LineStyle {
    /// `+12 file`
    Plus,
    /// `file:12`
    Colon,
    /// `--goto file:12`
    Goto,
    /// `--line 12 file`
    Option,
    None,
}

/// `$VISUAL`, `$EDITOR` or `vi`, to edit `path` at `line` (1-based) and come back when it is done.
pub fn editor(path: &Path, line: Option<u32>) -> CommandLine {
    let chosen = ["VISUAL", "EDITOR"].iter().find_map(|name| from_env(name));
    edit_with(chosen.unwrap_or_else(|| words(["vi"])), path, line)
}

/// `$PAGER` or `less -R`, to be fed on its standard input.
pub fn pager() -> CommandLine {
    from_env("PAGER").unwrap_or_else(|| CommandLine {
        program: "less".into(),
        args: vec!["-R".into()],
    })
}

/// A draft in a temporary file, for the editor: readable by its owner alone, deleted when dropped.
pub struct DraftFile(tempfile::NamedTempFile);

impl DraftFile {
    /// # Errors
    /// No temporary file can be made.
    pub fn new(text: &str) -> io::Result<Self> {
        let mut file = tempfile::Builder::new()
            .prefix("acp-tui-")
            // For editors that colour by the name.
            .suffix(".md")
            .permissions(Permissions::from_mode(0o600))
            .tempfile()?;
        file.write_all(text.as_bytes())?;
        file.flush()?;
        Ok(Self(file))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// What the editor left, without the newline that editors put at the end.
    ///
    /// # Errors
    /// The file is gone or no text.
    pub fn read(&self) -> io::Result<String> {
        // By name: most editors write another file and rename it.
        let mut text = fs::read_to_string(self.path())?;
        if text.ends_with('\n') {
            text.pop();
        }
        Ok(text)
    }
}

fn from_env(name: &str) -> Option<CommandLine> {
    let value = env::var(name).ok()?;
    parse(&value)
}

fn parse(value: &str) -> Option<CommandLine> {
    Some(words(shlex::split(value)?)).filter(|line| !line.program.is_empty())
}

fn words<W: Into<OsString>>(words: impl IntoIterator<Item = W>) -> CommandLine {
    let mut words = words.into_iter().map(Into::into);
    CommandLine {
        program: words.next().unwrap_or_default(),
        args: words.collect(),
    }
}

fn edit_with(mut command: CommandLine, path: &Path, line: Option<u32>) -> CommandLine {
    let name = PathBuf::from(&command.program)
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let (style, wait) = habits(&name);
    // Editors with a window of their own come back at once otherwise.
    if let Some(wait) = wait
        && !command.args.iter().any(|arg| arg == wait || arg == "-w")
    {
        command.args.push(wait.into());
    }
    let at_line = |line: u32| {
        let mut file = path.as_os_str().to_owned();
        file.push(format!(":{line}"));
        file
    };
    match (style, line) {
        (LineStyle::Plus, Some(line)) => {
            command.args.push(format!("+{line}").into());
            command.args.push(path.into());
        }
        (LineStyle::Colon, Some(line)) => command.args.push(at_line(line)),
        (LineStyle::Goto, Some(line)) => {
            command.args.push("--goto".into());
            command.args.push(at_line(line));
        }
        (LineStyle::Option, Some(line)) => {
            command
                .args
                .extend(["--line".into(), line.to_string().into(), path.into()]);
        }
        (LineStyle::None, _) | (_, None) => command.args.push(path.into()),
    }
    command
}

/// How a line is named, and the option that makes the editor wait.
fn habits(name: &str) -> (LineStyle, Option<&'static str>) {
    match name {
        "vi" | "vim" | "nvim" | "view" | "nano" | "pico" | "emacs" | "emacsclient" | "micro"
        | "kak" | "joe" | "jed" | "ne" | "mg" | "mcedit" => (LineStyle::Plus, None),
        "hx" | "helix" => (LineStyle::Colon, None),
        "subl" | "zed" | "zeditor" => (LineStyle::Colon, Some("--wait")),
        "code" | "code-insiders" | "codium" | "vscodium" | "cursor" | "windsurf" => {
            (LineStyle::Goto, Some("--wait"))
        }
        "gedit" | "gvim" | "mvim" => (
            LineStyle::Plus,
            Some(if name == "gedit" { "--wait" } else { "-f" }),
        ),
        "idea" | "pycharm" | "goland" | "clion" | "rustrover" | "webstorm" => {
            (LineStyle::Option, Some("--wait"))
        }
        "mate" => (LineStyle::Option, Some("--wait")),
        _ => (LineStyle::None, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(editor: &str, line: Option<u32>) -> String {
        let command = edit_with(parse(editor).unwrap(), Path::new("/a b/f.rs"), line);
        let words = std::iter::once(&command.program).chain(&command.args);
        words
            .map(|word| word.to_str().unwrap())
            .collect::<Vec<_>>()
            .join("|")
    }

    #[test]
    fn each_editor_is_told_the_line_in_its_own_way() {
        assert_eq!(shown("nvim", Some(12)), "nvim|+12|/a b/f.rs");
        assert_eq!(shown("/usr/bin/hx", Some(12)), "/usr/bin/hx|/a b/f.rs:12");
        assert_eq!(shown("code", Some(12)), "code|--wait|--goto|/a b/f.rs:12");
        assert_eq!(shown("subl -w", Some(3)), "subl|-w|/a b/f.rs:3");
        assert_eq!(shown("my-editor", Some(12)), "my-editor|/a b/f.rs");
        assert_eq!(shown("vim", None), "vim|/a b/f.rs");
    }

    #[test]
    fn the_variable_is_a_command_line() {
        assert_eq!(shown("emacs -nw 'x y'", None), "emacs|-nw|x y|/a b/f.rs");
        assert_eq!(parse(""), None);
        assert_eq!(parse("'broken"), None);
    }

    #[test]
    fn a_draft_comes_back_as_it_was_left() {
        let draft = DraftFile::new("a\n\nb").unwrap();
        assert_eq!(draft.read().unwrap(), "a\n\nb");
        fs::write(draft.path(), "new\n").unwrap();
        assert_eq!(draft.read().unwrap(), "new");
        assert_eq!(draft.path().extension().unwrap(), "md");
        let mode = fs::metadata(draft.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0);
    }
}
