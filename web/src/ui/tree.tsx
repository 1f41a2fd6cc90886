// SPDX-License-Identifier: Apache-2.0
//
// The flame graph as a table: for those who read with a screen reader or the keyboard, and for
// exact numbers. It is the same tree with the same selection.
import { useEffect, useMemo, useState } from "preact/hooks";
import { count, time } from "../format";
import { PATHS, type Report } from "../report";
import { quantileBound } from "../stats";
import { changeColumns } from "./change";
import { Nothing } from "./flameview";
import { Badge, Rows, type Props } from "./shared";

const HEIGHT = 26;

interface Column {
  key: string;
  name: string;
  title?: string;
}

const COLUMNS: Column[] = ["time", "share", "self", "waits", "mean", "p99 \u2264", "longest"].map(
  name => ({ key: name, name }),
);

function cellsOf(report: Report, node: number): string[] {
  const { stats: s } = report.statsOf([node]);
  return [
    time(s.off),
    report.shareOf(s.off, s.idle),
    s.self ? time(s.self) : "",
    count(s.count),
    s.count ? time((s.off - s.on) / s.count) : "-",
    time(quantileBound(s.hist, 990, s.max)),
    time(s.max),
  ];
}

function columnsOf(report: Report): { columns: Column[]; cells(node: number): string[] } {
  if (!report.diff) return { columns: COLUMNS, cells: node => cellsOf(report, node) };
  const columns = changeColumns<number>(report.diff, n => report.pairOf([n]), PATHS);
  return { columns, cells: node => columns.map(c => c.text(node)) };
}

export function TreeTable(props: Props & { zoom(node: number): void }) {
  const { report, state, change, zoom } = props,
    f = report.filtered(),
    { tree, sums } = f;
  const zoomed = Math.max(0, report.nodeOf(state.zoom)),
    selected = report.nodeOf(state.at);
  const [open, setOpen] = useState<Set<number>>(new Set());
  const matches = report.matches();
  // The way with the most time is open from the start, and what is selected is always in view.
  useEffect(() => setOpen(new Set([zoomed, ...report.heaviest(zoomed)])), [tree, zoomed]);
  useEffect(() => {
    const way = report
      .path(tree, selected)
      .slice(0, -1)
      .filter(n => !open.has(n));
    if (selected > 0 && way.length) setOpen(new Set([...open, ...way]));
  }, [selected, tree]);
  const children = (node: number) => {
    const out: number[] = [];
    for (let c = node + 1; c < tree.end[node]; c = tree.end[c]) {
      if (sums.off[c] > 0) out.push(c);
    }
    return out.sort((a, b) => report.weightOf(b) - report.weightOf(a) || a - b);
  };
  const lines = useMemo(() => {
    const out: { node: number; level: number; indent: number; at: number; of: number }[] = [];
    const todo = [{ node: zoomed, level: 1, indent: 0, at: 1, of: 1 }];
    while (todo.length) {
      const line = todo.pop()!;
      out.push(line);
      if (!open.has(line.node)) continue;
      // Who is alone and has one below it is in one column with it: names of deep stacks have room.
      const below = children(line.node),
        indent = line.indent + (line.of > 1 || below.length > 1 ? 1 : 0);
      for (let i = below.length - 1; i >= 0; i--)
        todo.push({
          node: below[i],
          level: line.level + 1,
          indent,
          at: i + 1,
          of: below.length,
        });
    }
    return out;
  }, [f, open, zoomed]);
  const at = lines.findIndex(l => l.node === (selected > 0 ? selected : zoomed));
  const go = (i: number) => {
    const line = lines[Math.max(0, Math.min(lines.length - 1, i))];
    change({ at: report.keyOf(line.node), fn: "" });
  };
  const has = (node: number) => children(node).length > 0;
  const set = (node: number, on: boolean) => {
    const next = new Set(open);
    if (on) next.add(node);
    else next.delete(node);
    setOpen(next);
  };
  function key(e: KeyboardEvent): void {
    const line = lines[at];
    switch (e.key) {
      case "ArrowDown":
        go(at + 1);
        break;
      case "ArrowUp":
        go(at - 1);
        break;
      case "Home":
        go(0);
        break;
      case "End":
        go(lines.length - 1);
        break;
      case "ArrowRight":
        if (!line || !has(line.node)) return;
        if (open.has(line.node)) go(at + 1);
        else set(line.node, true);
        break;
      case "ArrowLeft":
        if (line && open.has(line.node) && has(line.node)) set(line.node, false);
        else if (line && line.level > 1)
          go(lines.findIndex(l => l.node === tree.parent[line.node]));
        break;
      case "Enter":
        if (line) zoom(line.node);
        break;
      default:
        return;
    }
    e.preventDefault();
    e.stopPropagation();
  }
  const { columns, cells } = useMemo(() => columnsOf(report), [f]);
  if (!f.passed) return <Nothing {...props} />;
  return (
    <div class={"table treetable" + (report.diff ? " diff" : "")}>
      <Rows
        count={lines.length}
        height={HEIGHT}
        at={at}
        role="treegrid"
        tabIndex={0}
        aria-label="Frames and their waits"
        aria-rowcount={lines.length + 1}
        onKeyDown={key}
        aria-activedescendant={at >= 0 ? `tree-${lines[at].node}` : undefined}
        head={
          <div class="tr th" role="row">
            {columns.map(c => (
              <span role="columnheader" class={"c-" + c.key} title={c.title}>
                {c.name}
              </span>
            ))}
            <span role="columnheader" class="c-name">
              frame
            </span>
          </div>
        }
        render={i => {
          const l = lines[i],
            n = l.node;
          const expandable = has(n),
            label = tree.label[n];
          return (
            <div
              role="row"
              key={n}
              id={`tree-${n}`}
              aria-level={l.level}
              aria-posinset={l.at}
              aria-setsize={l.of}
              aria-expanded={expandable ? open.has(n) : undefined}
              aria-selected={i === at}
              aria-rowindex={i + 2}
              class={"tr" + (i === at ? " at" : "") + (matches && matches[label] ? " hit" : "")}
              onClick={() => go(i)}
              onDblClick={() => zoom(n)}
            >
              {cells(n).map((text, k) => (
                <span
                  role="gridcell"
                  class={
                    "c-" + columns[k].key + (columns[k].key === "verdict" ? " v-" + text : "")
                  }
                >
                  {text}
                </span>
              ))}
              <span
                role="gridcell"
                class="c-name"
                title={report.labels.text[label]}
                style={{
                  paddingLeft: Math.min(60, l.indent) * 12 + "px",
                }}
              >
                <button
                  class="twist"
                  tabIndex={-1}
                  aria-hidden="true"
                  onClick={e => {
                    e.stopPropagation();
                    set(n, !open.has(n));
                  }}
                >
                  {expandable ? (open.has(n) ? "\u25be" : "\u25b8") : ""}
                </button>
                <Badge kind={tree.kind[n]} report={report} />
                <span class="t">{report.labels.text[label] || "[no name]"}</span>
              </span>
            </div>
          );
        }}
      />
    </div>
  );
}
