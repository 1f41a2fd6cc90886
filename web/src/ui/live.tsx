// SPDX-License-Identifier: Apache-2.0
//
// The page of `coldspot serve`: the report's page with a strip of time above it, which follows the
// recording or stays where it was brushed.
import { useEffect, useReducer, useRef, useState } from "preact/hooks";
import { plural, stamp } from "../format";
import {
  FOLLOWS,
  moveRange,
  parseRange,
  rangeText,
  rangeBefore,
  type Follow,
  type Range,
} from "../live/choice";
import { endMs } from "../live/history";
import { sideText, type Watch } from "../live/watch";
import { App, useTheme, type Live } from "./app";
import { Export } from "./export";
import { Fleet, FleetChosen, FleetTime } from "./fleet";
import { Health } from "./health";
import { Past } from "./past";
import { Recordings } from "./recordings";
import type { Props } from "./shared";
import { Strip } from "./strip";
import { clock, isFine, Windows } from "./windows";

const FOLLOW_WORDS: { [F in Follow]: string } = {
  last: "last",
  "10s": "10 s",
  "60s": "1 min",
  all: "all",
};

export function LivePage({ watch }: { watch: Watch }) {
  const [, again] = useReducer((n: number) => n + 1, 0);
  useEffect(() => {
    const end = watch.listen(() => again(0));
    watch.start();
    return end;
  }, []);
  const [health, setHealth] = useState(false),
    { picture, list } = watch;
  const live: Live = {
    more: watch.more,
    head: props => <Head {...props} watch={watch} show={() => setHealth(true)} />,
    foot: <Foot watch={watch} />,
    act: key => act(watch, key, () => setHealth(true)),
    look: (state, theme) => (watch.sight = { state, theme }),
    stay: () => watch.stay(),
    moved: () => watch.moved(),
    pickTime: watch.source.history.rows.length > 1 ? (from, to) => pick(watch, from, to) : null,
  };
  return (
    <>
      {list && watch.source.status?.mode === "fleet" ? (
        <Fleet watch={watch} />
      ) : list ? (
        <Recordings watch={watch} />
      ) : picture ? (
        <App
          key={(picture.compare ? "diff" : "report") + watch.choice.recording + watch.choice.hosts}
          report={picture.report}
          live={live}
        />
      ) : (
        <Waiting watch={watch} />
      )}
      {health ? <Health watch={watch} close={() => setHealth(false)} /> : null}
    </>
  );
}

// Chooses the windows that have a part of what is shown, and tells how much later they begin.
function pick(watch: Watch, from: number, to: number): number {
  const { history } = watch.source,
    shown = watch.range && history.between(watch.range.from, watch.range.to);
  let at = 0,
    first = -1;
  const rows = (shown ?? []).filter(row => {
    const begin = at;
    at += row.length_ns;
    if (begin >= to || at <= from) return false;
    if (first < 0) first = begin;
    return true;
  });
  if (!rows.length) return 0;
  watch.choose({ range: { from: rows[0].seq, to: rows[rows.length - 1].last }, follow: null });
  return first;
}

// Before there is anything to show.
function Waiting({ watch }: { watch: Watch }) {
  const { link, status, history } = watch.source;
  useTheme("auto");
  const says =
    link.says ||
    watch.says ||
    (!status
      ? "Connecting"
      : history.rows.length
        ? "The profile is on its way"
        : status.over ||
          (status.mode === "live" ? "The first window is not over yet" : "Reading the recording"));
  return (
    <main class="waiting">
      <h1>coldspot</h1>
      <p role="status">{says}</p>
      <Past watch={watch} />
      {status?.mode === "fleet" ? <AllHosts watch={watch} /> : null}
      {watch.choice.range || watch.choice.compare || watch.choice.past ? (
        <button class="link" onClick={() => watch.choose(home(watch))}>
          Show what there is now
        </button>
      ) : null}
    </main>
  );
}

function home(watch: Watch): { range: null; past: null; compare: null; follow: Follow } {
  return { range: null, past: null, compare: null, follow: watch.home };
}

function AllHosts({ watch }: { watch: Watch }) {
  return (
    <button class="link" onClick={() => watch.choose({ hosts: [], compare: null })}>
      All hosts by cause
    </button>
  );
}

