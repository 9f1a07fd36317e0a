#!/usr/bin/env python3
"""How many documents a second does origo serve trace, and how long do they wait?

usage: bench/bench_server.py ORIGO ECHO DATA WORK [--quick]

DATA has mail.jsonl.zst and rfc.jsonl.zst; WORK is a folder on the disk that is
meant. The load comes from wrk on the same machine, 8 connections, each of which
sends the next document when it has the answer to the one before:

  echo     a bare handler of libmicrohttpd that answers with the bytes that it
           was sent: the floor
  table    POST /v1/trace?verify=false: what the table says, without a look at
           the texts of the origins; of documents of 500 tokens, messages that
           are not in the store, against 100,000 that are
  alone    POST /v1/trace of the same, compared with the texts
  mixed    the same while 500 other documents a second are added, durably, in
           requests of 10
  paced    the same, and no more than 500 questions a second: how long do they
           wait when nobody asks for all that the machine can give?
  idle     the same with 10,000 connections open that do nothing, and a client
           of events that does not read

Latencies are in milliseconds; `cpu` are the milliseconds of a processor that the
serving process takes for a request. The last lines say what the same answers cost
without a server, as milliseconds of one processor a document, and how many a
second that is when all processors do nothing else. --quick takes 5,000 messages and a second each."""

import argparse
import http.client
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

TOKENS = 500
CONNECTIONS = 8


def output(command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE,
                          text=True).stdout


def lines_of(path):
    """The records of a packed file of JSONL."""
    with subprocess.Popen(["zstd", "-dcq", "--long=27", path],
                          stdout=subprocess.PIPE) as unpack:
        yield from unpack.stdout
        unpack.stdout.close()


def cut(text, n):
    """The first n tokens of a text, as it stands there."""
    end = 0
    for i, word in enumerate(re.finditer(r"\w+", text)):
        if i == n:
            return text[:end]
        end = word.end()
    return None


def prepare(data, work, n_documents, n_added):
    """Writes the store's input, the questions and the documents to add."""
    source = os.path.join(work, "store.jsonl")
    questions, rest = [], ""
    with open(source, "wb") as out:
        for i, line in enumerate(lines_of(os.path.join(data,
                                                       "mail.jsonl.zst"))):
            if i < n_documents:
                out.write(line)
                continue
            # What follows in the list, put together until it is long enough.
            rest += json.loads(line)["text"] + "\n\n"
            piece = cut(rest, TOKENS)
            if piece:
                questions.append(piece)
                rest = ""
            if len(questions) == 1000:
                break
    bodies = os.path.join(work, "bodies")
    with open(bodies, "wb") as out:
        for piece in questions:
            out.write(piece.replace("\0", " ").encode() + b"\0")
    added = []
    for line in lines_of(os.path.join(data, "rfc.jsonl.zst")):
        text = json.loads(line)["text"]
        while len(added) < n_added and (piece := cut(text, TOKENS)):
            added.append(piece)
            text = text[len(piece):]
        if len(added) == n_added:
            break
    if not questions or not added:
        sys.exit("bench_server.py: '%s' has no mail.jsonl.zst and rfc.jsonl.zst "
                 "with enough documents" % data)
    mean = sum(len(q.encode()) for q in questions) / len(questions)
    return source, bodies, added, mean


