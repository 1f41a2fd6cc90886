// SPDX-License-Identifier: Apache-2.0
//
// The bond with the server: what it says of itself, and its windows as they come. It mends itself:
// a stream that ends is opened again, a little later each time. A server that was started anew has
// another id, and forgets all that was before.
import { ask, Refused, url, type Status, type Windows } from "./api";
import { rangeText, type Range } from "./choice";
import { History } from "./history";

export interface Link {
  state: "connecting" | "up" | "lost" | "refused";
  says: string;
}

const FIRST_DELAY_MS = 500,
  MOST_DELAY_MS = 8000,
  CHECK_MS = 2000,
  POLL_MS = 10_000,
  SILENCE_MS = 20_000; // more than the server lets a stream be silent

export class Source {
  status: Status | null = null;
  readonly history = new History();
  link: Link = { state: "connecting", says: "" };
  recording = ""; // of a directory, whose windows are kept
  past: Range | null = null; // of a store, likewise
  listed = false; // all of its windows have come
  private stream: EventSource | null = null;
  private delay = FIRST_DELAY_MS;
  private heard = 0; // when something came
  private turn = 0; // of connect(): an older one has nothing to say any more

  constructor(private readonly changed: () => void) {}

  start(): void {
    this.connect();
    window.setInterval(() => this.check(), CHECK_MS);
    document.addEventListener("visibilitychange", () => this.look());
  }

  // A browser has six connections to a server: a page that nobody sees keeps none of them open.
  private look(): void {
    if (document.hidden) this.close();
    else this.connect();
  }

  private close(): void {
    this.stream?.close();
    this.stream = null;
    this.turn++;
  }

  // Of a directory: the windows of another recording; "": of none. Of a store: of another time.
  open(recording: string, past: Range | null): void {
    if (recording === this.recording && textOf(past) === textOf(this.past)) return;
    this.recording = recording;
    this.past = past;
    this.listed = false;
    this.history.clear();
    if (this.link.state === "up") this.link.says = ""; // it was of the last one
    if (recording || this.status?.mode === "store")
      this.windows().then(this.changed, e => this.fail(e));
  }

  // What the server says of itself, anew.
  refresh(): void {
    this.heard = Date.now();
    ask<Status>("status").then(
      status => {
        const other = status.server !== this.status?.server;
        this.meet(status);
        if (other) this.connect();
        this.changed();
      },
      e => this.fail(e),
    );
  }

  fail(error: unknown): void {
    const refused = error instanceof Refused && [401, 403].includes(error.status);
    if (error instanceof Refused && !refused) {
      // an answer: the bond is whole
      this.link = { state: "up", says: error.message };
      this.changed();
      return;
    }
    this.close();
    this.link = refused
      ? { state: "refused", says: (error as Refused).message }
      : { state: "lost", says: "connection lost, trying again" };
    window.setTimeout(() => this.connect(), this.delay);
    this.delay = Math.min(MOST_DELAY_MS, this.delay * 2);
    this.changed();
  }

  private async connect(): Promise<void> {
    const turn = ++this.turn;
    try {
      const status = await ask<Status>("status");
      if (turn !== this.turn) return;
      this.meet(status);
      if (status.mode === "live" || status.mode === "recording") this.listen(turn);
      const whole = status.mode === "fleet" || status.mode === "directory";
      if (!whole || this.recording) await this.windows();
      if (turn !== this.turn) return;
      this.heard = Date.now();
      this.delay = FIRST_DELAY_MS;
      this.link = { state: "up", says: "" };
      this.changed();
    } catch (e) {
      if (turn === this.turn) this.fail(e);
    }
  }

  private meet(status: Status): void {
    if (this.status && this.status.server !== status.server) this.history.clear();
    this.status = status;
    if (status.mode === "live") this.history.drop(status.kept.first_seq);
    if (status.store && !this.past) this.history.dropUntil(status.store.since_ms);
  }

  // A store answers with as many as it can read in a second.
  private async ofStore(): Promise<void> {
    const { past } = this,
      same = () => textOf(past) === textOf(this.past),
      time = (ms: number) => new Date(ms).toISOString();
    for (;;) {
      const after = String(this.history.last?.last ?? 0),
        [since, until] = past ? [time(past.from), time(past.to)] : [],
        answer = await ask<Windows>("windows", { after, since, until });
      if (!same()) return;
      this.listed = !answer.seq.length;
      this.take(answer);
      if (this.listed) return;
      this.changed();
    }
  }

  private async windows(): Promise<void> {
    if (this.status?.mode === "store") return this.ofStore();
    const { recording } = this,
      after = String(this.history.last?.last ?? 0),
      answer = await ask<Windows>("windows", { after, recording });
    if (recording === this.recording) this.take(answer);
  }

  private take(windows: Windows): void {
    this.heard = Date.now();
    if (this.status && windows.server && windows.server !== this.status.server) {
      this.fail(new Error("another server"));
      return;
    }
    this.history.add(windows);
    if (this.status?.mode === "live") {
      this.status.kept.dropped = windows.dropped;
      this.history.drop(windows.dropped + 1);
    }
  }

  private listen(turn: number): void {
    if (document.hidden) return;
    const stream = new EventSource(url("stream"));
    const mine = (on: (e: MessageEvent) => void) => (e: MessageEvent) => {
      if (turn !== this.turn) return;
      on(e);
      this.changed();
    };
    this.stream?.close();
    this.stream = stream;
    // what came between the answer and the stream
    stream.onopen = () => {
      if (turn === this.turn) this.windows().then(this.changed, e => this.fail(e));
    };
    stream.addEventListener(
      "window",
      mine(e => this.take(JSON.parse(e.data))),
    );
    stream.addEventListener(
      "status",
      mine(e => this.meet(JSON.parse(e.data))),
    );
    stream.onerror = () => {
      if (turn === this.turn) this.fail(new Error("the stream has ended"));
    };
  }

  // A stream that died without a word, and servers that have none.
  private check(): void {
    if (this.link.state !== "up" || !this.status || document.hidden) return;
    const quiet = Date.now() - this.heard;
    if (this.status.mode !== "live" || this.status.over) {
      if (quiet <= POLL_MS) return;
      this.refresh();
      if (this.status.mode === "store") this.windows().then(this.changed, e => this.fail(e));
    } else if (quiet > SILENCE_MS + (3 * this.status.window_ns) / 1e6) {
      this.fail(new Error("silence"));
    }
  }
}

function textOf(past: Range | null): string {
  return past ? rangeText(past) : "";
}
