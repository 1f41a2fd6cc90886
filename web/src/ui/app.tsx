// SPDX-License-Identifier: Apache-2.0
//
// The page: what the reader chose, the parts that show it, and the keys.
import { type ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ColorBy, Theme } from "../color";
import { ROW, type Flame } from "../flame";
import { share } from "../format";
import type { Report } from "../report";
import {
  DEFAULTS,
  readState,
  setApart,
  writeState,
  type Measure,
  type State,
  type Time,
} from "../state";
import type { Group } from "../tree";
import { SIDE_NAMES, Verdict } from "./change";
import { Chips } from "./chips";
import { Details } from "./details";
import { About, Help } from "./dialogs";
import { zoomTo } from "./flameview";
import { Budget, Footer, Header, Hints } from "./header";
import { selectedSlice } from "./lanes";
import { Icon, ICONS, Select, type Moves, type PickTime, type Props } from "./shared";
import { Strip, whenOf } from "./strip";
import { selectedNode } from "./waitgraph";
import { selectedRequest } from "./requests";
import { Tabs, viewsOf, type View, type ViewRow } from "./views";

const GROUPS: [Group, string][] = [
  ["comm", "thread name"],
  ["process", "process"],
  ["thread", "thread"],
  ["cgroup", "cgroup"],
  ["cause", "cause"],
  ["none", "nothing"],
];
const MANY = 6; // tabs that leave less room for what is beside them
const TIMES: [Time, string][] = [
  ["wall", "wall clock"],
  ["on", "on a CPU"],
  ["off", "off the CPU"],
];
const MEASURES: [Measure, string][] = [
  ["off", "off-CPU time"],
  ["blocked", "blocked"],
  ["runq", "waiting for a CPU"],
  ["count", "number of waits"],
];
const DIFF_MEASURES: [Measure, string][] = [
  ["off", "both sides"],
  ["before", "before"],
  ["after", "after"],
];
const CHANGE: [ColorBy, string] = ["change", "change"];
const COLORS: [ColorBy, string][] = [
  ["cause", "cause"],
  ["cold", "blocked or runnable"],
  ["kind", "kind of code"],
  ["module", "module"],
];

export function useTheme(choice: State["theme"]): Theme {
  const query = useMemo(() => matchMedia("(prefers-color-scheme: dark)"), []);
  const print = useMemo(() => matchMedia("print"), []);
  const [dark, setDark] = useState(query.matches),
    [paper, setPaper] = useState(print.matches);
  useEffect(() => {
    const color = () => setDark(query.matches),
      onto = () => setPaper(print.matches);
    query.addEventListener("change", color);
    print.addEventListener("change", onto);
    return () => {
      query.removeEventListener("change", color);
      print.removeEventListener("change", onto);
    };
  }, []);
  const theme = paper ? "light" : choice === "auto" ? (dark ? "dark" : "light") : choice;
  document.documentElement.dataset.theme = theme;
  document.documentElement.toggleAttribute("data-paper", paper);
  return theme;
}

// A live page may have had more views a second ago.
function rowOf(views: ViewRow[], view: View): ViewRow {
  return views.find(row => row.view === view) ?? views.find(row => row.view === DEFAULTS.view)!;
}

// What the button Back of the browser undoes: what is looked at, not how.
function stepOf(s: State, views: ViewRow[]): string {
  const { view, zoom, group, time, causes, classes, threads, cgroups, objects, under, not } = s;
  const lists = [causes, classes, threads, cgroups, objects, under, not, s.when];
  return JSON.stringify([view, zoom, group, time, lists, rowOf(views, view).ofFunction && s.fn]);
}

