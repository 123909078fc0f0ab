//! Where the program's own files are.

use std::{
    io,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
};

use directories::ProjectDirs;

use super::ConfigError;

/// The three directories; none needs to exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dirs {
    /// `config.toml`.
    pub config: PathBuf,
    /// What the person decided: trust.
    pub data: PathBuf,
    /// Sessions, history, logs.
    pub state: PathBuf,
}

impl Dirs {
    /// XDG on Linux, Application Support on macOS.
    ///
    /// # Errors
    /// There is no home directory.
    pub fn of_user() -> Result<Self, ConfigError> {
        let dirs = ProjectDirs::from("", "", "acp-tui").ok_or(ConfigError::NoHome)?;
        Ok(Self {
            config: dirs.config_dir().to_owned(),
            data: dirs.data_dir().to_owned(),
            // macOS has no state directory.
            state: dirs
                .state_dir()
                .map_or_else(|| dirs.data_local_dir().join("state"), Path::to_owned),
        })
    }

    /// The user's file, unless `--config` names another.
    pub fn config_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    /// Creates `dir` and its parents where missing, readable by the person alone: sessions and
    /// logs hold what was said.
    ///
    /// # Errors
    /// As `mkdir`.
    pub fn ensure(dir: &Path) -> io::Result<()> {
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(dir)
    }
}
