// SPDX-License-Identifier: Apache-2.0
//
// Downloads of what is shown, in every format of `coldspot report`. The server makes them, with the
// filters that it has, too.
import { useEffect, useRef, useState } from "preact/hooks";
import { plural } from "../format";
import { url, type Query } from "../live/api";
import type { Watch } from "../live/watch";
import { pick } from "../report";
import type { State } from "../state";
import type { Props } from "./shared";

const FORMATS: [string, string, string][] = [
  ["html", "page that needs no server", "html"],
  ["svg", "flame graph as a picture", "svg"],
  ["txt", "summary and tables", "txt"],
  ["tree", "tree as text", "tree.txt"],
  ["folded", "stacks for flamegraph.pl", "folded"],
  ["pprof", "for go tool pprof, Pyroscope, Parca", "pb.gz"],
  ["speedscope", "for speedscope.app", "speedscope.json"],
  ["firefox", "for the Firefox Profiler", "firefox.json"],
  ["json", "everything, for programs", "json"],
  ["ndjson", "the same, a line each", "ndjson"],
  ["csv", "a row for each wait", "csv"],
  ["hist", "lengths of waits", "hist.txt"],
];
// Of a recording that has instants.
const TIMELINE_FORMATS: typeof FORMATS = [
  ["perfetto", "timelines for ui.perfetto.dev", "perfetto"],
  ["chrome", "the same as Chrome trace events", "trace.json"],
  ["narrative", "what threads did, as text", "narrative.txt"],
];
const DIFF_FORMATS: typeof FORMATS = [
  ["html", "page that needs no server", "html"],
  ["svg", "flame graph as a picture", "svg"],
  ["text", "what changed, as text", "txt"],
  ["folded", "stacks with both sides", "folded"],
  ["json", "everything, for programs", "json"],
];

// What passes, of all there is: the server knows no "all but".
function passing(list: string[], names: string[]): string {
  if (!list.length) return "";
  const { only, without } = pick(list);
  return (only.length ? only : names).filter(name => !without.includes(name)).join(",");
}

// A glob that matches this text alone.
function literal(text: string): string {
  return text.replace(/[\\*?[]/g, "\\$&");
}

// Filters as `coldspot report` has them. `rest` counts those that it has not.
export function filterQuery(
  s: State,
  causes: string[],
  classes: string[],
): { query: Query; rest: number } {
  const hides = s.classes.includes("-idle"),
    threads = pick(s.threads),
    cgroups = pick(s.cgroups),
    objects = pick(s.objects),
    ids = (list: string[]) => list.join(",");
  return {
    query: {
      idle: hides ? "hide" : "",
      cause: passing(s.causes, causes),
      class: passing(
        s.classes.filter(c => c !== "-idle"),
        classes,
      ),
      cgroup: cgroups.only.map(literal),
      object: objects.only.map(literal),
      pid: ids(threads.only.filter(t => !t.includes("/"))),
      tid: ids(threads.only.filter(t => t.includes("/")).map(t => t.split("/")[1])),
      under: s.under,
      "not-under": s.not,
    },
    rest: threads.without.length + cgroups.without.length + objects.without.length,
  };
}

export function Export({ report, state, watch }: Props & { watch: Watch }) {
  const [open, setOpen] = useState(false),
    box = useRef<HTMLDivElement>(null),
    { picture } = watch,
    diff = picture?.compare,
    timelines = report.p.head.timelines ? TIMELINE_FORMATS : [],
    formats = diff ? DIFF_FORMATS : [...FORMATS, ...timelines],
    { query, rest } = filterQuery(
      state,
      report.causeNames,
      report.classes.map(c => c[0]),
    );
  useEffect(() => {
    if (!open) return;
    const away = (e: Event) => {
      if (!box.current!.contains(e.target as Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", away);
    document.addEventListener("focusin", away);
    return () => {
      document.removeEventListener("pointerdown", away);
      document.removeEventListener("focusin", away);
    };
  }, [open]);
  const address = (format: string) =>
    url(diff ? "diff" : "profile", {
      ...picture?.query,
      ...(diff ? {} : query),
      format,
    });
  return (
    <div
      class="export"
      ref={box}
      onKeyDown={e => {
        if (e.key !== "Escape" || !open) return;
        e.stopPropagation();
        setOpen(false);
        box.current!.querySelector("button")!.focus();
      }}
    >
      <button class="do" aria-expanded={open} onClick={() => setOpen(!open)}>
        Export
      </button>
      {open ? (
        <div class="popover">
          <ul>
            {formats.map(([name, words, ending]) => (
              <li>
                <a href={address(name)} download={`coldspot.${ending}`}>
                  <b>{name}</b> <span>{words}</span>
                </a>
              </li>
            ))}
          </ul>
          {diff ? null : (
            <p>
              Of the windows that are shown, with their filters
              {rest ? `; ${plural(rest, "filter")} of the kind \u201cwithout\u201d left out` : ""}.
            </p>
          )}
        </div>
      ) : null}
    </div>
  );
}
