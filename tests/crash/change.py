"""A command that changes a whole store, disturbed: kills, failing changes and
power losses. After each the store is the old one or the new one."""

import os
import shutil
import subprocess

import power
from bench import Failure, must
from disturb import some_points, watch

APART = ("lock", "origo.conf")  # what is in no folder of a generation
KINDS = ("enospc", "eio", "short", "enospc:stay", "eio:stay")


class Change:
    """A store, the command, and what is true of the store before and after;
    check() and finish() are those of the command."""

    def __init__(self, bench, name, base):
        self.bench, self.base = bench, base
        self.store = bench.path(name + ".store")
        self.command = []  # and the store

    def check(self, store, must_be_done=False):
        """The old store, unless it must be done, or the new one."""
        raise NotImplementedError

    def finish(self, store):
        """Once more, undisturbed."""
        raise NotImplementedError

    def export(self, store):
        return must([self.bench.origo, "export", "-s", store]).stdout

    def check_generations(self, store):
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
            stderr=subprocess.PIPE, timeout=600,
            env=dict(os.environ, LD_PRELOAD=self.bench.shim,
                     SHIM_ROOT=self.store, SHIM_COUNT=count, **env))

    def changes(self):
        """Numbers of changes to disturb: all, or a few of them and the last
        ones, among which the switch is."""
        self.run()
        with open(self.bench.path("count")) as f:
            n = int(f.read())
        if self.bench.full:
            return range(1, n + 1)
        step = max(1, n // 3)
        return sorted({*range(1, n + 1, step), *range(max(1, n - 4), n + 1)})


def kills(changes):
    n_tried = 0
    for change in changes:
        for n in change.changes():
            change.run(SHIM_KILL=str(n))
            change.check(change.store)
            if n % 3 == 0:
                change.finish(change.store)
            n_tried += 1
    return "%d kills" % n_tried


def faults(changes):
    n_tried, statuses = 0, {}
    for change in changes:
        for n in change.changes():
            kind = KINDS[n_tried % len(KINDS)]
            done = change.run(SHIM_FAIL="%d:%s" % (n, kind))
            said = done.stderr.decode()
            if done.returncode not in (0, 3, 4) or \
                    (done.returncode != 0 and not said.startswith("origo: ")):
                raise Failure("%d:%s: status %d: '%s'" % (
                    n, kind, done.returncode, said))
            change.check(change.store, must_be_done=done.returncode == 0)
            if n % 3 == 0:
                change.finish(change.store)
            statuses[done.returncode] = statuses.get(done.returncode, 0) + 1
            n_tried += 1
    return "%d faults, by status: %s" % (n_tried, sorted(statuses.items()))


def power_losses(changes):
    n_tried = 0
    for change in changes:
        bench = change.bench
        folder, target = bench.fresh("power.d"), bench.path("power.copy")
        os.mkdir(folder)
        store, log = os.path.join(folder, "store"), bench.path("power.log")
        shutil.copytree(change.base, store)
        before = power.Before(folder, bench.path("power.base"))
        watch(bench, folder, log, [*change.command, store])
        points = sorted(some_points(bench, log, 120 if bench.full else 7))
        copy = os.path.join(target, "store")
        for i, _ in enumerate(power.replay(before, [log], points, bench.random,
                                           target)):
            change.check(copy, must_be_done=i == len(points) - 1)
            if i % 5 == 0:
                change.finish(copy)
        n_tried += len(points)
    return "%d points" % n_tried
