// SPDX-License-Identifier: Apache-2.0
//
// Pages and JSON of tests/golden: what the page computes must be what the program says.
import { readFileSync } from "node:fs";
import { decodeProfile, type Profile } from "../../../web/src/data";

// Tests run at the root of the tree.
const path = (name: string): string => `tests/golden/${name}`;

export function golden(name: string): Profile {
  return decodeProfile(readFileSync(path(name)));
}

export function goldenJson(name: string): any {
  return JSON.parse(readFileSync(path(name), "utf8"));
}

export interface JsonWait {
  task: number | null;
  cause: string;
  class: string;
  object_label: string | null;
  owner: { tid: number; comm: string | null } | null;
  blocked_ns: number;
  runq_ns: number;
  user: string[];
}
