"""The index of passages dropped and built again ('origo index'): kills, power
losses and failing changes. All files of the store are written anew for it."""

import os
import shutil
import subprocess

import power
from bench import Failure, must
from disturb import some_points, watch
from upkeep import ALL, APART, answers

REST = ("add", "--index", "near,sentences")


class Rebuild:
    """A store, a command that changes whether it has passages, and what it
    answers before and after."""

    def __init__(self, bench, is_drop):
        self.bench, self.is_drop = bench, is_drop
        name = "drop" if is_drop else "build"
        self.base = bench.make(name + ".base", 90, how=ALL if is_drop else REST)
        self.store = bench.path(name + ".store")
        self.command = [bench.origo, "index", "-q",
                        "--drop" if is_drop else "--add", "passages", "-s"]
        self.documents = self.export(self.base)
        self.old = self.ask(self.base)
        must([*self.command, self.fresh()])
        self.new = self.ask(self.store)
        if self.export(self.store) != self.documents:
            raise Failure("documents changed")
        if ("passages" in self.old[0]) == ("passages" in self.new[0]):
            raise Failure("'%s' became '%s'" % (self.old[0], self.new[0]))

    def export(self, store):
        return must([self.bench.origo, "export", "-s", store]).stdout

    def ask(self, store):
        """Its indexes, and what each of them answers."""
        names = must([self.bench.origo, "index", "-s", store]).stdout.decode()
        said = answers(self.bench, store)
        if "passages" in names:
            said.append(must([self.bench.origo, "trace", "-q", "-s", store,
                              self.bench.stream.queries]).stdout)
        return [names, *said]

    def check(self, store, must_be_done=False):
        """The old store or the new one, whole, and nothing of the other."""
        must([self.bench.origo, "verify", "-q", "-s", store])
        if self.export(store) != self.documents:
            raise Failure("%s: other documents" % store)
        seen = self.ask(store)
        if seen != self.new and (must_be_done or seen != self.old):
            differ = [i for i, said in enumerate(seen) if said != self.new[i]] \
                if len(seen) == len(self.new) else "number"
            raise Failure("%s: answers %s, indexes %s; differs in %s" % (
                store, "as before" if seen == self.old else
                "neither as before nor as after", seen[0].strip(), differ))

    def finish(self, store):
        """Once more, undisturbed; then it takes a document, and no file of
        another generation is left."""
        must([*self.command, store])
        self.check(store, must_be_done=True)
        one = self.bench.path("one.jsonl")
        with open(one, "w") as f:
            f.write('{"id":"one more","text":"The last of all documents."}\n')
        must([self.bench.origo, "add", "-q", "-s", store, one])
        must([self.bench.origo, "compact", "-q", "-s", store])
        must([self.bench.origo, "verify", "-q", "-s", store])
        folders = [f for f in os.listdir(store) if f not in APART]
        if len(folders) != 1:
            raise Failure("%s: files of two generations: %s" % (store, folders))

    def fresh(self):
        shutil.rmtree(self.store, ignore_errors=True)
        shutil.copytree(self.base, self.store)
        return self.store

    def run(self, **env):
        count = self.bench.path("count")
        return subprocess.run(
            [*self.command, self.fresh()], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=60,
            env=dict(os.environ, LD_PRELOAD=self.bench.shim,
                     SHIM_ROOT=self.store, SHIM_COUNT=count, **env))

    def changes(self, n_least):
        """Numbers of changes to disturb: all, or a few of them and the last
        ones, among which the switch is."""
        self.run()
        with open(self.bench.path("count")) as f:
            n = int(f.read())
        if self.bench.full:
            return range(1, n + 1)
        step = max(1, n // n_least)
        return sorted({*range(1, n + 1, step), *range(max(1, n - 4), n + 1)})


def both(bench):
    return (Rebuild(bench, True), Rebuild(bench, False))


def rebuild_kills(bench):
    n_tried = 0
    for rebuild in both(bench):
        for n in rebuild.changes(3):
            rebuild.run(SHIM_KILL=str(n))
            rebuild.check(rebuild.store)
            if n % 3 == 0:
                rebuild.finish(rebuild.store)
            n_tried += 1
    return "%d kills" % n_tried


def rebuild_faults(bench):
    n_tried, statuses = 0, {}
    kinds = ("enospc", "eio", "short", "enospc:stay", "eio:stay")
    for rebuild in both(bench):
        for n in rebuild.changes(3):
            kind = kinds[n_tried % len(kinds)]
            done = rebuild.run(SHIM_FAIL="%d:%s" % (n, kind))
            said = done.stderr.decode()
            if done.returncode not in (0, 3, 4) or \
                    (done.returncode != 0 and not said.startswith("origo: ")):
                raise Failure("%d:%s: status %d: '%s'" % (
                    n, kind, done.returncode, said))
            rebuild.check(rebuild.store, must_be_done=done.returncode == 0)
            if n % 3 == 0:
                rebuild.finish(rebuild.store)
            statuses[done.returncode] = statuses.get(done.returncode, 0) + 1
            n_tried += 1
    return "%d faults, by status: %s" % (n_tried, sorted(statuses.items()))


def rebuild_power(bench):
    n_tried = 0
    for rebuild in both(bench):
        folder, target = bench.fresh("power.d"), bench.path("power.copy")
        os.mkdir(folder)
        store, log = os.path.join(folder, "store"), bench.path("power.log")
        shutil.copytree(rebuild.base, store)
        before = power.Before(folder, bench.path("power.base"))
        watch(bench, folder, log, [*rebuild.command, store])
        points = sorted(some_points(bench, log, 120 if bench.full else 6))
        copy = os.path.join(target, "store")
        for i, _ in enumerate(power.replay(before, [log], points, bench.random,
                                           target)):
            rebuild.check(copy, must_be_done=i == len(points) - 1)
            if i % 5 == 0:
                rebuild.finish(copy)
        n_tried += len(points)
    return "%d points" % n_tried


CHECKS = [rebuild_kills, rebuild_faults, rebuild_power]
