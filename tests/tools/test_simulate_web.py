#!/usr/bin/env python3
"""The simulation of a cluster (bench/simulate_web.py), in small; and the page says
what it says of the results that are kept."""

import importlib.util
import os
import re
import sys

from checks import ROOT, finish, report, run

RESULTS = os.path.join(ROOT, "bench", "results", "cluster.txt")
PAGE = os.path.join(ROOT, "docs", "scale.md")


def load():
    path = os.path.join(ROOT, "bench", "simulate_web.py")
    spec = importlib.util.spec_from_file_location("simulate_web", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


sim = load()
MEASURED = sim.Measured(RESULTS)


def small(batch=300, pages=2e7):
    return sim.Plan(MEASURED, pages, 600, 0.01, batch)


def said(w):
    return (w.arrived, w.answered, w.latencies, w.lost, w.repeated)


def expect(name, condition, why=""):
    report(name, "" if condition else why or "it does not hold")


def check_costs():
    costs = sim.Costs([(1, [1.0, 40.0, 8.0]), (100, [0.1, 10.0, 8.0])])
    expect("costs at what was measured are those that were measured",
           costs.at(1) == [1.0, 40.0, 8.0] and costs.at(100)[0] == 0.1)
    expect("costs in between fall", 0.1 < costs.at(10)[0] < costs.at(2)[0] < 1)
    expect("costs beyond are those of the largest", costs.at(500)[0] == 0.1)
    expect("a full table costs more", MEASURED.full > 0)


def check_plans():
    few, many = small(), small(pages=2e8)
    expect("ten times the pages are ten times the table",
           abs(many.table / few.table - 10) < 0.01)
    expect("larger batches cost servers less",
           small(5000).server_cpu() < small(10).server_cpu())
    expect("small batches need more masters", sim.Plan(
        MEASURED, 1e10, 600, 0.0001, 10).masters > sim.Plan(
            MEASURED, 1e10, 600, 0.0001, 5000).masters)


def check_quiet():
    plan = small()
    w = sim.Window(plan, plan.rate, 5, 1).run()
    expect("every page is answered, once", w.arrived == w.answered > 100)
    expect("as many pages as the rate says",
           abs(w.arrived / (plan.rate * 5) - 1) < 0.2)
    expect("the same seed, the same day",
           said(w) == said(sim.Window(plan, plan.rate, 5, 1).run()))
    expect("another seed, another day",
           said(w) != said(sim.Window(plan, plan.rate, 5, 2).run()))
    expect("no page waits longer than a batch and its way",
           max(s for s, _ in w.latencies) < 2 * sim.WAIT + 0.5)
    busy = sim.Window(plan, 4 * plan.rate * sim.PEAK / sim.BUSY, 5, 1).run()
    expect("four times what the plan is for makes pages wait",
           max(s for s, _ in busy.latencies) > max(s for s, _ in w.latencies))


def check_failures():
    plan = small()
    seconds = sim.NODE_TIMEOUT + 60
    for wait in (False, True):
        all_of_them = [sim.failure(plan, "master", seconds, i, wait)
                       for i in range(5)]
        expect("a master dies: pages wait as long as nobody replaces it",
               all(max(s for s, _ in w.latencies) > sim.NODE_TIMEOUT
                   for w in all_of_them))
        expect("a master dies: then all is as before",
               all(w.normal_at for w in all_of_them))
        if wait:
            expect("nothing is lost by those who wait for a replica",
                   all(w.lost == 0 for w in all_of_them))
    # Replicas that are far behind: then something must be lost without WAIT.
    far, plan = sim.ROUND_TRIP, small(20)
    sim.ROUND_TRIP = 0.2
    expect("what a replica had not received is lost",
           sum(sim.failure(plan, "master", seconds, i).lost
               for i in range(5)) > 0)
    expect("unless front ends waited for it",
           sum(sim.failure(plan, "master", seconds, i, True).lost
               for i in range(5)) == 0)
    sim.ROUND_TRIP = far
    w = sim.failure(plan, "front end", sim.RESTART + 60, 3)
    expect("a front end dies: what it had in hand comes again",
           w.answered == w.arrived and w.normal_at is not None)
    slow = sim.NODE_TIMEOUT
    sim.NODE_TIMEOUT = 2 * sim.TIMEOUT
    w = sim.failure(plan, "master", 200, 1)
    expect("a batch that may take no longer ends its front end, which repeats it",
           w.timeouts > 0 and w.repeated > 0 and w.answered == w.arrived)
    sim.NODE_TIMEOUT = slow


def check_page():
    status, out = run([sys.executable, "bench/simulate_web.py"])
    report("the simulation runs on what was measured",
           "" if status == 0 else out)
    with open(PAGE, encoding="utf-8") as f:
        found = re.search(r"<!-- begin: web -->\n(.*?)<!-- end: web -->",
                          f.read(), re.S)
    report("docs/scale.md says what it says",
           "" if found and found[1].strip() == out.strip() else
           "it differs: run `make simulate-web`")


check_costs()
check_plans()
check_quiet()
check_failures()
check_page()
finish()
