#!/usr/bin/env python3
"""Makes the pictures of the README: the program with its demo agent in a terminal of our own, drawn as PNG.

    cargo build --release
    python3 assets/pictures.py target/release/acp-tui [NAME...]

Needs pyte and Pillow (pip) and DejaVu Sans Mono (Debian: fonts-dejavu-core). Nothing of the person's is
read: configuration and sessions are in a temporary folder.
"""
import fcntl
import glob
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

import pyte
from PIL import Image, ImageDraw, ImageFont
from pyte.screens import wcwidth

HERE = Path(__file__).resolve().parent
DARK = {"fg": "d0d2d0", "bg": "16181a"}
LIGHT = {"fg": "202020", "bg": "fbfbf8"}
NAMES = ["black", "red", "green", "brown", "blue", "magenta", "cyan", "white"]
PALETTE = ["1d1f21", "cc6666", "8eb060", "e0b060", "6a9fd0", "b294bb", "70b8b0", "c5c8c6"]
BRIGHT = ["707578", "e88080", "b5d680", "f0c674", "81b8f0", "d0b0e0", "8ad8d0", "ffffff"]
SIZE, ROW = 18, 22

# NAME: columns, rows, background, lines of configuration, what is typed and waited for. A text that
# begins with `?` is waited for, everything else is typed; a number waits so many seconds.
PICTURES = {
    "conversation": (110, 34, DARK, "", ["?Demo", "/tour\r", "?Yes, once", 0.6, "y", 3.0]),
    "permission": (110, 30, DARK, "", ["?Demo", "/edit\r", "?Yes", 0.6]),
    "find": (110, 30, DARK, "", ["?Demo", "/edit\r", "?Yes, once", 0.6, "y", 2.0, "\x06", "greet", 0.6, "\r", 0.4]),
    "themes": (110, 30, DARK, "", ["?Demo", "/markdown\r", "?Worked for", "/theme\r", 0.4, "\x1b[B" * 4, 0.6]),
    "palette": (110, 30, LIGHT, "", ["?Demo", "/markdown\r", "?Worked for", "\x10", "copy", 0.6]),
}


class Terminal:
    """The program in a PTY whose screen is kept, and that answers what a terminal is asked."""

    def __init__(self, command, cols, rows, colours, home):
        self.screen = pyte.Screen(cols, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.colours = colours
        parent, child = pty.openpty()
        fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
        env = {"PATH": os.environ["PATH"], "HOME": home, "TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
        self.process = subprocess.Popen(command, stdin=child, stdout=child, stderr=child, env=env, cwd=f"{home}/project", start_new_session=True)
        os.close(child)
        self.fd = parent

    def read(self, seconds):
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if not select.select([self.fd], [], [], left)[0]:
                return
            data = os.read(self.fd, 65536)
            if b"\x1b]11;?" in data:
                r, g, b = (self.colours["bg"][i : i + 2] * 2 for i in (0, 2, 4))
                os.write(self.fd, f"\x1b]11;rgb:{r}/{g}/{b}\x1b\\".encode())
            if b"\x1b[c" in data:
                os.write(self.fd, b"\x1b[?62c")
            self.stream.feed(data)

    def wait(self, text):
        for _ in range(300):
            self.read(0.1)
            if text in "\n".join(self.screen.display):
                return
        sys.exit(f"{text!r} is not shown:\n" + "\n".join(self.screen.display))

    def type(self, text):
        os.write(self.fd, text.encode())
        self.read(0.5)

    def end(self):
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait()


def colour(name, colours, default):
    if name == "default":
        return "#" + colours[default]
    if name.startswith("bright"):
        return "#" + BRIGHT[NAMES.index(name.removeprefix("bright"))]
    if name in NAMES:
        return "#" + PALETTE[NAMES.index(name)]
    return "#" + name


def font(name):
    found = glob.glob(f"/usr/share/fonts/**/{name}.ttf", recursive=True)
    return ImageFont.truetype(found[0], SIZE) if found else sys.exit(f"no font {name}")


def draw(screen, colours, path):
    fonts = {(b, i): font("DejaVuSansMono" + ("-" if b or i else "") + "Bold" * b + "Oblique" * i) for b in (0, 1) for i in (0, 1)}
    cell = round(fonts[0, 0].getlength("M"))
    picture = Image.new("RGB", (screen.columns * cell + 2 * cell, screen.lines * ROW + ROW), "#" + colours["bg"])
    pen = ImageDraw.Draw(picture)
    for y in range(screen.lines):
        for x in range(screen.columns):
            char = screen.buffer[y][x]
            fg, bg = colour(char.fg, colours, "fg"), colour(char.bg, colours, "bg")
            if char.reverse:
                fg, bg = bg, fg
            left, top = cell + x * cell, ROW // 2 + y * ROW
            wide = max(wcwidth(char.data[0]), 1) if char.data else 1
            if bg != "#" + colours["bg"]:
                pen.rectangle((left, top, left + wide * cell - 1, top + ROW - 1), fill=bg)
            if char.data.strip():
                pen.text((left, top), char.data, font=fonts[int(char.bold), int(char.italics)], fill=fg)
            if char.underscore:
                pen.line((left, top + ROW - 3, left + wide * cell - 1, top + ROW - 3), fill=fg)
    cursor = screen.cursor
    if not cursor.hidden:
        left, top = cell + cursor.x * cell, ROW // 2 + cursor.y * ROW
        pen.rectangle((left, top, left + 1, top + ROW - 1), fill="#" + colours["fg"])
    picture.quantize(256, Image.Quantize.FASTOCTREE).save(path, optimize=True)


def make(name, program):
    cols, rows, colours, config, steps = PICTURES[name]
    with tempfile.TemporaryDirectory() as home:
        Path(home, "project").mkdir()
        Path(home, "config.toml").write_text(config)
        command = [program, "--config", f"{home}/config.toml", "--agent", "demo"]
        terminal = Terminal(command, cols, rows, colours, home)
        for step in steps:
            if isinstance(step, float):
                terminal.read(step)
            elif step.startswith("?"):
                terminal.wait(step[1:])
            else:
                terminal.type(step)
        draw(terminal.screen, colours, HERE / f"{name}.png")
        terminal.end()


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for wanted in sys.argv[2:] or PICTURES:
        make(wanted, os.path.abspath(sys.argv[1]))
        print(f"assets/{wanted}.png")