// What would be compared now, and in which words. null: there is nothing before.
function comparison(watch: Watch): { sides: [string, string]; words: string } | null {
  const { range, choice, source, marks } = watch;
  if (source.status?.mode === "fleet") return beforeOf(choice.past);
  const now = marks.b ?? range,
    before = marks.a ?? (now && rangeBefore(now, source.history));
  if (!now || !before) return null;
  return {
    sides: [sideText(choice.recording, before), sideText(choice.recording, now)],
    words: marks.a ? (marks.b ? "A and B" : "with A") : "with before",
  };
}

// Of the same hosts, as long a time before.
function beforeOf(past: Range | null): { sides: [string, string]; words: string } | null {
  if (!past) return null;
  const { from, to } = past,
    before = { from: Math.max(1, from - (to - from)), to: from };
  return { sides: [":" + rangeText(before), ":" + rangeText(past)], words: "with before" };
}

function compare(watch: Watch): void {
  if (watch.choice.compare) {
    watch.choose({ compare: null });
    return;
  }
  const found = comparison(watch);
  if (found) watch.choose({ compare: found.sides });
  else watch.say("There is no window before these to compare them with.");
}

function toggleMark(watch: Watch, which: "a" | "b"): void {
  watch.mark(which, watch.marks[which] ? null : watch.range);
}

function act(watch: Watch, key: string, showHealth: () => void): boolean {
  const { range } = watch;
  switch (key) {
    case "z":
      watch.freeze();
      break;
    case ",":
    case ".":
      if (range)
        watch.choose({
          range: moveRange(range, key === "." ? 1 : -1, watch.source.history),
          follow: null,
        });
      break;
    case "A":
    case "B":
      toggleMark(watch, key === "A" ? "a" : "b");
      break;
    case "D":
      compare(watch);
      break;
    case "H":
      showHealth();
      break;
    default:
      return false;
  }
  return true;
}

// "12:03:14 to 12:03:24, 10 windows"
function spanText(watch: Watch, range: Range): string {
  const rows = watch.source.history.between(range.from, range.to);
  if (!rows.length) return "";
  const last = rows[rows.length - 1],
    fine = isFine(last),
    // of a store, the time of day says too little
    day = watch.source.status?.store ? stamp(rows[0].begin_ms).slice(0, 11) : "";
  return (
    `${day}${clock(rows[0].begin_ms, fine)} to ${clock(endMs(last), fine)}, ` +
    plural(
      rows.reduce((n, row) => n + row.windows, 0),
      "window",
    )
  );
}

// In times, if the windows are known here; else as the server names them.
function sideWords(watch: Watch, side: string, name: string): string {
  const range = parseRange(side.slice(side.lastIndexOf(":") + 1)),
    known = range && sideText(watch.choice.recording, range) === side;
  return (known && spanText(watch, range)) || name;
}

function Head(props: Props & { watch: Watch; show(): void }) {
  const { watch, show, state, theme } = props,
    { source, choice, picture } = watch,
    { status } = source;
  const live = status?.mode === "live" && !status.over,
    shown = picture?.compare,
    names = picture?.report.p.head.sides.map(s => s.name) ?? [];
  return (
    <section class="live" aria-label="Time">
      <div class="livebar">
        {status?.mode === "directory" ? (
          <button
            class="link"
            onClick={() => watch.choose({ ...home(watch), recording: "" })}
          >
            All recordings
          </button>
        ) : null}
        {status?.mode === "fleet" ? <AllHosts watch={watch} /> : null}
        {shown ? (
          <>
            <button class="do" onClick={() => watch.choose({ compare: null })} title="D">
              Back
            </button>
            <span class="span">
              <b>{sideWords(watch, shown[0], names[0])}</b> with{" "}
              <b>{sideWords(watch, shown[1], names[1])}</b>
            </span>
            <button
              class="do"
              onClick={() => watch.choose({ compare: [shown[1], shown[0]] })}
            >
              Swap
            </button>
          </>
        ) : status?.mode === "fleet" ? (
          <>
            <FleetChosen watch={watch} />
            <button class="do" onClick={() => compare(watch)} title="D">
              Compare with before
            </button>
          </>
        ) : (
          <Chooser watch={watch} live={live} />
        )}
        <span class="grow" />
        {watch.late ? (
          <span class="muted">{choice.compare ? "Comparing" : "Going back"}</span>
        ) : null}
        <Export {...props} watch={watch} />
        <button class="do" onClick={show} title="Health (H)">
          Health
        </button>
      </div>
      <Past watch={watch} />
      {status?.mode === "fleet" && choice.past && !shown ? (
        <FleetTime watch={watch} span={choice.past} />
      ) : null}
      <Notice watch={watch} />
      {source.history.rows.length > (status?.mode === "live" || status?.store ? 0 : 1) ? (
        <Windows
          history={source.history}
          range={shown ? null : watch.range}
          marks={shown ? marksOf(shown) : watch.marks}
          state={state}
          theme={theme}
          change={props.change}
          live={live}
          span={status?.store && watch.past}
          remedy="start coldspot serve with --interval 100ms or --window 100ms"
          choose={
            !shown
              ? range => {
                  props.change({ span: "" });
                  watch.choose({ range, follow: null });
                }
              : null
          }
        />
      ) : shown || status?.store ? null : (
        <Strip {...props} />
      )}
    </section>
  );
  function marksOf(sides: [string, string]) {
    const [a, b] = sides.map(side =>
      side.split(":")[0] === choice.recording || !side.includes(":")
        ? parseRange(side.slice(side.lastIndexOf(":") + 1))
        : null,
    );
    return { a, b };
  }
}

