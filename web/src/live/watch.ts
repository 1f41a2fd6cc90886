// SPDX-License-Identifier: Apache-2.0
//
// What a live page shows now, and what it asks for next. One profile is asked for at a time; when
// it has come, the newest wish is next. So a server or a page that is slow skips pictures, and
// never gets behind.
import type { Theme } from "../color";
import { stamp } from "../format";
import { Report } from "../report";
import type { State } from "../state";
import { Refused, url, type Query } from "./api";
import {
  rangeOf,
  rangeText,
  readChoice,
  writeChoice,
  type Choice,
  type Follow,
  type Range,
} from "./choice";
import type { Row } from "./history";
import { Source } from "./source";
import { Loader } from "./worker";

export interface Picture {
  report: Report;
  query: Query; // as it was asked for
  range: Range | null;
  compare: [string, string] | null;
}

interface Wish {
  path: string;
  query: Query;
  range: Range | null;
}

const REST = 2, // times as long as a profile took, before the next one is asked for
  BUSY = 503, // no CPU or memory for it now: it is asked for again
  BUSY_MS = 2000; // the least rest then

export class Watch {
  readonly source = new Source(() => this.go());
  choice: Choice = {
    follow: "last",
    range: null,
    server: "",
    recording: "",
    hosts: [],
    past: null,
    compare: null,
  };
  home: Follow = "last"; // what is shown without a choice
  picture: Picture | null = null;
  marks: { a: Range | null; b: Range | null } = { a: null, b: null };
  says = ""; // why there is no picture, or something happened to what was chosen
  private jumped = false; // another time was chosen than is shown
  private shownFrom: number | undefined; // first window of the last picture of a range
  private aim = 0; // of a store: the window at this time is chosen when it has come; 0: none
  sight: { state: State | null; theme: Theme } = { state: null, theme: "light" };
  private readonly loader = new Loader();
  private readonly listeners = new Set<() => void>();
  private met = "";
  private loaded = ""; // the wish that the picture is of, or that failed
  private followed: Follow | null = null; // before a range was chosen
  private busy = false;
  private rest = 0; // a timer

  start(): void {
    this.source.start();
    document.addEventListener("visibilitychange", () => this.go());
    window.addEventListener("hashchange", () => {
      this.choice = readChoice(location.hash, this.home);
      this.go();
    });
  }

  listen(on: () => void): () => void {
    this.listeners.add(on);
    return () => this.listeners.delete(on);
  }

  // What was chosen last is not what is seen yet.
  get late(): boolean {
    return !!this.picture && !!this.choice.compare !== !!this.picture.compare;
  }

  say(words: string): void {
    this.says = words;
    this.tell();
  }

  // Of the fragment of the URL.
  get more(): string {
    return writeChoice(this.choice, this.home);
  }

  get list(): boolean {
    const { recording, hosts, compare } = this.choice,
      { mode } = this.source.status ?? {};
    if (mode === "fleet") return !hosts.length && !compare;
    return mode === "directory" && !recording && !compare;
  }

  // The windows that are shown.
  get range(): Range | null {
    return rangeOf(this.choice, this.source.history);
  }

  choose(patch: Partial<Choice>): void {
    this.followed = this.choice.follow ?? this.followed;
    this.choice = { ...this.choice, ...patch, server: this.source.status?.server ?? "" };
    this.says = "";
    // a comparison leaves what is selected for the way back
    if (!this.choice.compare && (this.choice.follow || this.range?.from !== this.shownFrom))
      this.jumped = true;
    window.clearTimeout(this.rest); // for a wish of the reader there is none
    this.rest = 0;
    this.go();
  }

  // Of a store: the time that the strip has.
  get past(): Range | null {
    const { store } = this.source.status ?? {};
    return this.choice.past ?? (store ? { from: store.since_ms, to: store.until_ms } : null);
  }

  // Shows another time of a store, and of that the window at an instant; 0: all of it.
  travel(past: Range | null, at: number): void {
    this.aim = at;
    this.choose({ past, range: null, compare: null, follow: this.home });
  }

  mark(which: "a" | "b", range: Range | null): void {
    this.marks = { ...this.marks, [which]: range };
    this.tell();
  }

  // Follows again what it followed, or stays where it is.
  freeze(): void {
    const { range } = this;
    if (this.choice.range) this.choose({ range: null, follow: this.followed ?? this.home });
    else if (range) this.choose({ range, follow: null });
  }

  // Whether another time was chosen since the last call.
  moved(): boolean {
    const was = this.jumped;
    this.jumped = false;
    return was;
  }

  // What is shown does not move on.
  stay(): void {
    const range = this.picture?.range;
    if (range && this.choice.follow) this.choose({ range, follow: null });
  }

  private tell(): void {
    for (const on of this.listeners) on();
  }

  // After anything has changed.
  private go(): void {
    this.meet();
    this.source.open(this.choice.recording, this.choice.past);
    this.arrive();
    this.load();
    this.tell();
  }