// `more` is of the fragment too, and not of the state.
function useFragment(
  defaults: State,
  views: ViewRow[],
  more: string,
): [State, (patch: Partial<State>) => void] {
  const names = views.map(row => row.view);
  const [state, setState] = useState(() => readState(location.hash, defaults, names)),
    timer = useRef(0);
  const latest = useRef(state),
    seen = useRef(location.hash), // what was read or written last
    step = useRef<string | null>(more + stepOf(state, views)); // null: as a link has it
  latest.current = state;
  function write(): void {
    const text = [writeState(latest.current, defaults), more].filter(Boolean).join("&"),
      now = more + stepOf(latest.current, views),
      same = step.current === null || now === step.current;
    // Somebody went back a moment ago: the event that says so must come first.
    if (location.hash !== seen.current) {
      seen.current = location.hash;
      timer.current = window.setTimeout(write, 60);
      return;
    }
    if (text !== location.hash.replace(/^#/, "")) {
      if (same) history.replaceState(null, "", "#" + text);
      else history.pushState(null, "", "#" + text);
    }
    seen.current = location.hash;
    step.current = now;
  }
  useEffect(() => {
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(write, 60);
  }, [state, more]);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  useEffect(() => {
    const read = () => {
      step.current = null;
      seen.current = location.hash;
      setState(readState(location.hash, defaults, names));
    };
    window.addEventListener("hashchange", read);
    return () => window.removeEventListener("hashchange", read);
  }, []);
  // A slice is what is selected, or the frame is.
  const kept = (patch: Partial<State>) => ("at" in patch ? { slice: "", ...patch } : patch);
  return [state, patch => setState(s => ({ ...s, ...kept(patch) }))];
}

function next<T extends string>(choices: [T, string][], value: T): T {
  return choices[(choices.findIndex(c => c[0] === value) + 1) % choices.length][0];
}

// What the keys with arrows do in the flame graph: up, down, and across among siblings.
function neighbour(report: Report, up: boolean, node: number, key: string): number {
  const { shape: tree, layout: l } = report.graph();
  const box = l.box[Math.max(0, node)];
  if (box < 0 || l.len < 2) return -1;
  if (key === (up ? "ArrowDown" : "ArrowUp"))
    return node > 0 && tree.parent[node] > 0 ? tree.parent[node] : node;
  if (key === (up ? "ArrowUp" : "ArrowDown")) {
    let best = -1;
    for (let i = box + 1; i < l.skip[box]; i = l.skip[i]) {
      if (best < 0 || l.w[i] > l.w[best]) best = i;
    }
    return best < 0 ? node : l.node[best];
  }
  if (node <= 0) return l.node[1];
  if (key === "ArrowRight")
    return l.skip[box] < l.len && l.depth[l.skip[box]] === l.depth[box]
      ? l.node[l.skip[box]]
      : node;
  for (let i = l.box[tree.parent[node]] + 1; i < box; i = l.skip[i]) {
    if (l.skip[i] === box) return l.node[i];
  }
  return node;
}

// What a live page adds.
export interface Live {
  more: string; // of the fragment of the URL: what it shows
  head(props: Props): ComponentChildren;
  foot: ComponentChildren; // of the footer
  act(key: string): boolean; // false: no key of its own
  look(state: State, theme: Theme): void;
  stay(): void; // what is selected is at an instant of what is shown
  moved(): boolean; // another time than was shown was chosen since the last call
  // As PickTime; tells how much later begins what is shown then. null: as a report.
  pickTime: ((from: number, to: number) => number) | null;
}

export function App({ report, live }: { report: Report; live?: Live }) {
  const views = useMemo(() => viewsOf(report.p), [report]);
  const [state, change] = useFragment(report.defaults, views, live?.more ?? ""),
    theme = useTheme(state.theme),
    row = rowOf(views, state.view);
  const [dialog, setDialog] = useState<"" | "help" | "about">("");
  const [said, setSaid] = useState(""),
    flame = useRef<Flame | null>(null),
    moves = useRef<Moves | null>(null);
  const searchBox = useRef<HTMLInputElement>(null),
    wide = useMedia("(min-width: 1000px)"),
    phone = useMedia("(max-width: 600px)"),
    [filters, setFilters] = useState(false), // shown on a phone
    [asked, setAsked] = useState(false); // for the details, where they are not there by themselves
  report.use(state, theme, row);
  live?.look(state, theme);
  // Instants count from the begin of what is shown; of another time, nothing is selected.
  useEffect(() => {
    if (live?.moved()) change({ slice: "", request: "", path: "" });
    else if (state.slice || state.request || state.path) live?.stay();
  });
  const props: Props = { report, state, theme, change };
  const selected = report.nodeOf(state.at),
    groups = GROUPS.filter(
      g =>
        !(report.diff && /^(process|thread)$/.test(g[0])) &&
        (report.p.cgroups || g[0] !== "cgroup"),
    ),
    colors = report.diff ? [CHANGE, ...COLORS] : COLORS,
    measures = report.diff
      ? DIFF_MEASURES
      : report.p.both || report.p.onOnly
        ? [["off", "time"] as [Measure, string], ...MEASURES.slice(1)]
        : MEASURES;
  const zoom = (node: number) => zoomTo({ ...props, flameRef: flame }, node);
  const zoomInFlame = (node: number) => {
    if (!row.flame) change({ view: report.defaults.view });
    zoom(node);
  };
  const zoomOut = () => {
    const node = report.nodeOf(state.zoom),
      up = node > 0 ? report.tree().parent[node] : 0;
    zoom(Math.max(0, up));
  };
  useEffect(() => {
    if (selected > 0) {
      const { sums, tree } = report.filtered();
      setSaid(
        `${report.labels.text[tree.label[selected]]}, ` +
          (report.diff
            ? report.diff.percentText(report.pairOf([selected]))
            : report.shareOf(sums.off[selected], sums.idle[selected])),
      );
    }
  }, live ? [state.at] : [selected, report.filtered()]);

  function select(node: number): void {
    const f = flame.current,
      depth = report.tree().depth[node];
    const patch: Partial<State> = { at: report.keyOf(node), fn: "" };
    if (f && row.flame) {
      // into view, without leaving the zoom unless it must be
      const [a, b] = f.extent(node),
        [x0, x1, scroll] = f.target(),
        w = x1 - x0;
      patch.top = Math.round(f.scrollTo(depth, scroll) / ROW);
      if (b <= x0 || a >= x1) {
        const left = Math.min(1 - w, Math.max(0, (a + b - w) / 2));
        Object.assign(patch, {
          zoom: "",
          range: w < 1 ? `${left}~${left + w}` : "",
        });
      }
    }
    change(patch);
  }
  function findNext(back: boolean): void {
    const { nodes } = report.found(0),
      l = report.graph().layout,
      here = l.box[selected] ?? -1;
    if (!nodes.length) return;
    const after = nodes.filter(n => (back ? l.box[n] < here : l.box[n] > here));
    select(after.length ? after[back ? after.length - 1 : 0] : nodes[back ? nodes.length - 1 : 0]);
  }
  function nextThread(step: number): void {
    const { p } = report,
      totals = new Map<string, number>(),
      { byTask, was } = report.filtered();
    for (let t = 1; t <= p.tasks; t++) {
      const key = report.taskKeys(t)[1],
        weight = report.weigh({ off: byTask[t], was: was.byTask[t] });
      totals.set(key, (totals.get(key) ?? 0) + weight);
    }
    const keys = [
      "",
      ...[...totals]
        .filter(t => t[1] > 0)
        .sort((a, b) => b[1] - a[1])
        .map(t => t[0]),
    ];
    const at = (keys.indexOf(state.threads[0] ?? "") + step + keys.length) % keys.length;
    change({ threads: at ? [keys[at]] : [] });
  }
  function setView(view: View): void {
    const { tree } = report.filtered(),
      code = selected > 0 && report.isCode(tree.kind[selected]);
    change({
      view,
      ...(rowOf(views, view).ofFunction && code
        ? { fn: report.fnKey(tree.label[selected], tree.kind[selected]) }
        : {}),
    });
  }
  function subject(): string {
    const fn = report.fn(),
      { tree } = report.filtered();
    return fn
      ? report.labels.text[fn.label]
      : selected > 0
        ? report.labels.text[tree.label[selected]]
        : "";
  }
  function key(e: KeyboardEvent): void {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test((e.target as HTMLElement).tagName);
    const find = (e.ctrlKey || e.metaKey) && e.key === "f",
      covered = document.querySelector("dialog[open]") !== null;
    if (find || (e.key === "/" && !typing)) {
      searchBox.current!.focus();
      searchBox.current!.select();
    } else if (e.key === "F3") {
      findNext(e.shiftKey);
    } else if (covered || typing || e.ctrlKey || e.metaKey || e.altKey || !act(e)) {
      return;
    }
    e.preventDefault();
  }
  function act(e: KeyboardEvent): boolean {
    const f = moves.current ?? flame.current,
      button = (e.target as HTMLElement).tagName === "BUTTON";
    const list = e.target instanceof Element && e.target.closest(".rows");
    const tab = views.find(v => v.key === e.key);
    if (tab) {
      setView(tab.view);
    } else if (!list && !(button && e.key === "Enter") && moves.current?.act(e.key)) {
      return true;
    } else if (e.key.startsWith("Arrow") && row.flame && !list) {
      const to = neighbour(report, state.up, selected, e.key);
      if (to > 0) select(to);
    } else if ("wasd".includes(e.key) && f) {
      const step = { w: [0, -1], a: [-1, 0], s: [0, 1], d: [1, 0] }[e.key]!;
      f.panBy(step[0] * 0.15, step[1] * ROW * 4);
    } else if ("+=".includes(e.key)) {
      f?.zoomBy(0.6);
    } else if ("-_\u2212".includes(e.key)) {
      f?.zoomBy(1 / 0.6);
    } else if (e.key === "0") {
      zoom(0);
    } else if (e.key === "Enter" && !button && selected > 0) {
      zoom(selected);
    } else if (e.key === "Backspace") {
      zoomOut();
    } else if (e.key === "Escape") {
      escape();
    } else {
      return choose(e.key);
    }
    return true;
  }
  function unselected(): Partial<State> {
    return { at: "", fn: row.ofFunction ? state.fn : "" };
  }
  function escape(): void {
    if (state.search) change({ search: "" });
    else if (state.at || state.fn) change(unselected());
    else change({ zoom: "", range: "", top: 0 });
  }
  function choose(pressed: string): boolean {
    const name = subject();
    switch (pressed) {
      case "r":
        change({ fold: !state.fold });
        break;
      case "f":
        change({ up: !state.up, top: 0 });
        break;
      case "c":
        change({ color: next(colors, state.color) });
        break;
      case "C":
        change(report.noFilters);
        break;
      case "g":
        change({ group: next(groups, state.group), zoom: "", at: "" });
        break;
      case "m":
        if (!row.bothSides) change({ measure: next(measures, state.measure) });
        break;
      case "o":
        if (report.p.both) change({ time: next(TIMES, state.time) });
        break;
      case "W":
        if (report.hasWakers) change({ wakers: !state.wakers, zoom: "", at: "" });
        break;
      case "k":
        change(setApart(state, !state.apart));
        break;
      case "h":
        change({ strip: state.strip === "heat" ? "cause" : "heat" });
        break;
      case "t":
        change({ theme: theme === "dark" ? "light" : "dark" });
        break;
      case "n":
        nextThread(1);
        break;
      case "p":
        nextThread(-1);
        break;
      case "e":
        if (name && !state.under.includes(name)) change({ under: [...state.under, name] });
        break;
      case "x":
        if (name && !state.not.includes(name)) change({ not: [...state.not, name] });
        break;
      case "i":
        setDialog("about");
        break;
      case "?":
        setDialog("help");
        break;
      case "\\":
        togglePanel();
        break;
      default:
        return live?.act(pressed) ?? false;
    }
    return true;
  }
  const handler = useRef(key);
  handler.current = key;
  useEffect(() => {
    const listen = (e: KeyboardEvent) => handler.current(e);
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);

  useLayoutEffect(() => {
    // what else was laid out anew for paper may have moved the picture
    if (document.documentElement.hasAttribute("data-paper")) flame.current?.resize();
  });

  const chooseWindows = live?.pickTime,
    seconds = chooseWindows ? null : report.seconds(),
    pickTime: PickTime | null = chooseWindows
      ? (from, to) => {
          const by = chooseWindows(from, to);
          change({ span: `${Math.max(0, from - by)}~${to - by}`, path: "" });
        }
      : seconds && ((from, to) => change({ when: whenOf(seconds, from, to) }));
  const twin = rowOf(views, "tree"),
    slice = row.slices ? selectedSlice(report, state) : null,
    graphNode = row.ofNodes ? selectedNode(report, state) : -1,
    path = row.slices ? report.criticalPath(state.path) : null,
    request = row.ofRequests ? selectedRequest(report, state) : null,
    anything =
      selected > 0 || report.fn() !== null || slice || path || request || graphNode >= 0;
  const panel = !row.ofFunction && (wide ? state.panel : !!anything || asked);
  function togglePanel(): void {
    if (wide) {
      change({ panel: !state.panel });
    } else {
      setAsked(!panel);
      if (panel) change({ ...unselected(), node: "", path: "", request: "" });
    }
  }
  const filtered = report.filtersIn(state),
    chosen = filtered ? ` (${filtered})` : "";
  return (
    <div
      class={
        "app" +
        (report.diff ? " two" : "") +
        (views.length > MANY ? " many" : "") +
        (phone && !filters ? " closed" : "")
      }
    >
      <Header {...props} show={setDialog} />
      {live ? live.head(props) : <Strip {...props} section />}
      {report.diff
        ? report.p.head.sides.map((side, i) => <Budget head={side} name={SIDE_NAMES[i]} />)
        : <Budget head={report.p.head} />}
      {report.diff ? <Verdict {...props} /> : null}
      <Hints {...props} />
      <div class="bar1">
        <Tabs views={views} view={row.view} on={setView} />
        <div class="options" id="options">
          <Select
            label="Group"
            value={state.group}
            choices={groups}
            on={v => change({ group: v, zoom: "", at: "" })}
          />
          {report.p.both ? (
            <Select
              label="Time"
              value={state.time}
              choices={TIMES}
              on={v => change({ time: v })}
            />
          ) : null}
          {row.bothSides ? null : (
            <Select
              label="Width"
              value={state.measure}
              choices={measures}
              on={v => change({ measure: v })}
            />
          )}
          <Select
            label="Colour"
            value={state.color}
            choices={colors}
            on={v => change({ color: v })}
          />
          <button
            class={"tool" + (state.up ? " on" : "")}
            aria-pressed={state.up}
            aria-label="Root at the bottom"
            title="Root at the bottom (f)"
            onClick={() => change({ up: !state.up, top: 0 })}
          >
            <Icon d={ICONS.flip} />
          </button>
          <button
            class={"tool text" + (state.fold ? " on" : "")}
            aria-pressed={state.fold}
            title="Collapse direct recursion (r)"
            onClick={() => change({ fold: !state.fold })}
          >
            fold
          </button>
          {report.hasWakers ? (
            <button
              class={"tool text" + (state.wakers ? " on" : "")}
              aria-pressed={state.wakers}
              title="Show the code of who ended a wait behind its own (W)"
              onClick={() => change({ wakers: !state.wakers, zoom: "", at: "" })}
            >
              wakers
            </button>
          ) : null}
        </div>
        <span class="grow" />
        <Search {...props} box={searchBox} next={findNext} flat={!!row.flame} />
        {phone ? (
          <button
            class={"tool text" + (filters || filtered ? " on" : "")}
            aria-expanded={filters}
            aria-controls="options filters"
            onClick={() => setFilters(!filters)}
          >
            Filters{chosen}
          </button>
        ) : null}
        {row.ofFunction ? null : (
          <button
            class={"tool" + (panel ? " on" : "")}
            aria-pressed={panel}
            aria-label="Details"
            title="Details (\)"
            onClick={togglePanel}
          >
            <Icon d={ICONS.panel} />
          </button>
        )}
      </div>
      <Chips {...props} />
      <main>
        <section class="view" aria-label={row.title}>
          <row.draw
            {...props}
            flameRef={flame}
            movesRef={moves}
            pickTime={pickTime}
            zoom={zoomInFlame}
          />
          {row.flame && (state.zoom || state.range) ? (
            <button class="reset" onClick={() => zoom(0)}>
              Show all <kbd>0</kbd>
            </button>
          ) : null}
        </section>
        {panel ? (
          <Details
            {...props}
            close={togglePanel}
            zoom={zoomInFlame}
            flat={!!row.flame}
            slice={slice}
            graphNode={graphNode}
            path={path}
            request={request}
          />
        ) : null}
      </main>
      <Footer report={report} show={setDialog} more={live?.foot} />
      <p class="hidden" id="twin">
        The view {twin.title}, key {twin.key}, shows the same as a table.
      </p>
      <p class="hidden" role="status" aria-live="polite">
        {said}
      </p>
      {dialog === "help" ? (
        <Help report={report} views={views} live={!!live} close={() => setDialog("")} />
      ) : null}
      {dialog === "about" ? <About report={report} close={() => setDialog("")} /> : null}
    </div>
  );
}

function useMedia(which: string): boolean {
  const query = useMemo(() => matchMedia(which), []);
  const [matches, setMatches] = useState(query.matches);
  useLayoutEffect(() => {
    const on = () => setMatches(query.matches);
    query.addEventListener("change", on);
    return () => query.removeEventListener("change", on);
  }, []);
  return matches;
}

function Search({
  report,
  state,
  change,
  box,
  next,
  flat,
}: Props & {
  box: { current: HTMLInputElement | null };
  next(back: boolean): void;
  flat: boolean;
}) {
  const zoomed = report.nodeOf(state.zoom);
  const found = state.search && flat ? report.found(Math.max(0, zoomed)) : null;
  const bad = report.searchIsBad();
  return (
    <div class={"search" + (bad ? " bad" : "")} role="search">
      <Icon d={ICONS.search} />
      <input
        ref={box}
        type="search"
        value={state.search}
        placeholder="Search frames"
        aria-label="Search frames"
        spellcheck={false}
        aria-invalid={bad}
        onInput={e => change({ search: e.currentTarget.value })}
        onKeyDown={e => {
          if (e.key === "Enter") {
            next(e.shiftKey);
          } else if (e.key === "Escape") {
            if (state.search) change({ search: "" });
            e.currentTarget.blur();
            e.stopPropagation();
          }
        }}
      />
      {bad ? (
        <span class="matched" role="status">
          not an expression
        </span>
      ) : found ? (
        <span class="matched" role="status" title={`${found.nodes.length} frames`}>
          {share(found.covered, found.whole)}
        </span>
      ) : null}
    </div>
  );
}
