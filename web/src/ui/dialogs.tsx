// SPDX-License-Identifier: Apache-2.0
//
// The keys, and the recording itself: what was seen, what was lost, how it was made.
import { useEffect, useRef } from "preact/hooks";
import { type ComponentChildren } from "preact";
import { plural, share, time } from "../format";
import { STATES, type Side } from "../data";
import { SIDE_NAMES } from "./change";
import { when } from "./header";
import { Icon, ICONS, type Props } from "./shared";
import type { ViewRow } from "./views";

export function Dialog({
  title,
  close,
  children,
}: {
  title: string;
  close(): void;
  children: ComponentChildren;
}) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const el = box.current!;
    el.showModal();
    return () => el.close();
  }, []);
  return (
    <dialog
      ref={box}
      aria-label={title}
      onClose={close}
      onClick={e => {
        if (e.target === box.current) close();
      }}
    >
      <div class="sheet">
        <h2>
          {title}
          <button class="tool" aria-label="Close" onClick={close}>
            <Icon d={ICONS.close} />
          </button>
        </h2>
        {children}
      </div>
    </dialog>
  );
}

const KEYS: [string, [string, string][]][] = [
  [
    "Move",
    [
      ["w a s d", "pan"],
      ["+ \u2212", "zoom in and out"],
      ["0", "all of it"],
      ["arrows", "from frame to frame"],
      ["Enter, double click", "zoom to the frame"],
      ["Backspace", "zoom out by one frame"],
      ["Ctrl wheel", "zoom at the pointer"],
    ],
  ],
  [
    "Find",
    [
      ["/ or Ctrl F", "search: text, or /a regular expression/"],
      ["Enter, Shift Enter, F3", "next and previous match"],
      ["Esc", "end the search, then the zoom"],
    ],
  ],
  [
    "Filter",
    [
      ["e", "only waits under the selected frame"],
      ["x", "no waits under it"],
      ["n p", "next and previous thread"],
      ["Alt click on a class or cause", "without it"],
      ["Shift C", "clear all filters"],
    ],
  ],
  [
    "Show",
    [
      ["r", "collapse recursion"],
      ["f", "root at the top or at the bottom"],
      ["c", "next way to colour"],
      ["g", "next way to group"],
      ["m", "next measure"],
      ["o", "wall clock, on a CPU, off it: of recordings made with --on-cpu"],
      ["k", "waits for work under one name, or under their own causes"],
      ["W", "code of who ended a wait, behind its own: of recordings made with --wakers"],
      ["h", "strip of time: causes, or a heat map of what happens within seconds"],
      ["t", "light or dark"],
      ["i", "about this recording"],
      ["?", "these keys"],
    ],
  ],
];

// Of a page with timelines.
const SLICE_KEYS: (typeof KEYS)[number] = [
  "Timeline",
  [
    ["\u2190 \u2192", "from slice to slice"],
    ["\u2191 \u2193", "what another thread did at that time"],
    ["Home End", "first and last slice of the thread"],
    ["Enter, double click", "zoom to the slice"],
    ["Shift drag", "choose a part of the time"],
    ["Shift P", "critical path of the thread, in the time in view"],
    ["Esc", "end the selection, then the zoom"],
  ],
];

// Of a page with a graph.
const NODE_KEYS: (typeof KEYS)[number] = [
  "Graph",
  [
    ["\u2192 \u2190", "to whom it waits for most, and to who waits most for it"],
    ["\u2191 \u2193", "from node to node, by the time that ended there"],
    ["Enter, double click", "only the threads of the node"],
  ],
];

// Of a page with requests.
const REQUEST_KEYS: (typeof KEYS)[number] = [
  "Requests",
  [
    ["\u2191 \u2193", "from class to class, or in a list from row to row"],
    ["\u2190 \u2192", "from request to request of the slowest"],
    ["Enter, double click", "the time of the request in the timeline"],
    ["Esc", "end the selection"],
  ],
];

// Of a page that is served.
const TIME_KEYS: (typeof KEYS)[number] = [
  "Time",
  [
    ["z", "freeze, or follow again"],
    [", .", "one window back, one window on"],
    ["A B", "mark what is shown as A or as B, or remove the mark"],
    ["D", "compare the marks, or what is shown with what was before; and back"],
    ["H", "health of the recording and of its server"],
  ],
];

