"""A standalone cluster of Spark on loopback: a master and two workers, each a
process with a session of its own, one core each."""

import os
import re
import signal
import subprocess
import sys
import time

import pyspark

HOME = os.path.dirname(pyspark.__file__)
# Seconds for what takes a few: longer than the limit of a short run, which ends
# as skipped on a machine that is too slow, and shorter than that of a whole one,
# which fails.
PATIENCE = 1200
# Nothing is lost because a machine is slow: what is killed is seen by its
# connections, which end.
PATIENT = {"spark.network.timeout": "600s",
           "spark.executor.heartbeatInterval": "60s",
           "spark.python.authenticate.socketTimeout": "600s",
           "spark.ui.enabled": "false"}


def wait_for(what, condition):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.1)
    raise AssertionError("no sign of %s in %d s" % (what, PATIENCE))


def is_executor(pid, workers):
    """Whether it is one that any of the workers started."""
    try:
        with open("/proc/%d/cmdline" % pid, "rb") as line:
            words = line.read().split(b"\0")
        return any(word.endswith(b"CoarseGrainedExecutorBackend")
                   for word in words) and os.getsid(pid) in workers
    except OSError:  # it has ended
        return False


class Cluster:
    def __init__(self, folder, levels=(None, None)):
        """`levels`: of the processor, that each worker's executors may use."""
        self.folder, self.processes = folder, []
        try:
            self.master = self.start("master", "master.Master", None,
                                     "--port", "0", "--webui-port", "0")
            self.url = wait_for("the master", self.find_master)
            self.workers = [self.start(
                "worker%d" % i, "worker.Worker", level, "--cores", "1",
                "--memory", "1g", "--work-dir", str(folder / ("work%d" % i)),
                "--webui-port", "0", self.url)
                for i, level in enumerate(levels)]
            wait_for("two workers", lambda: self.log("master").count(
                "Registering worker") == len(levels))
        except BaseException:
            self.stop()
            raise

    def find_master(self):
        """Its address, once it takes workers."""
        log = self.log("master")
        found = re.search(r"Starting Spark master at (spark://\S+)", log)
        return found and "I have been elected" in log and found[1]

    def start(self, name, kind, level, *arguments):
        environment = dict(
            os.environ, SPARK_HOME=HOME, SPARK_LOCAL_IP="127.0.0.1",
            PYSPARK_PYTHON=sys.executable,
            SPARK_DAEMON_JAVA_OPTS="-Dspark.worker.timeout=600")
        if level is not None:
            environment["ORIGO_CPU"] = level
        with open(self.folder / name, "wb") as log:
            self.processes.append(subprocess.Popen(
                [os.path.join(HOME, "bin", "spark-class"),
                 "org.apache.spark.deploy." + kind, "--host", "127.0.0.1",
                 *arguments], stdout=log, stderr=log, env=environment,
                start_new_session=True))
        return self.processes[-1]

    def log(self, name):
        return (self.folder / name).read_text(errors="replace")

    def kill(self, process):
        """With everything that it started: executors are its children."""
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def kill_executors(self):
        """Of all workers, which then start others; how many those were."""
        workers = [one.pid for one in self.workers]
        found = [pid for pid in map(int, filter(str.isdigit, os.listdir(
            "/proc"))) if is_executor(pid, workers)]
        for pid in found:
            os.kill(pid, signal.SIGKILL)
        return len(found)

    def stop(self):
        for one in reversed(self.processes):
            self.kill(one)
