#!/usr/bin/env python3
"""A day of the web on a cluster: nodes, bytes, latency, cost, and what happens when
something fails.

    bench/simulate_web.py [RESULTS] [--pages N] [--tokens N] [--memory SHARE]
                          [--seconds N] [--seed N] [--only-batch PAGES]

Pages arrive by chance, at a rate that follows the hours of a day. Front ends collect
them, prepare batches, ask every master (LOOKUP), and tell every master (OBSERVE).
Masters take one command after the other; replicas do what their masters did. Costs
of commands, bytes and front ends are those that `make bench-cluster` measured
(RESULTS, bench/results/cluster.txt), between its sizes of batches in proportion to
the number of commands. Nothing of it was run at this size: the machines, their
prices and the network are assumptions, named in what is printed.

A window of some seconds is simulated in each hour of the day. Each failure has a
window of its own, in the busiest hour, which ends when all is as before.

Prints the section of docs/scale.md (make simulate-web)."""

import argparse
import collections
import heapq
import math
import os
import random
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

# ---- assumptions: nobody measured these ----

SHINGLE = 8              # tokens
SLOT = 18                # bytes a shingle that "1 %" is 1 % of, as in the paper
NODE_BYTES = 32e9        # memory of a node; half of it is for partitions
NODE_SHARE = 0.5         # the rest: pages that change while it saves, buffers
BUSY = 0.6               # of a core, at the busiest hour: more than that waits
NETWORK = 1.25e9         # bytes a second of a node, each way
ROUND_TRIP = 0.0005      # seconds, in one region
PARTITION = 16 << 20
FRONT_CORES = 8          # of one front end
WAIT = 1.0               # seconds until a batch that is not full goes
PEAK = 1.6               # times the mean rate, at the busiest hour
NODE_TIMEOUT = 15.0      # the servers' default
FAILOVER = 2.2           # seconds after that; measured: 4.2 at a timeout of 2
TIMEOUT = 30.0           # of a batch, the client's default
PAUSE = 0.5              # between two attempts of the client, at most
RESTART = 30.0           # seconds until a process is there again
NODE_PRICE = 0.25        # dollars an hour: 4 cores, 32 GB
CORE_PRICE = 0.05        # dollars an hour, of a front end
ZONE_PRICE = 0.01        # dollars a GB, each way, between zones
TOKEN_BYTES = 6          # with the space after it
N_FAILURES = 10          # of each kind


# ---- what was measured ----

class Costs:
    """Of a command with so many fingerprints, for each of them."""

    def __init__(self, rows):
        self.points = sorted((1 / batch, values) for batch, values in rows)

    def at(self, batch):
        """(microseconds, bytes sent, bytes answered): between two sizes of
        batches the share of what a command costs by itself changes as
        1/batch does."""
        x = min(max(1 / batch, self.points[0][0]), self.points[-1][0])
        for (x0, v0), (x1, v1) in zip(self.points, self.points[1:]):
            if x <= x1:
                part = (x - x0) / (x1 - x0)
                return [a + part * (b - a) for a, b in zip(v0, v1)]
        return self.points[-1][1]


def table_rows(text):
    """{(first cell, second cell): [numbers]}"""
    rows = {}
    for line in text.split("\n"):
        cells = [c.strip() for c in line.strip().strip("|").split("|")]
        if line.startswith("|") and len(cells) > 5 and re.match(r"[\d.]+$",
                                                                cells[-1]):
            rows[cells[0], cells[1]] = [float(c) for c in cells[1:]]
    return rows


class Measured:
    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        rows = table_rows(text)

        def costs(name, more=0.0):
            return Costs([(v[0], [v[1] + more, v[3], v[4]])
                          for (n, _), v in rows.items() if n == name])
        full = rows["OBSERVE, counts, full table", "170"][1]
        self.full = full - rows["OBSERVE, counts", "170"][1]
        self.look_up = costs("LOOKUP")
        self.observe = costs("OBSERVE, counts", self.full)
        self.slot = float(re.search(r"Memory: ([\d.]+) bytes", text)[1])
        saving = re.search(r"takes ([\d.]+) s of CPU, loading it ([\d.]+)", text)
        self.save, self.load = float(saving[1]), float(saving[2])
        words = float(re.search(r"mails, (\d+) words each", text)[1])
        front = next(v for (n, _), v in rows.items()
                     if n.startswith("1 front end, catalogue"))
        self.fps_of_token = front[3] / words
        self.front_cpu = front[1] * 1e-6 / front[3]  # for a fingerprint


