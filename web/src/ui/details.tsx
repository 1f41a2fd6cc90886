// SPDX-License-Identifier: Apache-2.0
//
// All there is to know of the selected frame; without one, where the time went.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { causeColor } from "../color";
import { Kind, objectOf } from "../data";
import type { Pair } from "../diff";
import { count, plural, share, time, timeError, waits } from "../format";
import { errorNs, quantileBound, type Stats } from "../stats";
import type { Slice } from "../lanes";
import type { Path } from "../path";
import { FUNCTIONS, PATHS } from "../report";
import type { Request } from "../requests";
import { Changes, Compared, Histograms } from "./change";
import { spanAround } from "./lanes";
import { Lengths } from "./lengths";
import { Badge, fileName, Icon, ICONS, onlyTask, toggle, type Props } from "./shared";
import { PathDetails } from "./path";
import { leafKey, SliceDetails } from "./slice";
import { RequestDetails } from "./requests";
import { NodeDetails } from "./waitgraph";

const FEW = 10; // ESTIMATE_FEW of src/profile/estimate.h
const SHOWN = 8;

export function Details(
  props: Props & {
    zoom(node: number): void;
    close(): void;
    flat: boolean;
    slice: Slice | null; // of a timeline, the selected one
    graphNode: number; // of the graph, or -1
    path: Path | null; // of a timeline, the critical path
    request: Request | null; // of the requests, the selected one
  },
) {
  const { report, state, slice, graphNode, path, request, change } = props,
    node = report.nodeOf(slice ? leafKey(report, slice) : state.at),
    fn = report.fn();
  const box = useRef<HTMLElement>(null),
    [width, setWidth] = useState(300);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => setWidth(box.current!.clientWidth - 28));
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    box.current!.scrollTop = 0;
  }, [state.at, state.fn, state.slice, state.node, state.request]);
  return (
    <aside class="details" ref={box} aria-label="Details">
      <button
        class="tool close"
        aria-label="Close the details"
        title="Close (\)"
        onClick={props.close}
      >
        <Icon d={ICONS.close} />
      </button>
      {slice ? (
        <SliceDetails
          report={report}
          slice={slice}
          change={change}
          zoom={() => change({ span: spanAround(report, slice) })}
        />
      ) : null}
      {path ? <PathDetails report={report} path={path} change={change} /> : null}
      {graphNode >= 0 ? (
        <NodeDetails report={report} change={change} node={graphNode} />
      ) : request ? (
        <RequestDetails report={report} change={change} request={request} />
      ) : node > 0 || fn ? (
        <Subject {...props} width={width} node={node} />
      ) : slice || path ? null : report.diff ? (
        <>
          <Changes {...props} />
          {report.hasBins() ? (
            <Lengths
              {...props}
              width={width}
              tasks={report.tasksOf(0)!}
              listed={report.sidesOf([0])}
            />
          ) : null}
        </>
      ) : (
        <Overview {...props} width={width} />
      )}
    </aside>
  );
}

function Overview(props: Props & { width: number; flat: boolean }) {
  const { report, change, flat } = props;
  const { rows, count: places, busy } = report.places(),
    whole = report.filtered().sums.off[0],
    exact = report.filtered().exact.get(0),
    idle = report.idleTime();
  const sampled = report.p.head.header.sampled;
  return (
    <>
      <h2>
        {report.p.both
          ? "Where time went"
          : report.p.onOnly
            ? report.p.head.header.tasks
              ? "Where tasks ran"
              : "Where threads ran"
            : report.p.head.header.tasks
              ? "Where tasks waited"
              : "Where threads waited"}
      </h2>
      <p class="lead">
        <b>{time(exact ?? whole)}</b>{" "}
        {report.timeWords()}
        {idle.off && !idle.shown ? " and not idle" : ""}
        {exact === undefined || report.p.head.header.tasks ? "" : " (exact)"}
        {report.time() === "on" || !report.filtered().sums.count[0]
          ? ""
          : `, in ${sampled ? "about " : ""}${waits(report.filtered().sums.count[0])}`}
      </p>
      {idle.off && busy ? (
        <p class="idle">
          <i class="dot" />
          {idle.shown ? "of which " : "beside it "}
          <button class="link" onClick={() => change(report.onlyIdle())}>
            idle
          </button>{" "}
          {time(idle.off)}, {share(idle.off, idle.whole)} of all: waits for work
        </p>
      ) : null}
      {rows.length ? <h3>Shares of {report.shareWords()}</h3> : null}
      <ol class="places">
        {rows.map(r => (
          <li key={r.key}>
            <div class="line">
              <i
                class="dot"
                style={{
                  background: causeColor(r.note),
                }}
              />
              <b>{time(r.off)}</b>
              {sampled && r.variance ? (
                <em>
                  {"\u00b1"}
                  {timeError(r.off, errorNs(r.variance))}
                </em>
              ) : null}
              <em>{report.shareOf(r.off, r.idle)}</em>
              <span class="grow" />
              <button
                class="link"
                onClick={() => change(r.note === "idle" ? report.onlyIdle() : { causes: [r.note] })}
              >
                {r.note}
              </button>
            </div>
            <p class="place">{r.name}</p>
          </li>
        ))}
      </ol>
      {places > rows.length ? (
        <button class="link" onClick={() => change({ view: "table", by: "place", sort: "" })}>
          {plural(places - rows.length, "more place")} in the table
        </button>
      ) : null}
      {report.hasBins() ? (
        <Lengths {...props} tasks={report.tasksOf(0)!} listed={[report.statsOf([0]).stats]} />
      ) : null}
      {rows.length ? (
        <p class="hint">
          Click a frame for its waits, causes and stack; double-click zooms
          {flat ? "" : " in the flame graph"}. ? has the keys.
        </p>
      ) : null}
    </>
  );
}

