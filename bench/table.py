# SPDX-License-Identifier: Apache-2.0
"""The measurements as Markdown."""
import statistics

from sample import (AGAIN, BARE, FLOOR, added_count, added_ns, net_ns_per_wait, ns_per_wait,
                    program_per_run, program_per_wait, runs_per_wait, wall_ratio)

REFERENCE = "offcputime"
# A program that runs less often than this for a wait is not on the hot path.
HOT = 0.5
RARE = 0.01


def rows(header, body):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in body]
    return "\n".join(lines)


def number(value, digits=0):
    return "-" if value is None else f"{value:,.{digits}f}"


def spread(values, digits=0):
    if not values:
        return "-"
    return f"{number(statistics.median(values), digits)} " \
           f"({number(min(values), digits)}..{number(max(values), digits)})"


def ratio(value, base, digits=2):
    return number(value / base, digits) if value is not None and base else "-"


def median(values):
    return statistics.median(values) if values else None


def programs_table(sets, tracers):
    """ns of programs for each wait. Other threads of the machine make them run too: a run more, and
    little more, as net shows."""
    body = []
    for s in sets:
        net = {t.name: median(s.pairs(t.name, FLOOR, net_ns_per_wait)) for t in tracers}
        gross = {t.name: s.median(t.name, ns_per_wait) for t in tracers}
        for t in tracers:
            if not s.of(t.name):
                continue
            body.append([s.load.name, t.name, spread([ns_per_wait(x) for x in s.of(t.name)]),
                         number(net[t.name]), number(s.median(t.name, runs_per_wait), 2),
                         *(ratio(v[t.name], v.get(REFERENCE)) if not t.empty else "-"
                           for v in (gross, net)), len(s.of(t.name))])
    return rows(["load", "tracer", "ns per wait, gross: median (min..max)", "net",
                 "runs per wait", f"gross / {REFERENCE}", f"net / {REFERENCE}", "samples"], body)


def each_program_table(sets, tracers):
    """The same by program, net: those of our tracers that run on the way of a wait."""
    body = []
    for s in sets:
        for t in tracers:
            names = {name for x in s.of(t.name) for name, (_, runs) in x.programs.items()
                     if runs >= RARE * x.work.waits} if t.ours else ()
            for name in sorted(names):
                often = s.median(t.name, lambda x, name=name: x.programs[name][1] / x.work.waits)
                body.append([s.load.name, t.name, name, number(often, 2),
                             number(median(s.pairs(t.name, FLOOR, program_per_run(name)))),
                             spread(s.pairs(t.name, FLOOR, program_per_wait(name)))])
    return rows(["load", "tracer", "program", "runs per wait", "net ns per run",
                 "net ns per wait: median (min..max)"], body)


def _bare_row(s, name):
    """The bare run, and the same again: what two runs differ by."""
    cpu = s.median(name, lambda x: x.work.cpu_s)
    waits = number(s.median(name, lambda x: x.work.waits))
    if name == BARE:
        return [s.load.name, name, number(cpu, 3), "1", "-", "-", "-", waits, len(s.of(name))]
    added = s.pairs(name, BARE, added_ns)
    return [s.load.name, name, number(cpu, 3),
            ratio(cpu, s.median(BARE, lambda x: x.work.cpu_s), 3),
            number(median(s.pairs(name, BARE, wall_ratio)), 3), spread(added), "-", waits,
            len(added)]


def cpu_table(sets, tracers):
    body = []
    for s in sets:
        bare = s.median(BARE, lambda x: x.work.cpu_s)
        body += [_bare_row(s, name) for name in (BARE, AGAIN)]
        added = {t.name: s.pairs(t.name, BARE, added_ns) for t in tracers}
        base = median(added.get(REFERENCE))
        for t in tracers:
            if not s.of(t.name):
                continue
            cpu = s.median(t.name, lambda x: x.work.cpu_s)
            walls = s.pairs(t.name, BARE, wall_ratio)
            body.append([s.load.name, t.name, number(cpu, 3), ratio(cpu, bare, 3),
                         number(median(walls), 3), spread(added[t.name]),
                         ratio(median(added[t.name]), base) if not t.empty else "-",
                         number(s.median(t.name, lambda x: x.work.waits)), len(added[t.name])])
    return rows(["load", "tracer", "CPU s, median", "ratio of medians", "wall ratio",
                 "ns added per wait: median of pairs (min..max)", f"added / {REFERENCE}", "waits",
                 "pairs"], body)


def instructions_table(s, tracers):
    body = [[s.load.name, t.name, spread(s.pairs(t.name, BARE, added_count))] for t in tracers]
    return rows(["load", "tracer", "instructions added per wait: median of pairs (min..max)"], body)


def sizes_table(s, tracers):
    """Of the programs that ran at the waits of one load, and how many there are besides."""
    body = []
    for t in tracers:
        samples = s.of(t.name)
        if not samples:
            continue
        last = samples[-1]
        hot = [i for i in last.infos if i.run_cnt >= HOT * last.work.waits]
        for i in hot:
            body.append([t.name, i.name.decode(), number(i.verified_insns),
                         number(i.xlated_prog_len / 8), number(i.jited_prog_len)])
        rest = [i for i in last.infos if i not in hot]
        if rest:
            body.append([t.name, f"{len(rest)} more, off the path",
                         number(sum(i.verified_insns for i in rest)),
                         number(sum(i.xlated_prog_len for i in rest) / 8),
                         number(sum(i.jited_prog_len for i in rest))])
    return rows(["tracer", "program", "instructions the verifier walked",
                 "instructions after it", "bytes of machine code"], body)


def starts_table(first, whole):
    body = [[name, spread([v.seconds * 1000 for v in values]),
             spread([v.user_s * 1000 for v in values]), spread([v.system_s * 1000 for v in values]),
             number(median([v.verified for v in values])),
             spread([v * 1000 for v in whole[name]]) if name in whole else "-", len(values)]
            for name, values in first.items()]
    return rows(["tracer", "exec to tracing, ms: median (min..max)", "CPU time in user space, ms",
                 "in the kernel, ms", "instructions that the verifier walked",
                 "a run of 1 s takes beyond it, ms", "samples"], body)


def ends_table(ends):
    body = [[stacks, name, spread([v * 1000 for v in values]), number(listed), len(values)]
            for stacks, name, values, listed in ends]
    return rows(["stacks", "tracer and answer", "SIGINT to the last byte, ms: median (min..max)",
                 "stacks listed", "samples"], body)
