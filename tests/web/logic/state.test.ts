// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  DEFAULTS,
  DIFF_DEFAULTS,
  noFilters,
  readState,
  setApart,
  writeState,
  type State,
} from "../../../web/src/state";
import type { View } from "../../../web/src/ui/views";

const VIEWS: View[] = ["heavy", "table"];

function roundTrip(state: State, defaults = DEFAULTS): State {
  return readState("#" + writeState(state, defaults), defaults, VIEWS);
}

test("what is as it was at first is not in the link", () => {
  assert.equal(writeState(DEFAULTS, DEFAULTS), "");
  assert.deepEqual(readState("", DEFAULTS, VIEWS), DEFAULTS);
});

test("every choice survives the way through a link", () => {
  const state: State = {
    ...DEFAULTS,
    view: "table",
    group: "cause",
    measure: "runq",
    time: "off",
    up: true,
    apart: true,
    panel: false,
    zoom: "00ff",
    range: "0.25~0.5",
    top: 12,
    search: "a&b=c #1 é",
    causes: ["lock", "-idle"],
    threads: ["1/2", "-3"],
    cgroups: ["-/system.slice/x y"],
    under: ["operator new[](unsigned long)"],
    sort: "count",
  };
  assert.deepEqual(roundTrip(state), state);
});

test("a list that is empty but was not at first stays empty", () => {
  const defaults = DIFF_DEFAULTS(true);
  assert.deepEqual(defaults.classes, ["-idle"]);
  assert.deepEqual(roundTrip({ ...defaults, classes: [] }, defaults).classes, []);
});

test("a link of before finds owners", () => {
  assert.equal(readState("by=holder", DEFAULTS, VIEWS).by, "owner");
  assert.equal(writeState({ ...DEFAULTS, by: "owner" }, DEFAULTS), "by=owner");
});

test("a link with unknown values gives the defaults", () => {
  const state = readState("v=pie&m=kilograms&y=-3&up=maybe&nothing=1", DEFAULTS, VIEWS);
  assert.deepEqual(state, DEFAULTS);
  assert.equal(readState("y=2.9", DEFAULTS, VIEWS).top, 2);
  assert.equal(readState("y=x", DEFAULTS, VIEWS).top, 0);
});

test("a diff knows no group of processes, and has measures of its own", () => {
  const diff = DIFF_DEFAULTS(false);
  assert.equal(readState("g=process", diff, VIEWS).group, diff.group);
  assert.equal(readState("m=before", diff, VIEWS).measure, "before");
});

test("filters go back to those of the page", () => {
  assert.deepEqual(noFilters(DIFF_DEFAULTS(true)).classes, ["-idle"]);
  assert.deepEqual(noFilters(DEFAULTS).causes, []);
});

test("what was chosen of idle waits by name is chosen by class when they are apart", () => {
  const left_out = setApart({ ...DEFAULTS, causes: ["lock", "-idle"] }, true);
  assert.deepEqual(left_out, { apart: true, causes: ["lock"], classes: ["-idle"] });
  const alone = setApart({ ...DEFAULTS, causes: ["idle"] }, true);
  assert.deepEqual(alone, { apart: true, causes: [], classes: ["idle"] });
  const both = setApart({ ...DEFAULTS, causes: ["lock", "idle"] }, true);
  assert.deepEqual(both, { apart: true, causes: ["lock"], classes: [] });
  const none = setApart({ ...DEFAULTS, classes: ["-idle"] }, false);
  assert.deepEqual(none, { apart: false, causes: [], classes: ["-idle"] });
});