function Numbers({
  s,
  share,
  exact,
  sampled,
}: {
  s: Stats;
  share: string;
  exact?: number;
  sampled: boolean;
}) {
  const error = exact === undefined ? errorNs(s.variance) : 0,
    off = exact ?? s.off;
  const cells: [string, string, string?][] = [
    ["time", time(off) + (error ? ` \u00b1${timeError(off, error)}` : ""), count(off) + " ns"],
    ["share", share],
    ["self", time(s.self)],
    [sampled ? "waits, about" : "waits", s.count ? count(s.count) : "-"],
    ["mean", s.count ? time((s.off - s.on) / s.count) : "-"],
    ["p50 \u2264", s.count ? time(quantileBound(s.hist, 500, s.max)) : "-"],
    ["p99 \u2264", s.count ? time(quantileBound(s.hist, 990, s.max)) : "-"],
    ["longest", time(s.max)],
    ...(sampled ? [["samples", count(s.samples)] as [string, string]] : []),
  ];
  return (
    <dl class="numbers">
      {cells.map(([name, value, more]) => (
        <div title={more}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
      {sampled && s.variance && s.samples < FEW ? (
        <p class="rough">Only {plural(s.samples, "sample")}: a rough guess.</p>
      ) : null}
    </dl>
  );
}

function Subject(props: Props & { node: number; width: number; zoom(node: number): void }) {
  const { report, state, change, node, width, zoom } = props,
    f = report.filtered(),
    tree = f.tree,
    chosen = report.fn();
  const byFn = node <= 0 && chosen !== null;
  const label = byFn ? chosen!.label : tree.label[node],
    kind = byFn ? chosen!.kind : tree.kind[node];
  const nodes = byFn ? report.nodesOfFn() : [node];
  const { stats, waits } = useMemo(() => report.statsOf(nodes), [f, node, state.fn]);
  const sides = useMemo(
    () => (report.diff ? report.sidesOf(nodes) : null),
    [f, node, state.fn],
  );
  const name = report.labels.text[label] || "[no name]",
    code = report.isCode(kind),
    tasks = report.hasBins() && node > 0 ? report.tasksOf(node) : null;
  return (
    <>
      <h2 class="name">{name}</h2>
      <p class="kind">
        <Badge kind={kind} report={report} />
        {byFn ? <em>{plural(nodes.length, "place")} in the tree</em> : null}
      </p>
      <div class="actions">
        {byFn ? null : (
          <button onClick={() => zoom(node)} title="Enter">
            Zoom
          </button>
        )}
        {code ? (
          <button
            title="3"
            onClick={() =>
              change({
                view: "sandwich",
                fn: report.fnKey(label, kind),
              })
            }
          >
            Callers, callees
          </button>
        ) : null}
        <button
          title="Only waits under it (e)"
          disabled={state.under.includes(name)}
          onClick={() => change({ under: [...state.under, name] })}
        >
          Only under
        </button>
        <button
          title="No waits under it (x)"
          disabled={state.not.includes(name)}
          onClick={() => change({ not: [...state.not, name] })}
        >
          Without
        </button>
      </div>
      {sides ? (
        <Compared
          diff={report.diff!}
          pair={report.pairOf(nodes)}
          sides={sides}
          families={byFn ? FUNCTIONS() : PATHS(node)}
        />
      ) : (
        <Numbers
          s={stats}
          share={report.shareOf(stats.off, stats.idle)}
          exact={node > 0 ? f.exact.get(node) : undefined}
          sampled={report.p.head.header.sampled}
        />
      )}
      {!sides && stats.off > 0 ? <Split s={stats} /> : null}
      {tasks ? (
        <Lengths {...props} tasks={tasks} listed={sides ?? [stats]} />
      ) : (
        <Histograms sides={sides ?? [stats]} width={width} />
      )}
      <Shares
        title="Causes"
        waits={waits}
        report={report}
        of={w => report.causeNames[report.p.wait.cause[w]]}
        color={causeColor}
        on={name => change({ causes: [name] })}
      />
      <Objects {...props} waits={waits} />
      <Shares
        title="System calls"
        waits={waits}
        report={report}
        of={w => report.p.strings[report.p.wait.syscall[w]] || "none"}
      />
      <Shares
        title="Threads"
        waits={waits}
        report={report}
        of={w => report.taskName(report.p.wait.task[w])}
      />
      {code ? <Code report={report} label={label} kind={kind} /> : null}
      {byFn ? null : <Stack {...props} />}
    </>
  );
}

function Split({ s }: { s: Stats }) {
  const blocked = s.off - s.runq - s.on;
  return (
    <div
      class="split"
      title={`${count(blocked)} ns blocked, ${count(s.runq)} ns waiting for a CPU`}
    >
      <div class="bar">
        {s.on ? <i class="on" style={{ flexGrow: s.on / s.off }} /> : null}
        {blocked ? <i class="blocked" style={{ flexGrow: blocked / s.off }} /> : null}
        {s.runq ? <i class="runq" style={{ flexGrow: s.runq / s.off }} /> : null}
      </div>
      {s.on ? (
        <span>
          <i class="dot on" />
          on a CPU <b>{time(s.on)}</b>
        </span>
      ) : null}
      <span>
        <i class="dot blocked" />
        blocked <b>{time(blocked)}</b>
      </span>
      <span>
        <i class="dot runq" />
        waiting for a CPU <b>{time(s.runq)}</b>
      </span>
    </div>
  );
}

function Shares({
  title,
  waits,
  report,
  of,
  color,
  on,
  what,
  can,
  less,
}: {
  title: string;
  waits: number[];
  report: Props["report"];
  of(w: number): string;
  color?(name: string): string;
  on?(name: string): void;
  what?: string;
  can?(name: string): boolean;
  less?(name: string): void;
}) {
  const { diff } = report;
  const rows = useMemo(() => {
    const size = (pair: Pair) => (diff ? Math.abs(diff.change(pair)) : pair.off);
    return [...report.pairsBy(waits, of)].sort(
      (a, b) => size(b[1]) - size(a[1]) || report.weigh(b[1]) - report.weigh(a[1]),
    );
  }, [waits]);
  const whole = rows.reduce((a, r) => a + report.weigh(r[1]), 0);
  if (!rows.length) return null;
  return (
    <section class="shares">
      <h3>
        {title}
        {diff ? "" : ", of its time"}
        {rows.length > SHOWN ? ` (${count(rows.length)})` : ""}
      </h3>
      {rows.slice(0, SHOWN).map(([name, pair]) => (
        <div class="line">
          <i class="meter">
            <i
              style={{
                width: (whole ? (100 * report.weigh(pair)) / whole : 0) + "%",
                background: color ? color(name) : undefined,
              }}
            />
          </i>
          {on && (!can || can(name)) ? (
            <button class="link" title={what && `${what} ${name}`} onClick={() => on(name)}>
              {name}
            </button>
          ) : (
            <span title={name}>{name}</span>
          )}
          <span class="grow" />
          <b title={diff ? diff.ratesText(pair) : undefined}>
            {diff ? diff.changeText(pair) : time(pair.off)}
          </b>
          <em>{diff ? diff.percentText(pair) : share(report.weigh(pair), whole)}</em>
          {less && (!can || can(name)) ? (
            <button
              class="less"
              aria-label={`Without ${name}`}
              title={`Without ${name}`}
              onClick={() => less(name)}
            >
              <Icon d={ICONS.minus} />
            </button>
          ) : null}
        </div>
      ))}
    </section>
  );
}

const UNKNOWN = "not known";

// What it waited for, and who held that: where anything is known of either.
function Objects({ report, state, change, waits }: Props & { waits: number[] }) {
  const { p } = report,
    owners = new Map<string, number>();
  for (const w of waits) {
    if (p.wait.owner_task[w]) owners.set(p.strings[p.wait.owner[w]], p.wait.owner_task[w]);
  }
  const choose = (name: string) => change({ objects: toggle(state.objects, name) });
  return (
    <>
      {waits.some(w => p.wait.object[w]) ? (
        <Shares
          title="Objects"
          waits={waits}
          report={report}
          of={w => objectOf(p, w) || UNKNOWN}
          can={name => name !== UNKNOWN}
          on={choose}
          what="Only waits for"
          less={name => choose("-" + name)}
        />
      ) : null}
      {waits.some(w => p.wait.owner[w]) ? (
        <Shares
          title="Owners"
          waits={waits}
          report={report}
          of={w => p.strings[p.wait.owner[w]] || UNKNOWN}
          can={name => owners.has(name)}
          on={name => change({ ...onlyTask(report, owners.get(name)!), at: "", fn: "" })}
          what="What it waited for itself:"
        />
      ) : null}
    </>
  );
}

function Code({ report, label, kind }: { report: Props["report"]; label: number; kind: number }) {
  const { p } = report,
    frames = report.framesOf(label, kind);
  const modules = [...new Set(frames.map(f => p.frame.module[f]))].filter(Boolean);
  const lines = [
    ...new Set(
      frames
        .filter(f => p.frame.file[f])
        .map(f => p.strings[p.frame.file[f]] + ":" + p.frame.line[f]),
    ),
  ];
  const why = [...new Set(frames.map(f => p.strings[p.frame.reason[f]]).filter(Boolean))];
  if (!modules.length && !lines.length && !why.length) return null;
  return (
    <section class="code">
      <h3>Code</h3>
      <dl>
        {modules.slice(0, 4).map(m => (
          <>
            <dt>module</dt>
            <dd>{p.strings[p.module.path[m]]}</dd>
            {p.module.build_id[m] ? (
              <>
                <dt>build ID</dt>
                <dd class="mono">{p.strings[p.module.build_id[m]]}</dd>
              </>
            ) : null}
          </>
        ))}
        {lines.slice(0, 6).map(l => (
          <>
            <dt>source</dt>
            <dd class="mono">{l}</dd>
          </>
        ))}
        {why.map(w => (
          <>
            <dt>no name</dt>
            <dd>{w}</dd>
          </>
        ))}
      </dl>
    </section>
  );
}

function Stack({ report, change, node }: Props & { node: number }) {
  const { tree, sums } = report.filtered(),
    above = report.path(tree, node);
  const below = report.heaviest(node),
    [copied, setCopied] = useState(false);
  const name = (n: number) => report.labels.text[tree.label[n]] || "[no name]";
  const module = (n: number) => {
    const m = report.moduleOf(tree.label[n], tree.kind[n]);
    return m ? fileName(report.p.strings[report.p.module.path[m]]) : "";
  };
  const line = (n: number) => (
    <li
      class={
        (n === node ? "self" : "") +
        (n > node ? " below" : "") +
        (tree.kind[n] === Kind.Kernel ? " kernel" : "")
      }
    >
      <button class="link" onClick={() => change({ at: report.keyOf(n), fn: "" })}>
        {name(n)}
      </button>
      <em>{module(n)}</em>
    </li>
  );
  async function copy() {
    const text = [...above, ...below].map(n => name(n) + (module(n) ? `  (${module(n)})` : ""));
    try {
      await navigator.clipboard.writeText(text.join("\n"));
      setCopied(true);
    } catch {
      setCopied(false);
    }
  }
  return (
    <section class="stack">
      <h3>
        Stack
        <button class="link" onClick={copy}>
          {copied ? "copied" : "copy"}
        </button>
      </h3>
      <ol>
        {above.map(line)}
        {below.map(line)}
      </ol>
      {below.length ? (
        <p class="hint">
          Below it: the way with the most time
          {report.diff ? " of both sides" : `, ${time(sums.off[below[below.length - 1]])}`}.
        </p>
      ) : null}
    </section>
  );
}
