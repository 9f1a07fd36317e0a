"""What the tests and benchmarks of the module share: servers of their own, a
connection that speaks RESP, batches as <origo/partition.h> draws them."""

import binascii
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                os.pardir))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                os.pardir, os.pardir, "tools"))
import run_cases  # noqa: E402
from run_cluster import module_options, server_program  # noqa: E402

LONG = 60  # seconds: nothing here takes so long, however slow the machine is

NO_DOC = 0xffffffff
ORIGINS, WEIGHTS, SPARE, SEEN, LISTED = 1, 2, 4, 8, 16


class Refused(Exception):
    """An error reply."""


# ---- a connection ----

def encode(arguments):
    parts = [b"*%d\r\n" % len(arguments)]
    for a in arguments:
        if isinstance(a, int):
            a = str(a)
        if isinstance(a, str):
            a = a.encode()
        parts.append(b"$%d\r\n%s\r\n" % (len(a), a))
    return b"".join(parts)


class Connection:
    def __init__(self, address):
        """A path, or (host, port)."""
        family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        self.socket.settimeout(LONG)
        self.socket.connect(address)
        self.input = self.socket.makefile("rb")

    def close(self):
        self.input.close()
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.close()

    def send(self, *arguments):
        self.socket.sendall(encode(arguments))

    def receive(self):
        line = self.input.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError("the server closed the connection")
        kind, rest = line[:1], line[1:-2]
        if kind == b"-":
            raise Refused(rest.decode())
        if kind == b"+":
            return rest.decode()
        if kind == b":":
            return int(rest)
        if kind == b"$":
            return None if rest == b"-1" else self.bulk(int(rest))
        assert kind == b"*", line
        return [self.receive() for _ in range(int(rest))]

    def bulk(self, n):
        data = self.input.read(n + 2)
        if len(data) != n + 2:
            raise ConnectionError("the server closed the connection")
        return data[:-2]

    def __call__(self, *arguments):
        self.send(*arguments)
        return self.receive()

    def refusal(self, *arguments):
        """The error that it must answer with."""
        try:
            answer = self(*arguments)
        except Refused as error:
            return str(error)
        raise AssertionError("%r was not refused: %r" % (arguments[:2], answer))

    def info(self, section=""):
        """{name: value} of the server's INFO."""
        text = self("INFO", *([section] if section else []))
        lines = text.decode().split("\r\n")
        return dict(line.split(":", 1) for line in lines if ":" in line)


# ---- servers ----

def missing():
    """Why there can be no server, or None."""
    return None if shutil.which(server_program()) else \
        os.path.basename(server_program()) + " is not installed"


def debug_options():
    """What allows DEBUG; servers before 7 always do, and do not know it."""
    said = subprocess.run([server_program(), "--version"], text=True,
                          stdout=subprocess.PIPE, check=True).stdout
    major = int(said.split("v=")[1].split(".")[0])
    return ["--enable-debug-command", "yes"] if major >= 7 else []


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Server:
    """A server with the module (None: without) in a folder of its own, on a unix
    socket; with port=True on a free port, too. Its files stay until it is
    left."""

    def __init__(self, module, *options, port=False, start=True):
        self.module = module
        self.options = list(options)
        self.has_port = port
        self.port = 0
        self.process = None
        self.folder = tempfile.mkdtemp(prefix="origo-redis-")
        self.path = os.path.join(self.folder, "s")
        if start:
            self.start()

    def command(self):
        return [server_program(), "--port", str(self.port), "--unixsocket",
                self.path, "--dir", self.folder, "--save", "", "--loglevel",
                "notice", "--logfile", self.log_path,
                *module_options(self.module), *debug_options(), *self.options]

    @property
    def log_path(self):
        return os.path.join(self.folder, "log")

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as f:
            return f.read()

    def start(self):
        """A port that was free a moment ago may be taken now: another one
        then."""
        for _ in range(20):
            if self.has_port and not self.port:
                self.port = free_port()
            if self.try_start():
                return
            assert self.has_port and "in use" in self.log(), self.log()
            self.port = 0
        raise AssertionError("no port was free")

    def try_start(self):
        with open(self.log_path, "w", encoding="utf-8"):
            pass
        self.process = subprocess.Popen(self.command(),
                                        stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        until = time.monotonic() + LONG
        while time.monotonic() < until:
            if self.process.poll() is not None:
                return False
            try:
                with self.connect() as c:
                    c("PING")
                    return True
            except (OSError, Refused):  # not yet there, or loading
                time.sleep(0.02)
        raise AssertionError("the server did not start:\n" + self.log())

    def start_refused(self):
        """It must end by itself; its log."""
        assert not self.try_start(), "the server started"
        return self.log()

    def connect(self):
        return Connection(self.path)

    def stop(self, how=signal.SIGKILL):
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(LONG)
            self.process = None

    def restart(self):
        self.stop()
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def wait_for(condition, what="it"):
    until = time.monotonic() + LONG
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < until, what + " never came"
        time.sleep(0.02)


# ---- bytes ----

def fps(*numbers):
    return struct.pack("<%dQ" % len(numbers), *numbers)


def document(number, numbers, origins=None, reversed=(), offsets=None,
             near=None, weights=None, spare=None, seen=False, fields=True,
             listed=False):
    """One document of a batch. fields: the partition keeps offsets and near."""
    n = len(numbers)
    flags = (ORIGINS if origins else 0) | (WEIGHTS if weights else 0) | \
        (SPARE if spare else 0) | (SEEN if seen else 0) | \
        (LISTED if listed else 0)
    data = struct.pack("<4I", number, n, flags, len(reversed)) + fps(*numbers)
    if origins:
        data += struct.pack("<%dI" % n, *origins)
    data += struct.pack("<%dI" % len(reversed), *reversed)
    if fields:
        data += struct.pack("<%dH" % n, *(offsets or [0] * n))
        data += struct.pack("<%dH" % n, *(near or [0] * n))
    return data + bytes(weights or []) + bytes(spare or [])


def hits(answer):
    """[(document, offset, near)]; None for what was not found."""
    assert len(answer) % 8 == 0
    return [(d, o, n) if d != NO_DOC else None
            for d, o, n in struct.iter_unpack("<IHH", answer)]


def holders(answer):
    return [h and h[0] for h in hits(answer)]


def slot_of_tag(text):
    """The slot of a cluster that a key with this tag has."""
    return binascii.crc_hqx(text.encode(), 0) % 16384


# ---- the runner ----

def equal(seen, expected):
    assert seen == expected, "%r is not %r" % (seen, expected)


def main(tests):
    run_cases.main(tests, missing())
