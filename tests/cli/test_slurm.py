#!/usr/bin/env python3
"""The stages of dedup as job arrays of a real Slurm: three nodes on loopback,
one of which is killed in the middle.

usage: tests/cli/test_slurm.py ORIGO

Slurm's daemons run as the caller, who must be root, in a folder of their own.
The outcome must be that of a single run, byte for byte. 'SKIPPED: why' and
status 77 when it cannot run here."""

import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ORIGO = os.path.abspath(sys.argv[1])
NODES = ["n1", "n2", "n3"]


def skip(why):
    print("SKIPPED: slurm: " + why)
    sys.exit(77)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


CONF = """
ClusterName=origo
SlurmctldHost=localhost
SlurmctldPort=%(control)d
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=%(folder)s/munge.socket
CredType=cred/munge
StateSaveLocation=%(folder)s/state
SlurmdSpoolDir=%(folder)s/spool-%%n
SlurmctldPidFile=%(folder)s/slurmctld.pid
SlurmdPidFile=%(folder)s/slurmd-%%n.pid
SlurmctldLogFile=%(folder)s/slurmctld.log
SlurmdLogFile=%(folder)s/slurmd-%%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/linear
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
SlurmdTimeout=4
SlurmctldTimeout=10
JobRequeue=1
ReturnToService=2
KillWait=1
MinJobAge=300
%(nodes)s
PartitionName=all Nodes=n1,n2,n3 Default=YES MaxTime=5 State=UP
"""


class Cluster:
    def __init__(self, folder):
        self.folder = folder
        self.processes = {}
        self.env = dict(os.environ, SLURM_CONF=str(folder / "slurm.conf"))
        nodes = "\n".join(
            "NodeName=%s NodeHostname=localhost NodeAddr=127.0.0.1 Port=%d "
            "CPUs=1 State=UNKNOWN" % (n, free_port()) for n in NODES)
        (folder / "slurm.conf").write_text(CONF % {
            "folder": folder, "control": free_port(), "nodes": nodes})
        (folder / "state").mkdir()

    def come_up(self):
        folder = self.folder
        key = folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        self.start("munged", ["munged", "--foreground", "--force",
                              "--key-file", key, "--socket",
                              folder / "munge.socket", "--pid-file",
                              folder / "munge.pid", "--seed-file",
                              folder / "munge.seed", "--log-file",
                              folder / "munge.log", "--num-threads", 2])
        self.wait_for(lambda: (folder / "munge.socket").exists(), "munge")
        self.start("slurmctld", ["slurmctld", "-D", "-c"])
        for node in NODES:
            (folder / ("spool-" + node)).mkdir()
            self.start(node, ["slurmd", "-D", "-N", node])
        self.wait_for(lambda: self.run("sinfo", "-h", "-t", "idle", "-o",
                                       "%D").strip() == "3", "the nodes")

    def start(self, name, command):
        self.processes[name] = subprocess.Popen(
            [str(c) for c in command], env=self.env,
            stdout=open(self.folder / (name + ".out"), "w"),
            stderr=subprocess.STDOUT, start_new_session=True)

    def run(self, *command):
        done = subprocess.run([str(c) for c in command], env=self.env,
                              capture_output=True, text=True, timeout=30)
        return done.stdout

    def wait_for(self, is_so, what, seconds=30):
        end = time.monotonic() + seconds
        while not is_so():
            if time.monotonic() > end:
                skip("%s did not come up:\n%s" % (what, self.logs()))
            time.sleep(0.2)

    def logs(self):
        text = ""
        for path in sorted(self.folder.glob("*.out")):
            text += "%s: %s\n" % (path.name, path.read_text()[-500:])
        return text

    def kill_ours(self, *also):
        """Processes of jobs: those whose environment names our own files, and
        before them what watches over them and would tell of their end."""
        wanted = [("SLURM_CONF=%s" % (self.folder / "slurm.conf")).encode()]
        wanted += [word.encode() for word in also]
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
            try:
                words = path.read_bytes().split(b"\0")
                if not all(word in words for word in wanted):
                    continue
                stat = (path.parent / "stat").read_text()
                parent = int(stat.rsplit(")", 1)[1].split()[1])
                comm = pathlib.Path("/proc/%d/comm" % parent).read_text()
                if comm.startswith("slurmstepd"):
                    found.insert(0, parent)
                found.append(int(path.parent.name))
            except (OSError, ValueError):
                pass
        for pid in found:
            try:
                if pid != os.getpid():
                    os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def kill_node(self, node):
        """As if its power failed: nobody tells the controller of its end."""
        os.killpg(self.processes.pop(node).pid, signal.SIGKILL)
        self.kill_ours("SLURMD_NODENAME=" + node)

    def stop(self):
        for process in reversed(list(self.processes.values())):
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        self.kill_ours()


