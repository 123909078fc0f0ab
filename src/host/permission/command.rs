//! Which commands a line may run.

use super::lexer::{Word, pieces, plain_words};

/// Substitutions within substitutions, shells within shells.
const MAX_DEPTH: usize = 8;

/// A line that may run more than this many commands is not looked into further.
const MAX_COMMANDS: usize = 200;

const SHELLS: [&str; 8] = ["sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish"];

/// Programs whose arguments are, or hold, another command.
const WRAPPERS: [&str; 50] = [
    ".",
    "arch",
    "builtin",
    "busybox",
    "bwrap",
    "caffeinate",
    "chroot",
    "chrt",
    "command",
    "coproc",
    "doas",
    "entr",
    "env",
    "eval",
    "exec",
    "fakeroot",
    "find",
    "firejail",
    "flock",
    "ionice",
    "linux32",
    "ltrace",
    "nice",
    "nohup",
    "nsenter",
    "parallel",
    "pkexec",
    "proxychains",
    "runuser",
    "screen",
    "script",
    "setarch",
    "setsid",
    "source",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "systemd-run",
    "taskset",
    "time",
    "timeout",
    "tmux",
    "toybox",
    "trap",
    "unbuffer",
    "unshare",
    "watch",
    "xargs",
    "xvfb-run",
];

/// Words behind which a command stands.
const RESERVED: [&str; 13] = [
    "if", "then", "elif", "else", "do", "while", "until", "!", "{", "}", "case", "in", "function",
];

/// Everything that a line may run, as far as can be told.
#[derive(Debug, Default)]
pub struct Possible {
    /// Program and arguments.
    pub commands: Vec<Vec<String>>,
    /// It may run something else as well, which only the shell will know.
    pub unclear: bool,
}

/// The words that an allow rule is matched with: those of a plain command, or of the plain command
/// that is all that a shell is started for, as several agents wrap theirs (`bash -lc 'cargo test'`).
pub fn allowable_words(line: &str) -> Option<Vec<String>> {
    let words = plain_words(line)?;
    match words.as_slice() {
        [shell, flag, script, ..] if is_system_shell(shell) && runs_script(flag) => {
            // More words would be the script's parameters, which a plain one does not use.
            plain_words(script)
        }
        _ => Some(words),
    }
}

/// What a line for a shell may run.
pub fn possible(line: &str) -> Possible {
    let mut possible = Possible::default();
    possible.add_line(line, 0);
    possible
}

/// What a program with arguments may run.
pub fn possible_of(program: &str, args: &[String]) -> Possible {
    let words: Vec<Word> = std::iter::once(program)
        .chain(args.iter().map(String::as_str))
        .map(|text| Word {
            text: text.to_owned(),
            dynamic: false,
        })
        .collect();
    let mut possible = Possible::default();
    possible.add_command(&words, 0);
    possible
}

impl Possible {
    fn add_line(&mut self, line: &str, depth: usize) {
        if depth > MAX_DEPTH || line.len() > super::lexer::MAX_LINE_BYTES {
            self.unclear = true;
            return;
        }
        let pieces = pieces(line);
        self.unclear |= pieces.broken;
        for inner in &pieces.nested {
            self.add_line(inner, depth + 1);
        }
        for segment in &pieces.segments {
            // A command stands first, and behind each reserved word (`function f { rm`).
            let mut expected = true;
            for (n, word) in segment.iter().enumerate() {
                if RESERVED.contains(&&*word.text) {
                    expected = true;
                } else if expected && !is_assignment(&word.text) {
                    expected = false;
                    self.add_command(&segment[n..], depth);
                }
            }
        }
    }

    fn add_command(&mut self, words: &[Word], depth: usize) {
        let Some((program, args)) = words.split_first() else {
            return;
        };
        let name = base_name(&program.text);
        let unknown = program.dynamic && name.contains(['$', '*', '?', '[', '{']);
        self.unclear |= name.is_empty() || unknown && !is_test(name);
        self.record(words);
        let shell = SHELLS.contains(&name);
        if !shell && !WRAPPERS.contains(&name) {
            return;
        }
        let option = |arg: &Word| arg.text.starts_with('-');
        if shell && (args.iter().all(option) || args.iter().any(|arg| arg.text == "-s")) {
            // It reads what to run from its input.
            self.unclear = true;
        }
        for (n, arg) in args.iter().enumerate() {
            // Any argument may be where the command begins, or be a whole line of its own, also
            // joined to an option (`env -S'rm x'`).
            let line = ["-S", "--split-string="]
                .iter()
                .find_map(|option| arg.text.strip_prefix(option))
                .unwrap_or(&arg.text);
            if line.contains(|c: char| c.is_whitespace() || "|&;<>()`".contains(c)) {
                self.add_line(line, depth + 1);
            } else if !option(arg) && !is_assignment(line) {
                self.record(&args[n..]);
            }
            self.unclear |= arg.dynamic && arg.text.contains('$');
        }
    }

    fn record(&mut self, words: &[Word]) {
        if self.commands.len() >= MAX_COMMANDS {
            self.unclear = true;
        } else {
            self.commands
                .push(words.iter().map(|word| word.text.clone()).collect());
        }
    }
}

/// Whether a command begins with the words of an allow rule.
pub fn begins_with(words: &[String], rule: &[String]) -> bool {
    !rule.is_empty() && words.starts_with(rule)
}

/// Whether a command may be one that a deny rule means: the program by its name or path, the other
/// words somewhere behind it in their order, as options may stand between (`git -C x push`).
pub fn may_be(command: &[String], rule: &[String]) -> bool {
    let (Some((program, args)), Some((rule_program, rule_args))) =
        (command.split_first(), rule.split_first())
    else {
        return false;
    };
    let mut args = args.iter();
    (program == rule_program || base_name(program) == rule_program)
        && rule_args.iter().all(|word| args.any(|arg| arg == word))
}

