// SPDX-License-Identifier: Apache-2.0
//
// Which processes or cgroups are recorded, and to change that while the recording goes on. The
// server says why something cannot be changed.
import { useEffect, useState } from "preact/hooks";
import { ask, send, type Target, type Targets as Answer } from "../live/api";

const nameOf = (t: Target) => t.cgroup ?? `PID ${t.pid}`;

export function Targets() {
  const [now, setNow] = useState<Answer | null>(null),
    [says, setSays] = useState(""),
    [text, setText] = useState(""),
    [busy, setBusy] = useState(false);
  const failed = (e: Error) => setSays(e.message);
  useEffect(() => {
    ask<Answer>("targets").then(setNow, failed);
  }, []);
  function change(how: "add" | "remove", whom: Target): void {
    setBusy(true);
    setSays("");
    send<Answer>("targets", { [how]: whom })
      .then(
        answer => {
          setNow(answer);
          if (how === "add") setText("");
        },
        e => {
          failed(e);
          // one that has exited is gone all the same
          return ask<Answer>("targets").then(setNow, () => {});
        },
      )
      .then(() => setBusy(false));
  }
  // the last one of a kind stays
  const cgroups = !!now?.targets[0]?.cgroup,
    whom: Target = cgroups ? { cgroup: text.trim() } : { pid: +text },
    good = cgroups ? text.trim() !== "" : /^\s*\d{1,10}\s*$/.test(text) && +text > 0;
  return (
    <section class="targets">
      <h3>Recorded {cgroups ? "cgroups" : "processes"}</h3>
      {now && !now.changeable ? (
        <p class="muted">
          {now.target}. Targets can be added and removed if the recording began with -p or --cgroup.
        </p>
      ) : null}
      {now?.changeable ? (
        <>
          <ul>
            {now.targets.map(t => (
              <li>
                {nameOf(t)}
                <button
                  class="do"
                  disabled={busy}
                  aria-label={`Remove ${nameOf(t)}`}
                  onClick={() => change("remove", t)}
                >
                  Remove
                </button>
              </li>
            ))}
          </ul>
          <form
            onSubmit={e => {
              e.preventDefault();
              if (good && !busy) change("add", whom);
            }}
          >
            <input
              value={text}
              inputMode={cgroups ? "text" : "numeric"}
              placeholder={cgroups ? "path of a cgroup" : "PID"}
              aria-label={cgroups ? "Cgroup to add" : "PID to add"}
              onInput={e => setText(e.currentTarget.value)}
            />
            <button class="do" disabled={!good || busy}>
              Add
            </button>
          </form>
        </>
      ) : null}
      <p class="fault" role="status">
        {says}
      </p>
    </section>
  );
}