# ---- the cluster ----

class Plan:
    """What a load needs."""

    def __init__(self, m, pages, tokens, memory, batch):
        self.m, self.pages, self.batch = m, pages, batch
        self.tokens = tokens
        self.rate = pages / 86400
        self.fps = round(tokens * m.fps_of_token)  # of a page
        self.table = pages * (tokens - SHINGLE + 1) * SLOT * memory
        self.partitions = 1 << max(0, math.ceil(math.log2(
            self.table / PARTITION)))
        for_memory = self.table / (NODE_BYTES * NODE_SHARE)
        per_page = self.server_cpu()
        for_cpu = self.rate * PEAK * per_page / BUSY
        self.for_memory, self.for_cpu = math.ceil(for_memory), math.ceil(for_cpu)
        self.masters = max(3, self.for_memory, self.for_cpu)
        self.front_cpu = self.fps * m.front_cpu
        self.front_ends = max(2, math.ceil(
            self.rate * PEAK * self.front_cpu / BUSY / FRONT_CORES))

    def command_size(self, n_pages):
        """Fingerprints in a command: those of a batch that are in one
        partition, where there is any."""
        mean = n_pages * self.fps / self.partitions
        return mean / -math.expm1(-mean)

    def server_cpu(self):
        """Seconds for a page, of all masters."""
        size = self.command_size(self.batch)
        return self.fps * 1e-6 * (self.m.look_up.at(size)[0] +
                                  self.m.observe.at(size)[0])

    def wire(self):
        """Bytes of a page: to and from front ends; to replicas."""
        size = self.command_size(self.batch)
        ask, tell = self.m.look_up.at(size), self.m.observe.at(size)
        return (self.fps * (ask[1] + ask[2] + tell[1] + tell[2]),
                self.fps * tell[1])

    def dollars(self):
        """A day: nodes, front ends, what goes to replicas in another zone and
        two thirds of what goes to front ends."""
        own, copies = self.wire()
        return (24 * (2 * self.masters * NODE_PRICE +
                      self.front_ends * FRONT_CORES * CORE_PRICE) +
                self.pages * (own * 2 / 3 + copies) / 1e9 * 2 * ZONE_PRICE)


class Server:
    """Takes one command after the other. While it is away, nobody does; then a
    replica takes its place."""

    def __init__(self):
        self.free_at = 0.0
        self.busy = 0.0
        self.died = self.back = math.inf
        self.replica_free_at = 0.0
        self.recent = collections.deque()  # (answered, at the replica, n)
        self.exposed = 0.0  # fingerprints times the seconds for which only the
        self.most = 0.0     # master had them; the most of one batch

    def serve(self, at, cost):
        start = max(at, self.free_at)
        self.free_at = start + cost
        self.busy += cost
        return self.free_at

    def replicate(self, at, cost, n):
        """When the replica has it: it works while the master does, one way
        later."""
        self.replica_free_at = max(at + ROUND_TRIP / 2,
                                   self.replica_free_at + cost)
        self.recent.append((at, self.replica_free_at, n))
        self.exposed += n * (self.replica_free_at - at)
        self.most = max(self.most, n)
        while self.recent and self.recent[0][1] < at - 1:
            self.recent.popleft()
        return self.replica_free_at

    def die(self, at, back):
        """What it had answered, or had in hand, and the replica not: gone."""
        self.died, self.back = at, back
        lost = sum(n for answered, copied, n in self.recent
                   if answered <= at < copied)
        self.free_at = max(back, self.replica_free_at)
        return lost


class Failed(Exception):
    pass


class FrontEnd:
    def __init__(self):
        self.queue = collections.deque()  # [arrival, pages]
        self.waiting = 0
        self.preparing = None  # one batch beside the one that is asked
        self.ready = collections.deque()
        self.is_asking = False
        self.last = 0.0            # latency of the oldest page of a batch,
        self.last_at = 0.0         # and when that was answered
        self.is_due = False        # it will look again when WAIT is over
        self.away_until = 0.0
        self.epoch = 0


