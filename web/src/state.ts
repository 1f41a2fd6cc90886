// SPDX-License-Identifier: Apache-2.0
//
// What the reader has chosen. All of it is in the fragment of the URL, so that a link or a reload
// shows the same; only what differs from the default is written.
import type { ColorBy } from "./color";
import { BIN_KINDS, type BinKind } from "./data";
import type { RowsBy } from "./stats";
import type { Group } from "./tree";

export type View = "name" | "heavy" | "sandwich" | "tree" | "table";
export type Measure = "off" | "blocked" | "runq" | "count";
export type Time = "wall" | "on" | "off";
export type ThemeChoice = "auto" | "light" | "dark";

export interface State {
  view: View;
  group: Group;
  measure: Measure;
  time: Time; // where there is more than waits
  color: ColorBy;
  up: boolean; // root at the bottom
  fold: boolean; // direct recursion is one frame
  apart: boolean; // waits for work have their own causes
  zoom: string; // key of a node, or ""
  range: string; // "0.25~0.5" of the whole, where it is not that of a node
  top: number; // rows scrolled
  at: string; // key of the selected node
  search: string;
  causes: string[]; // names; "-name" leaves out
  classes: string[]; // as causes
  threads: string[]; // "tgid/tid" or "tgid"; "-..." leaves out
  objects: string[]; // labels; "-label" leaves out
  under: string[]; // frames that must be there
  not: string[]; // frames that must not
  fn: string; // "kind:label", of the sandwich and of a selected row
  by: RowsBy;
  bins: BinKind; // which histogram of threads
  sort: string; // column, "-" before it: descending
  theme: ThemeChoice;
  panel: boolean;
}

// What is left out of what is shown: nothing.
export const NO_FILTERS = {
  causes: [] as string[],
  classes: [] as string[],
  threads: [] as string[],
  objects: [] as string[],
  under: [] as string[],
  not: [] as string[],
};

export const DEFAULTS: State = {
  view: "heavy",
  group: "comm",
  measure: "off",
  time: "wall",
  color: "cause",
  up: false,
  fold: false,
  apart: false,
  zoom: "",
  range: "",
  top: 0,
  at: "",
  search: "",
  ...NO_FILTERS,
  fn: "",
  by: "function",
  bins: "off",
  sort: "-off",
  theme: "auto",
  panel: true,
};

const CHOICES: { [K in keyof State]?: readonly string[] } = {
  view: ["name", "heavy", "sandwich", "tree", "table"],
  group: ["comm", "process", "thread", "cause", "none"],
  measure: ["off", "blocked", "runq", "count"],
  time: ["wall", "on", "off"],
  color: ["cause", "cold", "kind", "module"],
  by: ["function", "place", "cause", "syscall", "object", "holder", "process", "thread"],
  bins: BIN_KINDS,
  theme: ["auto", "light", "dark"],
};

// Short, because links are read by people.
const KEYS: { [K in keyof State]: string } = {
  view: "v",
  group: "g",
  measure: "m",
  time: "t",
  color: "c",
  up: "up",
  fold: "r",
  apart: "apart",
  zoom: "z",
  range: "x",
  top: "y",
  at: "at",
  search: "s",
  causes: "cause",
  classes: "class",
  threads: "thread",
  objects: "object",
  under: "under",
  not: "not",
  fn: "fn",
  by: "by",
  bins: "h",
  sort: "sort",
  theme: "theme",
  panel: "panel",
};

export function writeState(state: State): string {
  const out = new URLSearchParams();
  for (const name of Object.keys(KEYS) as (keyof State)[]) {
    const value = state[name],
      key = KEYS[name];
    if (Array.isArray(value)) value.forEach(v => out.append(key, v));
    else if (value !== DEFAULTS[name])
      out.set(key, value === true ? "1" : value === false ? "0" : String(value));
  }
  return out.toString();
}

export function readState(fragment: string): State {
  const params = new URLSearchParams(fragment.replace(/^#/, "")),
    state: any = { ...DEFAULTS };
  for (const name of Object.keys(KEYS) as (keyof State)[]) {
    const value = params.get(KEYS[name]),
      normal = DEFAULTS[name];
    if (value === null) continue;
    if (Array.isArray(normal)) state[name] = params.getAll(KEYS[name]);
    else if (typeof normal === "boolean") state[name] = value === "1";
    else if (typeof normal === "number") state[name] = Math.max(0, Math.floor(+value) || 0);
    else if (!CHOICES[name] || CHOICES[name]!.includes(value)) state[name] = value;
  }
  return state;
}

// Waits for work under one name, or each under its own cause. What was chosen of them by that name
// is chosen by their class then.
export function setApart(state: State, apart: boolean): Partial<State> {
  const isIdle = (v: string) => v === "idle" || v === "-idle";
  const named = state.causes.filter(isIdle),
    causes = state.causes.filter(v => !isIdle(v)),
    classes = state.classes.filter(v => !named.length || !isIdle(v));
  const same = !causes.length || named[0] === "-idle";
  return { apart, causes, classes: apart && same ? [...classes, ...named] : classes };
}
