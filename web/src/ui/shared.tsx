// SPDX-License-Identifier: Apache-2.0
//
// What every part of the page is given, and the small pieces they are made of.
import { type ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Theme } from "../color";
import type { Report } from "../report";
import type { State } from "../state";

export interface Props {
  report: Report;
  state: State;
  theme: Theme;
  change(patch: Partial<State>): void;
}

// What keys do in a view that is no flame graph.
export interface Moves {
  panBy(across: number, down: number): void; // parts of the width, and pixels
  zoomBy(factor: number): void;
  act(key: string): boolean; // false: no key of its own
}

// Shows, in all views, the least time that the strip can choose around a part of what is shown: ns
// since its begin.
export type PickTime = (from: number, to: number) => void;

export function Icon({ d }: { d: string }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={d} />
    </svg>
  );
}

export const ICONS = {
  close: "M4 4l8 8M12 4l-8 8",
  minus: "M4 8h8",
  up: "M4 10l4-4 4 4",
  down: "M4 6l4 4 4-4",
  flip: "M5 3v10M2.5 10.500l2.500 2.500 2.500-2.500M11 13V3M8.500 5.500L11 3l2.500 2.500",
  sun:
    "M8 5a3 3 0 100 6 3 3 0 000-6zM8 1v1.500M8 13.500V15M1 8h1.500M13.500 8H15" +
    "M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1",
  moon: "M13 9.500A5.500 5.500 0 016.500 3a5.500 5.500 0 106.500 6.500z",
  auto: "M8 2.500a5.500 5.500 0 100 11zM8 2.500a5.500 5.500 0 010 11",
  info: "M8 7v4.500M8 4.500v.5M8 1.500a6.500 6.500 0 100 13 6.500 6.500 0 000-13z",
  panel: "M2.500 3h11v10h-11zM10 3v10",
  search: "M7 2.500a4.500 4.500 0 100 9 4.500 4.500 0 000-9zM10.500 10.500L14 14",
};

// Keys of a grid of `count` rows, whose row `at` is the current one: to another, or to use it.
export function gridKeys(
  { at, count, page }: { at: number; count: number; page: number },
  pick: (row: number) => void,
  act: (row: number) => void,
) {
  return (e: KeyboardEvent): void => {
    const to = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: count - 1,
      PageDown: at + page,
      PageUp: at - page,
    }[e.key];
    if (to !== undefined) pick(Math.max(0, Math.min(count - 1, to)));
    else if (e.key === "Enter" && at >= 0 && at < count) act(at);
    else return;
    e.preventDefault();
    e.stopPropagation();
  };
}

export function Select<T extends string>({
  label,
  value,
  choices,
  on,
}: {
  label: string;
  value: T;
  choices: [T, string][];
  on(value: T): void;
}) {
  return (
    <label class="select">
      <span>{label}</span>
      <select aria-label={label} value={value} onChange={e => on(e.currentTarget.value as T)}>
        {choices.map(([v, text]) => (
          <option value={v}>{text}</option>
        ))}
      </select>
    </label>
  );
}

// Long lists: only rows in view are there.
export function Rows({
  count,
  height,
  at,
  class: name,
  role,
  render,
  head,
  headHeight = height,
  ...rest
}: {
  count: number;
  height: number;
  headHeight?: number;
  at?: number;
  class?: string;
  role?: string;
  render(i: number): ComponentChildren;
  head?: ComponentChildren;
  [attribute: string]: unknown;
}) {
  const box = useRef<HTMLDivElement>(null),
    [top, setTop] = useState(0);
  const [seen, setSeen] = useState(600);
  useLayoutEffect(() => {
    const el = box.current!,
      observer = new ResizeObserver(() => setSeen(el.clientHeight));
    observer.observe(el);
    setSeen(el.clientHeight);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const el = box.current!;
    if (at === undefined || at < 0) return;
    const room = el.clientHeight - (head ? headHeight : 0);
    if (at * height < el.scrollTop) el.scrollTop = at * height;
    else if ((at + 1) * height > el.scrollTop + room) el.scrollTop = (at + 1) * height - room;
  }, [at]);
  const first = Math.max(0, Math.floor(top / height) - 4);
  const last = Math.min(count, Math.ceil((top + seen) / height) + 4),
    rows = [];
  for (let i = first; i < last; i++) rows.push(render(i));
  return (
    <div
      ref={box}
      class={"rows " + (name ?? "")}
      role={role as any}
      {...rest}
      onScroll={e => setTop(e.currentTarget.scrollTop)}
    >
      {head}
      <div role="presentation" style={{ height: first * height + "px" }} />
      {rows}
      <div role="presentation" style={{ height: (count - last) * height + "px" }} />
    </div>
  );
}

export function Badge({ kind, report }: { kind: number; report: Report }) {
  const word = report.kindWord(kind);
  return word ? <span class={"badge k-" + word.split(" ")[0]}>{word}</span> : null;
}

export function toggle(list: string[], value: string): string[] {
  const other = value.startsWith("-") ? value.slice(1) : "-" + value;
  return list.includes(value)
    ? list.filter(v => v !== value)
    : [...list.filter(v => v !== other), value];
}

export function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1) || path;
}

// What a thread itself waited for.
export function onlyTask(report: Report, task: number): Partial<State> {
  return { ...report.noFilters, threads: [report.taskKeys(task)[1]] };
}
