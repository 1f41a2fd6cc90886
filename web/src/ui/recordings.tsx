// SPDX-License-Identifier: Apache-2.0
//
// The recordings of a directory: find one, open it, or compare two.
import { useEffect, useRef, useState } from "preact/hooks";
import { causeColor } from "../color";
import { plural, time } from "../format";
import { ask, type Recording } from "../live/api";
import type { Watch } from "../live/watch";
import { useTheme } from "./app";
import { Brand, when } from "./header";
import { Icon, ICONS } from "./shared";

const PAUSE_MS = 200, // after the last letter
  AGAIN_MS = 700; // while the server still reads

export function Recordings({ watch }: { watch: Watch }) {
  const [search, setSearch] = useState(""),
    [rows, setRows] = useState<Recording[] | null>(null),
    [fault, setFault] = useState(""),
    [chosen, setChosen] = useState<Recording[]>([]),
    timer = useRef(0),
    turn = useRef(0);
  const { status, link } = watch.source;
  useTheme("auto");
  useEffect(() => {
    window.clearTimeout(timer.current);
    const mine = ++turn.current;
    const look = () =>
      ask<Recording[]>("recordings", { search }).then(
        list => {
          if (mine !== turn.current) return;
          setRows(list);
          setFault("");
          if (list.some(r => !r.read)) timer.current = window.setTimeout(look, AGAIN_MS);
        },
        e => mine === turn.current && setFault(e.message),
      );
    timer.current = window.setTimeout(look, rows ? PAUSE_MS : 0);
  }, [search, status?.server, link.state]);
  useEffect(() => () => window.clearTimeout(timer.current), []);

  const toggle = (r: Recording) =>
    setChosen(list =>
      list.some(c => c.id === r.id)
        ? list.filter(c => c.id !== r.id)
        : [...list, r].slice(-2),
    );
  // in the order of time, whatever was clicked first
  const sides = chosen.slice().sort((a, b) => a.begin_wall_ms - b.begin_wall_ms);
  function go(patch: Parameters<Watch["choose"]>[0]): void {
    watch.choose(patch);
    history.pushState(null, "", "#" + watch.more);
  }
  return (
    <div class="app list">
      <header class="top">
        <Brand />
        <h1>{status?.file || "Recordings"}</h1>
        <span class="grow" />
        <div class="search" role="search">
          <Icon d={ICONS.search} />
          <input
            type="search"
            value={search}
            placeholder="Search recordings"
            aria-label="Search recordings"
            spellcheck={false}
            onInput={e => setSearch(e.currentTarget.value)}
          />
        </div>
      </header>
      <p class={"notice" + (fault ? " bad" : "")} role="status">
        {fault || (link.state === "up" ? "" : link.says)}
      </p>
      <div class="livebar">
        <span class="span">
          {rows ? plural(rows.length, "recording") : "Reading"}
          {sides.length ? `; chosen: ${sides.map(s => s.name).join(", ")}` : ""}
        </span>
        <span class="grow" />
        <button
          class="do"
          disabled={sides.length < 2}
          onClick={() => go({ compare: [sides[0].id, sides[1].id] })}
        >
          Compare two
        </button>
      </div>
      <main class="tablebox" tabIndex={0} aria-label="Recordings">
        <table class="recordings">
          <thead>
            <tr>
              <th scope="col">
                <span class="hidden">Chosen</span>
              </th>
              <th scope="col">Recording</th>
              <th scope="col">Begin</th>
              <th scope="col" class="n">
                Length
              </th>
              <th scope="col" class="n">
                Threads
              </th>
              <th scope="col" class="n">
                Blocked
              </th>
              <th scope="col">Mostly</th>
              <th scope="col">Host</th>
              <th scope="col">Target</th>
            </tr>
          </thead>
          <tbody>
            {(rows ?? []).map(r => (
              <tr key={r.id} class={chosen.some(c => c.id === r.id) ? "at" : ""}>
                <td>
                  <input
                    type="checkbox"
                    checked={chosen.some(c => c.id === r.id)}
                    disabled={!!r.error}
                    aria-label={`Choose ${r.name}`}
                    onChange={() => toggle(r)}
                  />
                </td>
                <th scope="row">
                  {r.error ? (
                    r.name
                  ) : (
                    <button class="link" onClick={() => go({ recording: r.id })}>
                      {r.name}
                    </button>
                  )}
                </th>
                {r.error ? (
                  <td colSpan={7} class="fault">
                    {r.error}
                  </td>
                ) : (
                  <>
                    <td>{r.read ? when(r.begin_wall_ms) : "being read"}</td>
                    <td class="n">{r.read ? time(r.length_ns) : ""}</td>
                    <td class="n">{r.threads ?? ""}</td>
                    <td class="n">{r.blocked_ns === null ? "" : time(r.blocked_ns)}</td>
                    <td>
                      {r.top_cause ? (
                        <>
                          <i class="dot" style={{ background: causeColor(r.top_cause) }} />{" "}
                          {r.top_cause}
                        </>
                      ) : null}
                    </td>
                    <td>{r.host}</td>
                    <td>{r.target}</td>
                  </>
                )}
              </tr>
            ))}
          </tbody>
        </table>
        {rows && !rows.length ? (
          <p class="empty">No recording {search ? "matches" : "is in this directory"}.</p>
        ) : null}
      </main>
    </div>
  );
}
