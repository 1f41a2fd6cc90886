// SPDX-License-Identifier: Apache-2.0
//
// Waiting over time, above the flame graph: how many threads waited in each second, by cause. It
// shows and does not select: of a second, the recording has the time of a wait, but neither its
// number nor its lengths.
import { useState } from "preact/hooks";
import { causeColor } from "../color";
import { time } from "../format";
import type { Seconds } from "../report";
import type { Props } from "./shared";

const WIDE = 1000,
  HIGH = 100; // of the picture, which is as large as its place

// The bars of one cause, on top of those before it.
function bars(s: Seconds, threads: Float64Array, below: Float64Array): string {
  const whole = s.to[s.to.length - 1] - s.from[0];
  let path = "";
  threads.forEach((v, i) => {
    const x = (ns: number) => (((ns - s.from[0]) / whole) * WIDE).toFixed(2),
      y = (of: number) => (HIGH * (1 - of / s.most)).toFixed(2);
    if (v) path += `M${x(s.from[i])} ${y(below[i])}V${y(below[i] + v)}H${x(s.to[i])}`;
    if (v) path += `V${y(below[i])}Z`;
    below[i] += v;
  });
  return path;
}

const threads = (n: number) =>
  `${n < 10 ? n.toFixed(1) : Math.round(n)} thread${n === 1 ? "" : "s"}`;

export function Strip({ report }: Props) {
  const s = report.seconds(),
    [at, setAt] = useState(-1);
  if (!s || !(s.most > 0)) return null;
  const last = s.to.length - 1,
    peak = s.all.indexOf(s.most),
    name = (cause: number) => report.causeNames[cause],
    span = (i: number) => `${time(s.from[i])} to ${time(s.to[i])}`,
    below = new Float64Array(last + 1);
  function says(i: number): string {
    const first = s!.causes.reduce((a, b) => (b.threads[i] > a.threads[i] ? b : a));
    return (
      `${span(i)}: ${threads(s!.all[i])} waiting` +
      (s!.all[i] > 0 ? `, most in ${name(first.cause)}` : "")
    );
  }
  function point(e: PointerEvent): void {
    const box = (e.currentTarget as Element).getBoundingClientRect(),
      part = (e.clientX - box.left) / box.width,
      ns = s!.from[0] + part * (s!.to[last] - s!.from[0]);
    setAt(s!.to.findIndex(to => ns < to));
  }
  return (
    <figure class="strip">
      <svg
        viewBox={`0 0 ${WIDE} ${HIGH}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Threads waiting over ${time(s.to[last])}; the most: ${says(peak)}`}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={e => e.pointerType === "mouse" && setAt(-1)}
      >
        {s.causes.map(c => (
          <path d={bars(s, c.threads, below)} style={{ fill: causeColor(name(c.cause)) }} />
        ))}
      </svg>
      <figcaption>
        {at >= 0 ? says(at) : `Waiting over ${time(s.to[last])}; the most: ${says(peak)}`}
      </figcaption>
    </figure>
  );
}
