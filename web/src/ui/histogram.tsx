// SPDX-License-Identifier: Apache-2.0
//
// How long the waits of a frame were: powers of two across, their number up, logarithmic, so that
// the few long ones are seen beside the many short ones.
import { useState } from "preact/hooks";
import { count, edge, plural, share } from "../format";
import { ceilNs, floorNs } from "../stats";

const HEIGHT = 112,
  LEFT = 32,
  TOP = 8,
  BOTTOM = 18;

export function Histogram({
  hist,
  width,
  p50,
  p99,
}: {
  hist: Float64Array;
  width: number;
  p50: number;
  p99: number;
}) {
  const [at, setAt] = useState(-1);
  let first = 0,
    last = hist.length - 1;
  while (first < last && !hist[first]) first++;
  while (last > first && !hist[last]) last--;
  const n = last - first + 1,
    total = hist.reduce((a, b) => a + b, 0);
  const most = Math.max(...hist),
    top = Math.max(1, Math.ceil(Math.log10(most * 1.05)));
  const room = HEIGHT - TOP - BOTTOM,
    step = Math.min(40, (width - LEFT) / n);
  // One wait has a fifth of a decade, so that it is seen.
  const y = (v: number) => TOP + room * (1 - (Math.log10(v) + 0.2) / (top + 0.2));
  const x = (i: number) => LEFT + (i - first) * step;
  const every = Math.max(1, Math.ceil(44 / step)),
    bars = [],
    marks = [],
    lines = [];
  for (let i = first; i <= last; i++) {
    if (hist[i])
      bars.push(
        <rect
          class={i === at ? "at" : ""}
          x={x(i) + 0.5}
          y={y(hist[i])}
          width={Math.max(1, step - 1.5)}
          height={TOP + room - y(hist[i])}
          rx={1.5}
        />,
      );
    if ((i - first) % every === 0)
      marks.push(
        <text x={x(i)} y={HEIGHT - 4}>
          {edge(floorNs(i))}
        </text>,
      );
  }
  for (let d = 0; d <= top; d += top > 4 ? 2 : 1)
    lines.push(
      <g>
        <path d={`M${LEFT} ${y(10 ** d)}H${LEFT + n * step}`} />
        <text class="v" x={LEFT - 5} y={y(10 ** d) + 3}>
          {d >= 6 ? 10 ** (d - 6) + "M" : d >= 3 ? 10 ** (d - 3) + "k" : 10 ** d}
        </text>
      </g>,
    );
  const quantile = (name: string, ns: number) => {
    const where = Math.min(n, Math.max(0, Math.log2(Math.max(512, ns)) - 9 - first));
    return (
      <g class="q">
        <path d={`M${LEFT + where * step} ${TOP}V${TOP + room}`} />
        <text x={LEFT + where * step - 3} y={TOP + 7}>
          {name}
        </text>
      </g>
    );
  };
  const all = [...hist]
    .map((v, i) => (v ? `${edge(floorNs(i))}: ${count(v)}` : ""))
    .filter(Boolean);
  return (
    <figure class="hist">
      <svg
        width={width}
        height={HEIGHT}
        role="img"
        aria-label={"Waits by length, from: " + all.join(", ")}
        onPointerMove={e => setAt(first + Math.floor((e.offsetX - LEFT) / step))}
        onPointerLeave={() => setAt(-1)}
      >
        {lines}
        {bars}
        {n > 3 && p50 < p99 ? quantile("p50", p50) : null}
        {n > 3 ? quantile("p99", p99) : null}
        {marks}
      </svg>
      <figcaption>
        {at >= 0 && hist[at]
          ? `${edge(floorNs(at))} to ${edge(ceilNs(at))}: ` +
            `${plural(hist[at], "wait")}, ${share(hist[at], total)}`
          : "length of waits; their number, logarithmic"}
      </figcaption>
    </figure>
  );
}
