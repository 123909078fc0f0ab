//! The pipe that an agent writes to.

use std::{
    io,
    os::fd::OwnedFd,
    pin::Pin,
    task::{Context, Poll},
};

use tokio::{
    io::{AsyncRead, Interest, ReadBuf, unix::AsyncFd},
    process::ChildStdout,
};

/// Read when its reader asks, and known to the runtime only while nothing is in it: else the runtime would
/// wake up for each word that comes while the reader rests.
#[derive(Debug)]
pub struct Pipe {
    /// `None` after a failure.
    state: Option<State>,
}

#[derive(Debug)]
enum State {
    /// There may be something.
    Ready(OwnedFd),
    Empty(AsyncFd<OwnedFd>),
}

impl Pipe {
    /// # Errors
    /// The system refuses.
    pub fn new(stdout: ChildStdout) -> io::Result<Self> {
        let pipe = stdout.into_owned_fd()?;
        rustix::io::ioctl_fionbio(&pipe, true)?;
        let state = Some(State::Ready(pipe));
        Ok(Self { state })
    }
}

impl AsyncRead for Pipe {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            match self.state.take() {
                None => return Poll::Ready(Ok(())),
                Some(State::Empty(pipe)) => match pipe.poll_read_ready(cx).map_ok(drop) {
                    Poll::Ready(Ok(())) => self.state = Some(State::Ready(pipe.into_inner())),
                    Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                    Poll::Pending => {
                        self.state = Some(State::Empty(pipe));
                        return Poll::Pending;
                    }
                },
                Some(State::Ready(pipe)) => {
                    match rustix::io::read(&pipe, buf.initialize_unfilled()) {
                        Err(rustix::io::Errno::AGAIN) => {
                            // SAFETY: its descriptor is its own, and open until it is dropped.
                            let pipe = unsafe {
                                AsyncFd::register_with_interest(pipe, Interest::READABLE)?
                            };
                            self.state = Some(State::Empty(pipe));
                        }
                        Err(rustix::io::Errno::INTR) => self.state = Some(State::Ready(pipe)),
                        Err(error) => return Poll::Ready(Err(error.into())),
                        Ok(len) => {
                            buf.advance(len);
                            self.state = Some(State::Ready(pipe));
                            return Poll::Ready(Ok(()));
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{process::Stdio, time::Duration};

    use tokio::{io::AsyncReadExt, process::Command, time::timeout};

    use super::*;

    #[tokio::test]
    async fn it_waits_for_words_and_sees_the_end() {
        let mut child = Command::new("/bin/sh")
            .args(["-c", "echo one; sleep 0.1; echo two; sleep 0.1"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let mut pipe = Pipe::new(child.stdout.take().expect("a pipe")).expect("set up");
        let mut all = String::new();
        let read = pipe.read_to_string(&mut all);
        let read = timeout(Duration::from_secs(20), read).await;
        read.expect("it ends").expect("it is read");
        assert_eq!(all, "one\ntwo\n");
        child.wait().await.expect("it ended");
    }
}
