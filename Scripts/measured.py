"""What the scripts that measure the program have in common: a home of their own, a process with what it took, the size
of a folder, and a server with what is asked of it.
"""

import contextlib
import os
import socket
import subprocess
import tempfile
import threading
import time


class Run:
    """A process that has ended: seconds of wall and processor time, and its peak memory in bytes."""

    def __init__(self, command, feed=None, codes=(0,)):
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
        self.code = os.waitstatus_to_exitcode(status)
        if self.code not in codes:
            raise SystemExit(f"{' '.join(command)} ended with {self.code}")


@contextlib.contextmanager
def temporary_home(name, place=None):
    """A folder in PLACE that is removed at the end, with a home for the programs that are started meanwhile."""
    with tempfile.TemporaryDirectory(dir=place, prefix=f"filesinki-{name}.") as folder:
        home = f"{folder}/home"
        os.environ.update(HOME=home, XDG_DATA_HOME=f"{home}/data", XDG_CONFIG_HOME=f"{home}/config")
        os.makedirs(home)
        yield folder


def total(folder):
    """The bytes of all files, hidden ones included."""
    return sum(
        os.lstat(os.path.join(path, name)).st_size
        for path, _, names in os.walk(folder) for name in names)


class Meter:
    """A connection to a server that counts requests and the bytes sent, and limits their rate."""

    def __init__(self, port, rate=None):
        self.port, self.rate, self.sent, self.requests = port, rate, 0, 0
        self.lock = threading.Lock()
        self.free = time.monotonic()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.create_connection(("127.0.0.1", self.port))
            for pair, counts in ((client, server), True), ((server, client), False):
                threading.Thread(target=self.copy, args=(*pair, counts), daemon=True).start()

    def count(self, data):
        with self.lock:
            self.sent += len(data)
            # The first line of each request ends with it.
            self.requests += data.count(b" HTTP/1.1\r\n")
            if self.rate is None:
                return
            self.free = max(self.free, time.monotonic()) + len(data) / self.rate
            pause = self.free - time.monotonic()
        time.sleep(max(0, pause))

    def copy(self, source, goal, counts):
        try:
            while data := source.recv(1 << 16):
                if counts:
                    self.count(data)
                goal.sendall(data)
        except OSError:
            pass
        for end in source, goal:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Server:
    """`serve` of a store in a folder, behind a meter at ``address``."""

    def __init__(self, net, folder, rate=None):
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        self.process = subprocess.Popen(
            [net, "serve", str(folder), "--create", "--listen", f"127.0.0.1:{port}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(0.05)
        self.meter = Meter(port, rate)
        self.address = self.meter.address

    def close(self):
        self.process.terminate()
        self.process.wait()
