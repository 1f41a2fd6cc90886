# SPDX-License-Identifier: Apache-2.0
"""An upstream that takes its time, or its clients: upstream.py serve|ask SOCKET|HOST:PORT."""
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


class UnixServer(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True


class TcpServer(socketserver.ThreadingMixIn, socketserver.TCPServer):
    daemon_threads = True
    allow_reuse_address = True


def address(where):
    host, _, port = where.partition(":")
    return (host, int(port)) if port else where


def ask(family, where):
    while True:
        with socket.socket(family) as s:
            s.connect(where)
            s.sendall(b"GET / HTTP/1.0\r\n\r\n")
            while s.recv(4096):
                pass


def main():
    where = address(sys.argv[2])
    is_unix = isinstance(where, str)
    if sys.argv[1] == "serve":
        (UnixServer if is_unix else TcpServer)(where, Handler).serve_forever()
    while is_unix and not os.path.exists(where):
        time.sleep(0.05)
    to = socket.AF_UNIX if is_unix else socket.AF_INET, where
    for _ in range(3):
        threading.Thread(target=ask, args=to, daemon=True).start()
    ask(*to)


main()
