// SPDX-License-Identifier: Apache-2.0
//
// What was recorded, and where all of its threads' time went.
import { type ComponentChildren } from "preact";
import { count, plural, share, time } from "../format";
import type { Side } from "../data";
import { SIDE_NAMES } from "./change";
import { Icon, ICONS, toggle, type Props } from "./shared";

export function Header({
  report,
  state,
  change,
  show,
}: Props & { show(what: "help" | "about"): void }) {
  const { header: h, sides } = report.p.head;
  const targets = [...new Set(sides.map(s => s.header.target))].filter(Boolean).join(", then ");
  const next = { auto: "light", light: "dark", dark: "auto" } as const;
  const icon = { auto: ICONS.auto, light: ICONS.sun, dark: ICONS.moon }[state.theme];
  return (
    <header class="top">
      <Brand />
      <h1 title={h.target}>{h.title || h.target || "recording"}</h1>
      {report.diff ? (
        <p class="meta" title={sides.map(s => s.text).join("\n")}>
          <b>
            {time(sides[0].header.window_ns)}, then {time(h.window_ns)}
          </b>
          {targets ? <> · {targets}</> : null}
        </p>
      ) : (
        <p class="meta">
          {extent(report.p.head)}
          {h.host ? <> · {h.host}</> : null}
          {h.begin_wall_ms ? <time> · {when(h.begin_wall_ms)}</time> : null}
        </p>
      )}
      <button
        class="tool"
        onClick={() => change({ theme: next[state.theme] })}
        title={`Colours: ${state.theme} (t)`}
        aria-label={`Theme: ${state.theme}`}
      >
        <Icon d={icon} />
      </button>
      <button
        class="tool"
        onClick={() => show("about")}
        title="About this recording (i)"
        aria-label="About this recording"
      >
        <Icon d={ICONS.info} />
      </button>
      <button class="tool" onClick={() => show("help")} title="Keys (?)" aria-label="Keys">
        ?
      </button>
    </header>
  );
}

export function Brand() {
  return (
    <div class="brand" aria-hidden="true">
      <svg viewBox="0 0 20 20">
        <path d="M2 14h16M4 10h12M6 6h8" />
      </svg>
      coldspot
    </div>
  );
}

export function when(ms: number): string {
  const date = new Date(ms);
  return isNaN(+date) ? "?" : date.toISOString().replace("T", " ").slice(0, 19) + " UTC";
}

// How much was recorded, as far as it is known.
function extent({ header: h, budget: b }: Side) {
  const knows = (what: string) => !h.unknown.includes(what);
  const parts = [
    knows("window") ? <b>{time(h.window_ns)}</b> : null,
    knows("threads") ? (
      <>
        {knows("numbers") ? "" : "at least "}
        {plural(b.threads, "thread")}
      </>
    ) : null,
    knows("processes") ? <>in {plural(b.processes, "process", "processes")}</> : null,
  ].filter(part => part !== null);
  return parts.map((part, i) => (
    <>
      {i === 0 ? "" : i === 1 && knows("window") ? " · " : " "}
      {part}
    </>
  ));
}

