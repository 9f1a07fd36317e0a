"""Where programs and folders are, and what a store must know."""

import os
import random
import shutil
import subprocess

import streams

SEED = 419


class Failure(Exception):
    pass


class Bench:
    """Where programs and folders are, and how they are called."""

    def __init__(self, build, folder, full):
        self.origo = os.path.join(build, "tests/crash/origo-small")
        self.probe = os.path.join(build, "tests/crash/probe")
        self.shim = os.path.join(build, "tests/crash/shim.so")
        self.folder, self.full = folder, full
        self.random = random.Random(SEED)
        self.stream = streams.Stream(self.path("stream"), SEED, 200)
        self.states = self.stream.reference(self.probe)

    def path(self, name):
        return os.path.join(self.folder, name)

    def fresh(self, name):
        shutil.rmtree(self.path(name), ignore_errors=True)
        return self.path(name)

    def add(self, store, *files, how=("trace", "--add")):
        return [self.origo, *how, "-q", "-s", store, "--memory",
                streams.MEMORY, "--key", "default", *files]

    def state(self, store, mode="state"):
        """(documents, removed), and the probe's line; what it says is a
        failure."""
        done = subprocess.run([self.probe, mode, store, self.stream.queries],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True)
        if done.returncode != 0:
            raise Failure("%s of %s: status %d, %s" % (
                mode, store, done.returncode, done.stderr.strip()))
        n, removed = done.stdout.split()[:2]
        return (int(n), int(removed)), done.stdout.strip()

    def check_state(self, store, least, mode="state"):
        """Equal to the run that nothing disturbed; at least `least` documents.
        Returns the steps that were done."""
        (n, removed), line = self.state(store, mode)
        if n < least:
            raise Failure("%d documents were acknowledged, %d are there"
                          % (least, n))
        at = self.stream.position(n, removed)
        is_whole = self.stream.done[at] == (n, removed)
        if not is_whole and self.stream.steps[at][0] != "rm":
            raise Failure("%d documents, %d removed: no prefix" % (n, removed))
        if is_whole and at > 0 and line != self.states[(n, removed)]:
            raise Failure("after step %d the store knows\n%s\nand not\n%s" % (
                at, line, self.states[(n, removed)]))
        return at

    def make(self, name, n_steps=None, how=("add",)):
        """A store by the command, undisturbed."""
        store = self.fresh(name)
        at, stop = 0, n_steps or len(self.stream.steps)
        while at < stop:
            lines, end = self.stream.adds_from(at)
            if lines:
                end = min(end, stop)
                path = self.path("input.jsonl")
                self.stream.write_adds(at, end, path)
                must(self.add(store, path, how=how))
                at = end
            else:
                must([self.origo, "rm", "-s", store, self.stream.steps[at][1]])
                at += 1
        return store


def must(command, **how):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, **how)
    if done.returncode != 0:
        raise Failure("status %d of %s: %s" % (
            done.returncode, " ".join(command), done.stderr.decode()))
    return done


def count_lines(path):
    """Those that were written whole."""
    with open(path, "rb") as f:
        return f.read().count(b"\n")
