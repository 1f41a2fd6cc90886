// SPDX-License-Identifier: Apache-2.0
//
// The colour of a frame says two things, which must not be confused: the hue says what
// the reader chose (the cause of the waits, blocked or waiting for a CPU, the module), the depth of
// the colour whether it is the kernel's (paler), inlined (a little paler) or the program's own.
// Interpreted frames have a bar at their left, see flame.ts. No hue is the only bearer of a
// meaning: frames carry the name of their cause where it begins, and all is in text beside it.
import { CAUSES } from "./causes";
import { Kind, rowNs, type Profile } from "./data";
import type { Shape, Tree } from "./tree";

export type ColorBy = "change" | "cause" | "cold" | "kind" | "module";
export type Rgb = [number, number, number];

const FALLBACK = ["#4f9ab8", "#b0743c", "#8368b8", "#5c9a6c", "#b85c86", "#8a8f3a"];
const BLOCKED: Rgb = [62, 118, 201],
  RUNQ: Rgb = [226, 150, 40],
  RAN: Rgb = [224, 72, 24];

// Of a diff: a change, the more of the hue the larger it is.
const MORE: Rgb = [224, 62, 38],
  LESS: Rgb = [46, 108, 224];

const THEMES = {
  light: {
    page: [255, 255, 255],
    plain: [214, 218, 226],
    group: [196, 201, 212],
    note: [222, 214, 188],
    dark: [24, 26, 32],
    bright: [250, 250, 252],
    small: [232, 233, 237],
    noise: [196, 198, 204],
    user: 0.36,
    inlined: 0.52,
    kernel: 0.68,
  },
  dark: {
    page: [21, 23, 29],
    plain: [66, 71, 82],
    group: [82, 88, 101],
    note: [92, 86, 66],
    dark: [14, 15, 19],
    bright: [240, 242, 246],
    small: [46, 49, 57],
    noise: [88, 92, 102],
    user: 0.3,
    inlined: 0.46,
    kernel: 0.62,
  },
} as const;
export type Theme = keyof typeof THEMES;

export function rgb(hex: string): Rgb {
  const n = parseInt(hex.slice(1), 16);
  return [n >> 16, (n >> 8) & 255, n & 255];
}

export function mix(a: readonly number[], b: readonly number[], t: number): Rgb {
  return [0, 1, 2].map(i => Math.round(a[i] + (b[i] - a[i]) * t)) as Rgb;
}

export function css(c: readonly number[]): string {
  return `rgb(${c[0]},${c[1]},${c[2]})`;
}

const LITTLE = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

// As the word of an ImageData.
export function pixel([r, g, b]: Rgb): number {
  return (
    (LITTLE ? (255 << 24) | (b << 16) | (g << 8) | r : (r << 24) | (g << 16) | (b << 8) | 255) >>> 0
  );
}

