// SPDX-License-Identifier: Apache-2.0
//
// How long waits were: their length across, logarithmic, and their number up, logarithmic too, so
// that the few long ones are seen beside the many short ones.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { count, edge, plural, share, time } from "../format";
import { binFloorNs, ceilNs, floorNs } from "../stats";

const HEIGHT = 124,
  LEFT = 32,
  TOP = 20, // of the names of quantiles, which are on no bar
  BOTTOM = 18,
  NAME = 26, // what "p99" takes
  TICK = 52, // and "100 ms"
  LEAST = 4; // octaves: one bar alone has room for what is written below it

// Where buckets begin and end, in ns; the first begins at 0, the last has no end.
export interface Scale {
  from(bucket: number): number;
  below(bucket: number): number;
}

export const POWERS: Scale = { from: floorNs, below: ceilNs };

export function quarters(unit: number, buckets: number): Scale {
  return {
    from: i => binFloorNs(unit, i),
    below: i => (i < buckets - 1 ? binFloorNs(unit, i + 1) : Infinity),
  };
}

// In octaves of ns. The first bucket is as wide as an octave, for it ends nowhere on the left.
const left = (s: Scale, i: number) =>
  s.from(i) ? Math.log2(s.from(i)) : Math.log2(s.below(i)) - 1;
const right = (s: Scale, i: number) =>
  isFinite(s.below(i)) ? Math.log2(s.below(i)) : left(s, i) + 1;

// From the first to the last bucket with anything in it, in whole octaves.
export function octaves(hist: Float64Array, s: Scale): [number, number] {
  let first = 0,
    last = hist.length - 1;
  while (first < last && !hist[first]) first++;
  while (last > first && !hist[last]) last--;
  return [Math.floor(left(s, first)), Math.ceil(right(s, last))];
}

// Round lengths, as many as have room, and where the first bucket begins at no length, 0.
function ticks(low: number, high: number, step: number, s: Scale): [number, string][] {
  const round = [[1, 2, 5], [1, 3], [1]],
    gap = (of: number[]) => Math.min(...of.map((v, i) => Math.log2((of[i + 1] ?? 10) / v))),
    mantissas = round.find(of => gap(of) * step >= TICK) ?? [1],
    every = Math.max(1, Math.ceil(TICK / (Math.log2(10) * step))),
    out: [number, string][] = [];
  const zero = low < Math.log2(s.below(0));
  if (zero) out.push([low, "0"]);
  for (let d = 2; d < 13; d++) {
    for (const m of mantissas) {
      const ns = m * 10 ** d,
        at = Math.log2(ns);
      if (d % every || at < low || at > high) continue;
      if (zero && (at - low) * step < TICK) continue;
      out.push([at, time(ns).replace(/\.0+ /, " ")]);
    }
  }
  return out;
}

export function Histogram({
  hist,
  scale = POWERS,
  range,
  width,
  p50,
  p99,
  noun = "wait",
  says,
}: {
  hist: Float64Array;
  scale?: Scale;
  range: [number, number];
  width: number;
  p50: number;
  p99: number;
  noun?: string;
  says: string;
}) {
  const [at, setAt] = useState(-1);
  const more = Math.max(0, LEAST - (range[1] - range[0])),
    low = range[0] - Math.floor(more / 2),
    high = range[1] + Math.ceil(more / 2),
    n = high - low,
    total = hist.reduce((a, b) => a + b, 0);
  const most = Math.max(...hist),
    top = Math.max(1, Math.ceil(Math.log10(most * 1.05)));
  const room = HEIGHT - TOP - BOTTOM,
    step = Math.min(56, (width - LEFT) / n);
  // One wait has a fifth of a decade, so that it is seen.
  const y = (v: number) => TOP + room * (1 - (Math.log10(v) + 0.2) / (top + 0.2));
  const x = (octave: number) => LEFT + (octave - low) * step;
  const bars: JSX.Element[] = [],
    lines = [],
    end = LEFT + n * step;
  hist.forEach((v, i) => {
    if (v)
      bars.push(
        <rect
          class={i === at ? "at" : ""}
          x={x(left(scale, i)) + 0.5}
          y={y(v)}
          width={Math.max(1, (right(scale, i) - left(scale, i)) * step - 1.5)}
          height={TOP + room - y(v)}
          rx={1.5}
        />,
      );
  });
  const marks = ticks(low, high, step, scale).map(([octave, text]) => (
    <g>
      <path d={`M${x(octave)} ${TOP + room}v4`} />
      <text class={x(octave) > end - TICK / 2 ? "v" : "x"} x={x(octave)} y={HEIGHT - 2}>
        {text}
      </text>
    </g>
  ));
  for (let d = 0; d <= top; d += top > 4 ? 2 : 1)
    lines.push(
      <g>
        <path d={`M${LEFT} ${y(10 ** d)}H${end}`} />
        <text class="v" x={LEFT - 5} y={y(10 ** d) + 3}>
          {d >= 6 ? 10 ** (d - 6) + "M" : d >= 3 ? 10 ** (d - 3) + "k" : 10 ** d}
        </text>
      </g>,
    );
  const place = (ns: number) =>
    x(Math.min(high, Math.max(low, Math.log2(Math.max(512, ns)))));
  const quantile = (name: string, ns: number) => (
    <g class="q">
      <path d={`M${place(ns)} ${TOP - 6}V${TOP + room}`} />
      <text x={Math.max(LEFT + NAME, place(ns))} y={TOP - 9}>
        {name}
      </text>
    </g>
  );
  const apart = place(p99) - Math.max(LEFT + NAME, place(p50)) > NAME;
  const all = [...hist]
    .map((v, i) => (v ? `${edge(scale.from(i))}: ${count(v)}` : ""))
    .filter(Boolean);
  const bucketAt = (octave: number) =>
    hist.findIndex((_, i) => left(scale, i) <= octave && octave < right(scale, i));
  return (
    <figure class="hist">
      <svg
        width={width}
        height={HEIGHT}
        role="img"
        aria-label={
          `${noun[0].toUpperCase()}${noun.slice(1)}s by length, from: ` + all.join(", ")
        }
        onPointerMove={e => setAt(bucketAt(low + (e.offsetX - LEFT) / step))}
        onPointerLeave={() => setAt(-1)}
      >
        {lines}
        {bars}
        {p50 < p99
          ? quantile(apart ? "p50" : "", p50)
          : null}
        {quantile(apart || p50 === p99 ? "p99" : "p50, p99", p99)}
        {marks}
      </svg>
      <figcaption>
        {at >= 0 && hist[at]
          ? `${edge(scale.from(at))} to ${edge(scale.below(at))}: ` +
            `${plural(hist[at], noun)}, ${share(hist[at], total)}`
          : says}
      </figcaption>
    </figure>
  );
}
