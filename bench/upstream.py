# SPDX-License-Identifier: Apache-2.0
"""usage: upstream.py serve SOCKET | ask SOCKET CLIENTS REQUESTS

A threaded HTTP server on a Unix socket, or clients of one, each with a connection of its own.
"""
import http.client
import http.server
import json
import socket
import socketserver
import sys
import threading


class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    lock = threading.Lock()
    served = 0

    def do_GET(self):
        with Answer.lock:
            Answer.served += 1
            body = json.dumps({"served": Answer.served, "path": self.path}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    request_queue_size = 64


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=30)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def ask(path, requests, failed):
    try:
        connection = Connection(path)
        for n in range(requests):
            connection.request("GET", f"/{n}")
            answer = connection.getresponse()
            answer.read()
            if answer.status != 200:
                failed.append(answer.status)
    except (OSError, http.client.HTTPException) as e:
        failed.append(e)


def main():
    role, path, *numbers = sys.argv[1:]
    if role == "serve":
        Server(path, Answer).serve_forever()
    clients, requests = map(int, numbers)
    failed = []
    threads = [threading.Thread(target=ask, args=(path, requests, failed)) for _ in range(clients)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
