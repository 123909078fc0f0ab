//! Words that members of raw inputs hold, and parts of names. The names themselves stand in
//! [`input_names`](crate::model::input_names).

use crate::text::Words;

/// Where the system has its shells.
pub const SHELL_DIRS: [&str; 2] = ["/bin/", "/usr/bin/"];
/// Tools that run a line, wherever in their input it stands.
pub const SHELL_TOOLS: Words = Words(
    "bash execute executecommand exec powershell pwsh run runcommand runshellcommand \
     runterminalcmd sh shell terminal zsh",
);
/// In names of members that ask for more than the command alone.
pub const BEYOND: [&str; 5] = ["escalat", "privileg", "dangerous", "unsafe", "sudo"];
/// In names that ask to go without it: there no is as usual.
pub const NO_SANDBOX: [&str; 5] = ["bypass", "disable", "nosandbox", "skip", "without"];
/// Bytes of such a name that are kept.
pub const MAX_NAME: usize = 100;
/// How names end under which a line to be run may stand.
pub const SCRIPT_ENDS: [&str; 4] = ["cmd", "command", "commands", "script"];
/// Commands of an editor tool, which no shell runs, if the same object has a path.
pub const EDITOR_COMMANDS: Words = Words("view create str_replace insert undo_edit write");
pub const SHELLS: [&str; 7] = ["sh", "bash", "zsh", "dash", "ksh", "ash", "fish"];

/// Bytes of a word that sets something.
pub const MAX_SETTING: usize = 100;
/// Words for the kind of a call that change nothing.
pub const READING: Words = Words(
    "async bash cat directory executecommand file files find findpath function get glob globfiles \
     grep grepfiles list listcodedefinitionnames listdir listdirectory listfiles \
     listfilesrecursive listfilestoplevel ls open read readfile readfiles readmanyfiles regex \
     runcommand runshellcommand runterminalcmd search searchfilecontent searchfiles searchtext \
     shell stat sync terminal text tooluse tree unknown view",
);
/// Words there for a file that goes, or becomes another.
pub const DELETING: Words = Words("delete deletefile remove removefile rm unlink");
pub const MOVING: Words = Words("move movefile mv rename renamefile");
/// Words there for changing a file.
pub const WRITING: Words = Words(
    "add append applydiff applypatch create createfile edit editedexistingfile editfile insert \
     multiedit newfilecreated notebookedit overwrite patch replace replaceinfile searchreplace \
     strreplace strreplacefile update write writefile writetofile",
);