// Which time is shown, in words, and buttons for it.
function Chooser({ watch, live }: { watch: Watch; live: boolean }) {
  const { choice, range, marks } = watch,
    found = comparison(watch),
    // windows of a store are a minute long
    follows = watch.source.status?.store ? (["last", "all"] as const) : FOLLOWS;
  return (
    <>
      <span class={"pulse" + (live && choice.follow ? " on" : "")}>
        {live ? (choice.follow ? "live" : "frozen") : watch.source.status?.over ? "ended" : ""}
      </span>
      <div class="seg" role="group" aria-label="Show">
        {follows.map(follow => (
          <button
            aria-pressed={choice.follow === follow}
            class={choice.follow === follow ? "on" : ""}
            onClick={() => watch.choose({ follow, range: null })}
          >
            {FOLLOW_WORDS[follow]}
            {follow === "last" ? <span class="more"> window</span> : null}
          </button>
        ))}
      </div>
      {live ? (
        <button
          class={"do" + (choice.follow ? "" : " on")}
          title="Freeze, or follow again (z)"
          onClick={() => watch.freeze()}
        >
          {choice.follow ? "Freeze" : "Follow"}
        </button>
      ) : null}
      <span class="span">{range ? spanText(watch, range) : ""}</span>
      {(["a", "b"] as const).map(which => (
        <button
          class={"do" + (marks[which] ? " on" : "")}
          aria-pressed={!!marks[which]}
          aria-label={`Mark ${which.toUpperCase()}`}
          title={`Mark what is shown, to compare it (${which.toUpperCase()})`}
          onClick={() => toggleMark(watch, which)}
        >
          <span class="more">Mark </span>
          {which.toUpperCase()}
        </button>
      ))}
      <button class="do" disabled={!found} title="D" onClick={() => compare(watch)}>
        Compare <span class="more">{found?.words ?? "with before"}</span>
      </button>
    </>
  );
}

// What the reader must know of the bond with the server; nothing, while all is well.
function Notice({ watch }: { watch: Watch }) {
  const { link, status } = watch.source,
    bad = link.state === "lost" || link.state === "refused",
    says = [bad || link.says ? link.says : "", watch.says, status?.over ?? ""].filter(Boolean);
  const once = useRef("");
  once.current = says.join(" ");
  return (
    <p class={"notice" + (bad ? " bad" : "")} role="status">
      {once.current}
    </p>
  );
}

// Beside what was lost of the windows that are shown: of the recording.
function Foot({ watch }: { watch: Watch }) {
  const { status, history } = watch.source,
    dropped = status?.kept.dropped ?? 0;
  return (
    <>
      {dropped ? <span>{plural(dropped, "older window")} dropped</span> : null}
      {history.joined ? (
        <span>
          {plural(history.joined, "older window")} shown together with the one before: too many
          for one bar each
        </span>
      ) : null}
      {history.unread.size ? (
        <span>{plural(history.unread.size, "window")} not shown: damaged in the file</span>
      ) : null}
    </>
  );
}

