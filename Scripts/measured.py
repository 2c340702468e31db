"""What the scripts that measure the program have in common: a home of their own, and a process with what it took."""

import contextlib
import os
import tempfile
import time


class Run:
    """A process that has ended: seconds of wall and processor time, and its peak memory in bytes."""

    def __init__(self, command, feed=None):
        reading, writing = os.pipe()
        os.write(writing, feed or b"")
        os.close(writing)
        begun = time.perf_counter()
        child = os.fork()
        if child == 0:
            os.dup2(reading, 0)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.execv(command[0], command)
        os.close(reading)
        _, status, usage = os.wait4(child, 0)
        self.wall = time.perf_counter() - begun
        self.cpu = usage.ru_utime + usage.ru_stime
        self.peak = usage.ru_maxrss * 1024
        if os.waitstatus_to_exitcode(status) != 0:
            raise SystemExit(f"{' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}")


@contextlib.contextmanager
def temporary_home(name, place=None):
    """A folder in PLACE that is removed at the end, with a home for the programs that are started meanwhile."""
    with tempfile.TemporaryDirectory(dir=place, prefix=f"filesinki-{name}.") as folder:
        home = f"{folder}/home"
        os.environ.update(HOME=home, XDG_DATA_HOME=f"{home}/data", XDG_CONFIG_HOME=f"{home}/config")
        os.makedirs(home)
        yield folder