class Program:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        self.address = self.process.stdout.readline().split()[-1]
        self.port = int(self.address.rsplit(":", 1)[1])

    def stop(self, sign=signal.SIGTERM):
        self.process.stdin.close()
        self.process.send_signal(sign)
        self.process.wait()
        self.process.stdout.close()

    def processor_seconds(self):
        with open("/proc/%d/stat" % self.process.pid, encoding="ascii") as f:
            fields = f.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident(self):
        with open("/proc/%d/statm" % self.process.pid, encoding="ascii") as f:
            return int(f.read().split()[1]) * resource.getpagesize()

    def stats(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.request("GET", "/v1/stats")
        data = json.loads(connection.getresponse().read())
        connection.close()
        return data


def load(server, bodies, seconds, query="", rate=None):
    """What wrk counted, and the processor time that the server took for it."""
    here = os.path.dirname(os.path.abspath(__file__))
    before = server.processor_seconds()
    text = output(["wrk", "-t1", "-c%d" % CONNECTIONS, "-d%ds" % seconds,
                   "--timeout", "30s", "-s",
                   os.path.join(here, "wrk_bodies.lua"),
                   server.address + "/v1/trace" + query, "--", bodies,
                   *([str(rate)] if rate else [])])
    seen = json.loads(text.splitlines()[-1])
    seen["cpu"] = ((server.processor_seconds() - before) * 1e3
                   / max(1, seen["requests"]))
    return seen


def processor_time(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime
            - before.ru_utime - before.ru_stime)


def show_in_process(origo, store, bodies, work):
    """The command on one thread: the questions of a file six times, less those
    of one that has them once, so that what it costs to start and to find the
    texts at first does not count."""
    with open(bodies, "rb") as file:
        texts = file.read().split(b"\0")[:-1]
    lines = "".join(json.dumps({"id": "q%d" % i, "text": text.decode()}) + "\n"
                    for i, text in enumerate(texts))
    paths = [os.path.join(work, "once.jsonl"), os.path.join(work, "six.jsonl")]
    for path, times in zip(paths, (1, 6)):
        with open(path, "w", encoding="utf-8") as file:
            file.write(lines * times)
    output_path = os.path.join(work, "answers.json")
    for name, options in (("table", ["--no-verify"]), ("alone", [])):
        command = [origo, "trace", "-q", "-j", "1", "-s", store, "--format",
                   "json", *options, "-o", output_path]
        once, six = (processor_time([*command, path]) for path in paths)
        each = (six - once) / (5 * len(texts))
        print("%-7s %9.0f a second without a server: %.3f ms each on one of "
              "%d processors" % (name, os.cpu_count() / each, each * 1e3,
                                 os.cpu_count()), flush=True)
    for path in (*paths, output_path):
        os.unlink(path)


class Adder:
    """Adds `rate` documents a second, ten a request, from a few connections
    that take turns, so that the next is sent when it is due although the one
    before is not yet acknowledged; remembers how long the acknowledgements
    took, counted from when they were due."""

    BATCH, CONNECTIONS = 10, 4

    def __init__(self, port, documents, rate, run=0):
        self.port, self.rate = port, rate
        self.bodies = [self.body(documents[i:i + self.BATCH], run, i)
                       for i in range(0, len(documents), self.BATCH)]
        self.stopping = threading.Event()
        self.lock, self.next = threading.Lock(), 0
        self.times, self.n, self.n_wrong = [], 0, 0
        self.began = self.seconds = 0
        self.threads = [threading.Thread(target=self.run, daemon=True)
                        for _ in range(self.CONNECTIONS)]

    @staticmethod
    def body(texts, run, first):
        return "".join(json.dumps({"id": "new-%d-%d" % (run, first + i),
                                   "text": text}) + "\n"
                       for i, text in enumerate(texts)).encode()

    def start(self):
        self.began = time.monotonic()
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join()
        self.seconds = time.monotonic() - self.began

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        while True:
            with self.lock:
                number, self.next = self.next, self.next + 1
            due = self.began + number * self.BATCH / self.rate
            time.sleep(max(0, due - time.monotonic()))
            if self.stopping.is_set() or number >= len(self.bodies):
                break
            connection.request("POST", "/v1/documents", self.bodies[number],
                               {"Content-Type": "application/x-ndjson"})
            answer = connection.getresponse()
            n_added = answer.read().count(b'"added"')
            with self.lock:
                self.times.append((time.monotonic() - due) * 1e3)
                self.n += n_added
                self.n_wrong += (answer.status != 200
                                 or n_added != self.BATCH)
        connection.close()


def show(name, seen, floor=None, more=""):
    rate = seen["requests"] / seen["seconds"]
    share = "%6.2f" % (rate / floor) if floor else "  1.00"
    print("%-7s %9.0f %s %8.2f %8.2f %8.2f %7.3f %7d  %s"
          % (name, rate, share, seen["p50"], seen["p99"], seen["p999"],
             seen["cpu"], seen["errors"], more), flush=True)
    return rate


def quantile(times, share):
    return sorted(times)[min(len(times) - 1, int(share * len(times)))]


def open_idle(port, n):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    n = min(n, hard - 200)
    sockets = []
    for i in range(n):
        # Each address of a machine has some 28,000 ports.
        sockets.append(socket.create_connection(("127.0.0.1", port)))
    lazy = socket.create_connection(("127.0.0.1", port))
    lazy.sendall(b"GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return sockets + [lazy]


def machine():
    model = next((line.split(":")[1].strip()
                  for line in open("/proc/cpuinfo", encoding="ascii")
                  if line.startswith("model name")), "unknown processor")
    return "%s, %d cores" % (model, os.cpu_count())


def main():
    parser = argparse.ArgumentParser()
    for name in ("origo", "echo", "data", "work"):
        parser.add_argument(name)
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    if shutil.which("wrk") is None:
        sys.exit("SKIPPED: wrk is missing")
    seconds = 1 if args.quick else 20
    n_documents = 5000 if args.quick else 100000
    n_idle = 1000 if args.quick else 10000
    os.makedirs(args.work, exist_ok=True)
    store = os.path.join(args.work, "server.store")
    shutil.rmtree(store, ignore_errors=True)
    source, bodies, added, mean = prepare(args.data, args.work, n_documents,
                                          2 * (seconds + 5) * 500)
    subprocess.run([args.origo, "add", "-q", "-s", store, source], check=True)
    os.unlink(source)
    print("origo serve on %s; wrk on the same machine, %d connections, %d s "
          "each;\n%d documents in the store, questions of %d tokens (%.0f bytes)"
          % (machine(), CONNECTIONS, seconds, n_documents, TOKENS, mean))
    print("%-7s %9s %6s %8s %8s %8s %7s %7s"
          % ("", "a second", "share", "50 %", "99 %", "99.9 %", "cpu", "errors"))
    echo = Program([args.echo, "2"])
    load(echo, bodies, 1)
    floor = show("echo", load(echo, bodies, seconds))
    echo.stop()
    server = Program([args.origo, "serve", "-q", "-s", store, "--listen",
                      "127.0.0.1:0", "--timeout", "120"])
    load(server, bodies, 2)
    before = server.resident()
    show("table", load(server, bodies, seconds, "?verify=false"), floor)
    show("alone", load(server, bodies, seconds), floor)
    for run, (name, rate) in enumerate((("mixed", None), ("paced", 500))):
        adder = Adder(server.port, added[run::2], 500, run)
        adder.start()
        seen = load(server, bodies, seconds, rate=rate)
        adder.stop()
        show(name, seen, floor,
             "%.0f added a second, acknowledged in %.1f ms (50 %%), %.1f "
             "(99 %%), %d wrong"
             % (adder.n / adder.seconds, quantile(adder.times, 0.5),
                quantile(adder.times, 0.99), adder.n_wrong))
    idle = open_idle(server.port, n_idle)
    seen = load(server, bodies, max(1, seconds // 2))
    show("idle", seen, floor, "%d connections" % server.stats()["n_connections"])
    for s in idle:
        s.close()
    after = server.resident()
    expected = server.stats()["n_documents"]
    server.stop(signal.SIGKILL)
    again = Program([args.origo, "serve", "-q", "-s", store, "--listen",
                     "127.0.0.1:0"])
    print("memory %d MB before, %d MB after; after kill -9: %d documents of %d"
          % (before >> 20, after >> 20, again.stats()["n_documents"],
             expected))
    again.stop()
    show_in_process(args.origo, store, bodies, args.work)
    shutil.rmtree(store, ignore_errors=True)
    os.unlink(bodies)


if __name__ == "__main__":
    main()
