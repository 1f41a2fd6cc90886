// SPDX-License-Identifier: Apache-2.0
//
// Which processes are recorded, and to change that while the recording goes on. The server says
// why something cannot be changed.
import { useEffect, useState } from "preact/hooks";
import { ask, send, type Targets as Answer } from "../live/api";

export function Targets() {
  const [now, setNow] = useState<Answer | null>(null),
    [says, setSays] = useState(""),
    [pid, setPid] = useState(""),
    [busy, setBusy] = useState(false);
  const failed = (e: Error) => setSays(e.message);
  useEffect(() => {
    ask<Answer>("targets").then(setNow, failed);
  }, []);
  function change(how: "add" | "remove", id: number): void {
    setBusy(true);
    setSays("");
    send<Answer>("targets", { [how]: { pid: id } })
      .then(
        answer => {
          setNow(answer);
          if (how === "add") setPid("");
        },
        e => {
          failed(e);
          // one that has exited is gone all the same
          return ask<Answer>("targets").then(setNow, () => {});
        },
      )
      .then(() => setBusy(false));
  }
  const id = +pid,
    good = /^\s*\d{1,10}\s*$/.test(pid) && id > 0;
  return (
    <section class="targets">
      <h3>Recorded processes</h3>
      {now && !now.changeable ? (
        <p class="muted">
          {now.target}. Processes can be added and removed if the recording began with -p.
        </p>
      ) : null}
      {now?.changeable ? (
        <>
          <ul>
            {now.targets.map(t => (
              <li>
                PID {t.pid}
                <button
                  class="do"
                  disabled={busy}
                  aria-label={`Remove PID ${t.pid}`}
                  onClick={() => change("remove", t.pid)}
                >
                  Remove
                </button>
              </li>
            ))}
          </ul>
          <form
            onSubmit={e => {
              e.preventDefault();
              if (good && !busy) change("add", id);
            }}
          >
            <input
              value={pid}
              inputMode="numeric"
              placeholder="PID"
              aria-label="PID to add"
              onInput={e => setPid(e.currentTarget.value)}
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
