#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: s3_server.py DIRECTORY

Keeps what it is sent by PUT as S3 does, on a port of its own, which it writes to DIRECTORY/port.
It makes the signature of each request itself, from the published rules of Signature Version 4, and
refuses any other. DIRECTORY/keys has the key ID, the key, and the token of the session if there is
one. What it took is a file below DIRECTORY/objects and a line of DIRECTORY/taken.

DIRECTORY/plan says what it does with the next requests, one word each: take, a status such as 503
or 503:1 (with Retry-After), drop (the connection, in the middle of the body), hang, lose (takes it,
and breaks off its answer), expired (status 400, as of an old session)."""
import hashlib
import hmac
import http.server
import json
import os
import re
import sys
import threading
import urllib.parse

DIR = sys.argv[1]
LOCK = threading.Lock()
HEAD = re.compile(r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/s3/aws4_request, ?"
                  r"SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})")


def path(name):
    return os.path.join(DIR, name)


def next_word():
    with LOCK:
        try:
            with open(path("plan"), encoding="ascii") as f:
                words = f.read().split()
        except FileNotFoundError:
            return "take"
        with open(path("plan.new"), "w", encoding="ascii") as f:
            f.write(" ".join(words[1:]))
        os.rename(path("plan.new"), path("plan"))
        return words[0] if words else "take"


def record(name, item):
    with LOCK, open(path(name), "a", encoding="utf-8") as f:
        f.write(json.dumps(item) + "\n")


def mac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def signature(request, headers, date, region, signed, key):
    stamp = headers["x-amz-date"]
    assert stamp.startswith(date), stamp
    where = urllib.parse.urlsplit(request.path)
    canonical = "\n".join([
        request.command, urllib.parse.quote(urllib.parse.unquote(where.path), safe="/-_.~"),
        where.query, *[f"{n}:{' '.join(headers[n].split())}" for n in signed], "",
        ";".join(signed), headers["x-amz-content-sha256"]])
    scope = f"{date}/{region}/s3/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", stamp, scope,
                      hashlib.sha256(canonical.encode()).hexdigest()])
    for part in (date, region, "s3", "aws4_request"):
        key = mac(key, part) if isinstance(key, bytes) else mac(f"AWS4{key}".encode(), part)
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def check(request, body):
    """What is wrong with it is an AssertionError."""
    with open(path("keys"), encoding="ascii") as f:
        key_id, key, *token = f.read().split()
    headers = {n.lower(): v for n, v in request.headers.items()}
    found = HEAD.fullmatch(headers.get("authorization", ""))
    assert found, headers
    user, date, region, signed, sign = found.groups()
    signed = signed.split(";")
    assert user == key_id, user
    assert signed == sorted(signed), signed
    for name in ("host", "x-amz-date", "x-amz-content-sha256",
                 *["x-amz-security-token"][:len(token)]):
        assert name in signed, f"{name} is not signed"
    assert headers.get("x-amz-security-token", "") == "".join(token), headers
    assert headers["x-amz-content-sha256"] == hashlib.sha256(body).hexdigest(), "another body"
    want = signature(request, headers, date, region, signed, key)
    assert sign == want, f"the signature is {sign}, not {want}"
    return {"region": region, "type": headers["content-type"]}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_args):
        pass

    def answer(self, status, code="", headers=()):
        body = b""
        if status >= 300:
            body = (f'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>{code}</Code>'
                    f"<Message>because of {code}</Message></Error>").encode()
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        try:
            self.end_headers()
            self.wfile.write(body)
        except ConnectionError:
            self.close_connection = True

    def keep(self, body, about):
        to = path("objects" + urllib.parse.unquote(self.path))
        os.makedirs(os.path.dirname(to), exist_ok=True)
        with open(to, "wb") as f:
            f.write(body)
        record("taken", {"path": self.path, "bytes": len(body), **about})

    def do_PUT(self):
        word = next_word()
        record("seen", word)
        size = int(self.headers["Content-Length"])
        if word == "drop":
            self.rfile.read(size // 2)
            self.close_connection = True
            return
        body = self.rfile.read(size)
        if word == "hang":
            threading.Event().wait()
        try:
            about = check(self, body)
        except Exception as e:  # whatever it is, the test shall see it
            record("wrong", f"{self.path}: {e!r}")
            self.answer(403, "SignatureDoesNotMatch")
            return
        if word in ("take", "lose"):
            self.keep(body, about)
        if word == "take":
            self.answer(200)
        elif word == "lose":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
            self.close_connection = True
        elif word == "expired":
            self.answer(400, "ExpiredToken")
        else:
            status, _, after = word.partition(":")
            self.answer(int(status), "SlowDown", [("Retry-After", after)] if after else ())


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True


server = Server(("127.0.0.1", 0), Handler)
with open(path("port.new"), "w", encoding="ascii") as out:
    out.write(str(server.server_address[1]))
os.rename(path("port.new"), path("port"))
server.serve_forever()
