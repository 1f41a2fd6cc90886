// SPDX-License-Identifier: Apache-2.0
//
// Rows of functions, places, causes, system calls, processes or threads, in any order.
import { useEffect, useMemo, useState } from "preact/hooks";
import { causeColor } from "../color";
import type { Diff } from "../diff";
import { FUNCTIONS, WHOLE, type Report } from "../report";
import { changeColumns } from "./change";
import { count, plural, time, timeError } from "../format";
import { errorNs, quantileBound, type Row, type RowsBy } from "../stats";
import { Nothing } from "./flameview";
import { Badge, gridKeys, onlyTask, Rows, Select, toggle, type Props } from "./shared";
import { SortHead, sortingOf } from "./sorting";

const HEIGHT = 26,
  TWO_LINES = 44;

interface Column {
  key: string;
  name: string;
  title?: string;
  value(r: Row): number | string;
  text(r: Row): string;
}

export const BY: [RowsBy, string][] = [
  ["place", "place"],
  ["function", "function"],
  ["cause", "cause"],
  ["syscall", "system call"],
  ["object", "object"],
  ["owner", "owner"],
  ["process", "process"],
  ["thread", "thread"],
  ["cgroup", "cgroup"],
];

function columns(report: Report, by: RowsBy, small: boolean): Column[] {
  const all: Column[] = [
    { key: "off", name: "time", value: r => r.off, text: r => time(r.off) },
    {
      key: "se",
      name: "\u00b1",
      value: r => r.variance,
      text: r => (r.variance ? timeError(r.off, errorNs(r.variance)) : ""),
    },
    {
      key: "share",
      name: "share",
      title: "Of " + report.shareWords(),
      value: r => r.off - r.idle,
      text: r => report.shareOf(r.off, r.idle),
    },
    {
      key: "self",
      name: "self",
      value: r => r.self,
      text: r => (r.self ? time(r.self) : ""),
    },
    {
      key: "own",
      name: "own",
      title: "Of waits where no other function of the program is nearer to the wait",
      value: r => r.own,
      text: r => (r.own ? time(r.own) : ""),
    },
    { key: "count", name: "waits", value: r => r.count || 0, text: r => count(r.count) },
    {
      key: "mean",
      name: "mean",
      value: r => (r.count ? (r.off - r.on) / r.count : 0),
      text: r => (r.count ? time((r.off - r.on) / r.count) : "-"),
    },
    {
      key: "p99",
      name: "p99 \u2264",
      value: r => quantileBound(r.hist(), 990, r.max),
      text: r => time(quantileBound(r.hist(), 990, r.max)),
    },
    { key: "max", name: "longest", value: r => r.max, text: r => time(r.max) },
  ];
  return all.filter(c =>
    small
      ? ["off", "own"].includes(c.key)
      : by === "function" || (c.key !== "self" && c.key !== "own"),
  );
}

// Of a diff, both sides; what is small has room for the change alone.
function diffColumns(diff: Diff, by: RowsBy, small: boolean): Column[] {
  const families = by === "function" ? FUNCTIONS : () => WHOLE;
  return changeColumns<Row>(diff, r => r, families).filter(
    c => !small || ["change", "percent"].includes(c.key),
  );
}

