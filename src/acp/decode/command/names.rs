//! Names of members of raw inputs, and what some of them hold, as agents have been seen to use them.

/// Names of members, without `_` and `-`, in small letters.
pub const COMMANDS: [&str; 11] = [
    "command",
    "cmd",
    "commandline",
    "commands",
    "argv",
    "shellcommand",
    "bashcommand",
    "rawcommand",
    "fullcommand",
    "program",
    "executable",
];
pub const ARGS: [&str; 6] = [
    "args",
    "arguments",
    "argv",
    "argumentlist",
    "commandargs",
    "parameters",
];
pub const ENV: [&str; 6] = [
    "env",
    "environment",
    "envs",
    "envvars",
    "environmentvariables",
    "extraenv",
];
pub const CWD: [&str; 9] = [
    "cwd",
    "workdir",
    "workingdir",
    "workingdirectory",
    "currentdir",
    "currentworkingdirectory",
    "directory",
    "dirpath",
    "dir",
];
/// What a command is run by.
pub const INTERPRETERS: [&str; 4] = ["shell", "shellpath", "shellprogram", "interpreter"];
/// In names of members that ask for more than the command alone.
pub const BEYOND: [&str; 6] = [
    "sandbox",
    "escalat",
    "privileg",
    "dangerous",
    "unsafe",
    "sudo",
];
/// Bytes of such a name that are kept.
pub const MAX_NAME: usize = 100;
/// Where a line to be run may stand that is not called a command.
pub const SCRIPTS: [&str; 4] = ["script", "shellscript", "stdin", "bash"];
pub const PATHS: [&str; 40] = [
    "absolutepath",
    "dest",
    "destination",
    "destinationpath",
    "dir",
    "directory",
    "dirpath",
    "dst",
    "file",
    "filename",
    "filenames",
    "filepath",
    "filepaths",
    "files",
    "fileuri",
    "folder",
    "from",
    "frompath",
    "inputfile",
    "inputpath",
    "location",
    "locations",
    "newpath",
    "notebook",
    "notebookpath",
    "oldpath",
    "output",
    "outputfile",
    "outputpath",
    "path",
    "paths",
    "relativepath",
    "relativeworkspacepath",
    "root",
    "source",
    "sourcepath",
    "target",
    "targetfile",
    "targetpath",
    "to",
];
pub const URIS: [&str; 2] = ["uri", "url"];
/// Members that hold what would be written, whatever else there is.
pub const WRITES: [&str; 17] = [
    "diff",
    "edits",
    "filetext",
    "inserttext",
    "newcontent",
    "newsource",
    "newstr",
    "newstring",
    "newtext",
    "oldcontent",
    "oldstr",
    "oldstring",
    "oldtext",
    "patch",
    "patchtext",
    "replacement",
    "unifieddiff",
];
/// And those that do beside a path.
pub const WRITES_TO_PATH: [&str; 4] = ["content", "contents", "data", "text"];
/// Commands of an editor tool, which no shell runs; with a path beside them.
pub const EDITOR_COMMANDS: [&str; 5] = ["view", "create", "str_replace", "insert", "undo_edit"];
pub const SHELLS: [&str; 7] = ["sh", "bash", "zsh", "dash", "ksh", "ash", "fish"];
