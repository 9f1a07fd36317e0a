"""Kills, power losses, failing changes, flipped and missing bytes."""

import os
import shutil
import signal
import subprocess
import threading
import time

import power
from bench import SEED, Failure, count_lines, must


# ---- kills --------------------------------------------------------------------

def feed(pipe, lines, pause):
    try:
        for line in lines:
            pipe.write(line.encode() + b"\n")
            if pause > 0 and hash(line) % 4 == 0:
                pipe.flush()
                time.sleep(pause)
        pipe.close()
    except OSError:
        pass


def run_and_kill(bench, store, at, patience=1):
    """One session from step `at` on, killed. Returns (killed, lines)."""
    r = bench.random
    out = bench.path("answers")
    lines, _ = bench.stream.adds_from(at)
    how = ("trace", "--add") if r.random() < 0.8 else ("add",)
    command = bench.add(store, "-", how=how) if lines else \
        [bench.origo, "rm", "-s", store, bench.stream.steps[at][1]]
    with open(out, "wb") as answers:
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=answers,
                                 stderr=subprocess.DEVNULL)
        feeder = threading.Thread(target=feed, args=(
            child.stdin, lines, r.choice((0, 0.001, 0.008))))
        feeder.start()
        try:
            child.wait(r.uniform(0, r.choice((0.03, 0.1, 0.3))) * patience)
        except subprocess.TimeoutExpired:
            child.kill()
        child.wait()
        feeder.join()
    if child.returncode not in (0, -signal.SIGKILL):
        raise Failure("status %d of %s" % (child.returncode, command))
    n = count_lines(out) if how[0] == "trace" and lines else 0
    return child.returncode != 0, n


