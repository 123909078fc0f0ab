//! Names of members of raw inputs, as agents use them, and the meaning of each.
//!
//! One table for all that look into a raw input: what it would do (`acp/decode/command`), which changes of files it
//! tells (`acp/decode/claims`), and whether a question shows all of it (`ui/overlay/question/raw_input`). What stands in no
//! row is not known, and is asked about. The members that are known to do nothing but what the call says are as public
//! agents have them: Claude Code, Codex, opencode, Gemini CLI, Qwen Code, pi, fast-agent, Kimi CLI, Vibe, goose,
//! Cline, Zed, Cursor, Copilot.

use self::{Edit as E, Role::*, Shown as S};

/// The role of a member.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    Command,
    Args,
    Env,
    /// Where a command runs.
    Cwd,
    /// The program that runs a command.
    Interpreter,
    /// A sandbox switch: true is the usual case, false grants the command more.
    Sandbox,
    /// It may hold a command line under another name.
    Script,
    Path,
    Uri,
    /// The content that would be written.
    Writes,
    /// The content that would be written, if there is a path.
    WritesToPath,
    /// A path that only names a file, even next to a command.
    Named,
    /// A path that names one file.
    OnePath,
    /// A path that is written to.
    Written,
    /// An object with a member for each file, by its path.
    ByPath,
    /// Text for the person.
    Describing,
    /// A list of texts for the person.
    DescribingList,
    /// An object that holds the other members.
    Wrapper,
    /// A setting: a number, a boolean or a word that says how long, how much or in which way.
    Setting,
    /// A setting of files, searches and pages.
    FileSetting,
    /// Text of files and searches.
    FileText,
    /// Text that selects files.
    Glob,
    /// With it, `type` is the type of files.
    Search,
    /// The kind of call, in a word.
    Kind,
    /// The operation on one of several files; encloses what is written.
    OfEntry,
    /// A patch that names the files it changes.
    Patch,
    /// A part of a change of files.
    Edit(Edit),
    /// How a question may show it.
    Shown(Shown),
}

/// The part of a file change that a member is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edit {
    Path,
    Old,
    New,
    Content,
    Diff,
    Edits,
    Changes,
    Everywhere,
    Wrapped,
}

/// How a question shows a member.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shown {
    Path,
    /// Where a command runs.
    Cwd,
    /// A file or a directory, or where a command runs.
    Directory,
    Command,
    Args,
    Env,
    /// The whole content of the file afterwards.
    Whole,
    Old,
    New,
    /// A unified diff.
    Patch,
    /// Changes of places.
    Edits,
    /// Text for the reader.
    Remark,
    Text,
    /// How much or how long, without an effect on what is done.
    Count,
    /// Which lines of a file are meant.
    Lines,
    /// If false, it asks for nothing.
    Flag,
    /// It encloses the members.
    Wrapper,
}

/// Whether a name, in the form of [`plain_name`](crate::model::plain_name), has that role.
pub fn is(plain: &str, role: Role) -> bool {
    roles(plain).contains(&role)
}

/// Which part of a change it is.
pub fn edit(plain: &str) -> Option<Edit> {
    roles(plain).iter().find_map(|role| match role {
        Role::Edit(part) => Some(*part),
        _ => None,
    })
}

/// How a question may show it; `None`: it could mean anything.
pub fn shown(plain: &str) -> Option<Shown> {
    roles(plain).iter().find_map(|role| match role {
        Role::Shown(shown) => Some(*shown),
        _ => None,
    })
}

fn roles(plain: &str) -> &'static [Role] {
    let row = ROWS.binary_search_by(|(name, _)| (*name).cmp(plain));
    row.map_or(&[], |at| ROWS[at].1)
}

