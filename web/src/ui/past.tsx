// SPDX-License-Identifier: Apache-2.0
//
// Where in a store the strip is: an hour of a month. The buttons go on from there, the field goes
// anywhere.
import { useEffect, useState } from "preact/hooks";
import { stamp } from "../format";
import type { Range } from "../live/choice";
import type { Watch } from "../live/watch";

const MINUTE_MS = 60_000,
  LENGTHS: [number, string][] = [
    [10, "10 min"],
    [60, "1 h"],
    [6 * 60, "6 h"],
    [24 * 60, "24 h"],
  ];

// Its middle is where it was, unless the store ends before.
export function around(at: number, length: number): Range {
  const from = Math.max(1, Math.round(at - length / 2));
  return { from, to: from + length };
}

export function Past({ watch }: { watch: Watch }) {
  const { choice, past, range, source } = watch,
    store = source.status?.store;
  const at = range ? (source.history.rows[source.history.indexOf(range.from)]?.begin_ms ?? 0) : 0,
    now = choice.range ? at : (past?.from ?? 0);
  const [text, setText] = useState("");
  useEffect(() => setText(now ? stamp(now) : ""), [now]);
  if (!store || !past) return null;
  const length = past.to - past.from,
    known = LENGTHS.find(([minutes]) => minutes * MINUTE_MS === length),
    step = (by: number) =>
      watch.travel({ from: Math.max(1, past.from + by), to: past.to + by }, 0);
  function go(): void {
    const ms = Date.parse(text.trim().replace(" ", "T") + "Z");
    if (isNaN(ms) || ms < 1) watch.say(`'${text}' is no time; try ${stamp(store!.last_ms)}`);
    else watch.travel(around(ms, length), ms);
  }
  return (
    <div class="livebar past">
      <button class="do" disabled={past.from <= store.first_ms} onClick={() => step(-length)}>
        Earlier
      </button>
      <button class="do" disabled={past.to >= store.last_ms} onClick={() => step(length)}>
        Later
      </button>
      <form
        onSubmit={e => {
          e.preventDefault();
          go();
        }}
      >
        <label>
          Time (UTC){" "}
          <input
            type="text"
            value={text}
            size={19}
            spellcheck={false}
            onInput={e => setText(e.currentTarget.value)}
          />
        </label>
        <button class="do">Go</button>
      </form>
      <select
        aria-label="Length of the strip"
        onChange={e => {
          const wide = Number(e.currentTarget.value) * MINUTE_MS;
          if (choice.range) watch.travel(around(at, wide), at);
          else watch.travel(around(past.to - length / 2, wide), 0);
        }}
      >
        {known ? null : <option selected>as chosen</option>}
        {LENGTHS.map(([minutes, words]) => (
          <option value={minutes} selected={known?.[0] === minutes}>
            {words}
          </option>
        ))}
      </select>
      {choice.past || store.at_ms ? (
        <button class="do" onClick={() => watch.travel(null, store.at_ms)}>
          {store.is_last_hour ? "Last hour" : "As it began"}
        </button>
      ) : null}
      <span class="span">
        {store.is_last_hour && !choice.past ? (
          <>
            <b>the last hour</b> of the store, which has{" "}
          </>
        ) : (
          "the store has "
        )}
        {stamp(store.first_ms)} to {stamp(store.last_ms)}
      </span>
      {source.listed ? null : <span class="muted">reading windows</span>}
    </div>
  );
}
