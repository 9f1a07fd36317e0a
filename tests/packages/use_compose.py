#!/usr/bin/env python3
"""Runs the services of packaging/compose.yaml and sends documents through them:
tests/packages/use_compose.py COMPOSE.yaml TOKEN VALKEY... + ORIGO... + FOLLOW...

The three commands start Valkey, a container for the server and one for `origo
follow`; the arguments that the compose file gives each service are appended.
Documents are added to the stream of Valkey; they must arrive in the server, which must
then find what was copied. It must be called in a network of its own, since the ports
are those of the file."""

import json
import shlex
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import yaml

PATIENCE = 1200  # tries, 0.1 s apart: a busy machine is slow, not broken
TEXT = ("the lamp will be lit again in spring, once it has been brought back "
        "from the museum in the old town")


def wait_for(what, attempt):
    for _ in range(PATIENCE):
        found = attempt()
        if found:
            return found
        time.sleep(0.1)
    sys.exit("in vain: " + what)


def ask_valkey(*words):
    """The first line of its answer, or None while nobody listens."""
    message = "*%d\r\n" % len(words) + "".join(
        "$%d\r\n%s\r\n" % (len(word), word) for word in words)
    try:
        with socket.create_connection(("127.0.0.1", 6379)) as server:
            server.sendall(message.encode("ascii"))
            return server.makefile("rb").readline()
    except ConnectionRefusedError:
        return None


def ask_server(path, token, body=None):
    """The answer, or None while nobody listens or nothing is found."""
    request = urllib.request.Request(
        "http://127.0.0.1:7070" + path,
        None if body is None else json.dumps(body).encode("ascii"),
        {"Authorization": "Bearer " + token,
         "Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        if error.code != 404:
            sys.exit("%s: %s" % (path, error.read().decode("utf-8")))
    except (urllib.error.URLError, ConnectionError):
        pass
    return None


def refuses_strangers():
    try:
        urllib.request.urlopen("http://127.0.0.1:7070/v1/documents/a")
    except urllib.error.HTTPError as error:
        return error.code == 401
    return False


def split(words):
    while "+" in words:
        yield words[:words.index("+")]
        words = words[words.index("+") + 1:]
    yield words


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        services = yaml.safe_load(f)["services"]
    token = sys.argv[2]
    valkey, origo, follow = split(sys.argv[3:])
    running = []

    def start(name, command):
        running.append(subprocess.Popen(
            command + shlex.split(services[name]["command"])))

    try:
        start("valkey", valkey)
        wait_for("Valkey", lambda: ask_valkey("PING") == b"+PONG\r\n")
        ask_valkey("XADD", "documents", "*", "id", "a", "text", TEXT,
                   "time", "2001-01-01")
        start("origo", origo)
        start("follow", follow)
        wait_for("the first document",
                 lambda: ask_server("/v1/documents/a", token))
        ask_valkey("XADD", "documents", "*", "id", "b", "text",
                   "they say that " + TEXT)
        wait_for("the second document",
                 lambda: ask_server("/v1/documents/b", token))
        answer = ask_server("/v1/trace", token, {"id": "c", "text": TEXT})
        assert answer["spans"][0]["origin"]["id"] == "a", answer
        assert refuses_strangers()
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.wait()


if __name__ == "__main__":
    main()