/// Each name once, in lower case, without `_` and `-`.
const ROWS: &[(&str, &[Role])] = &[
    ("a", &[FileSetting]),
    (
        "absolutepath",
        &[Path, OnePath, Edit(E::Path), Shown(S::Path)],
    ),
    ("action", &[Kind]),
    ("activeform", &[Describing]),
    ("add", &[OfEntry]),
    ("additions", &[FileSetting]),
    ("after", &[FileSetting]),
    ("alloweddomains", &[FileText]),
    (
        "allowmultiple",
        &[FileSetting, Edit(E::Everywhere), Shown(S::Flag)],
    ),
    ("approvalid", &[Setting]),
    ("args", &[Args, Wrapper, Edit(E::Wrapped), Shown(S::Args)]),
    ("argumentlist", &[Args]),
    (
        "arguments",
        &[Args, Wrapper, Edit(E::Wrapped), Shown(S::Args)],
    ),
    ("argv", &[Command, Args, Shown(S::Command)]),
    ("async", &[Setting]),
    ("autoapproved", &[Setting]),
    ("b", &[FileSetting]),
    ("background", &[Setting]),
    ("bash", &[Script]),
    ("bashcommand", &[Command]),
    ("before", &[FileSetting]),
    ("binary", &[FileSetting]),
    ("blockeddomains", &[FileText]),
    ("blocking", &[Setting]),
    ("c", &[FileSetting]),
    ("callid", &[Setting]),
    ("casesensitive", &[FileSetting]),
    ("cd", &[Cwd]),
    ("cellid", &[FileSetting]),
    ("cellnumber", &[FileSetting]),
    ("celltype", &[FileSetting]),
    ("changes", &[Writes, ByPath, Edit(E::Changes)]),
    ("cmd", &[Command, Shown(S::Command)]),
    ("codeedit", &[FileText]),
    ("column", &[FileSetting]),
    ("columns", &[FileSetting]),
    ("command", &[Command, Shown(S::Command)]),
    ("commandargs", &[Args]),
    ("commandline", &[Command, Shown(S::Command)]),
    ("commands", &[Command, Shown(S::Command)]),
    ("comment", &[Describing]),
    (
        "content",
        &[WritesToPath, Edit(E::Content), Shown(S::Whole)],
    ),
    ("contentlength", &[FileSetting]),
    (
        "contents",
        &[WritesToPath, Edit(E::Content), Shown(S::Whole)],
    ),
    ("context", &[FileSetting]),
    ("contextlines", &[FileSetting]),
    ("count", &[FileSetting]),
    ("currentdir", &[Cwd]),
    ("currentworkingdirectory", &[Cwd]),
    ("cwd", &[Cwd, Shown(S::Cwd)]),
    ("data", &[WritesToPath]),
    ("delete", &[OfEntry]),
    ("deletions", &[FileSetting]),
    ("depth", &[FileSetting]),
    ("description", &[Describing, Shown(S::Remark)]),
    ("dest", &[Path, Written]),
    ("destination", &[Path, Written]),
    ("destinationpath", &[Path, Written]),
    ("diff", &[Writes, Patch, Edit(E::Diff), Shown(S::Patch)]),
    ("dir", &[Cwd, Path, Shown(S::Directory)]),
    ("directory", &[Cwd, Path, Shown(S::Directory)]),
    ("dirpath", &[Cwd, Path, Shown(S::Directory)]),
    ("displaydescription", &[Describing]),
    ("dst", &[Path, Written]),
    ("edit", &[Writes]),
    ("editmode", &[FileSetting]),
    ("edits", &[Writes, ByPath, Edit(E::Edits), Shown(S::Edits)]),
    ("enablesandbox", &[Sandbox]),
    ("encoding", &[FileSetting]),
    ("endcolumn", &[FileSetting]),
    ("endline", &[FileSetting, Shown(S::Lines)]),
    ("endlineoneindexedinclusive", &[FileSetting]),
    ("env", &[Env, Shown(S::Env)]),
    ("environment", &[Env, Shown(S::Env)]),
    ("environmentvariables", &[Env]),
    ("envs", &[Env]),
    ("envvars", &[Env]),
    ("eval", &[Script]),
    ("exclude", &[FileText]),
    ("excludepattern", &[FileText]),
    ("excludepatterns", &[FileText]),
    ("excludes", &[FileText]),
    ("exec", &[Script]),
    ("executable", &[Command]),
    ("execute", &[Script]),
    ("expectedoccurrences", &[FileSetting]),
    ("expectedreplacements", &[FileSetting]),
    ("explanation", &[Describing, Shown(S::Remark)]),
    ("extraenv", &[Env]),
    (
        "file",
        &[Path, Named, OnePath, Edit(E::Path), Shown(S::Path)],
    ),
    ("filechanges", &[Writes, ByPath, Edit(E::Changes)]),
    ("filecount", &[FileSetting]),
    ("fileextensions", &[Glob]),
    ("filefilteringoptions", &[Wrapper]),
    (
        "filename",
        &[Path, Named, OnePath, Edit(E::Path), Shown(S::Path)],
    ),
    ("filenames", &[Path]),
    (
        "filepath",
        &[Path, Named, OnePath, Edit(E::Path), Shown(S::Path)],
    ),
    ("filepaths", &[Path, Named, Shown(S::Path)]),
    ("filepattern", &[Glob]),
    ("filepatterns", &[Glob]),
    ("files", &[Path, ByPath, Shown(S::Path)]),
    ("filetext", &[Writes, Edit(E::Content), Shown(S::Whole)]),
    ("fileuri", &[Path, OnePath]),
    ("fixedstrings", &[FileSetting]),
    ("folder", &[Path, Shown(S::Directory)]),
    ("forcereadlargefiles", &[FileSetting]),
    ("format", &[FileSetting]),
    ("from", &[Path]),
    ("frompath", &[Path]),
    ("fullcommand", &[Command]),
    ("fuzzy", &[FileSetting]),
    ("glob", &[Glob]),
    ("globpattern", &[Glob]),
    ("globpatterns", &[Glob]),
    ("globs", &[Glob]),
    ("head", &[FileSetting]),
    ("headlimit", &[FileSetting]),
    ("hidden", &[FileSetting]),
    ("i", &[FileSetting]),
    ("id", &[Setting]),
    ("ignore", &[FileText]),
    ("ignorecase", &[FileSetting]),
    ("ignorepatterns", &[FileText]),
    ("include", &[Glob]),
    ("includecontent", &[FileSetting]),
    ("includedirs", &[FileSetting]),
    ("includehidden", &[FileSetting]),
    ("includepattern", &[Glob]),
    ("includepatterns", &[Glob]),
    ("includes", &[Glob]),
    ("indentation", &[FileSetting]),
    ("infile", &[Path]),
    ("initialwait", &[Setting]),
    ("input", &[Wrapper, Edit(E::Wrapped), Shown(S::Wrapper)]),
    ("inputfile", &[Path]),
    ("inputpath", &[Path]),
    ("insandbox", &[Sandbox]),
    ("insertline", &[FileSetting]),
    ("inserttext", &[Writes]),
    ("instruction", &[FileText]),
    ("instructions", &[FileText]),
    ("intent", &[Describing]),
    ("interpreter", &[Interpreter]),
    ("isbackground", &[Setting, Shown(S::Flag)]),
    ("isregex", &[FileSetting]),
    ("itemid", &[Setting]),
    ("justification", &[Describing, Shown(S::Remark)]),
    ("keywords", &[FileText]),
    ("kind", &[Kind]),
    ("length", &[FileSetting]),
    ("limit", &[FileSetting, Shown(S::Lines)]),
    ("line", &[FileSetting, Shown(S::Lines)]),
    ("linecount", &[FileSetting]),
    ("linenumber", &[FileSetting]),
    ("linenumbers", &[FileSetting]),
    ("lineoffset", &[FileSetting]),
    ("lines", &[FileSetting]),
    ("literal", &[FileSetting]),
    ("location", &[Path, Named, OnePath]),
    ("locations", &[Path, Named]),
    ("login", &[Setting]),
    ("maxbytes", &[FileSetting]),
    ("maxchars", &[FileSetting]),
    ("maxcount", &[FileSetting]),
    ("maxdepth", &[FileSetting]),
    ("maxlength", &[FileSetting]),
    ("maxlines", &[FileSetting]),
    ("maxmatches", &[FileSetting]),
    ("maxmatchesperfile", &[FileSetting]),
    ("maxoutputlength", &[Setting]),
    ("maxoutputtokens", &[Setting]),
    ("maxresults", &[FileSetting]),
    ("maxsize", &[FileSetting]),
    ("maxwaitseconds", &[Setting]),
    ("message", &[Shown(S::Text)]),
    ("mode", &[Kind]),
    ("movepath", &[Path, Written]),
    ("multiline", &[FileSetting]),
    ("n", &[FileSetting]),
    ("name", &[Kind]),
    ("namepattern", &[Glob]),
    ("namesonly", &[FileSetting]),
    ("new", &[FileText, Edit(E::New), Shown(S::New)]),
    ("newcontent", &[Writes, Shown(S::Whole)]),
    ("newpath", &[Path]),
    ("newsource", &[Writes]),
    ("newstr", &[Writes, Edit(E::New), Shown(S::New)]),
    ("newstring", &[Writes, Edit(E::New), Shown(S::New)]),
    ("newtext", &[Writes, Edit(E::New), Shown(S::New)]),
    ("nlines", &[FileSetting]),
    ("noignore", &[FileSetting]),
    ("notebook", &[Path]),
    ("notebookpath", &[Path, OnePath, Shown(S::Path)]),
    ("numresults", &[FileSetting]),
    ("o", &[FileSetting]),
    ("occurrence", &[FileSetting]),
    ("offset", &[FileSetting, Shown(S::Lines)]),
    ("old", &[FileText, Edit(E::Old), Shown(S::Old)]),
    ("oldcontent", &[Writes]),
    ("oldpath", &[Path]),
    ("oldstr", &[Writes, Edit(E::Old), Shown(S::Old)]),
    ("oldstring", &[Writes, Edit(E::Old), Shown(S::Old)]),
    ("oldtext", &[Writes, Edit(E::Old), Shown(S::Old)]),
    ("operation", &[Kind]),
    ("operationislocatedinworkspace", &[Setting]),
    ("outfile", &[Path, Written]),
    ("outpath", &[Path, Written]),
    ("output", &[Path]),
    ("outputbytelimit", &[Setting]),
    ("outputfile", &[Path, Written]),
    ("outputmode", &[FileSetting]),
    ("outputpath", &[Path, Written]),
    ("overwrite", &[FileSetting]),
    ("page", &[FileSetting]),
    ("pages", &[FileSetting]),
    (
        "parameters",
        &[Args, Wrapper, Edit(E::Wrapped), Shown(S::Wrapper)],
    ),
    ("params", &[Wrapper, Edit(E::Wrapped), Shown(S::Wrapper)]),
    ("parsedcmd", &[Wrapper]),
    ("patch", &[Writes, Patch, Edit(E::Diff), Shown(S::Patch)]),
    ("patchtext", &[Writes, Patch, Edit(E::Diff)]),
    (
        "path",
        &[Path, Named, OnePath, Edit(E::Path), Shown(S::Path)],
    ),
    ("paths", &[Path, Named, Shown(S::Path)]),
    ("pattern", &[Glob, Search, Shown(S::Text)]),
    ("patterns", &[Glob]),
    ("perpage", &[FileSetting]),
    ("plan", &[Shown(S::Text)]),
    ("postrun", &[Script]),
    ("powershell", &[Script]),
    ("prefixrule", &[Describing, DescribingList]),
    ("prerun", &[Script]),
    ("priority", &[Setting]),
    ("processid", &[Setting]),
    ("program", &[Command]),
    ("prompt", &[FileText, Shown(S::Text)]),
    ("proposedexecpolicyamendment", &[Describing, DescribingList]),
    ("purpose", &[Describing]),
    ("pwsh", &[Script]),
    ("queries", &[FileText]),
    ("query", &[FileText, Search, Shown(S::Text)]),
    ("question", &[Shown(S::Text)]),
    ("rationale", &[Describing]),
    ("raw", &[FileSetting]),
    ("rawcommand", &[Command]),
    ("rawinput", &[Wrapper, Edit(E::Wrapped), Shown(S::Wrapper)]),
    ("reason", &[Describing, Shown(S::Remark)]),
    ("recursive", &[FileSetting]),
    ("regex", &[FileText, Search]),
    ("relativepath", &[Path, Shown(S::Path)]),
    ("relativeworkspacepath", &[Path]),
    ("replace", &[FileText, Edit(E::New), Shown(S::New)]),
    (
        "replaceall",
        &[FileSetting, Edit(E::Everywhere), Shown(S::Flag)],
    ),
    ("replacement", &[Writes]),
    ("replacements", &[Edit(E::Edits), Shown(S::Edits)]),
    ("requests", &[Wrapper]),
    ("requiresapproval", &[Setting]),
    ("requireuserapproval", &[Setting]),
    ("respectgeminiignore", &[FileSetting]),
    ("respectgitignore", &[FileSetting]),
    ("respectignore", &[FileSetting]),
    ("respectqwenignore", &[FileSetting]),
    ("root", &[Path]),
    ("run", &[Script]),
    ("runinbackground", &[Setting, Shown(S::Flag)]),
    ("runinsandbox", &[Sandbox]),
    ("sandbox", &[Sandbox]),
    ("sandboxed", &[Sandbox]),
    ("sandboxenabled", &[Sandbox]),
    ("search", &[FileText, Edit(E::Old), Shown(S::Old)]),
    ("searchquery", &[FileText]),
    ("searchstring", &[FileText]),
    ("searchterm", &[FileText]),
    ("sh", &[Script]),
    ("shell", &[Interpreter]),
    ("shellcommand", &[Command, Shown(S::Command)]),
    ("shellpath", &[Interpreter]),
    ("shellprogram", &[Interpreter]),
    ("shouldreadentirefile", &[FileSetting]),
    ("showhidden", &[FileSetting]),
    ("showlinenumbers", &[FileSetting]),
    ("size", &[FileSetting]),
    ("skip", &[FileSetting]),
    ("sort", &[FileSetting]),
    ("sortby", &[FileSetting]),
    ("source", &[Path]),
    ("sourcepath", &[Path]),
    ("start", &[FileSetting]),
    ("startcolumn", &[FileSetting]),
    ("startindex", &[FileSetting]),
    ("startline", &[FileSetting, Shown(S::Lines)]),
    ("startlinenumbers", &[FileSetting]),
    ("startlineoneindexed", &[FileSetting]),
    ("status", &[Setting]),
    ("stdin", &[Script]),
    ("summary", &[Describing]),
    ("tail", &[FileSetting]),
    ("target", &[Path]),
    ("targetdirectory", &[Path]),
    (
        "targetfile",
        &[Path, OnePath, Edit(E::Path), Shown(S::Path)],
    ),
    ("targetpath", &[Path]),
    ("text", &[WritesToPath, Edit(E::Content), Shown(S::Text)]),
    ("thinking", &[Describing]),
    ("thought", &[Describing]),
    ("thoughts", &[Describing]),
    ("timeout", &[Setting, Shown(S::Count)]),
    ("timeoutms", &[Setting, Shown(S::Count)]),
    ("timeoutsec", &[Setting]),
    ("timeoutseconds", &[Setting]),
    ("timeoutsecs", &[Setting]),
    ("title", &[Describing, Shown(S::Text)]),
    ("to", &[Path]),
    ("todos", &[Describing, DescribingList]),
    ("tool", &[Kind]),
    ("toolcallid", &[Setting]),
    ("toolinput", &[Wrapper]),
    ("toolname", &[Kind]),
    ("topk", &[FileSetting]),
    ("totalmaxmatches", &[FileSetting]),
    ("tty", &[Setting]),
    ("turnid", &[Setting]),
    ("type", &[Kind]),
    (
        "unifieddiff",
        &[Writes, Patch, Edit(E::Diff), Shown(S::Patch)],
    ),
    ("update", &[OfEntry]),
    ("uri", &[Uri]),
    ("url", &[Uri, Shown(S::Text)]),
    ("usedefaultexcludes", &[FileSetting]),
    ("usedefaultignore", &[FileSetting]),
    ("useregex", &[FileSetting]),
    ("usesandbox", &[Sandbox]),
    ("viewrange", &[FileSetting]),
    ("w", &[FileSetting]),
    ("wait", &[Setting]),
    ("waitformsbeforeasync", &[Setting]),
    ("waitforprevious", &[Setting]),
    ("wholeword", &[FileSetting]),
    ("workdir", &[Cwd, Shown(S::Cwd)]),
    ("workingdir", &[Cwd, Shown(S::Cwd)]),
    ("workingdirectory", &[Cwd, Shown(S::Cwd)]),
    ("yieldtimems", &[Setting]),
    ("zsh", &[Script]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_found() {
        for (name, roles) in ROWS {
            assert_eq!(super::roles(name), *roles, "{name} stands in its order");
            assert_eq!(crate::model::plain_name(name), *name);
        }
        assert!(roles("unheard").is_empty());
    }
}
