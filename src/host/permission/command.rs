//! Which commands a line may run.

mod programs;

use programs::{
    AWKS, GIT_RUNS, INTERPRETERS, MAKES, OUTER, READ_AGAIN, RESERVED, SHELLS, WRAPPERS,
};

use super::lexer::{MAX_LINE_BYTES, Word, pieces, plain_words};
use crate::model::{EnvEffect, env_effect};

/// Substitutions within substitutions, shells within shells.
const MAX_DEPTH: usize = 8;

/// A line that may run more than this many commands is not looked into further.
const MAX_COMMANDS: usize = 200;

/// Bytes of lines that are looked into, those within lines as well.
const MAX_BYTES: usize = 1 << 20;

/// Words of all these commands.
const MAX_RECORDED: usize = 20_000;

/// Words that are kept as possible paths.
const MAX_WORDS: usize = 1_000;

/// Words of a program that joins them, from which on a line may begin.
const MAX_STARTS: usize = 16;

/// Everything that a line may run, as far as can be told.
#[derive(Debug, Default)]
pub struct Possible {
    /// Program and arguments.
    pub commands: Vec<Vec<String>>,
    /// The same, where it is no more than likely.
    pub perhaps: Vec<Vec<String>>,
    /// It may run something else as well, which only the shell will know.
    pub unclear: bool,
    /// All words in it, and parts of them, that could be paths.
    pub words: Vec<String>,
    /// A bound was reached, and the rest was not looked into.
    cut: bool,
    /// Bytes that were looked into.
    spent: usize,
    /// Words in `commands`.
    recorded: usize,
}

/// The words that an allow rule is matched with: those of a plain command, or of the plain command
/// that is all that a shell is started for, as several agents wrap theirs (`bash -lc 'cargo test'`).
/// Variables that change no more than its looks may stand before it.
pub fn allowable_words(line: &str) -> Option<Vec<String>> {
    let words = plain_words(line)?;
    let harmless = |word: &&String| {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        is_assignment(word) && env_effect(name, value) == EnvEffect::Harmless
    };
    let set = words.iter().take_while(harmless).count();
    allowable_words_of(words.get(set..)?)
}

/// The same for a program that is started with these arguments.
pub fn allowable_words_of(words: &[String]) -> Option<Vec<String>> {
    let (program, args) = words.split_first()?;
    match words {
        // What would be set is for the command behind it.
        _ if is_assignment(program) => None,
        [shell, flag, script] if is_system_shell(shell) && runs_script(flag) => {
            plain_words(script).filter(|words| words.first().is_some_and(|w| !is_assignment(w)))
        }
        _ => {
            // A script, or a whole line, that would have to be looked into.
            let name = base_name(program);
            let holds_line = |arg: &String| {
                let (name, value) = arg.split_once('=').unwrap_or((arg, ""));
                arg.contains(|c: char| c.is_whitespace() || is_syntax(c))
                    || is_assignment(arg) && env_effect(name, value) != EnvEffect::Harmless
            };
            let may_hold = SHELLS.contains(name) || WRAPPERS.contains(name);
            (!(may_hold && args.iter().any(holds_line))).then(|| words.to_vec())
        }
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
    possible.note_words(words.iter().map(|word| word.text.as_str()));
    possible.add_command(&words, 0);
    possible
}

/// What texts that need not be for a shell would run if they were; `None` where that is more than is
/// looked into, of all together.
pub fn possible_of_texts<'a>(texts: impl Iterator<Item = &'a str>) -> Option<Vec<Vec<String>>> {
    let mut all = Vec::new();
    let mut spent = 0;
    for text in texts {
        let mut possible = Possible {
            spent,
            ..Possible::default()
        };
        possible.add_line(text, 0);
        spent = possible.spent;
        if possible.cut {
            return None;
        }
        all.extend(possible.commands.into_iter().chain(possible.perhaps));
    }
    Some(all)
}

impl Possible {
    /// Adds what may run as well.
    pub fn add(&mut self, other: Self) {
        self.commands.extend(other.commands);
        self.perhaps.extend(other.perhaps);
        self.words.extend(other.words);
        self.unclear |= other.unclear;
    }

    fn cut_off(&mut self) {
        self.unclear = true;
        self.cut = true;
    }

