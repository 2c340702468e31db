"""Stands for sshd: runs lines of shell for those who connect to host.socket in the current folder.

The streams of a line are the connection. The script far-end in the same folder gets the line.
"""

import os
import signal
import socket
import subprocess

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
server = socket.socket(socket.AF_UNIX)
server.bind("new.socket")
server.listen(16)
os.rename("new.socket", "host.socket")
while True:
    connection, _ = server.accept()
    line = b""
    while not line.endswith(b"\n"):
        byte = connection.recv(1)
        if not byte:
            break
        line += byte
    subprocess.Popen(["/bin/sh", "far-end", line.decode()], stdin=connection, stdout=connection)
    connection.close()
