//! Servers in Python beside these tests.

use std::{
    ffi::OsStr,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

/// One that runs until it is dropped.
pub struct Script {
    child: Child,
    port: String,
}

impl Script {
    /// Waits for the line with its port.
    pub fn start(name: &str, args: &[impl AsRef<OsStr>]) -> Self {
        let mut child = Command::new("python3")
            .arg(path(name))
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            // Who goes away in the middle of a request is told there.
            .stderr(Stdio::null())
            .spawn()
            .expect("python3 starts");
        let stdout = child.stdout.take().expect("it is piped");
        let mut line = String::new();
        BufReader::new(stdout)
            .read_line(&mut line)
            .expect("a line of the server");
        Self {
            child,
            port: line.trim().to_owned(),
        }
    }

    pub fn port(&self) -> &str {
        &self.port
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/agents")
        .join(name)
}
