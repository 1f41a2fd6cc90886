// SPDX-License-Identifier: Apache-2.0
//
// What the reader has chosen. All of it is in the fragment of the URL, so that a link or a reload
// shows the same; only what differs from the default is written.
import type { ColorBy } from "./color";
import { BIN_KINDS, type BinKind } from "./data";
import { ORDERS, type Order } from "./lanes";
import type { RowsBy } from "./stats";
import type { Group } from "./tree";
import type { View } from "./ui/views";

// Of a diff "off" is the mean of both sides, and there are these alone.
export type Measure = "off" | "blocked" | "runq" | "count" | "before" | "after";
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
  wakers: boolean; // the code of who ended a wait goes on behind its own
  zoom: string; // key of a node, or ""
  range: string; // "0.25~0.5" of the whole, where it is not that of a node
  top: number; // rows scrolled
  at: string; // key of the selected node
  search: string;
  causes: string[]; // names; "-name" leaves out
  classes: string[]; // as causes
  threads: string[]; // "tgid/tid" or "tgid"; "-..." leaves out
  cgroups: string[]; // paths; "-/path" leaves out
  objects: string[]; // labels; "-label" leaves out
  under: string[]; // frames that must be there
  not: string[]; // frames that must not
  fn: string; // "kind:label", of the sandwich and of a selected row
  by: RowsBy;
  bins: BinKind; // which histogram of threads
  sort: string; // column, "-" before it: descending; "": as the table has it by itself
  theme: ThemeChoice;
  panel: boolean;
  strip: "cause" | "heat"; // what the strip of time shows
  lanes: Order; // of the timeline
  lane: number; // the first one in view
  span: string; // "1000~2000": what is in view, ns since the begin; "": all
  slice: string; // "tgid/tid@ns", the selected one
  node: string; // "threads:cc1", the selected one of the graph
  path: string; // "12/34@1000~2000": the thread of the critical path, and its time; "": none
  requests: string; // the selected class of requests, by its name; "": the first one
  request: string; // "12/34@1000": the selected one, by its thread and begin
  when: string; // "3-7": intervals of a report that are shown, from 1; "": all
}

// What is left out of what is shown: nothing.
const NO_FILTERS = {
  causes: [] as string[],
  classes: [] as string[],
  threads: [] as string[],
  cgroups: [] as string[],
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
  wakers: false,
  zoom: "",
  range: "",
  top: 0,
  at: "",
  search: "",
  ...NO_FILTERS,
  fn: "",
  by: "place",
  bins: "off",
  sort: "",
  theme: "auto",
  panel: true,
  strip: "cause",
  lanes: "waited",
  lane: 0,
  span: "",
  slice: "",
  node: "",
  path: "",
  requests: "",
  request: "",
  when: "",
};

// Those filters that a page has from the start.
export function noFilters(defaults: State): Partial<State> {
  const names = Object.keys(NO_FILTERS) as (keyof typeof NO_FILTERS)[];
  return Object.fromEntries(names.map(name => [name, defaults[name]]));
}

// Where idle time is most, it is left out: a click shows it.
export function reportDefaults(fold_idle: boolean): State {
  return { ...DEFAULTS, classes: fold_idle ? ["-idle"] : [] };
}

// A diff has idle time beside all other, if not told otherwise. Functions were tested, places not.
export function DIFF_DEFAULTS(idle_apart: boolean): State {
  return { ...reportDefaults(idle_apart), by: "function", color: "change" };
}

const CHOICES: { [K in keyof State]?: readonly string[] } = {
  group: ["comm", "process", "thread", "cgroup", "cause", "none"],
  measure: ["off", "blocked", "runq", "count"],
  time: ["wall", "on", "off"],
  color: ["cause", "cold", "kind", "module"],
  by: ["place", "function", "cause", "syscall", "object", "owner", "process", "thread", "cgroup"],
  bins: BIN_KINDS,
  theme: ["auto", "light", "dark"],
  strip: ["cause", "heat"],
  lanes: ORDERS,
};

// Of a diff: pids of two recordings say nothing of each other.
const DIFF_CHOICES: typeof CHOICES = {
  ...CHOICES,
  group: ["comm", "cgroup", "cause", "none"],
  measure: ["off", "before", "after"],
  color: ["change", ...CHOICES.color!],
};

// Values that links had before: what they are called now.
const RENAMED: { [K in keyof State]?: { [before: string]: string } } = {
  by: { holder: "owner" },
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
  wakers: "wakers",
  zoom: "z",
  range: "x",
  top: "y",
  at: "at",
  search: "s",
  causes: "cause",
  classes: "class",
  threads: "thread",
  cgroups: "cgroup",
  objects: "object",
  under: "under",
  not: "not",
  fn: "fn",
  by: "by",
  bins: "h",
  sort: "sort",
  theme: "theme",
  panel: "panel",
  strip: "strip",
  lanes: "lanes",
  lane: "lane",
  span: "span",
  slice: "slice",
  node: "node",
  path: "path",
  requests: "requests",
  request: "request",
  when: "when",
};

export function writeState(state: State, defaults: State): string {
  const out = new URLSearchParams();
  for (const name of Object.keys(KEYS) as (keyof State)[]) {
    const value = state[name],
      normal = defaults[name],
      key = KEYS[name];
    if (Array.isArray(value)) {
      if (String(value) === String(normal)) continue;
      if (!value.length) out.append(key, "");
      value.forEach(v => out.append(key, v));
    } else if (value !== normal)
      out.set(key, value === true ? "1" : value === false ? "0" : String(value));
  }
  return out.toString();
}

// `views`: those that there are of this page.
export function readState(fragment: string, defaults: State, views: readonly View[]): State {
  const params = new URLSearchParams(fragment.replace(/^#/, "")),
    diff = defaults.color === "change",
    choices: typeof CHOICES = { ...(diff ? DIFF_CHOICES : CHOICES), view: views },
    state: any = { ...defaults };
  for (const name of Object.keys(KEYS) as (keyof State)[]) {
    const written = params.get(KEYS[name]),
      normal = defaults[name];
    if (written === null) continue;
    const value = RENAMED[name]?.[written] ?? written;
    if (Array.isArray(normal)) state[name] = params.getAll(KEYS[name]).filter(Boolean);
    else if (typeof normal === "boolean") state[name] = value === "1";
    else if (typeof normal === "number") state[name] = Math.max(0, Math.floor(+value) || 0);
    else if (!choices[name] || choices[name]!.includes(value)) state[name] = value;
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
