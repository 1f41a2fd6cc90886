// SPDX-License-Identifier: Apache-2.0
//
// The timeline: what each thread did when. The picture is a canvas; the selected slice is a
// sentence below it and a list in the details, for those who do not see it.
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { causeRgb, mix, rgb, type Rgb, type Theme } from "../color";
import { count, plural, share, time } from "../format";
import { codesOf, crowd, type Codes } from "../laneindex";
import { LANE, LanePicture, type LaneModel, type Spot } from "../lanepicture";
import { inOrder, instant, sliceKey, sliceOf, type Order, type Slice } from "../lanes";
import { Overview } from "../overview";
import type { Report } from "../report";
import { parseRange } from "../live/choice";
import type { State } from "../state";
import { Nothing } from "./flameview";
import { PathChooser, pathKey } from "./path";
import { Select, type Moves, type PickTime, type Props } from "./shared";
import { leafKey, linesOf, sentenceOf } from "./slice";

const PARTS = 900, // of the time in the overview
  REST_MS = 150,
  SLICE_PART = 0.6; // of the width, after a zoom to a slice

const HINT =
  "Drag to move, Ctrl and wheel to zoom, Shift and drag to choose a time; ? has the keys.";

const ORDER_NAMES: [Order, string][] = [
  ["waited", "time waited"],
  ["process", "process"],
  ["first", "first event"],
];

// null: all.
function spanOf(text: string): [number, number] | null {
  const m = /^(\d{1,16}(?:\.\d+)?)~(\d{1,16}(?:\.\d+)?)$/.exec(text);
  return m && +m[1] < +m[2] ? [+m[1], +m[2]] : null;
}

function cssRgb(name: string): Rgb {
  return rgb(getComputedStyle(document.documentElement).getPropertyValue(name).trim());
}

function look(report: Report, codes: Codes, theme: Theme) {
  const colors = {
      page: cssRgb("--page"),
      line: cssRgb("--line"),
      text: cssRgb("--text"),
      muted: cssRgb("--muted"),
      accent: cssRgb("--accent"),
    },
    fill = report.causeNames.map(name => causeRgb(name, theme)),
    words = report.causeNames.slice();
  fill[report.causeNames.indexOf("idle")] = cssRgb("--idle");
  fill[codes.runq] = cssRgb("--runq");
  fill[codes.dim] = mix(cssRgb("--line"), colors.page, 0.35);
  fill[codes.on] = cssRgb("--on");
  fill[codes.unknown] = cssRgb("--strong");
  words[codes.runq] = "for a CPU";
  words[codes.dim] = "";
  words[codes.on] = "on a CPU";
  words[codes.unknown] = "not known";
  return { colors, fill, words };
}

// What of the waits is not here, in a sentence; "": all are.
export function leftOut(report: Report): string {
  const t = report.p.head.timelines;
  return t && t.waits < t.of
    ? `This page has the first ${count(t.waits)} of ${count(t.of)} waits, until ` +
        `${instant(t.until_ns!, 1e6)}: report fewer threads, or a part of the time with --since ` +
        "and --until."
    : "";
}

export function selectedSlice(report: Report, state: State): Slice | null {
  return report.p.head.timelines && state.slice ? sliceOf(report.lanes(), state.slice) : null;
}

export function selecting(report: Report, slice: Slice | null): Partial<State> {
  return slice
    ? { slice: sliceKey(report.lanes().p, slice), at: leafKey(report, slice), fn: "" }
    : { slice: "", at: "", fn: "" };
}

// A view that has the slice in its middle.
export function spanAround(report: Report, { begin, end }: Slice): string {
  const wide = Math.max(1000, (end - begin) / SLICE_PART),
    from = Math.max(0, Math.round((begin + end - wide) / 2));
  return `${from}~${Math.round(Math.min(report.lanes().end, from + wide))}`;
}

// What is in view without a zoom: what was chosen in the strip, or all.
function homeOf(report: Report): [number, number] {
  const chosen = report.when ? parseRange(report.when) : null,
    { interval } = report.wholeTime,
    last = chosen ? chosen.to - 1 : 0;
  return chosen
    ? [interval.begin_ns[chosen.from - 1], interval.begin_ns[last] + interval.length_ns[last]]
    : [0, report.lanes().end];
}

