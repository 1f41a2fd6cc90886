# SPDX-License-Identifier: Apache-2.0
"""An upstream that takes its time, or its clients: upstream.py serve|ask SOCKET."""
import os
import socket
import socketserver
import sys
import threading
import time


def look_up():
    time.sleep(0.2)


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        while self.rfile.readline().strip():
            pass
        look_up()
        self.wfile.write(b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok")


class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True


def ask():
    while True:
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(sys.argv[2])
            s.sendall(b"GET / HTTP/1.0\r\n\r\n")
            while s.recv(4096):
                pass


if sys.argv[1] == "serve":
    Server(sys.argv[2], Handler).serve_forever()
while not os.path.exists(sys.argv[2]):
    time.sleep(0.05)
for _ in range(3):
    threading.Thread(target=ask, daemon=True).start()
ask()
