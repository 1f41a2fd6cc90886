// SPDX-License-Identifier: Apache-2.0
//
// What the server of a live page answers: docs/openapi.json, as far as the page asks.
import type { Loss } from "../data";

export interface Status {
  server: string; // another one after each start
  mode: "live" | "recording" | "directory" | "store" | "fleet";
  version: string;
  host: string;
  kernel: string;
  target: string | null;
  file: string | null;
  window_ns: number; // 0: not live
  store?: Store; // in that mode
  over: string | null; // why no window follows any more
  kept: { first_seq: number; last_seq: number; dropped: number };
  health: Health;
}

// Its windows are numbered by when they begin: ms since the epoch, as everything here.
export interface Store {
  error: string | null; // why it cannot be read now
  first_ms: number; // of all windows
  last_ms: number;
  since_ms: number; // what is shown unless somebody asks for another time
  until_ms: number;
  at_ms: number; // the window to show first; 0: all
  is_last_hour: boolean; // nobody asked for a time
}

export interface Health {
  losses: Loss[];
  effort: string[];
  skipped: number; // windows of a file that cannot be read
  cpu_ns: number;
  rss_bytes: number;
  viewers: number;
  refused: { [why: string]: number };
}

// Columns, one row for each window.
export interface Windows {
  server: string;
  dropped: number; // windows that are no longer kept: the first ones
  causes: [string, string][]; // name and class
  seq: number[];
  begin_wall_ms: number[];
  length_ns: number[];
  threads: number[];
  on_ns: number[];
  runq_ns: number[];
  idle_ns: number[];
  cause: number[][]; // of each window, those that it has
  ns: number[][];
  lost_ns: number[]; // unaccounted, or of waits that are not listed
  intervals: (Parts | null)[]; // shorter than a second
}

// Intervals that follow each other, and what each has of the causes of the window.
export interface Parts {
  length_ns: number[];
  ns: number[][];
}

// One of both.
export interface Target {
  pid?: number;
  cgroup?: string;
}

export interface Targets {
  target: string;
  changeable: boolean;
  targets: Target[];
}

export interface Recording {
  id: string;
  name: string;
  bytes: number;
  read: boolean; // false: what follows is not known yet
  begin_wall_ms: number;
  length_ns: number;
  windows: number;
  host: string;
  target: string;
  threads: number | null;
  blocked_ns: number | null;
  idle_ns: number | null;
  top_cause: string | null;
  error: string | null;
}

// Of a fleet: hosts by cause, longest waits first.
export interface Hosts {
  since_ms: number; // the time that was read
  until_ms: number;
  windows: number;
  notices: string[];
  hosts: Host[];
}

export interface Host {
  name: string;
  off_ns: number; // without idle time
  idle_ns: number;
  causes: { [cause: string]: number }; // of off_ns
}

// The server has answered, but not with what was asked for.
export class Refused extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

export type Query = { [key: string]: string | string[] | undefined };

// Empty values are left out.
export function url(path: string, query: Query = {}): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(query))
    for (const v of Array.isArray(value) ? value : [value]) if (v) params.append(key, v);
  const text = params.toString();
  return new URL("api/v1/" + path + (text ? "?" + text : ""), document.baseURI).href;
}

async function answer(address: string, body?: unknown): Promise<Response> {
  const response = await fetch(address, {
    cache: "no-store",
    ...(body ? { method: "POST", body: JSON.stringify(body) } : {}),
  });
  if (response.ok) return response;
  let says = `the server answered ${response.status}`;
  try {
    says = (await response.json()).error ?? says;
  } catch {
    // not of this server: the number says it all
  }
  throw new Refused(says, response.status);
}

export async function ask<T>(path: string, query?: Query): Promise<T> {
  return (await answer(url(path, query))).json();
}

// Changes something.
export async function send<T>(path: string, body: unknown): Promise<T> {
  return (await answer(url(path), body)).json();
}

// Also in a worker, which has no document to tell where the server is.
export async function askBytes(address: string): Promise<ArrayBuffer> {
  return (await answer(address)).arrayBuffer();
}
