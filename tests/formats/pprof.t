#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pprof files, opened by Go's programs and by protoc with Google's own profile.proto. Prints TAP;
what the machine lacks for a test skips it."""
import glob
import gzip
import os
import re
import shutil
import subprocess
import tempfile

from cases import Report, all_ns, expected, off_ns, pprof_values, same

HERE = os.path.dirname(os.path.abspath(__file__))
GOCODE = "/usr/share/gocode"  # where Debian has the source of Go libraries
GOOGLE = os.path.join(GOCODE, "src/github.com/google/pprof")


def is_gzip(case, _waits):
    with gzip.open(expected(case, "pb.gz")) as f:
        assert f.read(), "nothing in it"


def pprof(go, case, *options):
    with tempfile.TemporaryDirectory() as home:
        env = {**os.environ, "HOME": home, "PPROF_TMPDIR": home, "PPROF_BINARY_PATH": home}
        done = subprocess.run([go, "tool", "pprof", "-symbolize=none", *options,
                               expected(case, "pb.gz")], env=env, timeout=60,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def raw_adds_up(case, waits):
    raw = pprof(go, case, "-raw")
    rows = re.findall(r"^ *((?:\d+ +)+\d+): ([\d ]*)$", raw, re.M)
    sums = [sum(column) for column in zip(*([int(n) for n in row.split()] for row, _ in rows))]
    same(sums or [0, 0], list(pprof_values(case, waits).values()), "values")
    assert all(stack.strip() for _, stack in rows), "a sample without a stack"


def top_adds_up(case, waits):
    want = all_ns(case, waits)
    if not want:
        return
    top = pprof(go, case, "-top", "-unit=ns", "-nodefraction=0", "-nodecount=100000")
    shown = re.search(r"accounting for (\d+)ns, 100% of (\d+)ns total", top)
    assert shown, top
    same(int(shown.group(1)), want, "nodes")
    same(int(shown.group(2)), want, "total")
    flat = sum(int(ns) for ns in re.findall(r"^ *(\d+)ns +[\d.e-]+% +[\d.]+% ", top, re.M))
    same(flat, want, "sum of the column")


def labels_select(case, waits):
    if os.path.basename(case) != "shop":
        return
    top = pprof(go, case, "-top", "-unit=ns", "-tagfocus=cause=lock")
    locks = [w for w in waits if w["cause"] == "lock"]
    shown = re.search(r"accounting for (\d+)ns", top)
    same(int(shown.group(1)), off_ns(locks), "lock")
    raw = pprof(go, case, "-raw")
    assert re.search(r"^1: .* /opt/shop/bin/shop-api 8a1c0cc7b1f2a3d4 ", raw, re.M), raw
    assert re.search(r"libc\.so\.6 51657f818beb1ae70372216a99b7412b8a100a20 ", raw), raw


class Validity:
    """Google's library: Parse, CheckValid, and sums. Built once, run for each case."""

    def __init__(self, directory):
        self.program = os.path.join(directory, "pprof_valid")
        self.problem = None
        env = {**os.environ, "GO111MODULE": "off", "GOPATH": GOCODE, "GOFLAGS": "",
               "GOCACHE": os.path.join(directory, "cache")}
        built = subprocess.run([go, "build", "-o", self.program,
                                os.path.join(HERE, "pprof_valid.go")], env=env, timeout=300,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, check=False)
        if built.returncode:
            self.problem = built.stdout.decode()

    def __call__(self, case, waits):
        assert not self.problem, self.problem
        done = subprocess.run([self.program, expected(case, "pb.gz")], timeout=60,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        assert done.returncode == 0, done.stdout.decode()
        same([int(n) for n in done.stdout.decode().split()],
             list(pprof_values(case, waits).values()), "sums")


def protoc_knows_every_field(case, waits):
    with gzip.open(expected(case, "pb.gz")) as f:
        done = subprocess.run(["protoc", "--decode=perftools.profiles.Profile",
                               "-I" + os.path.join(GOOGLE, "proto"), "profile.proto"],
                              input=f.read(), timeout=60, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
    assert done.returncode == 0, done.stderr.decode()
    text = done.stdout.decode()
    unknown = re.findall(r"^ *\d+[:{ ].*$", text, re.M)
    assert not unknown, f"fields that profile.proto has not: {unknown[:3]}"
    samples = re.findall(r"^sample \{\n((?:  .*\n)*?)\}", text, re.M)
    values = [re.findall(r"^  value: (-?\d+)", s, re.M) for s in samples]
    want = list(pprof_values(case, waits).values())
    same([sum(int(v[i]) for v in values) for i in range(len(want))], want, "sums")


def find_go():
    places = sorted(glob.glob("/usr/lib/go*/bin/go"), reverse=True)
    return shutil.which("go") or next(iter(places), None)


go = find_go()
google = os.path.isdir(GOOGLE)
report = Report()
report.check("Python reads the gzip", is_gzip)
for name, test in (("-raw has every wait", raw_adds_up), ("-top adds up", top_adds_up),
                   ("labels and mappings are known", labels_select)):
    report.check(f"go tool pprof: {name}", test, go, "golang-1.19-go")
name = "Go's CheckValid has nothing to say, and adds up"
if go and google:
    with tempfile.TemporaryDirectory() as directory:
        report.check(name, Validity(directory))
else:
    report.line(name, skip="golang-1.19-go or golang-github-google-pprof-dev is not installed")
report.check("protoc --decode: every field is of profile.proto, and adds up",
             protoc_knows_every_field, google and shutil.which("protoc"),
             "protobuf-compiler or golang-github-google-pprof-dev")
report.end()