def kills(bench):
    n_kills, n_runs, at, rounds = 0, 400 if bench.full else 20, 0, 0
    store = bench.fresh("killed.store")
    while n_kills < n_runs or rounds == 0:
        if at == len(bench.stream.steps):
            bench.check_state(store, bench.stream.done[-1][0], "checkpoint")
            store, at = bench.fresh("killed.store"), 0
            rounds += 1
            continue
        # Where the machine is so busy that no session ends, they get longer.
        killed, n_lines = run_and_kill(bench, store, at,
                                       4 ** (n_kills // n_runs))
        n_kills += killed
        if os.path.exists(os.path.join(store, "origo.conf")):
            least = bench.stream.done[at][0] + n_lines
            at = bench.check_state(store, least)
        elif n_lines > 0:
            raise Failure("no store, but %d answers" % n_lines)
        if n_kills > 3 * n_runs:
            raise Failure("no round came to its end")
    return "%d kills, %d rounds to the end" % (n_kills, rounds)


# ---- power --------------------------------------------------------------------

def power_losses(bench):
    """The whole stream is recorded, session by session, into one log."""
    per_log = 120 if bench.full else 12
    folder, log = bench.fresh("power.d"), bench.path("power.log")
    os.mkdir(folder)
    store = os.path.join(folder, "store")
    target, at, n_tried = bench.path("power.copy"), 0, 0
    base = bench.path("power.base")
    n_sessions = 0
    while at < len(bench.stream.steps):
        lines, end = bench.stream.adds_from(at)
        path = bench.path("input.jsonl")
        if lines:
            end = min(end, at + bench.random.choice((3, 20, 60)))
            bench.stream.write_adds(at, end, path)
            command = bench.add(store, path)
        else:
            end = at + 1
            command = [bench.origo, "rm", "-s", store,
                       bench.stream.steps[at][1]]
        wanted = bench.full or n_sessions % 6 == 0
        if wanted:
            n_tried += lose_power(bench, store, log, command, at,
                                  bool(lines), target, base, per_log)
        else:
            must(command)
        bench.check_state(store, bench.stream.done[end][0])
        at = end
        n_sessions += 1
    return "%d points in %d sessions" % (n_tried, n_sessions)


def watch(bench, folder, log, command, **more):
    """Runs it with a fresh log; a kill is no failure."""
    if os.path.exists(log):
        os.remove(log)
    env = dict(os.environ, LD_PRELOAD=bench.shim, SHIM_ROOT=folder,
               SHIM_LOG=log, **more)
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    if done.returncode not in (0, -signal.SIGKILL):
        raise Failure("status %d: %s" % (done.returncode, done.stderr))
    return done.stdout.count(b"\n")


def some_points(bench, log, n):
    length = len(power.read_log(log))
    return {bench.random.randint(0, length) for _ in range(n)} | {length}


def check_copy(bench, copy, least):
    if os.path.exists(os.path.join(copy, "origo.conf")):
        bench.check_state(copy, least)
    elif least > 0:
        raise Failure("no store, but %d documents" % least)


def lose_power(bench, store, log, command, at, adds, target, base, n):
    """One session; what was there before it is safe."""
    folder, copy = os.path.dirname(store), os.path.join(target, "store")
    before = power.Before(folder, base)
    watch(bench, folder, log, command)
    points = some_points(bench, log, n)
    n_before = bench.stream.done[at][0]
    for n_acked in power.replay(before, [log], points, bench.random, target):
        check_copy(bench, copy, n_before + (n_acked if adds else 0))
    # The last one goes on as if nothing had been.
    if adds:
        must([copy if word == store else word for word in command])
    return len(points)


def journal_writes(log):
    """The numbers of the changes that write to a journal."""
    changes = [row for row in power.read_log(log) if row[0] not in "ua"]
    return [i + 1 for i, row in enumerate(changes)
            if row[0] == "w" and "/journal/" in row[4]]


def power_after_kill(bench):
    """A writer is killed, the next one builds on what it left with the system,
    then the power goes. What the second acknowledged rests on the first."""
    n_rounds, n_points, r = 60 if bench.full else 8, 0, bench.random
    folder, target = bench.path("power.d"), bench.path("power.copy")
    store, path = os.path.join(folder, "store"), bench.path("input.jsonl")
    logs = [bench.path("first.log"), bench.path("second.log")]
    base, at = bench.make("power.made", 25), 25
    lines, end = bench.stream.adds_from(at)
    while len(lines) < 12:
        at, base = end + 1, bench.make("power.made", end + 1)
        lines, end = bench.stream.adds_from(at)
    kills = []
    for i in range(n_rounds):
        bench.fresh("power.d")
        os.mkdir(folder)
        shutil.copytree(base, store)
        before = power.Before(folder, bench.path("power.base"))
        bench.stream.write_adds(at, end, path)
        command = bench.add(store, "--threads", "1", path)
        if not kills:  # the first round shows what there is
            watch(bench, folder, logs[0], command)
            kills = journal_writes(logs[0])
            continue
        point = r.choice(kills) if i % 2 else r.randint(1, max(kills))
        acked = watch(bench, folder, logs[0], command, SHIM_KILL=str(point))
        begin = bench.check_state(store, bench.stream.done[at][0] + acked)
        bench.stream.write_adds(begin, end, path)
        watch(bench, folder, logs[1], command)
        points = some_points(bench, logs[1], 20 if bench.full else 8)
        for n in power.replay(before, logs, points, r, target):
            # The first one may have left nothing to add.
            least = min(bench.stream.done[begin][0] + n,
                        bench.stream.done[end][0]) if n > 0 else \
                bench.stream.done[at][0] + acked
            check_copy(bench, os.path.join(target, "store"), least)
        n_points += len(points)
    return "%d kills, %d points" % (n_rounds - 1, n_points)


# ---- faults -------------------------------------------------------------------

def one_fault(bench, base, begin, path, fail):
    """Runs with a change that fails; returns what the command said."""
    store, out = bench.fresh("fault.store"), bench.path("answers")
    if base:
        shutil.copytree(base, store)
    env = dict(os.environ, LD_PRELOAD=bench.shim, SHIM_ROOT=store,
               SHIM_FAIL=fail, SHIM_COUNT=bench.path("count"))
    with open(out, "wb") as answers:
        child = subprocess.run(bench.add(store, "--threads", "1", path),
                               stdout=answers, stderr=subprocess.PIPE,
                               env=env, timeout=60)
    said = child.stderr.decode()
    said = "\n".join(l for l in said.splitlines() if "seen before" not in l)
    if child.returncode not in (0, 3, 4):
        raise Failure("%s: status %d: %s" % (fail, child.returncode, said))
    if child.returncode != 0 and not said.startswith("origo: "):
        raise Failure("%s: no message: '%s'" % (fail, said))
    n_lines = count_lines(out)
    least = bench.stream.done[begin][0] + n_lines
    if os.path.exists(os.path.join(store, "origo.conf")):
        at = bench.check_state(store, least)
        must(bench.add(store, path, how=("add", "--resume")))
    elif least > 0:
        raise Failure("%s: no store, but %d documents" % (fail, least))
    if child.returncode == 0 and n_lines != count_lines(path):
        raise Failure("%s: status 0, but %d answers" % (fail, n_lines))
    return child.returncode, said


def faults(bench):
    """From nothing, and on top of a store that has a checkpoint and texts."""
    n_tried, statuses = 0, {}
    for base, begin in ((None, 0), (60, 60)):
        _, end = bench.stream.adds_from(begin)
        while end == begin:  # a removal: a step on
            begin, base = begin + 1, base + 1
            _, end = bench.stream.adds_from(begin)
        folder = bench.make("fault.base", base) if base else None
        path = bench.path("fault.jsonl")
        bench.stream.write_adds(begin, min(end, begin + 40), path)
        one_fault(bench, folder, begin, path, "0:enospc")
        n_changes = int(open(bench.path("count")).read())
        kinds = ("enospc", "eio", "short", "enospc:stay", "eio:stay")
        step = 1 if bench.full else max(1, n_changes // 16)
        for i, n in enumerate(range(1, n_changes + 1, step)):
            for kind in kinds if bench.full else (kinds[i % len(kinds)],):
                status, _ = one_fault(bench, folder, begin, path,
                                      "%d:%s" % (n, kind))
                statuses[status] = statuses.get(status, 0) + 1
                n_tried += 1
    return "%d faults, by status: %s" % (n_tried, sorted(statuses.items()))


# ---- damage -------------------------------------------------------------------

def small_store(bench):
    """Few documents, but a checkpoint, a batch, a journal behind them."""
    store = bench.make("small.store", 45)
    bench.state(store, "checkpoint")
    at = 45
    _, end = bench.stream.adds_from(at)
    path = bench.path("input.jsonl")
    bench.stream.write_adds(at, max(end, at + 1), path)
    must(bench.add(store, path, how=("add",)))
    return store


def run_probe(bench, *args):
    done = subprocess.run([bench.probe, *args], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise Failure("\n".join(done.stdout.splitlines()[-30:]))
    return done.stdout.splitlines()[-1]


def flips(bench):
    """All bytes take a while: every core gets its share of them."""
    n = len(os.sched_getaffinity(0)) if bench.full else 1
    step, store = n if bench.full else 397, small_store(bench)
    children = []
    for i in range(n):
        copy = bench.fresh("flipped-%d.store" % i)
        shutil.copytree(store, copy)
        children.append(subprocess.Popen(
            [bench.probe, "flips", copy, bench.stream.queries, str(step),
             str(i)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True))
    outs = [child.communicate()[0].splitlines() for child in children]
    for child, out in zip(children, outs):
        if child.returncode != 0:
            raise Failure("\n".join(out[-30:]))
    return "; ".join(out[-1] for out in outs)


def cuts(bench):
    store = small_store(bench)
    return run_probe(bench, "cuts", store, bench.stream.queries,
                     "64" if bench.full else "5")


CHECKS = [kills, power_losses, power_after_kill, faults, flips, cuts]
