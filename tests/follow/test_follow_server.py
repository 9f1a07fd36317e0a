#!/usr/bin/env python3
"""Into a server: tests/follow/test_follow_server.py ORIGO"""

import json
import os
import subprocess
import sys

import follow_support as support
from follow_support import equal, line

sys.path.insert(0, str(support.ROOT / "tests" / "server"))
import server_support  # noqa: E402


def run(origo, *arguments, status=0):
    done = subprocess.run([origo, "follow", *arguments], text=True,
                          capture_output=True, timeout=support.LONG)
    assert done.returncode == status, (done.returncode, done.stderr)
    return done.stderr


def cannot(origo):
    """Why this cannot run here."""
    if subprocess.run([origo, "serve", "-h"], capture_output=True).returncode:
        return "this build has no server"
    return None if has_http(origo) else "this build has no libcurl"


def has_http(origo):
    with support.Place(origo) as p:
        done = subprocess.run([origo, "follow", "--once", "-s", p.store,
                               "http://x/"], capture_output=True, text=True)
        return "fetches nothing" not in done.stderr


def ids_of(server):
    data = server.ask("GET", "/v1/documents?limit=1000")[2]
    return sorted(d["id"] for d in data["documents"])


def test_documents(origo):
    if cannot(origo):
        return cannot(origo)
    with server_support.Server(origo) as server, support.Place(origo) as p:
        path = p.write("f.jsonl", line("a", time="2001") + line("b"))
        to = ["--server", server.address, "--state", p.path("state"), "--once"]
        said = run(origo, *to, path)
        assert "2 documents" in said, said
        equal(ids_of(server), ["a", "b"])
        assert "0 documents" in run(origo, *to, path)
        p.append("f.jsonl", line("b") + line("x" * 1100) + line("c"))
        said = run(origo, *to, path)
        assert "1 there already" in said and "1 skipped" in said, said
        equal(ids_of(server), ["a", "b", "c"])
        # Without its positions it begins again, and all is known.
        os.unlink(p.path("state"))
        said = run(origo, *to, path)
        assert "4 there already" in said, said
    return None


def test_usage(origo):
    if cannot(origo):
        return cannot(origo)
    with support.Place(origo) as p:
        path = p.write("f.jsonl", line("a"))
        run(origo, "--server", "http://127.0.0.1:1", path, status=2)
        run(origo, "--server", "http://127.0.0.1:1", "--state", "s", "-s", "t",
            path, status=2)
        run(origo, "--server", "ftp://127.0.0.1", "--state", p.path("s"), path,
            status=2)
    return None


def test_tokens(origo):
    if cannot(origo):
        return cannot(origo)
    with support.Place(origo) as p:
        tokens = p.write("tokens", "0123456789abcdef write\n"
                         "fedcba9876543210 read\n")
        os.chmod(tokens, 0o600)
        with server_support.Server(origo, "--tokens", tokens) as server:
            path = p.write("f.jsonl", line("a"))
            to = ["--server", server.address, "--state", p.path("state"),
                  "--once", path]
            assert "answered 401" in run(origo, *to, status=3)
            reader = p.write("reader", "fedcba9876543210\n")
            assert "answered 403" in run(origo, "--token-file", reader, *to,
                                        status=3)
            assert not os.path.exists(p.path("state"))
            run(origo, "--token-file", tokens, *to)
            status, _, data = server.ask(
                "GET", "/v1/documents/a",
                headers={"Authorization": "Bearer fedcba9876543210"})
            equal((status, data["text"]), (200, "the text of a"))
    return None


def offset_in(state):
    """How far the only file was read: "INODE OFFSET HASH LINE" in the last line."""
    with open(state, encoding="utf-8") as f:
        lines = f.read().splitlines()
    try:
        return int(json.loads(lines[-1])["value"].split()[1])
    except ValueError:
        return -1  # half a line


def test_server_comes_back(origo):
    """Nothing is lost while the server is away."""
    if cannot(origo):
        return cannot(origo)
    with support.Place(origo) as p:
        store = p.path("store")
        path = p.write("f.jsonl", line("a"))
        socket = "unix:" + p.path("socket")
        with server_support.Server(origo, store=store, listen=socket):
            process = subprocess.Popen(
                [origo, "follow", "--server", socket, "--state",
                 p.path("state"), "--interval", "1", path], text=True,
                stderr=subprocess.PIPE)
            p.wait_for(lambda: os.path.exists(p.path("state")), process)
        p.append("f.jsonl", line("b"))
        said = process.stderr.readline()
        assert "trying again" in said, said
        with server_support.Server(origo, store=store, listen=socket):
            p.wait_for(lambda: offset_in(p.path("state")) ==
                       os.path.getsize(path), process)
        support.end(process)
        done = subprocess.run([origo, "export", "-s", store],
                              capture_output=True, text=True)
        equal([json.loads(d)["id"] for d in done.stdout.splitlines()],
              ["a", "b"])
    return None


def test_stopped_while_it_waits(origo):
    """What was never sent has no position, of whatever source."""
    if cannot(origo):
        return cannot(origo)
    with support.Place(origo) as p:
        os.makedirs(p.path("in"))
        for name in "abc":
            p.write("in/%s.jsonl" % name, line(name))
        file = p.write("f.jsonl", line("f"))
        feed = p.write("f.xml", "<rss><item><guid>x:1</guid><description>y"
                       "</description></item></rss>")
        socket = "unix:" + p.path("socket")
        to = ["--server", socket, "--state", p.path("state"), "--max-batch",
              "200", p.path("in"), file, feed]
        os.utime(p.path("in/a.jsonl"), (1, 1))
        os.utime(p.path("in/b.jsonl"), (1, 1))
        process = subprocess.Popen([origo, "follow", *to], text=True,
                                   stderr=subprocess.PIPE)
        said = process.stderr.readline()
        assert "trying again" in said, said
        support.end(process)
        store = p.path("store")
        with server_support.Server(origo, store=store, listen=socket):
            run(origo, "--once", *to)
        done = subprocess.run([origo, "export", "-s", store],
                              capture_output=True, text=True)
        equal(sorted(json.loads(d)["id"] for d in done.stdout.splitlines()),
              ["a", "b", "c", "f", "x:1"])
    return None


if __name__ == "__main__":
    support.main(globals())