class Window:
    """Some seconds of the cluster."""

    def __init__(self, plan, rate, seconds, seed, wait_for_replica=False):
        self.plan, self.rate, self.seconds = plan, rate, seconds
        self.random = random.Random(seed)
        self.servers = [Server() for _ in range(plan.masters)]
        self.fronts = [FrontEnd() for _ in range(plan.front_ends)]
        self.wait_for_replica = wait_for_replica
        self.events, self.n_events = [], 0
        self.latencies = []  # (seconds, pages)
        self.arrived = self.answered = self.repeated = self.lost = 0
        self.worst_queue = self.timeouts = 0
        self.normal_at = None
        self.failed_at = math.inf

    def at(self, time, fn, *arguments):
        self.n_events += 1
        heapq.heappush(self.events, (time, self.n_events, fn, arguments))

    def run(self):
        self.at(0.0, self.arrive)
        while self.events:
            time, _, fn, arguments = heapq.heappop(self.events)
            fn(time, *arguments)
        return self

    # arrivals

    TICK = 0.02

    def arrive(self, now):
        mean = self.rate * self.TICK / len(self.fronts)
        for front in self.fronts:
            n = max(0, round(self.random.gauss(mean, math.sqrt(mean))))
            if n:
                front.queue.append([now, n])
                front.waiting += n
                self.arrived += n
            self.form(now, front)
        queued = sum(f.waiting for f in self.fronts)
        self.worst_queue = max(self.worst_queue, queued)
        if now + self.TICK < self.seconds:
            self.at(now + self.TICK, self.arrive)

    # front ends

    def form(self, now, front):
        """A batch, when it is full or its oldest page has waited."""
        if front.preparing or len(front.ready) > 1 or not front.waiting or \
                now < front.away_until:
            return
        due = front.queue[0][0] + WAIT
        if front.waiting < self.plan.batch and now < due - 1e-9:
            if not front.is_due:
                front.is_due = True
                self.at(due, self.look_again, front)
            return
        batch, n = [], 0
        while front.queue and n < self.plan.batch:
            take = min(front.queue[0][1], self.plan.batch - n)
            batch.append((front.queue[0][0], take))
            front.queue[0][1] -= take
            n += take
            if not front.queue[0][1]:
                front.queue.popleft()
        front.waiting -= n
        front.preparing = batch
        self.at(now + n * self.plan.front_cpu / FRONT_CORES, self.prepared,
                front, front.epoch, batch, n)

    def look_again(self, now, front):
        front.is_due = False
        self.form(now, front)

    def prepared(self, now, front, epoch, batch, n):
        if epoch != front.epoch:
            return
        front.preparing = None
        front.ready.append((batch, n))
        self.ask(now, front)
        self.form(now, front)

    def ask(self, now, front):
        if front.is_asking or not front.ready or now < front.away_until:
            return
        front.is_asking = True
        self.send(now, front, self.plan.m.look_up)

    def send(self, now, front, costs):
        try:
            over = self.visit(now, front.ready[0][1], costs)
        except Failed:
            self.timeouts += 1
            self.leave(now + TIMEOUT, front)
            return
        self.at(over, self.received, front, front.epoch, costs, now)

    def received(self, now, front, epoch, costs, since):
        """When a server died meanwhile, its part is sent again: here, all."""
        if epoch != front.epoch:
            return
        if any(since < s.died <= now for s in self.servers):
            self.repeated += front.ready[0][1]
            self.send(now, front, costs)
        elif costs is self.plan.m.look_up:
            self.send(now, front, self.plan.m.observe)
        else:
            self.done(now, front)

    def done(self, now, front):
        batch, n = front.ready.popleft()
        front.is_asking = False
        self.answered += n
        for arrived, some in batch:
            self.latencies.append((now - arrived, some))
        front.last, front.last_at = now - batch[0][0], now
        if self.normal_at is None and self.is_normal(now):
            self.normal_at = now
        self.ask(now, front)
        self.form(now, front)

    def is_normal(self, now):
        """Again: all is there, and no page waits longer than for a batch."""
        return now > self.failed_at and \
            all(s.back < now or s.died == math.inf for s in self.servers) and \
            all(f.last < 2 * WAIT + 0.5 and
                f.last_at > max(self.failed_at, f.away_until)
                for f in self.fronts)

    def leave(self, now, front):
        """A process ends: what it had in hand comes again, when it is back."""
        front.epoch += 1
        hand = [piece for batch, _ in front.ready for piece in batch]
        hand += front.preparing or []
        n = sum(some for _, some in hand)
        front.queue.extendleft([list(piece) for piece in reversed(hand)])
        front.waiting += n
        self.repeated += n
        front.ready.clear()
        front.preparing, front.is_asking = None, False
        front.away_until = now + RESTART
        self.at(front.away_until, self.form, front)

    # servers

    def visit(self, now, n_pages, costs):
        """All masters; when the last one has answered."""
        plan = self.plan
        is_write = costs is plan.m.observe
        size = plan.command_size(n_pages)
        cpu, sent, got = costs.at(size)
        mean = n_pages * plan.fps / plan.masters
        over = now
        for server in self.servers:
            n = max(0.0, self.random.gauss(mean, math.sqrt(mean)))
            at = now + ROUND_TRIP / 2 + n * sent / NETWORK
            if server.died <= at < server.back:
                at = server.back + self.random.uniform(0, PAUSE)
                if at - now > TIMEOUT:
                    raise Failed
            cost = n * cpu * 1e-6
            end = server.serve(at, cost)
            if is_write:
                copied = server.replicate(end, cost, n)
                if self.wait_for_replica:
                    end = copied + ROUND_TRIP / 2
            over = max(over, end + n * got / NETWORK + ROUND_TRIP / 2)
        return over

    # failures

    def kill_master(self, now):
        self.failed_at = now
        lost = self.servers[0].die(now, now + NODE_TIMEOUT + FAILOVER)
        # Who waits for replicas has not been told yet: it is sent again.
        self.lost += 0 if self.wait_for_replica else round(lost)

    def kill_front_end(self, now):
        self.failed_at = now
        self.leave(now, self.fronts[0])