function luminance(c: readonly number[]): number {
  const f = (v: number) => ((v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * f(c[0]) + 0.7152 * f(c[1]) + 0.0722 * f(c[2]);
}

export function contrast(a: readonly number[], b: readonly number[]): number {
  const x = luminance(a),
    y = luminance(b);
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

export function hashText(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h ^= h >>> 15;
  return Math.imul(h, 0x2c1b3c6d) >>> 0;
}

const DARK_IDLE = "#575d6a"; // what is nothing steps back; as --idle of the style

export function causeRgb(name: string, theme: Theme = "light"): Rgb {
  if (name === "idle" && theme === "dark") return rgb(DARK_IDLE);
  return rgb(CAUSES[name] ?? FALLBACK[hashText(name) % FALLBACK.length]);
}

export function causeColor(name: string): string {
  return name === "idle" ? "var(--idle)" : css(causeRgb(name));
}

// What colours are made of: times below each node, of a diff those of both sides by their units, as
// the width of a box is, or of one side alone.
export interface Parts {
  off: Float64Array;
  runq: Float64Array;
  on: Float64Array;
  used: number[]; // causes
  ns: Float64Array; // of each cause: [node * used.length + index into used]
}

function makeParts(len: number, used: number[]): Parts {
  const one = (n: number) => new Float64Array(n);
  return { off: one(len), runq: one(len), on: one(len), used, ns: one(len * used.length) };
}

function addParts(to: Parts, at: number, from: Parts, node: number): void {
  const k = to.used.length;
  to.off[at] += from.off[node];
  to.runq[at] += from.runq[node];
  to.on[at] += from.on[node];
  for (let c = 0; c < k; c++) to.ns[at * k + c] += from.ns[node * k + c];
}

// `weigh`: what a ns of the side before counts, and one of the side after, or of a report.
export function sumParts(
  p: Profile,
  tree: Tree,
  pass: Uint8Array,
  weigh: readonly number[],
): Parts {
  const seen = new Int32Array(256).fill(-1),
    used: number[] = [];
  for (let w = 1; w <= p.waits; w++) {
    if (seen[p.wait.cause[w]] < 0) seen[p.wait.cause[w]] = used.push(p.wait.cause[w]) - 1;
  }
  const out = makeParts(tree.len, used);
  for (let w = 1; w <= p.waits; w++) {
    if (!pass[w]) continue;
    const node = tree.leaf[w],
      weight = weigh[w <= p.split ? 0 : 1];
    out.off[node] += weight * rowNs(p, w);
    out.runq[node] += weight * p.wait.runq_ns[w];
    out.on[node] += weight * p.wait.on_ns[w];
    out.ns[node * used.length + seen[p.wait.cause[w]]] += weight * rowNs(p, w);
  }
  for (let i = tree.len - 1; i > 0; i--) addParts(out, tree.parent[i], out, i);
  return out;
}

// Those of a shape whose nodes have the parts of others: `adds` are pairs of the two.
export function joinParts(from: Parts, adds: Int32Array, len: number): Parts {
  const out = makeParts(len, from.used);
  for (let i = 0; i < adds.length; i += 2) addParts(out, adds[i], from, adds[i + 1]);
  return out;
}

// The colour of each node, as an index into `fill` and `ink`.
export interface Paint {
  index: Uint16Array;
  fill: Rgb[];
  ink: Rgb[];
  cause: Int16Array; // that has most of the node's time, -1: none has the half
  theme: Theme;
}

const CLEAR = 0.6; // a cause with this part of a node's time gives it its name

export function inkOn(color: readonly number[], theme: Theme): Rgb {
  const t = THEMES[theme];
  return [...(contrast(color, t.dark) >= contrast(color, t.bright) ? t.dark : t.bright)] as Rgb;
}

const READABLE = 4.5; // least contrast of a label, as WCAG AA has it
const SOFT = 0.34; // how far a word of less weight goes into its ground

export function softInk(ink: Rgb, ground: Rgb): Rgb {
  let t = SOFT;
  while (t > 0 && contrast(mix(ink, ground, t), ground) < READABLE) t -= 0.04;
  return mix(ink, ground, Math.max(0, t));
}

class Mixer {
  readonly fill: Rgb[] = [];
  readonly ink: Rgb[] = [];
  private readonly known = new Map<string, number>();
  private readonly frames = new Map<number, number>();

  constructor(private readonly theme: Theme) {}

  private add(color: Rgb): number {
    const key = css(color);
    let at = this.known.get(key);
    if (at === undefined) {
      const ink = inkOn(color, this.theme),
        away: Rgb = luminance(ink) < 0.5 ? [255, 255, 255] : [0, 0, 0];
      let fill = color;
      while (contrast(fill, ink) < READABLE) fill = mix(fill, away, 0.06);
      at = this.fill.push(fill) - 1;
      this.ink.push(ink);
      this.known.set(key, at);
    }
    return at;
  }

  // `id` stands for the hue; `strength`: how much of it there is, 0 to 1.
  frame(id: number, hue: () => Rgb, kind: number, strength: number, shade: number): number {
    const key = ((id * 16 + kind) * 16 + Math.round(strength * 15)) * 4 + shade;
    let at = this.frames.get(key);
    if (at === undefined) {
      const t = THEMES[this.theme];
      const pale = kind === Kind.Kernel ? t.kernel : kind === Kind.Inlined ? t.inlined : t.user;
      at = this.add(mix(t.plain, mix(hue(), t.page, pale + (shade - 1) * 0.035), strength));
      this.frames.set(key, at);
    }
    return at;
  }

  // As Diff.tone() has it.
  change(tone: number): number {
    return this.add(changeRgb(tone, this.theme));
  }

  other(kind: number): number {
    const t = THEMES[this.theme];
    if (kind === Kind.OnCpu) return this.add(mix(causeRgb("on-cpu"), t.page, t.user));
    return this.add([
      ...(kind === Kind.All ? t.plain : kind === Kind.Group ? t.group : t.note),
    ] as Rgb);
  }
}

const TONES = 12; // steps from little to much

export function changeColor(tone: number, theme: Theme): string {
  return css(changeRgb(tone, theme));
}

function changeRgb(tone: number, theme: Theme): Rgb {
  const t = THEMES[theme];
  if (tone === 2 || !tone) return [...(tone ? t.noise : t.small)] as Rgb;
  const strong = Math.ceil(Math.abs(tone) * TONES) / TONES;
  return mix(t.page, tone > 0 ? MORE : LESS, 0.12 + 0.68 * strong);
}

const KINDS: Record<number, Rgb> = {
  [Kind.User]: [82, 112, 214],
  [Kind.Inlined]: [122, 92, 206],
  [Kind.Code]: [56, 150, 92],
  [Kind.Kernel]: [70, 128, 150],
};
const WAKER: Rgb = [20, 176, 176]; // as the palette "chain" of the SVG has it

function hasHue(kind: number): boolean {
  return kind === Kind.User || kind === Kind.Kernel || kind === Kind.Code || kind === Kind.Inlined;
}

export function paint(
  shape: Shape,
  { off, runq, on, used, ns }: Parts,
  p: Profile,
  text: string[],
  moduleOf: (label: number, kind: number) => number,
  by: ColorBy,
  theme: Theme,
  tone: (node: number) => number,
): Paint {
  const mixer = new Mixer(theme),
    index = new Uint16Array(shape.len);
  const cause = new Int16Array(shape.len).fill(-1),
    k = used.length;
  const hues = used.map(c => causeRgb(p.head.causes[c][0], theme));
  const shades = new Map<number, number>(),
    shadeOf = (i: number) => {
      let shade = shades.get(shape.label[i]);
      if (shade === undefined)
        shades.set(shape.label[i], (shade = hashText(text[shape.label[i]]) % 3));
      return shade;
    };
  for (let i = 0; i < shape.len; i++) {
    const kind = shape.kind[i];
    let best = 0;
    for (let c = 1; c < k; c++) {
      if (ns[i * k + c] > ns[i * k + best]) best = c;
    }
    const part = off[i] > 0 ? ns[i * k + best] / off[i] : 0;
    if (part >= CLEAR) cause[i] = used[best];
    if (by === "change") {
      index[i] = mixer.change(tone(i));
      continue;
    }
    if (kind === Kind.Waker) {
      index[i] = mixer.frame(0, () => WAKER, kind, 1, shadeOf(i));
      continue;
    }
    if (!hasHue(kind)) {
      index[i] = mixer.other(kind);
      continue;
    }
    const shade = shadeOf(i);
    if (by === "cause") {
      const strength = Math.round(Math.min(1, Math.max(0, (part - 0.35) / 0.5)) * 5) / 5;
      index[i] = mixer.frame(best, () => hues[best], kind, strength, shade);
    } else if (by === "cold") {
      const waited = off[i] - on[i],
        warm = waited > 0 ? Math.round((runq[i] / waited) * 6) / 6 : 0,
        ran = off[i] > 0 ? Math.round((on[i] / off[i]) * 6) / 6 : 0;
      const hue = () => mix(mix(BLOCKED, RUNQ, warm), RAN, ran);
      index[i] = mixer.frame(Math.round(warm * 6) * 7 + Math.round(ran * 6), hue, kind, 1, shade);
    } else if (by === "module") {
      const module = moduleOf(shape.label[i], kind),
        name = p.strings[p.module.path[module]];
      const hue = (): Rgb => (name ? moduleHue(name) : [150, 150, 150]);
      index[i] = mixer.frame(module, hue, kind, 1, shade);
    } else {
      const depth = kind === Kind.Kernel ? Kind.Inlined : kind;
      index[i] = mixer.frame(kind, () => KINDS[kind], depth, 1, shade);
    }
  }
  return { index, fill: mixer.fill, ink: mixer.ink, cause, theme };
}

// Hues as far from each other as names allow, of one lightness.
function moduleHue(name: string): Rgb {
  const h = (hashText(name) % 24) * 15,
    f = (n: number) => {
      const k = (n + h / 30) % 12;
      return Math.round(255 * (0.5 - 0.24 * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
    };
  return [f(0), f(8), f(4)];
}

// The key to colours of a change, each with what it says.
export function changeSwatches(tested: boolean, theme: Theme): [string, string, string][] {
  const said = tested
      ? ["less, and more so than chance explains", "more than chance explains"]
      : ["less; whether that is chance is not known", "more; whether that is chance is not known"],
    full = tested ? 1 : 1 / 3,
    colour = (tone: number) => css(changeRgb(tone, theme));
  return [
    ["much less", colour(-full), said[0]],
    ["less", colour(-full / 3), said[0]],
    ...(tested
      ? [["noise", colour(2), "no more than chance, or too little to matter"] as const]
      : []),
    ["small", colour(0), "too little of either side to be tested"],
    ["more", colour(full / 3), said[1]],
    ["much more", colour(full), said[1]],
  ].map(([name, color, what]) => [name, color, what]);
}

export function swatches(by: ColorBy, both: boolean): [string, string][] {
  if (by === "cold")
    return [
      ...(both ? [["on a CPU", css(RAN)] as [string, string]] : []),
      ["blocked", css(BLOCKED)],
      ["waiting for a CPU", css(RUNQ)],
    ];
  if (by === "kind")
    return [
      ["program", css(KINDS[Kind.User])],
      ["inlined", css(KINDS[Kind.Inlined])],
      ["interpreted", css(KINDS[Kind.Code])],
      ["kernel", css(KINDS[Kind.Kernel])],
    ];
  return [];
}