export function LanesView(
  props: Props & {
    movesRef: { current: Moves | null };
    pickTime: PickTime | null;
  },
) {
  const { report, state, theme, change, movesRef, pickTime } = props,
    lanes = report.lanes(),
    looked = report.looked(),
    codes = useMemo(() => codesOf(report.causeNames.length), [report]);
  const canvas = useRef<HTMLCanvasElement>(null),
    above = useRef<HTMLCanvasElement>(null),
    tip = useRef<HTMLDivElement>(null),
    picture = useRef<LanePicture | null>(null),
    overview = useRef<Overview | null>(null),
    timer = useRef(0),
    first = useRef(true);
  const [home0, home1] = homeOf(report),
    tasks = useMemo(
      () => inOrder(lanes.p, looked.threads, state.lanes, report.processName),
      [looked, state.lanes],
    ),
    names = useMemo(() => tasks.map(report.taskName), [tasks]),
    selected = selectedSlice(report, state),
    path = report.criticalPath(state.path),
    waiting = useMemo(
      () => crowd(lanes, tasks, codes, looked.cause, looked.bright, PARTS),
      [lanes, tasks, looked],
    );
  const now = useRef({ select, open, tell, moved });
  now.current = { select, open, tell, moved };

  function select(slice: Slice | null): void {
    tip.current!.hidden = true;
    change(selecting(report, slice));
  }
  function open(slice: Slice): void {
    change({ ...selecting(report, slice), span: spanAround(report, slice) });
  }
  // The URL follows when the hand rests.
  function moved(): void {
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => {
      const [t0, t1, scroll] = picture.current?.target() ?? [0, lanes.end, 0],
        n = (ns: number) => (t1 - t0 < 1e5 ? +ns.toFixed(1) : Math.round(ns)),
        all = t0 <= 0 && t1 >= lanes.end;
      change({
        span: Math.abs(t0 - home0) + Math.abs(t1 - home1) < 1 ? "" : `${n(t0)}~${n(t1)}`,
        // where all of the time is looked at, the strip has all of it too
        ...(all && report.when ? { when: "", span: "" } : {}),
        lane: Math.round(scroll / LANE),
      });
    }, REST_MS);
  }
  function tell(spot: Spot | null, x: number, y: number): void {
    const el = tip.current!,
      box = canvas.current!.getBoundingClientRect();
    canvas.current!.style.cursor = spot ? "pointer" : "default";
    el.hidden = !spot;
    if (!spot) return;
    el.textContent = "";
    for (const [i, text] of tipLines(spot).entries())
      el.appendChild(
        Object.assign(document.createElement(i ? "span" : "b"), { textContent: text }),
      );
    const left = x + 16 + el.offsetWidth > box.width ? x - 12 - el.offsetWidth : x + 16,
      top = y + 20 + el.offsetHeight > box.height ? y - 10 - el.offsetHeight : y + 20;
    el.style.transform = `translate(${Math.max(2, left)}px, ${Math.max(2, top)}px)`;
  }
  function tipLines({ slice, from, to }: Spot): string[] {
    const lines = linesOf(report, slice);
    if (slice.end - slice.begin >= to - from) return lines;
    const times = picture.current!.timesIn(slice.task, from, to),
      whole = times.reduce((a, b) => a + b, 0),
      { words } = styles,
      most = [...times.keys()].filter(c => times[c]).sort((a, b) => times[b] - times[a]);
    return [
      ...lines,
      `in these ${time(to - from)}: ` +
        most
          .slice(0, 4)
          .map(c => `${words[c] || "others"} ${share(times[c], whole)}`)
          .join(", "),
    ];
  }
  const styles = useMemo(() => look(report, codes, theme), [report, codes, theme]);
  useLayoutEffect(() => {
    const made = (picture.current = new LanePicture(canvas.current!, {
      select: slice => now.current.select(slice),
      open: slice => now.current.open(slice),
      hover: (spot, x, y) => now.current.tell(spot, x, y),
      moved: () => now.current.moved(),
      drawn: () => overview.current?.show(made.t0, made.t1),
    }));
    overview.current = new Overview(above.current!, (t0, t1) => {
      made.look(t0, t1, made.target()[2], false);
      now.current.moved();
    });
    return () => {
      window.clearTimeout(timer.current);
      made.done();
      overview.current!.done();
      picture.current = overview.current = movesRef.current = null;
    };
  }, []);
  useLayoutEffect(() => {
    const model: LaneModel = {
      lanes,
      tasks,
      names,
      codes,
      cause: looked.cause,
      bright: looked.bright,
      selected,
      path: path?.parts ?? null,
      theme,
      ...styles,
    };
    picture.current!.set(model);
  }, [lanes, tasks, looked, styles, state.slice, path]);
  useLayoutEffect(() => {
    overview.current!.set({
      end: lanes.end,
      crowd: waiting,
      fill: styles.fill,
      text: "waiting at once",
      colors: styles.colors,
    });
  }, [waiting, styles]);
  useEffect(() => {
    const p = picture.current!,
      [t0, t1] = spanOf(state.span) ?? [home0, home1],
      t = p.target(),
      same = Math.abs(t[0] - t0) + Math.abs(t[1] - t1) < 1,
      scroll = Math.abs(t[2] / LANE - state.lane) < 1 ? t[2] : state.lane * LANE;
    if (!same || scroll !== t[2]) p.look(t0, t1, scroll, !first.current);
    first.current = false;
  }, [state.span, state.lane, lanes, home0, home1]);
  useEffect(() => {
    const p = picture.current!;
    if (selected) reveal(p, selected);
  }, [state.slice, tasks]);

  // Into view, without changing how much is seen.
  function reveal(p: LanePicture, { task, begin, end }: Slice): void {
    const [t0, t1, scroll] = p.target(),
      wide = t1 - t0,
      to = p.scrollTo(task),
      seen = begin < t1 && end > t0,
      middle = Math.min(end, begin + wide * 0.8) / 2 + begin / 2;
    if (seen && to === scroll) return;
    p.look(seen ? t0 : middle - wide / 2, seen ? t1 : middle + wide / 2, to, !first.current);
    moved();
  }
  function act(key: string): boolean {
    const at = selected ?? null,
      row = at ? tasks.indexOf(at.task) : -1;
    switch (key) {
      case "ArrowLeft":
      case "ArrowRight":
        if (!at) return choose(0);
        return go(lanes.neighbour(at, key === "ArrowRight" ? 1 : -1));
      case "ArrowUp":
      case "ArrowDown":
        return choose(Math.max(0, Math.min(tasks.length - 1, row + (key === "ArrowUp" ? -1 : 1))));
      case "Home":
      case "End":
        if (!at) return false;
        const [from, to] = lanes.bounds(at.task);
        return go(lanes.sliceAt(at.task, key === "Home" ? from : to - 1));
      case "Enter":
        if (at) open(at);
        return !!at;
      case "Backspace":
        picture.current!.zoomBy(4, middleOf(at));
        return true;
      case "0":
        change({ span: "" });
        return true;
      case "P":
        if (report.hasPaths)
          change({ path: path ? "" : pathKey(report, selected?.task ?? 0, state.span) });
        return true;
      case "Escape":
        if (state.search) return false;
        if (state.slice || state.at || state.fn) select(null);
        else change({ span: "" });
        return true;
      default:
        return false;
    }
  }
  function go(slice: Slice | null): boolean {
    if (slice) select(slice);
    return true;
  }
  // In another lane, what was at the same time; without a selection, the largest that is seen.
  function choose(row: number): boolean {
    const [t0, t1] = picture.current!.target(),
      task = tasks[row];
    if (task === undefined) return true;
    const [from, to] = lanes.bounds(task),
      middle = selected ? Math.floor((selected.begin + selected.end) / 2) : -1,
      at = Math.max(from, Math.min(to - 1, middle));
    return go(selected ? lanes.sliceAt(task, at) : lanes.largestIn(task, t0, t1, 10000));
  }
  // Where a zoom by keys has its middle: at the selected slice, if it is seen.
  function middleOf(slice: Slice | null): number {
    const [t0, t1] = picture.current!.target(),
      at = slice ? ((slice.begin + slice.end) / 2 - t0) / (t1 - t0) : 0.5;
    return at > 0 && at < 1 ? at : 0.5;
  }
  movesRef.current = {
    panBy: (across, down) => picture.current!.panBy(across, down),
    zoomBy: factor => picture.current!.zoomBy(factor, middleOf(selected)),
    act,
  };

  const out = leftOut(report),
    t = report.p.head.timelines!,
    lost = report.p.head.losses.find(l => l.name === "events_lost"),
    legend: [string, string][] = [
      ["on a CPU", "var(--on)"],
      ["waiting for a CPU", "var(--runq)"],
    ];
  return (
    <div class="lanes">
      <div class="bar2">
        <span class="muted">
          {plural(tasks.length, "thread")}, {plural(t.waits, "wait")}
        </span>
        <Select
          label="Order"
          value={state.lanes}
          choices={ORDER_NAMES}
          on={lanes => change({ lanes, lane: 0 })}
        />
        {report.hasPaths ? (
          <PathChooser
            {...{ report, state, path, change }}
            task={selected?.task ?? 0}
          />
        ) : null}
        {state.span && pickTime ? (
          <button
            class="do"
            title="Choose the time in view in the strip above, for all views"
            onClick={() => {
              const [t0, t1] = spanOf(state.span) ?? [home0, home1];
              pickTime(t0, t1);
            }}
          >
            This time in all views
          </button>
        ) : null}
        <span class="legend">
          {legend.map(([text, color]) => (
            <span>
              <i class="dot" style={{ background: color }} />
              {text}
            </span>
          ))}
          <span>
            <i class="dot hatch" />
            not known
          </span>
          <span>other colours: blocked, by cause</span>
        </span>
      </div>
      <canvas
        class="overview"
        ref={above}
        role="img"
        aria-label={`Threads waiting at once over ${time(lanes.end)}, and the part that is shown`}
      />
      <div class="flame">
        <canvas
          ref={canvas}
          tabIndex={0}
          role="img"
          aria-label={
            `Timeline of ${plural(tasks.length, "thread")} over ${time(lanes.end)}. Arrow keys ` +
            "go from slice to slice and from thread to thread, Enter zooms."
          }
          aria-describedby="slice-says"
        />
        <div class="tip" ref={tip} hidden aria-hidden="true" />
        {state.span ? (
          <button class="reset" onClick={() => change({ span: "" })}>
            Show all <kbd>0</kbd>
          </button>
        ) : null}
        {tasks.length ? null : <Nothing {...props} />}
      </div>
      <p class="says" id="slice-says" role="status">
        {selected
          ? sentenceOf(report, selected)
          : out ||
            (lost
              ? `Not all is known: ${lost.text}.`
              : HINT)}
      </p>
    </div>
  );
}
