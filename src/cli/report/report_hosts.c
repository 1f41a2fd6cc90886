/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/report/report_hosts.h"

#include <stdio.h>
#include <unistd.h>

#include "app/outputs.h"
#include "base/text/units.h"
#include "base/text/utf8.h"
#include "cli/commands.h"
#include "cli/report/windows_load.h"
#include "cli/terminal.h"
#include "fleet/fleet.h"

#define CAUSES_SHOWN 4
#define ROWS_SHOWN 50

int report_hosts_check(const struct report_values *v, const struct opt_command *cmd)
{
	const struct windows_from from = { &v->files, &v->range, &v->hosts, &v->services };

	if (windows_from__is_fleet(&from))
		return 0;
	return command_usage(cmd, "--by-host reads ClickHouse: name its URL, as in "
				  "clickhouse://HOST/DATABASE");
}

/* The next largest after `below` in order of time and number; CAUSE_CNT: there is none. */
static u32 next_cause(const struct fleet_host *h, u32 after)
{
	u64 below_ns = after < CAUSE_CNT ? h->by_cause_ns[after] : ~0ULL;
	u32 best = CAUSE_CNT;

	for (u32 i = 0; i < CAUSE_CNT; i++) {
		u64 ns = h->by_cause_ns[i];

		if (!ns || ns > below_ns || (ns == below_ns && after < CAUSE_CNT && i <= after))
			continue;
		if (best == CAUSE_CNT || ns > h->by_cause_ns[best])
			best = i;
	}
	return best;
}

static void put_causes(struct sink *out, const struct fleet_host *h)
{
	u32 cause = CAUSE_CNT;

	for (u32 i = 0; i < CAUSES_SHOWN; i++) {
		cause = next_cause(h, cause);
		if (cause == CAUSE_CNT)
			break;
		sink__printf(out, "%s%s %llu%%", i ? ", " : "", cause_name((enum cause)cause),
			     units_percent(h->by_cause_ns[cause], h->off_ns));
	}
}

static void put_host(struct sink *out, const struct fleet_hosts *hosts, size_t idx, u64 all_ns)
{
	const struct fleet_host *h = vec__at(&hosts->hosts, idx);
	char off[32], idle[32], name[256];

	units_format_ns(h->off_ns, off, sizeof(off));
	units_format_ns(h->idle_ns, idle, sizeof(idle));
	utf8_copy_harmless(strtab__get(&hosts->names, h->name), name, sizeof(name));
	sink__printf(out, "%*s %6.1f%% %*s  %*s  ", utf8_pad(off, 9), off,
		     all_ns ? 100.0 * (double)h->off_ns / (double)all_ns : 0.0, utf8_pad(idle, 9),
		     idle, utf8_pad(name, -20), name);
	put_causes(out, h);
	sink__puts(out, "\n");
}

static void put_hosts(struct sink *out, const struct fleet_hosts *hosts, u64 most)
{
	u64 all_ns = 0;
	char all[32];
	size_t i;

	for (i = 0; i < hosts->hosts.len; i++)
		all_ns += ((const struct fleet_host *)vec__at(&hosts->hosts, i))->off_ns;
	units_format_ns(all_ns, all, sizeof(all));
	sink__printf(out, "%zu host%s, %llu window%s: %s off the CPU that is not idle\n\n",
		     hosts->hosts.len, units_plural(hosts->hosts.len), hosts->windows,
		     units_plural(hosts->windows), all);
	sink__printf(out, "%9s %7s %9s  %-20s  %s\n", "off-CPU", "share", "idle", "host", "causes");
	for (i = 0; i < hosts->hosts.len && i < most; i++)
		put_host(out, hosts, i, all_ns);
	if (i < hosts->hosts.len)
		sink__printf(out, "and %zu more: --top shows them\n", hosts->hosts.len - i);
}

int report_hosts_print(const struct report_values *v, const struct opt_command *cmd,
		       bool *ret_damaged, struct err *err)
{
	const struct fleet_options opt = {
		.url = *(const char **)vec__at(&v->files, 0),
		.range = &v->range,
		.hosts = &v->hosts,
		.services = &v->services,
	};
	struct fleet_hosts hosts;
	struct fleet_found found;
	struct notices notices;
	struct sink out;
	int r;

	notices__init(&notices);
	sink__init_mem(&out);
	r = fleet_hosts__load(&hosts, &opt, &notices, &found, err);
	command_say(cmd, &notices);
	if (!r) {
		put_hosts(&out, &hosts, v->view.top ? v->view.top : ROWS_SHOWN);
		r = sink__finish(&out, err);
	}
	if (!r)
		r = output_text(STDOUT_FILENO, &out, terminal_ascii(), err);
	*ret_damaged = found.damaged;
	sink__done(&out);
	fleet_hosts__done(&hosts);
	notices__done(&notices);
	return r;
}