  // Chooses the window that was aimed at, or the nearest one.
  private arrive(): void {
    const { history, listed } = this.source,
      { aim, past } = this,
      away = (row: Row) =>
        row.begin_ms > aim ? row.begin_ms - aim : Math.max(0, aim - row.end_ms + 1);
    if (listed && past && !history.rows.length) {
      this.aim = 0;
      this.says = `The store has no windows from ${stamp(past.from)} to ${stamp(past.to)}.`;
      if (this.picture) this.says += " What is below was shown before.";
    }
    if (!aim || !history.rows.length) return;
    const row = history.rows.reduce((best, r) => (away(r) < away(best) ? r : best));
    if (away(row) && !listed) return;
    if (away(row)) this.says = `No window at ${stamp(aim)}: this is the nearest one.`;
    this.aim = 0;
    this.choice = { ...this.choice, range: { from: row.seq, to: row.last }, follow: null };
  }

  // Another server does not know the windows that were chosen.
  private meet(): void {
    const { status } = this.source;
    if (!status || status.server === this.met) return;
    if (!this.met) {
      this.home = status.mode === "live" ? "10s" : "all";
      this.choice = readChoice(location.hash, this.home);
      const { range, past, compare } = this.choice;
      if (!range && !past && !compare) this.aim = status.store?.at_ms ?? 0;
    }
    const { range, compare, server } = this.choice;
    if ((range || compare) && server && server !== status.server && status.mode === "live") {
      this.says = "The windows that were chosen are gone: the server was started anew.";
      this.choice = { ...this.choice, follow: this.home, range: null, compare: null, server: "" };
      this.jumped = true;
    }
    if (this.met) this.marks = { a: null, b: null };
    this.met = status.server;
    this.loaded = "";
  }

  private wish(): Wish | null {
    const { compare, recording, past } = this.choice,
      // all of those that the server was started with
      hosts = this.choice.hosts.includes("*") ? [] : this.choice.hosts;
    if (!this.source.status || this.list) return null;
    if (compare) {
      const [before, after] = compare;
      return { path: "diff", query: { before, after, host: hosts, format: "page" }, range: null };
    }
    if (this.source.status.mode === "fleet") {
      const [from, to] = past ? [`${past.from}`, `${past.to}`] : [],
        query = { from, to, host: hosts, format: "page" };
      return { path: "profile", query, range: null };
    }
    const { range } = this;
    // all of a time is asked for when all of it is known
    if (!range || this.aim || (this.source.status.store && !this.source.listed)) return null;
    const { from, to } = range,
      query = { from: `${from}`, to: `${to}`, recording, format: "page" };
    return { path: "profile", query, range };
  }

  private async load(): Promise<void> {
    const wish = this.wish(),
      key = JSON.stringify([wish?.path, wish?.query, this.met]),
      following = this.picture && this.choice.follow;
    if (!wish || this.busy || this.rest || key === this.loaded) return;
    if (this.source.link.state !== "up" || (document.hidden && following)) return;
    const begun = performance.now();
    const asked = this.choice.range;
    let least = 0;
    this.busy = true;
    this.loaded = key;
    try {
      const same = !!this.picture?.compare === (wish.path === "diff"),
        { profile, ready } = await this.loader.load(url(wish.path, wish.query), {
          state: same ? this.sight.state : null, // that of a diff is of no use for a report
          theme: this.sight.theme,
          fragment: location.hash,
        });
      const { range } = this.choice,
        late = range && range !== asked && wish.range && this.range?.from !== wish.range.from;
      if (late) {
        this.loaded = ""; // it may be chosen again
      } else {
        if (wish.range && wish.range.from !== (this.shownFrom ?? wish.range.from))
          this.jumped = true; // what was selected while this was loaded is of other windows
        this.shownFrom = wish.range?.from ?? this.shownFrom;
        this.picture = {
          report: new Report(profile, true, ready),
          query: wish.query,
          range: wish.range,
          compare: this.choice.compare,
        };
        Object.assign(window, { coldspot: profile, report: this.picture.report }); // for tests
      }
      if (this.says && !/gone|nearest/.test(this.says)) this.says = "";
    } catch (e) {
      least = this.failed(e as Error);
    }
    this.tell();
    this.busy = false;
    this.rest = window.setTimeout(
      () => {
        this.rest = 0;
        this.load();
      },
      Math.max(least, (performance.now() - begun) * REST),
    );
  }

  // Returns the least rest, ms.
  private failed(error: Error): number {
    const status = error instanceof Refused ? error.status : 0;
    if (error instanceof TypeError || status === 401 || status === 403) this.again(error);
    else this.says = status ? error.message : `This profile cannot be read: ${error.message}`;
    if (status !== BUSY) return 0;
    this.loaded = "";
    return BUSY_MS;
  }

  // It was not answered: what was asked for is asked for again when the server is back.
  private again(error: Error): void {
    this.loaded = "";
    this.source.fail(error);
  }
}

// As the server wants it.
export function sideText(recording: string, range: Range): string {
  return (recording ? recording + ":" : "") + rangeText(range);
}