// The sum of these is the wall time of all threads.
export function Budget({ head, name }: { head: Side; name?: string }) {
  const b = head.budget,
    { blocked_ns, idle_ns, kinds } = head.summary,
    // waiting for a CPU after a wait for work is idle time too, as in all shares
    woken = kinds.reduce((sum, k) => sum + (k.class === "idle" ? k.runq_ns : 0), 0),
    runq = Math.max(0, b.preempted_ns + b.runq_ns - woken),
    idle = b.blocked_ns - blocked_ns + woken;
  const tasks = !!head.header.tasks;
  const parts: [string, string, number, string][] = [
    ["on", tasks ? "running" : "on a CPU", b.on_ns, ""],
    [
      "runq",
      tasks ? "ready" : "waiting for a CPU",
      runq,
      tasks
        ? "would run, but has no thread, or its thread has no CPU"
        : (head.header.visit_hz
            ? "preempted or woken, which visits cannot tell, "
            : `of ${time(b.preempted_ns)} preempted and ${time(b.runq_ns)} woken or new, `) +
          `without ${time(woken)} after waits for work`,
    ],
    ["blocked", idle_ns === null ? "blocked or idle" : "blocked", blocked_ns, ""],
    ["rest", tasks ? "unread" : "unaccounted", b.unaccounted_ns, ""],
  ];
  if (idle_ns !== null)
    parts.splice(3, 0, ["idle", "idle", idle, "waits for work, and for a CPU after them"]);
  const missing: Record<string, string> = { on: "on_cpu", runq: "run_queue", rest: "on_cpu" };
  const blank = (key: string, ns: number) =>
    !ns && missing[key] !== undefined && head.header.unknown.includes(missing[key]);
  const shares = !head.header.unknown.includes("on_cpu");
  const text = parts
    .map(([key, name, ns]) => `${name} ${blank(key, ns) ? "not known" : time(ns)}`)
    .join(", ");
  return (
    <section
      class="budget"
      aria-label={`Time of all ${tasks ? "tasks" : "threads"}${name ? " " + name : ""}`}
    >
      {name ? <span class="when">{name}</span> : null}
      <span class="wall" title={count(b.wall_ns) + " ns"}>
        <b>{time(b.wall_ns)}</b>{" "}
        {tasks ? "of task time" : shares ? "of thread time" : "off the CPU"}
      </span>
      <div class="bar" role="img" aria-label={text}>
        {parts.map(([key, , ns]) =>
          ns > 0 ? <i class={key} style={{ flexGrow: ns / (b.wall_ns || 1) }} /> : null,
        )}
      </div>
      {parts.map(([key, name, ns, more]) => (
        <span
          class={"part" + (ns ? "" : " none")}
          title={blank(key, ns) ? "not known" : more || count(ns) + " ns"}
        >
          <i class={"dot " + key} />
          {name} <b>{blank(key, ns) ? "-" : time(ns)}</b>{" "}
          {shares ? <em>{share(ns, b.wall_ns)}</em> : null}
        </span>
      ))}
    </section>
  );
}

const HINTS = 3;

// As the program has it, who then has no hint: all but a thousandth (src/analysis/model/hints.c).
function nearlyAllIdle({ budget: b, summary: s }: Side): boolean {
  const busy = s.blocked_ns + b.preempted_ns + b.runq_ns;
  return s.idle_ns !== null && s.idle_ns > 0 && busy < (busy + s.idle_ns) / 1000;
}

// What to look at next: chosen where the summary of the terminal has it from.
export function Hints({ report, state, change }: Props) {
  const { hints, patterns } = report.p.head.summary,
    kinds = report.diff ? [] : hints.slice(0, HINTS),
    found = report.diff ? [] : (patterns ?? []).filter(w => w.matters);
  if (!kinds.length && !found.length)
    return nearlyAllIdle(report.p.head) && !report.diff ? (
      <p class="hints">Nothing to look at: nearly all that threads waited for was work.</p>
    ) : null;
  return (
    <ol class="hints" aria-label="What to look at next">
      {kinds.map(k => (
        <li title={k.hint}>
          <button
            class="link"
            aria-pressed={state.causes.includes(k.cause)}
            onClick={() => change({ causes: toggle(state.causes, k.cause) })}
          >
            {k.name}
          </button>{" "}
          <b>{time(k.blocked_ns + k.runq_ns)}</b> {k.hint}
        </li>
      ))}
      {found.map(w => (
        <li class="pattern" title={w.sentence}>
          <b>{w.kind}</b> {w.sentence}
        </li>
      ))}
    </ol>
  );
}

export function Footer({
  report,
  show,
  more,
}: {
  report: Props["report"];
  show(what: "about"): void;
  more?: ComponentChildren;
}) {
  const { head } = report.p,
    us = head.user_stacks,
    lost = head.sides.flatMap((s, i) =>
      s.losses.map(l => (report.diff ? `${SIDE_NAMES[i]} ` : "") + l.text),
    ),
    n = lost.length;
  return (
    <footer class="foot">
      <button class={n ? "lost" : "whole"} onClick={() => show("about")}>
        {n
          ? `Lost: ${lost[0]}${n > 1 ? ` and ${n - 1} more` : ""}`
          : head.header.unknown.includes("losses")
            ? "Lost: not known"
            : "Nothing lost"}
      </button>
      {more}
      {head.sides.map((s, i) =>
        s.scope.length ? (
          <span class="scope">
            {report.diff ? SIDE_NAMES[i] + ": " : ""}
            {s.scope.join("; ")}
          </span>
        ) : null,
      )}
      {report.diff ? (
        head.sides.map((s, i) => (
          <code title={s.header.command}>
            {SIDE_NAMES[i]}: {s.header.command}
          </code>
        ))
      ) : (
        <>
          {us.total_ns ? (
            <span>user stacks whole in {share(us.whole_ns, us.total_ns)} of waited time</span>
          ) : null}
          <span class="effort">{head.effort.join("; ")}</span>
          <code title={head.header.command}>{head.header.command}</code>
        </>
      )}
    </footer>
  );
}
