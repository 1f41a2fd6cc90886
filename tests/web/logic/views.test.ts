// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Profile } from "../../../web/src/data";
import { DEFAULTS, DIFF_DEFAULTS, readState, writeState } from "../../../web/src/state";
import { Tabs, VIEWS, viewsOf, type View } from "../../../web/src/ui/views";

const PAGES = [
  { what: "a report", head: {}, defaults: DEFAULTS },
  { what: "a report with events", head: { timelines: {} }, defaults: DEFAULTS },
  { what: "a report with wakers", head: { graph: {} }, defaults: DEFAULTS },
  { what: "a report with requests", head: { requests: {} }, defaults: DEFAULTS },
  { what: "a diff", head: { diff: {} }, defaults: DIFF_DEFAULTS(false) },
].map(page => ({ ...page, views: viewsOf({ head: page.head } as unknown as Profile) }));

// What a press on each tab goes to, by its title.
function tabs(views: typeof PAGES[0]["views"], view: View): [string, View, boolean][] {
  let went = view;
  const nav: any = Tabs({ views, view, on: v => (went = v) });
  return nav.props.children.map((button: any) => {
    button.props.onClick();
    return [button.props.children, went, button.props["aria-pressed"]];
  });
}

test("every view is in some page, and the one shown first is in all", () => {
  const shown = new Set(PAGES.flatMap(page => page.views));
  assert.deepEqual([...VIEWS].filter(row => !shown.has(row)), []);
  for (const { what, views, defaults } of PAGES)
    assert.ok(views.some(row => row.view === defaults.view), what);
});

test("every view has a link, a tab and a key of its own", () => {
  for (const { what, views, defaults } of PAGES) {
    const names = views.map(row => row.view);
    for (const { view } of views) {
      const link = writeState({ ...defaults, view }, defaults);
      assert.equal(readState(link, defaults, names).view, view, `${what}: ${view} by its link`);
      const expected = views.map(row => [row.title, row.view, row.view === view]);
      assert.deepEqual(tabs(views, view), expected, `${what}: ${view} by its tab`);
    }
  }
  for (const column of ["view", "key", "title", "help"] as const)
    assert.equal(new Set(VIEWS.map(row => row[column])).size, VIEWS.length, column);
  for (const row of VIEWS) assert.match(row.key, /^[1-9q]$/, row.view);
});

test("a view that a page lacks is not reached by a link", () => {
  for (const { what, views, defaults } of PAGES) {
    const names = views.map(row => row.view);
    for (const { view } of VIEWS.filter(row => !views.includes(row)))
      assert.equal(readState(`v=${view}`, defaults, names).view, defaults.view, `${what}: ${view}`);
  }
});

test("what compares two sides is of a diff alone", () => {
  for (const { views, head } of PAGES)
    assert.equal(views.some(row => row.bothSides), "diff" in head);
});
