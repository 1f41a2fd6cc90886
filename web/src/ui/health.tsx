// SPDX-License-Identifier: Apache-2.0
//
// How the recording and its server are: what was lost, what it costs, who looks on.
import { type ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { count, plural, stamp, time } from "../format";
import type { Watch } from "../live/watch";
import { Dialog } from "./dialogs";
import { Targets } from "./targets";

const AGAIN_MS = 2000; // numbers that change alone are no event

function bytes(n: number): string {
  const mb = n / 1048576;
  return mb < 10 ? mb.toFixed(1) + " MB" : Math.round(mb) + " MB";
}

export function Health({ watch, close }: { watch: Watch; close(): void }) {
  const { status, link, history } = watch.source;
  useEffect(() => {
    const again = () => watch.source.link.state === "up" && watch.source.refresh(),
      timer = window.setInterval(again, AGAIN_MS);
    again();
    return () => window.clearInterval(timer);
  }, []);
  if (!status)
    return (
      <Dialog title="Health" close={close}>
        <p>{link.says || "Connecting"}</p>
      </Dialog>
    );
  const { health: h, kept } = status,
    refused = Object.entries(h.refused ?? {}).filter(([, n]) => n > 0),
    lost_ns = history.rows.reduce((sum, row) => sum + row.lost_ns, 0);
  const facts: [string, ComponentChildren][] = [
    ["target", status.target],
    ["host", [status.host, status.kernel && "Linux " + status.kernel].filter(Boolean).join(", ")],
    ["recording", status.file ?? ""],
    [
      "store",
      status.store
        ? `${stamp(status.store.first_ms)} to ${stamp(status.store.last_ms)}`
        : "",
    ],
    ["window", status.mode === "live" ? time(status.window_ns) : ""],
    [
      "windows kept",
      kept.first_seq
        ? `${count(kept.last_seq - kept.first_seq + 1)}` +
          (kept.dropped ? `; ${plural(kept.dropped, "older one")} dropped` : "")
        : "",
    ],
    ["unreadable windows", h.skipped ? count(h.skipped) : ""],
    ["not accounted for", lost_ns ? `${time(lost_ns)} of threads in these windows` : ""],
    ["server", h.cpu_ns ? `${time(h.cpu_ns)} of CPU time, ${bytes(h.rss_bytes)} of memory` : ""],
    ["viewers", count(h.viewers)],
    [
      "refused requests",
      refused.map(([why, n]) => `${count(n)} ${why.replace(/_/g, " ")}`).join(", "),
    ],
    ["coldspot", status.version],
    ["connection", link.state === "up" ? "up" : link.says],
    ["ended", status.over ?? ""],
  ];
  return (
    <Dialog title="Health" close={close}>
      <section>
        <h3>{h.losses.length ? "Lost since the start" : "Nothing lost since the start"}</h3>
        <ul class="losses">
          {h.losses.map(l => (
            <li>{l.text}</li>
          ))}
        </ul>
        {h.effort.map(line => (
          <p>{line}</p>
        ))}
      </section>
      {status.mode === "live" && !status.over ? <Targets /> : null}
      <dl class="facts">
        {facts
          .filter(f => f[1])
          .map(([k, v]) => (
            <>
              <dt>{k}</dt>
              <dd>{v}</dd>
            </>
          ))}
      </dl>
    </Dialog>
  );
}
