"""Stands for ssh: hands its last argument to far-host.py, and passes its own streams on.

    python3 far-bridge.py FOLDER ARGUMENT...
"""

import os
import socket
import sys
import threading

folder = sys.argv[1]
with open(folder + "/connections", "a") as connections:
    connections.write("connected\n")
host = socket.socket(socket.AF_UNIX)
host.connect(folder + "/host.socket")
host.sendall(sys.argv[-1].encode() + b"\n")


def send():
    while data := os.read(0, 65536):
        host.sendall(data)
    host.shutdown(socket.SHUT_WR)


threading.Thread(target=send, daemon=True).start()
while data := host.recv(65536):
    while data:
        data = data[os.write(1, data):]