def quantile(latencies, share):
    latencies = sorted(latencies)
    left = share * sum(n for _, n in latencies)
    for seconds, n in latencies:
        left -= n
        if left <= 0:
            return seconds
    return 0.0


def hour_rate(plan, hour):
    return plan.rate * (1 + (PEAK - 1) * math.sin(2 * math.pi * hour / 24))


def day(plan, seconds, seed):
    """(latencies, the busiest share of a master) of a window in each hour."""
    latencies, busiest = [], 0.0
    for hour in range(24):
        w = Window(plan, hour_rate(plan, hour), seconds, seed + hour).run()
        check(w)
        latencies += w.latencies
        busiest = max(busiest, max(s.busy for s in w.servers) / seconds)
    return latencies, busiest


def check(w):
    """Every page that came was answered, once."""
    if w.answered != w.arrived:
        sys.exit("simulate_web: %d pages came and %d were answered" % (
            w.arrived, w.answered))


def failure(plan, name, seconds, seed, wait=False):
    """A window of the busiest hour in which it happens."""
    w = Window(plan, plan.rate * PEAK, seconds, seed, wait)
    w.at(5.0 + w.random.random(),
         {"master": w.kill_master, "front end": w.kill_front_end}[name])
    w.run()
    check(w)
    return w


def expected_loss(plan, seconds, seed):
    """Acknowledged fingerprints that only the master has: at any moment, in the
    mean, and at most."""
    w = Window(plan, plan.rate * PEAK, seconds, seed).run()
    mean = sum(s.exposed for s in w.servers) / len(w.servers) / seconds
    return mean, max(s.most for s in w.servers)


def failures(plan, name, seconds, seed, wait=False):
    """Each at another moment."""
    return [failure(plan, name, seconds, seed + i, wait)
            for i in range(N_FAILURES)]


# ---- the report ----

def number(x):
    return "{:,.0f}".format(x)


def plan_line(plan, seconds, seed):
    latencies, busiest = day(plan, seconds, seed)
    own, copies = plan.wire()
    return "| %s | %.1f | %.2f | %d | %d | %d | %.1f | %.0f %% | %.2f | %.2f | %s |" % (
        number(plan.batch), plan.command_size(plan.batch),
        1e6 * plan.server_cpu() / plan.fps, plan.for_memory, plan.for_cpu,
        plan.masters, plan.pages * (own + copies) / 1e12, 100 * busiest,
        quantile(latencies, 0.5), quantile(latencies, 0.99),
        number(plan.dollars()))


def failure_line(name, all_of_them, loss):
    """The worst of them."""
    def worst(of):
        return max(of(w) for w in all_of_them)
    return "| %s | %.1f | %s | %.0f | %s | %s |" % (
        name, worst(lambda w: max(s for s, _ in w.latencies)),
        number(worst(lambda w: w.worst_queue)),
        worst(lambda w: w.normal_at - w.failed_at),
        number(worst(lambda w: w.repeated)), loss)


