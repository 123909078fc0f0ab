//! Programs that run other programs, and how: by what they are called.

use crate::text::Words;

pub const SHELLS: Words = Words("sh bash zsh dash ksh mksh ash fish pwsh powershell");

/// Programs that run what a variable among their arguments says: `make SHELL='rm x'`.
pub const MAKES: [&str; 3] = ["make", "gmake", "bmake"];

/// Programs whose arguments are, or hold, another command.
pub const WRAPPERS: Words = Words(
    ". alias arch builtin busybox bwrap caffeinate capsh catchsegv choom chroot chrt command \
     coproc dbus-run-session doas dotenvx entr env eval exec fakeroot faketime find firejail \
     flock hash heaptrack ionice linux32 ltrace nice nohup nsenter numactl parallel pkexec \
     prlimit proxychains proxychains4 rlwrap rr runuser screen script setarch setpriv setsid sg \
     source stdbuf strace su sudo systemd-run taskset time timeout tmux torify torsocks toybox \
     trap unbuffer unshare valgrind watch xargs xvfb-run",
);

/// Programs that may run what stands behind their own subcommands: a match there is a doubt
/// (`docker rm`, `docker run x rm`).
pub const OUTER: Words = Words(
    "asdf at aws-vault batch bunx concurrently conda direnv docker dotenv gdb hatch hyperfine \
     kubectl lxc mise mosh nix nix-shell nodemon npx op pdm perf pipenv pixi podman poetry rye \
     ssh uv watchexec",
);

/// Arguments of git that run what they say, or what stands behind them.
pub const GIT_RUNS: [&str; 5] = ["--exec", "-x", "filter-branch", "foreach", "run"];

/// Wrappers that read what they are given as a shell reads a line.
pub const READ_AGAIN: Words = Words("alias env eval parallel screen script su tmux trap watch");

/// Interpreters of other languages, and the options behind which a program of theirs stands.
pub const INTERPRETERS: [(&str, &[&str]); 11] = [
    ("python", &["-c", "-"]),
    ("perl", &["-e", "-E", "-"]),
    ("ruby", &["-e", "-"]),
    ("node", &["-e", "--eval", "-p", "--print", "-"]),
    ("nodejs", &["-e", "--eval", "-p", "--print", "-"]),
    ("deno", &["eval"]),
    ("bun", &["-e", "--eval"]),
    ("php", &["-r"]),
    ("lua", &["-e", "-"]),
    ("osascript", &["-e"]),
    ("tclsh", &["-"]),
];

/// And one whose programs stand there always, and seldom run anything.
pub const AWKS: [&str; 4] = ["awk", "gawk", "mawk", "nawk"];

/// Words behind which a command stands.
pub const RESERVED: Words = Words("if then elif else do while until ! { } case in function");