/// The words of a rule's `command`.
pub fn rule_words(command: &str) -> Vec<String> {
    plain_words(command)
        .or_else(|| shlex::split(command))
        .unwrap_or_else(|| command.split_whitespace().map(str::to_owned).collect())
}

fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

fn is_test(name: &str) -> bool {
    matches!(name, "[" | "[[")
}

fn is_system_shell(program: &str) -> bool {
    let name = program
        .strip_prefix("/usr/bin/")
        .or_else(|| program.strip_prefix("/bin/"))
        .unwrap_or(program);
    SHELLS.contains(&name)
}

/// `-c`, alone or with the flags of a login shell.
fn runs_script(flag: &str) -> bool {
    matches!(flag, "-c" | "-lc" | "-cl")
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        let name = name.strip_suffix('+').unwrap_or(name);
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn may_run(line: &str, rule: &str) -> bool {
        let rule = rule_words(rule);
        possible(line).commands.iter().any(|c| may_be(c, &rule))
    }

    #[test]
    fn a_denied_command_is_found_wherever_it_hides() {
        for line in [
            "rm -rf x",
            "/bin/rm x",
            "cd x && rm -rf y",
            "sudo rm x",
            "sudo -u root rm x",
            "env A=b rm x",
            "A=b rm x",
            "\\rm x",
            "'rm' x",
            "r''m x",
            "r\"m\" x",
            "$HOME/bin/rm x",
            "sh -c 'rm x'",
            "bash -lc \"cd y; rm x\"",
            "eval 'rm x'",
            "eval rm x",
            "a | xargs rm",
            "find . -exec rm {} +",
            "echo $(rm x)",
            "echo `rm x`",
            "echo \"$(cd y; rm x)\"",
            "a\nrm x",
            "a &rm x",
            "(rm x)",
            "{ rm x; }",
            "if true; then rm x; fi",
            "while :; do rm x; done",
            "! rm x",
            ">out rm x",
            "2>out rm x",
            "a 2>&1 | rm x",
            "timeout 5 nice rm x",
            "env sh -c 'sudo rm x'",
            "diff <(rm x) y",
            "time rm x",
            "$(echo ${x:-$(rm x)})",
            "a ||rm x",
            "command rm x",
            "sudo bash -c \"sh -c 'rm x'\"",
            "cat <<E\n$(rm x)\nE",
            "trap 'rm x' EXIT",
            "a;\trm x",
            "xargs -I{} sh -c 'rm {}'",
            "function f { rm x; }; f",
            "f() { rm x; }",
            "env -S 'rm x'",
            "env '-Srm x'",
            "time -p rm x",
            ">&2 rm x",
            "&>f rm x",
            "a >(rm x)",
            "for f in *; do rm $f; done",
            "tmux new 'rm x'",
            "r\\\nm x",
            "[ -f x ] && rm x",
        ] {
            assert!(may_run(line, "rm"), "{line:?}");
        }
    }

    #[test]
    fn other_commands_are_not_mistaken_for_it() {
        for line in [
            "git rm x",
            "echo rm",
            "ls 'rm x'",
            "rmdir x",
            "cat x # rm y",
            "npm run rm",
        ] {
            assert!(!may_run(line, "rm"), "{line:?}");
        }
    }

    #[test]
    fn options_may_stand_between_the_words_of_a_deny_rule() {
        assert!(may_run("git -C x push --force", "git push"));
        assert!(!may_run("git pull", "git push"));
    }

    #[test]
    fn what_only_the_shell_knows_is_unclear() {
        for line in [
            "$x y",
            "`echo r`m x",
            "a; `b` c",
            "r?m x",
            "{rm,x}",
            "sh -c \"$x\"",
            "curl x | sh",
            "a 'b",
        ] {
            assert!(possible(line).unclear, "{line:?}");
        }
        for line in [
            "$HOME/bin/tool x",
            "echo $x",
            "[ -f x ] && y",
            "cp *.rs {a,b}",
        ] {
            assert!(!possible(line).unclear, "{line:?}");
        }
    }

    #[test]
    fn a_shell_around_one_plain_command_is_looked_through() {
        let words = |line| allowable_words(line).map(|words| words.join(" "));
        assert_eq!(
            words("bash -lc 'cargo test'").as_deref(),
            Some("cargo test")
        );
        assert_eq!(
            words("/bin/sh -c \"cargo test\"").as_deref(),
            Some("cargo test")
        );
        assert_eq!(words("bash -lc 'cargo test; rm x'"), None);
        assert_eq!(
            words("./bash -lc 'cargo test'").as_deref(),
            Some("./bash -lc cargo test")
        );
    }

    proptest! {
        /// A line made of a harmless command, anything, and a denied command in command position
        /// never gets past both sides: either it is found, or told to be unclear.
        #[test]
        fn nothing_hides_a_denied_command(
            before in "[a-z '\"\\\\$`(){}#;&|<>\n]{0,12}",
            joint in prop_oneof![Just("; "), Just("\n"), Just("&& "), Just("| ")],
        ) {
            let line = format!("{before}{joint}rm x");
            // What a quote, comment, redirection or backslash before it swallows is not run.
            let swallowed = before.contains(['\'', '"', '`', '#', '\\', '<', '>', '(']);
            prop_assert!(may_run(&line, "rm") || possible(&line).unclear || swallowed);
            // And in no case would an allow rule take the line for a plain command.
            prop_assert!(allowable_words(&line).is_none());
        }
    }
}
