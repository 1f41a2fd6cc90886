#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The container image that `make image` left: what is in it, and that it records with just the
privileges that compose.yaml and daemonset.yaml ask for, and with no fewer. Prints TAP."""
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

CONTAINER = "packaging/container"
BUILD = os.environ.get("COLDSPOT_BUILD", "build")
count = failed = 0


def ok(good, what, *why):
    global count, failed
    count += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - {what}")
    if not good:
        for line in why:
            print("# " + str(line))


def skip(what, why):
    global count
    count += 1
    print(f"ok {count} - {what} # SKIP {why}")


def blob(image, digest):
    data = image.extractfile("blobs/" + digest.replace(":", "/")).read()
    if digest != "sha256:" + hashlib.sha256(data).hexdigest():
        raise ValueError(f"{digest} is not what it says")
    return data


def unpack(path, root):
    """Its config; its layers are unpacked below root."""
    with tarfile.open(path) as image:
        index = json.load(image.extractfile("index.json"))
        manifest = json.loads(blob(image, index["manifests"][0]["digest"]))
        for layer in manifest["layers"]:
            with tempfile.TemporaryFile() as packed:
                packed.write(blob(image, layer["digest"]))
                packed.seek(0)
                with tarfile.open(fileobj=packed) as files:
                    files.extractall(root)
        return json.loads(blob(image, manifest["config"]["digest"]))


def listed(path, key):
    """The words of `key: [A, B]`."""
    with open(os.path.join(CONTAINER, path), encoding="utf-8") as f:
        return re.search(rf"^\s*{key}: \[([A-Z_, ]+)\]", f.read(), re.M).group(1).split(", ")


def record(root, capabilities, victim):
    """As the containers run it, of a process: root with the capabilities, no new privileges, a root
    that cannot be written."""
    names = [f"cap_{name.lower()}" for name in capabilities]
    every = subprocess.run(["capsh", "--print"], capture_output=True, text=True,
                           check=True).stdout
    every = re.search(r"^Bounding set =(.*)$", every, re.M).group(1).split(",")
    drop = ",".join(name for name in every if name not in names)
    script = f"""mount --bind {root} {root} && mount -o remount,bind,ro {root} &&
        mount -t proc proc {root}/proc && mount --rbind /sys {root}/sys &&
        mount -t tmpfs data {root}/data &&
        exec capsh --chroot={root} --drop={drop} --no-new-privs --shell=/coldspot -- \
            record -f json -d 300ms -p {victim}"""
    return subprocess.run(["unshare", "-m", "--propagation", "private", "sh", "-c", script],
                          capture_output=True, text=True, timeout=60, check=False)


def whole(done):
    """It records the process, with names of both sides, and has nothing to complain of."""
    return done.returncode == 0 and not done.stderr and \
        all(f"\"{name}\"" in done.stdout for name in ("__libc_start_main", "hrtimer_nanosleep"))


def judge_privileges(root, wanted):
    os.makedirs(os.path.join(root, "proc"))
    os.makedirs(os.path.join(root, "sys"))
    # of another user, as most are
    with subprocess.Popen(["sleep", "60"], user=65534) as victim:
        done = record(root, wanted, victim.pid)
        ok(whole(done), "it records with these capabilities, and misses nothing", done.returncode,
           done.stderr, done.stdout[-500:])
        for name in ("BPF", "PERFMON", "SYS_PTRACE", "SYSLOG"):
            done = record(root, [word for word in wanted if word != name], victim.pid)
            ok(not whole(done), f"without {name} it misses something")
        victim.kill()


def main():
    found = glob.glob(os.path.join(BUILD, "packages", "coldspot-image-amd64.tar"))
    if not found:
        print("1..0 # SKIP there is no image: make image")
        return 0
    with tempfile.TemporaryDirectory() as root:
        config = unpack(found[0], root)
        ok(config["config"]["Entrypoint"] == ["/coldspot"] and config["architecture"] == "amd64",
           "it starts coldspot", config)
        files = sorted(os.listdir(root))
        ok(files == ["LICENCES", "coldspot", "data", "usr"], "it has the program and little else",
           files)
        said = subprocess.run([os.path.join(root, "coldspot"), "version"], capture_output=True,
                              text=True, check=False).stdout
        ok(said.startswith("coldspot "), "the program runs", said)
        with open(os.path.join(root, "LICENCES"), encoding="utf-8", errors="replace") as f:
            licences = f.read()
        ok(all(name in licences for name in ("elfutils", "GNU C Library", "sqlite", "jansson")),
           "it brings the licences of what is linked in")
        wanted = listed("compose.yaml", "cap_add")
        ok(wanted == listed("daemonset.yaml", "add"), "both files ask for the same capabilities")
        if os.geteuid() or not shutil.which("capsh"):
            skip("it records with these capabilities", "needs root and capsh")
            skip("not with fewer", "needs root and capsh")
        else:
            judge_privileges(root, wanted)
    print(f"1..{count}")
    return 1 if failed else 0


sys.exit(main())
