// SPDX-License-Identifier: Apache-2.0
//
// What only a diff has: two sides, what lies between them, and whether that is chance.
import { useMemo } from "preact/hooks";
import { changeColor } from "../color";
import { Kind } from "../data";
import { isTested, VERDICT_SAYS, type Diff, type Family, type Judged, type Pair } from "../diff";
import { count, time } from "../format";
import { FUNCTIONS, WHOLE } from "../report";
import { quantileBound, type Row, type Stats } from "../stats";
import { Histogram, octaves, POWERS } from "./histogram";
import { Badge, type Props } from "./shared";

export const SIDE_NAMES = ["before", "after"] as const;

export function chance({ p }: Judged): string {
  return p === null ? "-" : String(+p.toPrecision(3));
}

export function VerdictMark({ diff, judged }: { diff: Diff; judged: Judged }) {
  const { verdict } = judged;
  return (
    <span class={"verdict v-" + verdict} title={saysOf(diff, judged)}>
      {verdict === "unknown" ? "?" : verdict}
    </span>
  );
}

export function saysOf(diff: Diff, judged: Judged): string {
  if (judged.verdict !== "unknown") return VERDICT_SAYS[judged.verdict];
  return diff.head.tested
    ? "Not tested: these waits are a part of what was."
    : diff.head.tested_text;
}

// Columns that tables of functions, causes and frames have. `T`: what a row is.
export interface ChangeColumn<T> {
  key: string;
  name: string;
  title: string;
  value(row: T): number | string;
  text(row: T): string;
}

const ORDER = ["more", "less", "noise", "unknown", "small"];

export function changeColumns<T>(
  diff: Diff,
  pairOf: (row: T) => Pair,
  families: (row: T) => Family[],
): ChangeColumn<T>[] {
  const known = new Map<T, Judged>();
  const judge = (row: T) => {
    let judged = known.get(row);
    if (!judged) known.set(row, (judged = diff.judge(pairOf(row), ...families(row))));
    return judged;
  };
  const rate = (of: (pair: Pair) => number) => (row: T) => of(pairOf(row));
  const total = (side: number) => (row: T) => {
    const { off, was } = pairOf(row);
    return side ? off - was : was;
  };
  const column = (
    key: string,
    name: string,
    title: string,
    value: (row: T) => number | string,
    text: (row: T) => string,
  ) => ({ key, name, title, value, text });
  const { per } = diff.head;
  return [
    column("before", "before", `time per ${per}`, rate(diff.before), row =>
      time(diff.before(pairOf(row))),
    ),
    column("after", "after", `time per ${per}`, rate(diff.after), row =>
      time(diff.after(pairOf(row))),
    ),
    column(
      "change",
      "change",
      `time per ${per}; sorted by size, whether more or less`,
      row => Math.abs(diff.change(pairOf(row))),
      row => diff.changeText(pairOf(row)),
    ),
    column(
      "percent",
      "%",
      "of what it was",
      row => diff.part(pairOf(row)),
      row => diff.percentText(pairOf(row)),
    ),
    column(
      "verdict",
      "verdict",
      "more, less, noise, small; ?: not tested",
      row => -ORDER.indexOf(judge(row).verdict),
      row => (judge(row).verdict === "unknown" ? "?" : judge(row).verdict),
    ),
    column(
      "p",
      "p",
      "how likely chance alone does as much; adjusted for how many were tested",
      row => -(judge(row).p ?? 2),
      row => chance(judge(row)),
    ),
    column("was", "in all before", "time of the recording before", total(0), row =>
      time(total(0)(row)),
    ),
    column("now", "in all after", "time of the recording after", total(1), row =>
      time(total(1)(row)),
    ),
  ];
}

// The head of the page: all of it, and how it was tested against noise.
export function Verdict({ report, theme }: Props) {
  const diff = report.diff!,
    pair = report.pairOf([0]),
    judged = diff.judge(pair, ...WHOLE);
  return (
    <section class="change" aria-label="What changed">
      <i class="dot" style={{ background: changeColor(diff.tone(pair, ...WHOLE), theme) }} />
      <b>
        {diff.changeText(pair)}, {diff.percentText(pair)}
      </b>
      <span>{diff.ratesText(pair)}</span>
      <VerdictMark diff={diff} judged={judged} />
      {judged.p === null ? null : <em>p {chance(judged)}</em>}
      <span class="muted" title={diff.head.key_text}>
        {diff.head.tested_text}
      </span>
    </section>
  );
}

// Functions that were waited under in the very same waits are one, by the name of the first.
function alike<T extends { row: Row }>(rows: T[]): (T & { others: string[] })[] {
  const known = new Map<string, T & { others: string[] }>();
  for (const r of rows) {
    const { mark, off, was } = r.row,
      key = `${mark} ${off} ${was}`,
      same = known.get(key);
    if (same) same.others.push(r.row.name);
    else known.set(key, { ...r, others: [] });
  }
  return [...known.values()];
}