def write_inputs(folder):
    rng = random.Random(60)
    base = [["w%d" % rng.randrange(9999) for _ in range(80)]
            for _ in range(200)]
    files = []
    for f in range(6):
        files.append(folder / ("part%d.jsonl" % f))
        with open(files[-1], "w") as out:
            for i in range(300):
                text = list(rng.choice(base))
                text[rng.randrange(80)] = "new%d" % rng.randrange(99)
                out.write('{"id":"%d-%d","text":"%s"}\n' % (
                    f, i, " ".join(text)))
    return files


def write_script(place, stage, n, files):
    """What every task of the array runs: it leaves a mark with its node's
    name, then waits for the test's word, so that a node can be killed while
    it is known to have work."""
    script = place / (stage + ".sh")
    script.write_text(
        "#!/bin/sh\n"
        "touch %(place)s/began-%(stage)s-$SLURM_ARRAY_TASK_ID-"
        "$SLURMD_NODENAME\n"
        "until [ -e %(place)s/go-%(stage)s ]; do sleep 0.1; done\n"
        "exec %(origo)s %(stage)s -q -d %(place)s/work "
        "--shard $SLURM_ARRAY_TASK_ID/%(n)d %(out)s %(files)s\n" % {
            "place": place, "stage": stage, "origo": ORIGO, "n": n,
            "out": "-o %s" % (place / "out") if stage == "filter" else "",
            "files": " ".join(map(str, files))})
    return script


def nodes_of_tasks(place, stage):
    """task -> the nodes on which it began"""
    nodes = {}
    for mark in place.glob("began-%s-*" % stage):
        _, _, task, node = mark.name.split("-")
        nodes.setdefault(task, set()).add(node)
    return nodes


def wait_for_work(cluster, place, stage, node):
    end = time.monotonic() + 60
    while not any(node in at for at in nodes_of_tasks(place, stage).values()):
        assert time.monotonic() < end, node + " gets no task\n" + \
            cluster.run("squeue") + cluster.run("sinfo")
        time.sleep(0.1)


def start_at_once(cluster, job):
    """Slurm lets a requeued task wait for two minutes: not here."""
    waiting = cluster.run("squeue", "-h", "-j", job, "-o", "%i %r")
    for line in waiting.splitlines():
        if line.endswith("BeginTime"):
            cluster.run("scontrol", "update", "JobId=" + line.split()[0],
                        "StartTime=now")
    return bool(waiting.strip())


def run_stage(cluster, place, stage, n, files, victim=None):
    """A job array; the node `victim` dies while it has work."""
    said = cluster.run("sbatch", "--parsable", "--requeue", "--array=1-%d" % n,
                       "-o", place / (stage + "-%a.log"),
                       write_script(place, stage, n, files))
    job = said.strip()
    assert job.isdigit(), "sbatch: " + said + cluster.logs()
    orphans = set()
    if victim:
        wait_for_work(cluster, place, stage, victim)
        cluster.kill_node(victim)
        orphans = {task for task, at in nodes_of_tasks(place, stage).items()
                   if victim in at}
    (place / ("go-" + stage)).touch()
    end = time.monotonic() + 120
    while start_at_once(cluster, job):
        assert time.monotonic() < end, stage + " does not end\n" + \
            cluster.run("squeue") + cluster.run("sinfo")
        time.sleep(0.2)
    nodes = nodes_of_tasks(place, stage)
    assert len(nodes) == n, "tasks that never began: %s" % nodes
    for task in orphans:
        assert nodes[task] - {victim}, "task %s went to no other node" % task
    for log in place.glob(stage + "-*.log"):
        assert not log.read_text().count("origo:"), log.read_text()


def main():
    for tool in ("slurmctld", "slurmd", "sbatch", "munged"):
        if shutil.which(tool) is None and \
                not os.path.exists("/usr/sbin/" + tool):
            skip(tool + " is not installed")
    if os.getuid() != 0:
        skip("its daemons need root")
    os.environ["PATH"] += ":/usr/sbin"
    with tempfile.TemporaryDirectory(prefix="origo-slurm-") as folder:
        place = pathlib.Path(folder)
        place.chmod(0o755)
        (place / "slurm").mkdir(mode=0o755)
        files = write_inputs(place)
        subprocess.run([ORIGO, "dedup", "-q", "-o", place / "single",
                        *files], check=True)
        cluster = Cluster(place / "slurm")
        try:
            cluster.come_up()
            for stage, n, victim in (("sketch", 6, "n2"), ("bands", 4, None),
                                   ("components", 3, None),
                                   ("filter", 3, None)):
                run_stage(cluster, place, stage, n, files, victim)
        finally:
            cluster.stop()
        kept = b"".join((place / "out" / ("%06d.jsonl" % i)).read_bytes()
                        for i in range(len(files)))
        assert kept == (place / "single").read_bytes()
    print("ok slurm: three nodes, one killed, as a single run")


if __name__ == "__main__":
    main()