export function Help({
  report,
  views,
  live,
  close,
}: {
  report: Props["report"];
  views: ViewRow[];
  live: boolean;
  close(): void;
}) {
  const tabs = views.map((row): [string, string] => [row.key, row.help]),
    keys: typeof KEYS = [
      ["Views", [...tabs, ["\\", "details on and off"]]],
      ...(live ? [TIME_KEYS] : []),
      ...KEYS,
      ...(views.some(row => row.slices) ? [SLICE_KEYS] : []),
      ...(views.some(row => row.ofNodes) ? [NODE_KEYS] : []),
      ...(views.some(row => row.ofRequests) ? [REQUEST_KEYS] : []),
    ];
  return (
    <Dialog title="Keys" close={close}>
      <p>
        Each box is a function, its width the time that threads waited below it; user code calls
        down into the kernel, which is <b>paler</b>. <i>Slanted</i> names are inlined functions, a
        bar at the left marks interpreted ones. The hue is the cause of the waits where one has most
        of the time; thin boxes are drawn together in grey.
      </p>
      {report.diff ? (
        <p>
          In a diff a box is as wide as the mean of both sides, so that what is gone has its place
          beside what is new. Red is more than before, blue is less, the stronger the larger the
          change is; grey is noise. {report.diff.head.key_text} A part of what was tested, as
          filters leave it, has no verdict: paler colours say so.
        </p>
      ) : null}
      <div class="keys">
        {keys.map(([title, keys]) => (
          <section>
            <h3>{title}</h3>
            <dl>
              {keys.map(([key, what]) => (
                <>
                  <dt>
                    <kbd>{key}</kbd>
                  </dt>
                  <dd>{what}</dd>
                </>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <p class="hint">
        The address of this page holds the whole view: a bookmark or a link shows the same.
      </p>
    </Dialog>
  );
}

export function About({ report, close }: { report: Props["report"]; close(): void }) {
  const { sides, diff } = report.p.head;
  return (
    <Dialog title={diff ? "About these recordings" : "About this recording"} close={close}>
      {diff ? (
        <p>
          {diff.tested_text} {diff.key_text}
        </p>
      ) : null}
      {sides.map((side, i) => (
        <>
          {diff ? (
            <h2 class="of">
              {SIDE_NAMES[i]}: {side.name}
            </h2>
          ) : null}
          <Recording side={side} />
        </>
      ))}
    </Dialog>
  );
}

function Recording({ side }: { side: Side }) {
  const { header: h, budget: b, losses, effort, scope, user_stacks: us } = side;
  const states = b.blocked_by_state_ns
    .map((ns, i) => (ns ? `${STATES[i]} ${time(ns)}` : ""))
    .filter(Boolean)
    .join(", ");
  const knows = (what: string) => !h.unknown.includes(what);
  const lines: [string, ComponentChildren][] = [
    ["target", h.target],
    ["command", <code>{h.command}</code>],
    [
      "window",
      `${knows("window") ? time(h.window_ns) : "?"} from ` +
        (h.begin_wall_ms ? when(h.begin_wall_ms) : "?"),
    ],
    ["scope", scope.join("; ")],
    [
      "host",
      [h.host, h.kernel && "Linux " + h.kernel, h.arch, h.ncpu && plural(h.ncpu, "CPU")]
        .filter(Boolean)
        .join(", "),
    ],
    ["coldspot", h.coldspot],
    ["hooks", h.hooks],
    ["seen", effort[0]],
    ["cost", effort[1].replace(/^cost: /, "")],
    ["blocked", `${time(b.blocked_ns)}${states ? ": " + states : ""}`],
    [
      "waiting for a CPU",
      `${time(b.preempted_ns + b.runq_ns)}: ` +
        (h.visit_hz || !knows("preemption")
          ? "preempted or woken, which visits cannot tell"
          : `preempted ${time(b.preempted_ns)}, woken or new ` +
            (knows("run_queue") ? time(b.runq_ns) : "not known")),
    ],
    ["on a CPU", knows("on_cpu") ? time(b.on_ns) : "not known"],
    [
      "unaccounted",
      knows("on_cpu")
        ? `${time(b.unaccounted_ns)}, ${share(b.unaccounted_ns, b.wall_ns)}`
        : "not known",
    ],
    [
      "listed",
      `${time(b.listed_blocked_ns)} blocked, ${time(b.listed_runq_ns)} waiting for a CPU` +
        (h.filtered ? "; waits were left out on request" : ""),
    ],
  ];
  return (
    <>
      <section>
        <h3>
          {losses.length || !knows("losses") ? "Lost" : "Nothing lost"}
          {losses.length || knows("losses") ? "" : ": not known"}
        </h3>
        <ul class="losses">
          {losses.map(l => (
            <li>{l.text}</li>
          ))}
        </ul>
        {side.names ? <p>Names: {side.names}</p> : null}
        {us.total_ns ? (
          <p>
            User stacks are whole in {share(us.whole_ns, us.total_ns)} of waited time
            {us.rest.length
              ? "; the rest: " +
                us.rest.map(r => `${share(r.ns, us.total_ns)} ${r.words}`).join(", ")
              : ""}
            .
          </p>
        ) : null}
      </section>
      <dl class="facts">
        {lines
          .filter(l => l[1])
          .map(([k, v]) => (
            <>
              <dt>{k}</dt>
              <dd>{v}</dd>
            </>
          ))}
      </dl>
    </>
  );
}
