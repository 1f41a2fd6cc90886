// SPDX-License-Identifier: Apache-2.0
//
// The hosts of a fleet by cause: find them, open one, several or all, or compare two.
import { useEffect, useState } from "preact/hooks";
import { causeColor } from "../color";
import { plural, share, stamp, time } from "../format";
import { ask, type Host, type Hosts } from "../live/api";
import type { Range } from "../live/choice";
import { sideText, type Watch } from "../live/watch";
import { useTheme } from "./app";
import { Brand } from "./header";
import { around, Travel } from "./past";
import { Icon, ICONS, toggle } from "./shared";

const CAUSES_SHOWN = 3;

// Which time of the fleet is shown.
export function FleetTime({ watch, span }: { watch: Watch; span: Range }) {
  const length = span.to - span.from,
    go = (past: Range | null) => watch.choose({ past, compare: null });
  return (
    <Travel
      span={span}
      at={span.from}
      field="From"
      strip="time"
      first={false}
      last={false}
      example={span.from}
      watch={watch}
      step={by => go({ from: Math.max(1, span.from + by), to: span.to + by })}
      go={ms => go({ from: ms, to: ms + length })}
      widen={wide => go(around(span.to - length / 2, wide))}
    >
      {watch.choice.past ? (
        <button class="do" onClick={() => go(null)}>
          As it began
        </button>
      ) : null}
      <span class="span">
        {stamp(span.from)} to {stamp(span.to)}
      </span>
    </Travel>
  );
}

// Above the views: whose waits they show.
export function FleetChosen({ watch }: { watch: Watch }) {
  const { hosts } = watch.choice;
  return (
    <span class="span">
      <b>{hosts.includes("*") ? "all hosts" : hosts.join(", ")}</b>
    </span>
  );
}

function ordered(host: Host): [string, number][] {
  return Object.entries(host.causes).sort((a, b) => b[1] - a[1]);
}

// Its length is that of the waits, beside the host that waited longest.
function Bar({ host, most }: { host: Host; most: number }) {
  return (
    <span class="causes" aria-hidden="true">
      {ordered(host).map(([cause, ns]) => (
        <i
          key={cause}
          title={`${cause} ${time(ns)}`}
          style={{ background: causeColor(cause), width: `${(100 * ns) / (most || 1)}%` }}
        />
      ))}
    </span>
  );
}

interface RowProps {
  host: Host;
  most: number;
  all: number;
  chosen: boolean;
  pick(): void;
  open(): void;
}

function HostRow({ host, most, all, chosen, pick, open }: RowProps) {
  return (
    <tr class={chosen ? "at" : ""}>
      <td>
        <input
          type="checkbox"
          checked={chosen}
          aria-label={`Choose ${host.name}`}
          onChange={pick}
        />
      </td>
      <th scope="row">
        <button class="link" onClick={open}>
          {host.name}
        </button>
      </th>
      <td class="n">{time(host.off_ns)}</td>
      <td class="n">{share(host.off_ns, all)}</td>
      <td>
        <Bar host={host} most={most} />
      </td>
      <td>
        {ordered(host)
          .slice(0, CAUSES_SHOWN)
          .map(([cause, ns]) => `${cause} ${share(ns, host.off_ns)}`)
          .join(", ")}
      </td>
      <td class="n">{time(host.idle_ns)}</td>
    </tr>
  );
}

const HEADS: [string, string][] = [
  ["Host", ""],
  ["Off-CPU", "n"],
  ["Share", "n"],
  ["By cause", ""],
  ["Mostly", ""],
  ["Idle", "n"],
];

export function Fleet({ watch }: { watch: Watch }) {
  const [search, setSearch] = useState(""),
    [found, setFound] = useState<Hosts | null>(null),
    [fault, setFault] = useState(""),
    [chosen, setChosen] = useState<string[]>([]);
  const { status, link } = watch.source,
    { past } = watch.choice;
  useTheme("auto");
  useEffect(() => {
    let mine = true;
    setFound(null);
    setFault("");
    ask<Hosts>("hosts", past ? { since: iso(past.from), until: iso(past.to) } : {}).then(
      answer => mine && setFound(answer),
      e => mine && setFault(e.message),
    );
    return () => {
      mine = false;
    };
  }, [past?.from, past?.to, status?.server]);

  const span = past ?? (found && { from: Math.max(1, found.since_ms), to: found.until_ms }),
    hosts = found?.hosts ?? [],
    rows = hosts.filter(h => h.name.toLowerCase().includes(search.toLowerCase())),
    names = hosts.map(h => h.name).filter(name => chosen.includes(name)),
    all = hosts.reduce((sum, h) => sum + h.off_ns, 0);
  // with the time that the table is of, so that a link shows the same
  function go(patch: Parameters<Watch["choose"]>[0]): void {
    watch.choose({ past: span, ...patch });
    history.pushState(null, "", "#" + watch.more);
  }
  function compare(): void {
    const [before, after] = names;
    if (span) go({ compare: [sideText(before, span), sideText(after, span)] });
  }
  return (
    <div class="app list">
      <header class="top">
        <Brand />
        <h1>{status?.target || "Hosts"}</h1>
        <span class="grow" />
        <div class="search" role="search">
          <Icon d={ICONS.search} />
          <input
            type="search"
            value={search}
            placeholder="Search hosts"
            aria-label="Search hosts"
            spellcheck={false}
            onInput={e => setSearch(e.currentTarget.value)}
          />
        </div>
      </header>
      <p class={"notice" + (fault ? " bad" : "")} role="status">
        {[fault, watch.says, link.state === "up" ? "" : link.says, ...(found?.notices ?? [])]
          .filter(words => words)
          .join(". ")}
      </p>
      {span ? <FleetTime watch={watch} span={span} /> : null}
      <div class="livebar">
        <span class="span">
          {found
            ? `${plural(hosts.length, "host")}, ${plural(found.windows, "window")}: ` +
              `${time(all)} off the CPU that is not idle`
            : fault
              ? ""
              : "Asking the server"}
          {names.length ? `; chosen: ${names.join(", ")}` : ""}
        </span>
        <span class="grow" />
        <button class="do" disabled={!hosts.length} onClick={() => go({ hosts: ["*"] })}>
          Show all
        </button>
        <button class="do" disabled={!names.length} onClick={() => go({ hosts: names })}>
          Show chosen
        </button>
        <button class="do" disabled={names.length !== 2} onClick={compare}>
          Compare two
        </button>
      </div>
      <main class="tablebox" tabIndex={0} aria-label="Hosts">
        <table class="recordings hosts">
          <thead>
            <tr>
              <th scope="col">
                <span class="hidden">Chosen</span>
              </th>
              {HEADS.map(([words, kind]) => (
                <th scope="col" class={kind}>
                  {words}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(host => (
              <HostRow
                key={host.name}
                host={host}
                most={hosts[0].off_ns}
                all={all}
                chosen={chosen.includes(host.name)}
                pick={() => setChosen(toggle(chosen, host.name))}
                open={() => go({ hosts: [host.name] })}
              />
            ))}
          </tbody>
        </table>
        {found && !rows.length ? <p class="empty">No host matches.</p> : null}
      </main>
    </div>
  );
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
