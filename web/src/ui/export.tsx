// SPDX-License-Identifier: Apache-2.0
//
// Downloads of what is shown, in every format of `coldspot report`. The server makes them, with the
// filters that it has, too.
import { useEffect, useRef, useState } from "preact/hooks";
import { url, type Query } from "../live/api";
import type { Watch } from "../live/watch";
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
const DIFF_FORMATS = FORMATS.filter(f => /^(html|svg|txt|folded|json)$/.test(f[0]));

// Filters as the server has them. Frames it cannot filter by: `rest` counts what is left out.
export function filterQuery(s: State): { query: Query; rest: number } {
  const idle = s.classes.includes("-idle") ? "0" : s.classes.includes("idle") ? "1" : undefined,
    side = (t: string) => (t.startsWith("-") ? "-" : ""),
    bare = (t: string) => t.replace(/^-/, ""),
    whole = s.threads.filter(t => !t.includes("/")),
    single = s.threads.filter(t => t.includes("/"));
  return {
    query: {
      idle,
      cause: s.causes,
      cgroup: s.cgroups,
      object: s.objects,
      pid: whole,
      tid: single.map(t => side(t) + bare(t).split("/")[1]),
    },
    rest: s.under.length + s.not.length + s.classes.filter(c => !/^-?idle$/.test(c)).length,
  };
}

export function Export({ state, watch }: Props & { watch: Watch }) {
  const [open, setOpen] = useState(false),
    box = useRef<HTMLDivElement>(null),
    { picture, source } = watch,
    diff = picture?.compare,
    formats = diff ? DIFF_FORMATS : (source.status?.formats ?? FORMATS),
    { query, rest } = filterQuery(state);
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
              {rest ? "; those by frame and by class are left out" : ""}.
            </p>
          )}
        </div>
      ) : null}
    </div>
  );
}