    fn add_line(&mut self, line: &str, depth: usize) {
        self.spent += line.len();
        if depth > MAX_DEPTH || line.len() > MAX_LINE_BYTES || self.spent > MAX_BYTES {
            self.cut_off();
            return;
        }
        let pieces = pieces(line);
        self.unclear |= pieces.broken;
        self.note_words(pieces.targets.iter().map(String::as_str));
        for inner in &pieces.nested {
            self.add_line(inner, depth + 1);
        }
        for segment in &pieces.segments {
            self.note_words(segment.iter().map(|word| word.text.as_str()));
            // A command stands first, and behind each reserved word (`function f { rm`).
            let mut expected = true;
            for (n, word) in segment.iter().enumerate() {
                if RESERVED.contains(&word.text) {
                    expected = true;
                } else if expected && is_assignment(&word.text) {
                    let (name, value) = word.text.split_once('=').unwrap_or((&word.text, ""));
                    let name = name.strip_suffix('+').unwrap_or(name);
                    self.unclear |= env_effect(name, value) == EnvEffect::Steers;
                } else if expected {
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
        self.unclear |= name.is_empty() || unknown && !is_test(name) || runs_program(name, args);
        self.record(words);
        // What a name stands for then is only in its definition.
        self.unclear |= name == "git" && args.iter().any(|arg| arg.text.contains("alias."));
        if MAKES.contains(&name) {
            let value = |arg: &Word| {
                let (_, value) = arg.text.split_once('=')?;
                Some(Word {
                    text: value.to_owned(),
                    dynamic: arg.dynamic,
                })
            };
            let values: Vec<Word> = args.iter().filter_map(value).collect();
            self.add_perhaps(&values, depth);
        }
        let shell = SHELLS.contains(name);
        let git_runs = |arg: &Word| arg.text.contains("=!") || GIT_RUNS.contains(&&*arg.text);
        if OUTER.contains(name) || name == "git" && args.iter().any(git_runs) {
            self.add_perhaps(args, depth);
            return;
        }
        if !shell && !WRAPPERS.contains(name) {
            return;
        }
        let option = |arg: &Word| arg.text.starts_with('-');
        if shell && (args.iter().all(option) || args.iter().any(|arg| arg.text == "-s")) {
            // It reads what to run from its input.
            self.unclear = true;
        }
        let again = shell || READ_AGAIN.contains(name);
        for (n, arg) in args.iter().enumerate() {
            // Any argument may be where the command begins, or be a whole line, also
            // joined to an option (`env -S'rm x'`) or a name (`alias ls='rm x'`).
            let line = behind_option(&arg.text);
            let quoted = again && line.contains(['\'', '"', '\\', '$']);
            if quoted || line.contains(|c: char| c.is_whitespace() || "|&;<>()`".contains(c)) {
                self.add_line(line, depth + 1);
                // What `-S` makes of these is its own.
                self.unclear |= name == "env" && line.contains(['\\', '$']);
            } else if !option(arg) && !is_assignment(line) || line.len() < arg.text.len() {
                let mut command = args[n..].to_vec();
                if let Some(first) = command.first_mut() {
                    line.clone_into(&mut first.text);
                }
                self.record(&command);
                if WRAPPERS.contains(base_name(line)) || SHELLS.contains(base_name(line)) {
                    self.nested_command(&command, depth);
                }
            }
            if let Some((variable, value)) = arg.text.split_once('=')
                && is_assignment(&arg.text)
            {
                self.unclear |= env_effect(variable, value) == EnvEffect::Steers;
                if matches!(name, "alias" | "trap") {
                    self.add_line(value, depth + 1);
                }
            }
            self.unclear |= arg.dynamic && arg.text.contains('$');
        }
        let splits =
            |arg: &Word| behind_option(&arg.text).len() < arg.text.len() || arg.text == "-S";
        if matches!(name, "eval" | "watch") || name == "env" && args.iter().any(splits) {
            // The words are a line together.
            let words: Vec<&str> = args.iter().map(|arg| behind_option(&arg.text)).collect();
            for n in 0..words.len().min(MAX_STARTS) {
                self.add_line(&words[n..].join(" "), depth + 1);
            }
        }
    }

    /// A wrapper in a wrapper: it reads its words in its own way.
    fn nested_command(&mut self, words: &[Word], depth: usize) {
        self.spent += words.iter().map(|word| word.text.len()).sum::<usize>();
        if depth >= MAX_DEPTH || self.spent > MAX_BYTES {
            self.cut_off();
        } else {
            self.add_command(words, depth + 1);
        }
    }

    /// Any of the words may be where another command begins, or be a line.
    fn add_perhaps(&mut self, args: &[Word], depth: usize) {
        let mut inner = Self {
            spent: self.spent,
            ..Self::default()
        };
        for (n, arg) in args.iter().enumerate() {
            let text = arg
                .text
                .split_once("=!")
                .map_or(&*arg.text, |(_, line)| line);
            if text.contains(|c: char| c.is_whitespace() || is_syntax(c)) {
                inner.add_line(text, depth + 1);
            } else if !text.starts_with('-') {
                inner.nested_command(&args[n..], depth);
            }
        }
        self.spent = inner.spent;
        self.unclear |= inner.unclear;
        self.cut |= inner.cut;
        for command in inner.commands.into_iter().chain(inner.perhaps) {
            if self.perhaps.len() < MAX_COMMANDS {
                self.perhaps.push(command);
            } else {
                self.cut_off();
            }
        }
    }

    fn record(&mut self, words: &[Word]) {
        self.recorded += words.len();
        if self.commands.len() >= MAX_COMMANDS || self.recorded > MAX_RECORDED {
            self.cut_off();
        } else {
            self.commands
                .push(words.iter().map(|word| word.text.clone()).collect());
        }
    }

    fn note_words<'a>(&mut self, words: impl Iterator<Item = &'a str>) {
        for word in words {
            if self.words.len() >= MAX_WORDS {
                return;
            }
            // `--file=.env`, `if=.env`
            let value = word.split_once('=').map(|(_, value)| value);
            self.words.push(word.to_owned());
            self.words.extend(value.map(str::to_owned));
        }
    }
}

/// What is joined to an option that takes a line: `-S'rm x'`, `-vSrm`, `--split-string=rm`.
fn behind_option(arg: &str) -> &str {
    if let Some(line) = arg.strip_prefix("--split-string=") {
        return line;
    }
    match arg.strip_prefix('-') {
        Some(flags) if !flags.starts_with('-') => flags
            .split_once('S')
            .filter(|(flags, line)| {
                flags.bytes().all(|b| b.is_ascii_alphabetic()) && !line.is_empty()
            })
            .map_or(arg, |(_, line)| line),
        _ => arg,
    }
}

/// Whether it is an interpreter with a program in its arguments.
fn runs_program(name: &str, args: &[Word]) -> bool {
    if AWKS.contains(&name) {
        let runs = |arg: &Word| {
            ["system", "getline", "|"]
                .iter()
                .any(|s| arg.text.contains(s))
        };
        return args.iter().any(runs);
    }
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let found = INTERPRETERS.iter().find(|(known, _)| *known == plain);
    found.is_some_and(|(_, options)| {
        let given = |option: &&str| {
            args.iter().any(|arg| {
                arg.text == *option
                    || option.len() == 2 && *option != "-" && is_flag(&arg.text, option)
            })
        };
        args.is_empty() || options.iter().any(given)
    })
}

/// `-c` within `-Bc` and in front of `-cprint`.
fn is_flag(arg: &str, option: &str) -> bool {
    let (Some(flags), Some(flag)) = (arg.strip_prefix('-'), option.strip_prefix('-')) else {
        return false;
    };
    !flags.starts_with('-') && flags.contains(flag)
}

/// Whether a word behind those that an allow rule names decides what the command runs.
pub fn decides(program: &str, word: &str) -> bool {
    MAKES.contains(&base_name(program)) && word.contains('=') && !word.starts_with('-')
}

/// Characters that a shell makes more of than a word.
fn is_syntax(c: char) -> bool {
    "|&;<>()`'\"\\$".contains(c)
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
    // The usual file system there takes `RM` for `rm`.
    let same = |name: &str| {
        name == rule_program || cfg!(target_os = "macos") && name.eq_ignore_ascii_case(rule_program)
    };
    (same(program) || same(base_name(program)))
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
    SHELLS.contains(name)
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
    mod bounds;

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
        assert_eq!(words("./bash -lc 'cargo test'"), None);
        assert_eq!(words("CI=1 cargo test").as_deref(), Some("cargo test"));
        assert_eq!(words("PATH=. cargo test"), None);
        assert_eq!(words("CI=1 PATH=. cargo test"), None);
        assert_eq!(words("env PATH=. cargo test"), None);
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