export function Table(props: Props & { by: RowsBy; small?: boolean }) {
  const { report, state, change, by, small } = props,
    f = report.filtered();
  const busy = f.sums.off[0] - f.sums.idle[0],
    sampled = report.p.head.header.sampled;
  const [focus, setFocus] = useState(-1),
    query = state.search,
    matches = report.matches();
  const cols = useMemo(
    () =>
      report.diff
        ? diffColumns(report.diff, by, !!small)
        : columns(report, by, !!small).filter(c => sampled || c.key !== "se"),
    [f, by, small],
  );
  const choices = BY.filter(b => report.p.cgroups || b[0] !== "cgroup");
  const usual = report.diff ? "-change" : small ? "-own" : "-off",
    sorting = sortingOf(
      state.sort,
      cols.map(c => c.key),
      usual,
    ),
    { sort, key, down } = sorting;
  const rows = useMemo(() => {
    const all = report
      .rows(by)
      .filter(
        r =>
          !matches ||
          (by === "function"
            ? matches[r.id]
            : [r.name, r.note, r.things()]
                .join(" ")
                .toLowerCase()
                .includes(query.toLowerCase())),
      );
    const column = cols.find(c => c.key === key),
      sign = down ? -1 : 1;
    // by time, waits for work are the last, as in the summary
    const value =
      by === "place" && sort === usual && key === "off"
        ? (r: Row) => (r.off > r.idle ? r.off : -1 / r.off)
        : column
          ? column.value
          : (r: Row) => r.name;
    return all
      .map(r => [value(r), r] as const)
      .sort((a, b) =>
        a[0] < b[0]
          ? -sign
          : a[0] > b[0]
            ? sign
            : b[1].off - a[1].off || (a[1].name < b[1].name ? -1 : 1),
      )
      .map(pair => pair[1]);
  }, [f, by, sort, query, small]);
  const fn = report.fnText(),
    of = by === "function" ? report.fn() : null,
    chosen = of ? rows.findIndex(r => r.id === of.label && r.kind === of.kind) : -1;
  useEffect(() => setFocus(chosen), [fn, rows]);
  const at = focus >= 0 ? focus : chosen;

  function pick(i: number): void {
    const r = rows[i];
    setFocus(i);
    if (r && by === "function") change({ fn: report.fnKey(r.id, r.kind), at: "" });
  }
  function act(r: Row): void {
    if (by === "function") change({ view: "sandwich", fn: report.fnKey(r.id, r.kind), at: "" });
    else if (by === "cause" || by === "place")
      change({ causes: toggle(state.causes, by === "cause" ? r.name : r.note) });
    else if (by === "object" && r.id) change({ objects: toggle(state.objects, r.name) });
    else if (by === "cgroup") change({ cgroups: toggle(state.cgroups, r.name) });
    else if (by === "owner" && r.id) change(onlyTask(report, r.id));
    else if (by === "thread" || by === "process")
      change({ threads: toggle(state.threads, report.taskKeys(r.id)[by === "process" ? 0 : 1]) });
  }
  const th = (name: string, text: string, title?: string) => (
    <SortHead {...{ name, text, title, by: sorting, change }} />
  );
  const head = (
    <div class="tr th" role="row">
      {cols.map(c => th(c.key, c.name, c.title))}
      {th("name", nameOf(by))}
    </div>
  );
  return (
    <div
      class={
        "table" +
        (small ? " small" : "") +
        (by === "place" ? " places2" : "") +
        (report.diff ? " diff" : sampled ? " sampled" : "")
      }
    >
      {small ? null : (
        <div class="bar2">
          <Select label="Rows" value={by} choices={choices} on={v => change({ by: v })} />
          <span class="muted">
            {plural(rows.length, "row")}
            {query ? ` with \u201c${query}\u201d` : ""}
            {report.diff ? "" : `; shares are of ${report.shareWords()}`}
            {by === "function" ? "; a function's time has that of what it calls" : ""}
          </span>
        </div>
      )}
      {rows.length ? null : <Nothing {...props} />}
      <Rows
        count={rows.length}
        height={by === "place" ? TWO_LINES : HEIGHT}
        headHeight={HEIGHT}
        at={at}
        role="grid"
        head={head}
        tabIndex={0}
        aria-rowcount={rows.length + 1}
        aria-label={`Waits by ${by}`}
        aria-activedescendant={at >= 0 ? `row-${by}-${at}` : undefined}
        onKeyDown={gridKeys({ at, count: rows.length, page: 20 }, pick, i => act(rows[i]))}
        render={i => {
          const r = rows[i];
          return (
            <div
              role="row"
              key={r.key}
              id={`row-${by}-${i}`}
              aria-rowindex={i + 2}
              aria-selected={i === at}
              class={"tr" + (i === at ? " at" : "")}
              onClick={() => pick(i)}
              onDblClick={() => act(r)}
            >
              {cols.map(c => (
                <span
                  role="gridcell"
                  class={"c-" + c.key + (c.key === "verdict" ? " v-" + c.text(r) : "")}
                  style={
                    c.key === "share" && busy
                      ? {
                          backgroundSize: (100 * (r.off - r.idle)) / busy + "% 100%",
                        }
                      : undefined
                  }
                >
                  {c.text(r)}
                </span>
              ))}
              {by === "place" ? <Place row={r} /> : <Name row={r} by={by} report={report} />}
            </div>
          );
        }}
      />
    </div>
  );
}

function Name({ row, by, report }: { row: Row; by: RowsBy; report: Report }) {
  return (
    <span role="gridcell" class="c-name" title={row.name + (row.note ? "\n" + row.note : "")}>
      {by === "cause" ? <i class="dot" style={{ background: causeColor(row.name) }} /> : null}
      {by === "function" ? <Badge kind={row.kind} report={report} /> : null}
      <span class="t">{row.name || "[no name]"}</span>
      {row.note ? <em>{row.note}</em> : null}
    </span>
  );
}

// Where, and below it why and for what.
function Place({ row }: { row: Row }) {
  const things = row.things();
  return (
    <span role="gridcell" class="c-name two" title={[row.name, row.note, things].join("\n")}>
      <span class="t">{row.name}</span>
      <span class="why">
        <i class="dot" style={{ background: causeColor(row.note) }} />
        <b>{row.note}</b>
        <em>{things}</em>
      </span>
    </span>
  );
}

function nameOf(by: RowsBy): string {
  return BY.find(b => b[0] === by)![1];
}
