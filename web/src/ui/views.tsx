// SPDX-License-Identifier: Apache-2.0
//
// The views of the page, one row each. Links, tabs, keys, help and what is drawn come from here: a
// new view is one row and its component. Nothing else asks for a view by name, except to go there.
import { type JSX } from "preact";
import type { Profile } from "../data";
import type { Report } from "../report";
import type { State } from "../state";
import { FlameView, type FlameRef } from "./flameview";
import { LanesView } from "./lanes";
import { RequestsView } from "./requests";
import { Sandwich } from "./sandwich";
import type { Moves, PickTime, Props } from "./shared";
import { Sides } from "./sides";
import { Table } from "./table";
import { Threads } from "./threads";
import { TreeTable } from "./tree";
import { GraphView } from "./waitgraph";

export interface ViewProps extends Props {
  flameRef: FlameRef;
  movesRef: { current: Moves | null };
  pickTime: PickTime | null; // null: the strip has nothing to choose from
  zoom(node: number): void; // in a flame graph, which is shown if it is not yet
}

const ROWS = [
  {
    view: "name",
    key: "1",
    title: "By name",
    help: "flame graph by name",
    flame: true,
    byName: true,
    draw: FlameView,
  },
  {
    view: "heavy",
    key: "2",
    title: "Left heavy",
    help: "flame graph, left heavy",
    flame: true,
    draw: FlameView,
  },
  {
    view: "sandwich",
    key: "3",
    title: "Sandwich",
    help: "sandwich: callers and callees of the selected frame",
    ofFunction: true,
    prepare: (report: Report) => {
      report.functions();
      report.half("callers");
      report.half("callees");
    },
    draw: Sandwich,
  },
  {
    view: "tree",
    key: "4",
    title: "Tree",
    help: "tree: the flame graph as a table",
    draw: TreeTable,
  },
  {
    view: "table",
    key: "5",
    title: "Table",
    help: "table",
    prepare: (report: Report, { by }: State) => void (by === "function" && report.functions()),
    draw: (props: ViewProps) => <Table {...props} by={props.state.by} />,
  },
  {
    view: "sides",
    key: "6",
    title: "Side by side",
    help: "side by side: before and after",
    needs: (p: Profile) => !!p.head.diff,
    flame: true,
    bothSides: true,
    draw: Sides,
  },
  {
    view: "threads",
    key: "7",
    title: "Threads",
    help: "threads: the states of each, and what it waited for",
    needs: (p: Profile) => !p.head.diff,
    draw: Threads,
  },
  {
    view: "timeline",
    key: "8",
    title: "Timeline",
    help: "timeline: what each thread did when, of recordings made with --events",
    needs: (p: Profile) => !!p.head.timelines,
    slices: true,
    draw: LanesView,
  },
  {
    view: "graph",
    key: "9",
    title: "Graph",
    help: "graph: who waits for whom, of recordings made with --wakers",
    needs: (p: Profile) => !!p.head.graph,
    ofNodes: true,
    draw: GraphView,
  },
  {
    view: "requests",
    key: "q",
    title: "Requests",
    help: "requests: what they took and what for, of recordings made with --request",
    needs: (p: Profile) => !!p.head.requests,
    ofRequests: true,
    draw: RequestsView,
  },
] as const;

export type View = (typeof ROWS)[number]["view"];

export interface ViewRow {
  view: View; // in links: v=tree
  key: string; // on the keyboard
  title: string; // of its tab
  help: string; // in the list of keys
  needs?(p: Profile): boolean; // without it there is no such view
  flame?: boolean; // a flame graph: pan, zoom, arrow keys, and the share that a search found
  byName?: boolean; // frames in the order of their names
  bothSides?: boolean; // of a diff at once: there is no measure to choose
  slices?: boolean; // one of them can be selected
  ofNodes?: boolean; // of the graph: one of them can be selected
  ofRequests?: boolean; // one of them can be selected
  ofFunction?: boolean; // of state.fn: it has no details beside it
  // Of a live page, in another thread: computes what the view shows beside the flame graph, of
  // which Report.ready() tells.
  prepare?(report: Report, state: State): void;
  draw(props: ViewProps): JSX.Element;
}

export const VIEWS: readonly ViewRow[] = ROWS;

export function viewsOf(p: Profile): ViewRow[] {
  return VIEWS.filter(row => !row.needs || row.needs(p));
}

export function Tabs({ views, view, on }: { views: ViewRow[]; view: View; on(view: View): void }) {
  return (
    <nav aria-label="Views">
      {views.map(row => (
        <button
          aria-pressed={view === row.view}
          class={view === row.view ? "on" : ""}
          title={`${row.title} (${row.key})`}
          onClick={() => on(row.view)}
        >
          {row.title}
        </button>
      ))}
    </nav>
  );
}