// Functions that changed, largest first; where nothing could be tested, whatever differs.
export function Changes(props: Props) {
  const { report, theme, change } = props,
    diff = report.diff!;
  const rows = useMemo(() => {
    const all = report.rows("function").map(row => ({ row, j: diff.judge(row, ...FUNCTIONS()) })),
      sure = all.filter(r => isTested(r.j.verdict) && r.j.verdict !== "noise"),
      size = (r: Row) => Math.abs(diff.change(r));
    return alike(
      (sure.length ? sure : all.filter(r => r.j.verdict === "unknown")).sort(
        (a, b) =>
          size(b.row) - size(a.row) ||
          Number(a.row.kind === Kind.Kernel) - Number(b.row.kind === Kind.Kernel) ||
          (a.row.name < b.row.name ? -1 : 1),
      ),
    );
  }, [report.filtered()]);
  return (
    <>
      <h2>What changed</h2>
      <p class="lead">
        <b>{diff.changeText(report.pairOf([0]))}</b> per {diff.head.per}:{" "}
        {diff.ratesText(report.pairOf([0]))}
      </p>
      {rows.length ? null : <p class="hint">No function by more than chance explains.</p>}
      <ol class="places">
        {rows.slice(0, 12).map(({ row, j, others }) => (
          <li key={row.key}>
            <div class="line">
              <i
                class="dot"
                style={{ background: changeColor(diff.tone(row, ...FUNCTIONS()), theme) }}
              />
              <b>{diff.changeText(row)}</b>
              <em>{diff.percentText(row)}</em>
              <span class="grow" />
              <VerdictMark diff={diff} judged={j} />
            </div>
            <p class="place">
              <Badge kind={row.kind} report={report} />
              <button
                class="link"
                onClick={() => change({ fn: report.fnKey(row.id, row.kind), at: "" })}
              >
                {row.name || "[no name]"}
              </button>
              {others.length ? (
                <em title={others.join("\n")}>
                  {" "}
                  and {others[0]}
                  {others.length > 1 ? `, ${others.length - 1} more` : ""}
                </em>
              ) : null}
            </p>
          </li>
        ))}
      </ol>
      {rows.length > 12 ? (
        <button
          class="link"
          onClick={() => change({ view: "table", by: "function", sort: "-change" })}
        >
          {count(rows.length - 12)} more in the table
        </button>
      ) : null}
      <p class="hint keytext">{diff.head.key_text}</p>
    </>
  );
}

// Both sides of a set of waits, beside each other.
export function Compared({
  diff,
  pair,
  sides,
  families,
}: {
  diff: Diff;
  pair: Pair;
  sides: [Stats, Stats];
  families: Family[];
}) {
  const judged = diff.judge(pair, ...families),
    largest = diff.largestText(pair, [sides[0].max, sides[1].max], judged.verdict),
    of = (name: string, cell: (s: Stats, side: number) => string) =>
      [name, cell(sides[0], 0), cell(sides[1], 1)] as const,
    when = (s: Stats, text: () => string) => (s.count ? text() : "-");
  const lines = [
    of(`time per ${diff.head.per}`, (_, i) => time(i ? diff.after(pair) : diff.before(pair))),
    of("time in all", s => time(s.off)),
    of("blocked", s => time(s.off - s.runq)),
    of("waiting for a CPU", s => time(s.runq)),
    of("self", s => time(s.self)),
    of("waits", s => count(s.count)),
    of("mean", s => when(s, () => time((s.off - s.uncounted) / s.count))),
    of("p50 \u2264", s => when(s, () => time(quantileBound(s.hist, 500, s.max)))),
    of("p99 \u2264", s => when(s, () => time(quantileBound(s.hist, 990, s.max)))),
    of("longest", s => when(s, () => time(s.max))),
  ];
  return (
    <>
      <p class="lead verdictline">
        <b>{diff.changeText(pair)}</b> {diff.percentText(pair)}{" "}
        <VerdictMark diff={diff} judged={judged} />
        {judged.p === null ? null : <em>p {chance(judged)}</em>}
      </p>
      <p class="hint">
        {saysOf(diff, judged)}
        {largest ? `; ${largest}` : ""}
      </p>
      <table class="compared">
        <thead>
          <tr>
            <td />
            {SIDE_NAMES.map(name => (
              <th scope="col">{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map(([name, ...cells]) => (
            <tr>
              <th scope="row">{name}</th>
              {cells.map(c => (
                <td>{c}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

// Of each side, on one scale.
export function Histograms({ sides, width }: { sides: Stats[]; width: number }) {
  const some = sides.filter(s => s.count > 0),
    ranges = some.map(s => octaves(s.hist, POWERS));
  const range: [number, number] = [
    Math.min(...ranges.map(r => r[0])),
    Math.max(...ranges.map(r => r[1])),
  ];
  return (
    <>
      {sides.map((s, i) =>
        s.count > 0 ? (
          <Histogram
            hist={s.hist}
            range={range}
            width={width}
            p50={quantileBound(s.hist, 500, s.max)}
            p99={quantileBound(s.hist, 990, s.max)}
            says={
              (sides.length > 1 ? SIDE_NAMES[i] + ": " : "") +
              "length of waits; their number, logarithmic"
            }
          />
        ) : null,
      )}
    </>
  );
}