def print_report(m, o):
    batches = [o.only_batch] if o.only_batch else [70, 500, 5000]
    plans = [Plan(m, o.pages, o.tokens, o.memory, b) for b in batches]
    p = plans[-1]
    print("%s pages of %s tokens in a day: %s a second, %s at the busiest hour; "
          "%d fingerprints of a page are kept track of, %s a second. %g %% of "
          "memory are %s GB of table in %s partitions: room for %.1f %% of the "
          "fingerprints of the day.\n" % (
              number(p.pages), number(o.tokens), number(p.rate),
              number(p.rate * PEAK), p.fps, number(p.rate * p.fps),
              100 * o.memory, number(p.table / 1e9), number(p.partitions),
              100 * p.table / m.slot / (p.pages * p.fps)))
    print("| pages in a batch | fingerprints in a command | server CPU, us a "
          "fingerprint | masters for the memory | for the CPU | masters, as "
          "many replicas | TB over the wire | busiest master | latency s, half "
          "of the pages | 99 of 100 | dollars a day |")
    print("|" + "---|" * 11)
    for plan in plans:
        print(plan_line(plan, o.seconds, o.seed), flush=True)
    print("\nFront ends: %d with %d cores each (%.2f ms of a core for a page)."
          % (p.front_ends, FRONT_CORES, 1000 * p.front_cpu))
    print("\nWhat fails in the busiest hour, with batches of %s pages, %d times "
          "at another moment; the worst of them:\n" % (number(p.batch),
                                                      N_FAILURES))
    print("| what | longest latency, s | pages that waited at once | as before "
          "after s | pages sent again | acknowledged fingerprints that are lost |"
          )
    print("|" + "---|" * 6)
    long = NODE_TIMEOUT + 90 + o.seconds
    loss = "%s in the mean, %s at most" % tuple(
        number(x) for x in expected_loss(p, 10 * o.seconds, o.seed))
    for name, what, wait, lost in (
            ("a master", "master", False, loss),
            ("a master, front ends wait for a replica (`WAIT 1`)", "master",
             True, "0"),
            ("a front end", "front end", False, "0")):
        all_of_them = failures(p, what, long, o.seed, wait)
        assert wait is False or not any(w.lost for w in all_of_them)
        print(failure_line(name, all_of_them, lost), flush=True)
    print_after(m, p)


def print_after(m, p):
    share = p.table / p.masters / 1e9
    copy = share / (NETWORK / 1e9) + share * (m.save + m.load)
    print("""
Machines have %d GB, half of it for partitions, and 10 Gbit/s; a round trip takes
%.1f ms. A master is replaced %.0f s (`cluster-node-timeout`) and %.1f s (measured) after
it dies. Every batch has fingerprints of every master, so that all front ends wait for
the one that is missing; none gives up, since a batch may take %.0f s. Without `WAIT` the
batches that the replica had not yet received are lost: copies of those passages are
found under the next document that has them. The server that died is back as a replica
when it has got and loaded its %.1f GB: some %.0f s, in which another failure of the same
pair would lose 1/%d of the table. Prices are %g dollars an hour for a node, %g for a
core of a front end, %g for a GB between zones, each way.

Numbers of documents have 32 bits: a table takes %.1f such days. Texts, %s TB a day
before they are packed, are not in this table.""" % (
        NODE_BYTES / 1e9, 1000 * ROUND_TRIP, NODE_TIMEOUT, FAILOVER, TIMEOUT,
        share, copy, p.masters, NODE_PRICE, CORE_PRICE, ZONE_PRICE,
        2 ** 32 / p.pages, number(p.pages * p.tokens * TOKEN_BYTES / 1e12)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("results", nargs="?", default=os.path.join(
        HERE, "results", "cluster.txt"))
    parser.add_argument("--pages", type=float, default=1e9)
    parser.add_argument("--tokens", type=float, default=600)
    parser.add_argument("--memory", type=float, default=0.01)
    parser.add_argument("--seconds", type=float, default=5,
                        help="of each window")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only-batch", type=int, default=0)
    o = parser.parse_args()
    print_report(Measured(o.results), o)


if __name__ == "__main__":
    main()
