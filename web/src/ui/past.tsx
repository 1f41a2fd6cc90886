// SPDX-License-Identifier: Apache-2.0
//
// Where in a store the strip is: an hour of a month. The buttons go on from there, the field goes
// anywhere.
import type { ComponentChildren } from "preact";
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

interface TravelProps {
  span: Range; // what is shown now
  at: number; // the instant in the field, ms; 0: none
  field: string;
  strip: string; // of what the length is chosen
  first: boolean; // there is nothing before
  last: boolean;
  example: number; // a time that there is
  watch: Watch;
  step(by: number): void;
  go(ms: number): void;
  widen(length: number): void;
  children: ComponentChildren;
}

// Earlier, later, to any time, and how long.
export function Travel(props: TravelProps) {
  const { span, at, watch } = props,
    [text, setText] = useState("");
  useEffect(() => setText(at ? stamp(at) : ""), [at]);
  const length = span.to - span.from,
    known = LENGTHS.find(([minutes]) => minutes * MINUTE_MS === length);
  function go(): void {
    const ms = Date.parse(text.trim().replace(" ", "T") + "Z");
    if (isNaN(ms) || ms < 1) watch.say(`'${text}' is no time; try ${stamp(props.example)}`);
    else props.go(ms);
  }
  return (
    <div class="livebar past">
      <button class="do" disabled={props.first} onClick={() => props.step(-length)}>
        Earlier
      </button>
      <button class="do" disabled={props.last} onClick={() => props.step(length)}>
        Later
      </button>
      <form
        onSubmit={e => {
          e.preventDefault();
          go();
        }}
      >
        <label>
          {props.field} (UTC){" "}
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
        aria-label={`Length of the ${props.strip}`}
        onChange={e => props.widen(Number(e.currentTarget.value) * MINUTE_MS)}
      >
        {known ? null : <option selected>as chosen</option>}
        {LENGTHS.map(([minutes, words]) => (
          <option value={minutes} selected={known?.[0] === minutes}>
            {words}
          </option>
        ))}
      </select>
      {props.children}
    </div>
  );
}

export function Past({ watch }: { watch: Watch }) {
  const { choice, past, range, source } = watch,
    store = source.status?.store;
  if (!store || !past) return null;
  const at = range ? (source.history.rows[source.history.indexOf(range.from)]?.begin_ms ?? 0) : 0,
    length = past.to - past.from;
  return (
    <Travel
      span={past}
      at={choice.range ? at : past.from}
      field="Time"
      strip="strip"
      first={past.from <= store.first_ms}
      last={past.to >= store.last_ms}
      example={store.last_ms}
      watch={watch}
      step={by => watch.travel({ from: Math.max(1, past.from + by), to: past.to + by }, 0)}
      go={ms => watch.travel(around(ms, length), ms)}
      widen={wide =>
        choice.range
          ? watch.travel(around(at, wide), at)
          : watch.travel(around(past.to - length / 2, wide), 0)
      }
    >
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
    </Travel>
  );
}
