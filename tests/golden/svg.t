#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is drawn, seen by other people's programs: an XML parser and a browser. Prints TAP; what the
machine lacks for a test skips it."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
GRAPH = os.path.join(HERE, "shop", "expected.whole.svg")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--virtual-time-budget=2000"]
number = 0
failed = 0


def report(name, problem=None, skip=None):
    global number, failed
    number += 1
    failed += problem is not None
    print(f"{'not ok' if problem is not None else 'ok'} {number} - {name}"
          f"{' # SKIP ' + skip if skip else ''}")
    if problem is not None:
        print("# " + str(problem).replace("\n", "\n# "))
    sys.stdout.flush()


def check(name, test):
    try:
        test()
        report(name)
    except AssertionError as e:
        report(name, e)
    except Exception as e:
        report(name, repr(e))


def xml_is_well_formed():
    paths = glob.glob(os.path.join(HERE, "*", "expected.*svg"))
    assert len(paths) > 5, "too few graphs"
    for path in paths:
        root = ET.parse(path).getroot()
        assert root.tag == "{http://www.w3.org/2000/svg}svg", path
        ids = [e.get("id") for e in root.iter() if e.get("id")]
        assert len(ids) == len(set(ids)), "an id twice in " + path


class Page:
    """The graph in the browser after its script has run."""

    path = GRAPH

    def __init__(self, browser, suffix):
        with tempfile.TemporaryDirectory() as profile:
            dom = subprocess.run([browser, *FLAGS, f"--user-data-dir={profile}", "--dump-dom",
                                  "file://" + self.path + suffix], timeout=60,
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
        self.read(ET.fromstring(dom.stdout.decode()))

    def read(self, root):
        self.root = root
        self.frames = {}
        for g in self.root.iter("{http://www.w3.org/2000/svg}g"):
            if "f" in (g.get("class") or "").split():
                name = g.find("{http://www.w3.org/2000/svg}title").text
                self.frames.setdefault(re.sub(r" \([^()]*\)$", "", name), []).append(g)

    def element(self, wanted):
        return next(e for e in self.root.iter() if e.get("id") == wanted)

    def text(self, wanted):
        return (self.element(wanted).text or "").strip()

    def classes(self, name):
        # "w": its words are white
        return [c for c in self.frames[name][0].get("class").split() if c != "w"]

    def rect(self, name):
        return self.frames[name][0].find("{http://www.w3.org/2000/svg}rect")


class Driven(Page):
    """After a click on a frame, and then the browser's Back if `back`."""

    def __init__(self, browser, frame, back):
        script = f"""<script>setTimeout(function () {{
document.querySelector("#{frame} rect").dispatchEvent(new MouseEvent("click", {{bubbles: true}}));
{"setTimeout(function () { history.back(); }, 200);" if back else ""}
}}, 200);</script></svg>"""
        with open(GRAPH, encoding="utf-8") as f:
            graph = f.read().replace("</svg>", script)
        with tempfile.NamedTemporaryFile("w", suffix=".svg", encoding="utf-8") as out:
            out.write(graph)
            out.flush()
            self.path = out.name
            super().__init__(browser, "")


class Raw(Page):
    """The graph as it is in the file."""

    def __init__(self):
        self.read(ET.parse(GRAPH).getroot())


def browser_tests(browser):
    zoom = "#/" + Raw().frames["worker_main"][0].get("id")[1:]
    urls = {
        "plain": "", "futex": "?s=futex", "nested": "?s=start_thread|futex",
        "nocase": "?s=LIMITER&ic=1",
        "bad": "?s=a(b", "zoom": zoom, "both": "?s=futex" + zoom, "behind": zoom + "?s=futex",
        "unknown": "#/0123456789abcdef",
    }
    with ThreadPoolExecutor(4) as pool:
        pages = dict(zip(urls, pool.map(lambda url: Page(browser, url), urls.values())))

    def matched(page, wanted):
        assert pages[page].text("matched") == wanted, pages[page].text("matched")

    def shows_all():
        matched("plain", "")
        for name, groups in pages["plain"].frames.items():
            for g in groups:
                assert g.get("class") in ("f", "f w"), name
        assert "off" in pages["plain"].element("reset").get("class")
        assert "off" not in pages["plain"].element("search").get("class")

    def searches():
        matched("futex", "Matched: 42.7%")
        assert pages["futex"].rect("do_futex").get("fill") == "rgb(230,0,230)"
        assert pages["futex"].rect("main").get("fill") != "rgb(230,0,230)"

    def counts_no_time_twice():
        matched("nested", "Matched: 55.1%")

    def ignores_case():
        matched("nocase", "Matched: 42.7%")

    def refuses_bad_expressions():
        assert "Not a regular expression" in pages["bad"].text("matched")

    def zooms():
        page = pages["zoom"]
        rect = page.rect("worker_main")
        assert (rect.get("x"), rect.get("width")) == ("10.0", "1180.0")
        assert "parent" in page.classes("all") and "parent" in page.classes("worker-1")
        assert "hide" in page.classes("main") and "hide" in page.classes("worker-2")
        assert page.classes("query_orders") == ["f"]
        assert "off" not in page.element("reset").get("class")

    def goes_back():
        frame = Raw().frames["worker_main"][0].get("id")
        there, back = (Driven(browser, frame, b) for b in (False, True))
        assert "off" not in there.element("reset").get("class")
        assert "off" in back.element("reset").get("class")
        assert "hide" not in back.classes("main")

    def zooms_and_searches():
        matched("both", "Matched: 61.6%")
        matched("behind", "Matched: 61.6%")
        assert pages["both"].text("search") == "Reset Search"

    def survives_an_unknown_frame():
        assert "not in this graph" in pages["unknown"].text("details")
        assert pages["unknown"].classes("main") == ["f"]

    check("without state a graph shows everything", shows_all)
    check("?s= searches", searches)
    check("a search counts no time twice", counts_no_time_twice)
    check("ic=1 ignores case", ignores_case)
    check("a bad expression is refused", refuses_bad_expressions)
    check("#/ zooms", zooms)
    check("Back undoes a zoom", goes_back)
    check("a search is a share of the zoom", zooms_and_searches)
    check("an unknown frame zooms nowhere", survives_an_unknown_frame)


check("every SVG is well-formed XML with unique ids", xml_is_well_formed)
chromium = shutil.which("chromium") or shutil.which("chromium-browser")
if chromium:
    browser_tests(chromium)
else:
    report("zoom and search in a browser", skip="chromium is not installed")
print(f"1..{number}")
sys.exit(1 if failed else 0)
