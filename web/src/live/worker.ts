// SPDX-License-Identifier: Apache-2.0
//
// Fetching a profile, decoding it, building its tree and laying it out take longer than a frame. A
// worker does all of that; the page draws what it gets. The worker runs the script of the page
// itself, which sees that there is no document.
import type { Theme } from "../color";
import { decodeProfile, type Profile } from "../data";
import { askBytes, Refused } from "./api";
import { Report, type Ready } from "../report";
import { readState, type State } from "../state";
import { viewsOf } from "../ui/views";
import { TextsIn, TextsOut, type PackedTexts } from "./texts";

// What will be looked at: the state of the page, or before there is one the fragment of its URL.
export interface Sight {
  state: State | null;
  fragment: string;
  theme: Theme;
}

export interface Loaded {
  profile: Profile;
  ready: Ready;
}

interface Work extends Sight {
  id: number;
  address: string; // of a profile
}

interface Answer {
  id: number;
  loaded?: Loaded; // without its strings
  texts?: PackedTexts[]; // of the profile, and the labels that it has not
  error?: string;
  status?: number; // the server has refused it; 0: it did not answer
}

// All that the first picture needs is computed, and so kept.
export function prepare(bytes: Uint8Array, { state, fragment, theme }: Sight): Loaded {
  const profile = decodeProfile(bytes),
    report = new Report(profile, true),
    views = viewsOf(profile),
    now =
      state ??
      readState(
        fragment,
        report.defaults,
        views.map(row => row.view),
      );
  const row = views.find(row => row.view === now.view) ?? views[0];
  report.use(now, theme, row);
  report.graph();
  report.matches();
  report.nodeOf(now.at);
  report.nodeOf(now.zoom);
  report.seconds();
  if (!report.diff) report.places();
  row.prepare?.(report, now);
  return { profile, ready: report.ready() };
}

// Takes the strings out of what goes over, and puts them in again.
export function detach({ profile, ready }: Loaded, out: TextsOut): PackedTexts[] {
  const texts = [out.pack(profile.strings), out.pack(ready.labels)];
  setTexts({ profile, ready }, [], []);
  return texts;
}

export function attach(loaded: Loaded, texts: PackedTexts[], into: TextsIn): Loaded {
  setTexts(loaded, into.unpack(texts[0]), into.unpack(texts[1]));
  return loaded;
}

function setTexts({ profile, ready }: Loaded, strings: string[], labels: string[]): void {
  profile.strings = strings;
  if (profile.woken) profile.woken.strings = strings;
  ready.labels = labels;
}

// Memory that goes to the other thread instead of being copied.
export function buffersOf(value: unknown): ArrayBuffer[] {
  const out = new Set<ArrayBuffer>(),
    seen = new Set<unknown>(),
    todo = [value];
  while (todo.length) {
    const v = todo.pop();
    if (typeof v !== "object" || v === null || seen.has(v)) continue;
    seen.add(v);
    if (ArrayBuffer.isView(v)) out.add(v.buffer as ArrayBuffer);
    else if (v instanceof Map) todo.push(...v.values());
    else for (const part of Object.values(v)) if (typeof part === "object") todo.push(part);
  }
  return [...out];
}

// The other end of Worker.postMessage().
export function work(
  scope: {
    onmessage: ((e: MessageEvent<Work>) => void) | null;
    postMessage(answer: Answer, transfer?: Transferable[]): void;
  },
  take = askBytes,
): void {
  const out = new TextsOut();
  scope.onmessage = async ({ data: { id, address, ...sight } }) => {
    let bytes: ArrayBuffer;
    try {
      bytes = await take(address);
    } catch (e) {
      const status = e instanceof Refused ? e.status : 0;
      scope.postMessage({ id, error: (e as Error).message, status });
      return;
    }
    try {
      const loaded = prepare(new Uint8Array(bytes), sight),
        texts = detach(loaded, out);
      scope.postMessage({ id, loaded, texts }, buffersOf([loaded, texts.map(t => t.ids)]));
    } catch (e) {
      scope.postMessage({ id, error: (e as Error).message ?? String(e) });
    }
  };
}

// As it was thrown on the other side.
function errorOf({ error, status }: Answer): Error {
  if (status === undefined) return new Error(error);
  return status ? new Refused(error!, status) : new TypeError(error);
}

// A policy with this name is the only one that a live page may make.
const POLICY = "worker";

function makeWorker(): Worker | null {
  const script = document.querySelector("body > script:not([id])")?.textContent,
    trusted = (window as any).trustedTypes;
  if (!script || typeof Worker === "undefined") return null;
  const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const policy = trusted?.createPolicy(POLICY, {
    createScriptURL: (text: string) => {
      if (text !== address) throw new Error("not the script of this page");
      return text;
    },
  });
  return new Worker(policy ? policy.createScriptURL(address) : address);
}

export class Loader {
  private worker: Worker | null;
  private readonly waiting = new Map<
    number,
    { good(l: Loaded): void; bad(e: Error): void }
  >();
  private next = 1;
  private readonly texts = new TextsIn();

  constructor() {
    try {
      this.worker = makeWorker();
    } catch {
      this.worker = null;
    }
    if (!this.worker) return;
    this.worker.onmessage = ({ data }: MessageEvent<Answer>) => {
      const to = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      // of those that nobody waits for, too: later ones need their strings
      const loaded = data.loaded && attach(data.loaded, data.texts!, this.texts);
      if (loaded) to?.good(loaded);
      else to?.bad(errorOf(data));
    };
    // Without one the page does the work: later, but it does.
    this.worker.onerror = () => {
      this.worker = null;
      for (const { bad } of this.waiting.values()) bad(new Error("the decoder has failed"));
      this.waiting.clear();
    };
  }

  load(address: string, sight: Sight): Promise<Loaded> {
    if (!this.worker)
      return askBytes(address).then(bytes => prepare(new Uint8Array(bytes), sight));
    const id = this.next++;
    return new Promise((good, bad) => {
      this.waiting.set(id, { good, bad });
      this.worker!.postMessage({ id, address, ...sight });
    });
  }
}
