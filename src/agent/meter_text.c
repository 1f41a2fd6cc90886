/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names begin with coldspot_agent_, because a machine may also have a `coldspot serve`, whose
 * metrics have other labels. Times of samples are left out: node_exporter refuses them.
 */
#include "agent/meter.h"

#include "base/clock.h"
#include "base/self_memory.h"
#include "profile/loss.h"
#include "render/encode/prom_text.h"

static void put_causes(const struct meter *m, struct sink *out)
{
	static const char name[] = "coldspot_agent_cause_seconds_total";
	u32 cause, class;

	prom_put_head(out, name, "counter",
		      "Listed waits of the machine, blocked and waiting for a CPU, by cause.");
	for (cause = 0; cause < CAUSE_CNT; cause++) {
		for (class = 0; class < CLASS_CNT; class ++) {
			if (!m->cause_ns[cause][class])
				continue;
			sink__printf(out, "%s{cause=\"%s\",class=\"%s\"}", name,
				     cause_name((enum cause)cause),
				     class_name((enum wait_class) class));
			prom_put_seconds(out, m->cause_ns[cause][class]);
		}
	}
}

static const struct meter_row *row_at(const struct meter *m, u32 i)
{
	return i < m->rows_len ? &m->rows[i] : &m->other;
}

static void put_label(struct sink *out, const char *name, const struct meter *m, u32 i)
{
	sink__printf(out, "%s{cgroup=\"", name);
	prom_put_label(out, i < m->rows_len ? m->rows[i].name : METER_OTHER);
	sink__puts(out, "\"");
}

static void put_waits(const struct meter *m, struct sink *out)
{
	static const char name[] = "coldspot_agent_waited_seconds_total";
	u32 i, family, class;

	prom_put_head(
		out, name, "counter",
		"Listed waits, blocked and waiting for a CPU, by cgroup, family of causes and "
		"class. Cgroups without a row are in (other).");
	for (i = 0; i <= m->rows_len; i++) {
		for (family = 0; family < CAUSE_FAMILY_CNT; family++) {
			for (class = 0; class < CLASS_CNT; class ++) {
				u64 ns = row_at(m, i)->wait_ns[family][class];

				if (!ns)
					continue;
				put_label(out, name, m, i);
				sink__printf(out, ",family=\"%s\",class=\"%s\"}",
					     cause_family_row((enum cause_family)family)->name,
					     class_name((enum wait_class) class));
				prom_put_seconds(out, ns);
			}
		}
	}
}

static void put_states(const struct meter *m, struct sink *out)
{
	static const char name[] = "coldspot_agent_cgroup_seconds_total";
	static const char *const states[] = { "on", "runq", "blocked" };

	prom_put_head(
		out, name, "counter",
		"Time of all threads of a cgroup: on a CPU, waiting for one, blocked. Cgroups "
		"without a row are in (other).");
	for (u32 i = 0; i <= m->rows_len; i++) {
		for (u32 k = 0; k < METER_STATES; k++) {
			put_label(out, name, m, i);
			sink__printf(out, ",state=\"%s\"}", states[k]);
			prom_put_seconds(out, row_at(m, i)->state_ns[k]);
		}
	}
}

static void put_losses(const struct meter *m, struct sink *out)
{
	static const char events[] = "coldspot_agent_lost_events_total";
	static const char seconds[] = "coldspot_agent_lost_seconds_total";
	u32 i;

	prom_put_head(out, events, "counter", "What the windows do not contain, by kind.");
	for (i = 0; i < LOSS_CNT; i++) {
		if (i == LOSS_UNNAMED)
			continue;
		sink__printf(out, "%s{kind=\"%s\"}", events, loss_name((enum profile_loss_kind)i));
		prom_put_count(out, m->losses[i].events);
	}
	prom_put_head(out, seconds, "counter",
		      "Time concerned by what the windows do not contain, where it is known.");
	for (i = 0; i < LOSS_CNT; i++) {
		if (i == LOSS_UNNAMED)
			continue;
		sink__printf(out, "%s{kind=\"%s\"}", seconds, loss_name((enum profile_loss_kind)i));
		prom_put_seconds(out, m->losses[i].ns);
	}
}

static void put_machine(const struct meter *m, struct sink *out)
{
	prom_put_one_time(out, "coldspot_agent_oncpu_seconds_total",
			  "Time of all threads on a CPU.", m->state_ns[METER_ON]);
	prom_put_one_time(out, "coldspot_agent_runq_seconds_total",
			  "Time of all threads waiting for a CPU.", m->state_ns[METER_RUNQ]);
	prom_put_one_time(out, "coldspot_agent_blocked_seconds_total",
			  "Time of all threads blocked.", m->state_ns[METER_BLOCKED]);
	prom_put_one_time(out, "coldspot_agent_recorded_seconds_total", "Length of all windows.",
			  m->recorded_ns);
}

static void put_wall(struct sink *out, const char *name, const char *help, u64 ns)
{
	prom_put_head(out, name, "gauge", help);
	sink__puts(out, name);
	prom_put_seconds(out, ns);
}

static void put_agent(const struct meter *m, const struct meter_facts *facts, struct sink *out)
{
	static const char cost[] = "coldspot_agent_own_cpu_seconds_total";

	prom_put_head(out, "coldspot_agent_info", "gauge", "The version.");
	sink__puts(out, "coldspot_agent_info{version=\"");
	prom_put_label(out, facts->version);
	sink__puts(out, "\"} 1\n");
	put_wall(out, "coldspot_agent_start_time_seconds", "When counting began.",
		 facts->since_wall_ns);
	put_wall(out, "coldspot_agent_last_window_end_time_seconds",
		 "When the last window ended, by the wall clock.", m->end_wall_ns);
	put_wall(out, "coldspot_agent_sampling_period_seconds",
		 "Sampling period of the last window; 0: every wait is listed.", m->period_ns);
	prom_put_one(out, "coldspot_agent_windows_written_total", "counter",
		     "Windows written to the store.", facts->written);
	prom_put_one(out, "coldspot_agent_windows_dropped_total", "counter",
		     "Windows that could not be written. They are counted here.", facts->dropped);
	prom_put_one(out, "coldspot_agent_windows_uncounted_total", "counter",
		     "Windows that are not counted here: there was no memory for it.",
		     m->uncounted);
	prom_put_head(
		out, cost, "counter",
		"CPU time of the recording: of its programs in the kernel, and of the agent.");
	sink__printf(out, "%s{part=\"kernel\"}", cost);
	prom_put_seconds(out, m->prog_ns);
	sink__printf(out, "%s{part=\"agent\"}", cost);
	prom_put_seconds(out, m->self_cpu_ns);
	prom_put_one(out, "coldspot_agent_own_resident_bytes", "gauge", "Memory of the agent.",
		     self_memory_resident());
	prom_put_one(out, "coldspot_agent_store_bytes", "gauge",
		     "Size of the store on disk, without hourly sums.", facts->store_bytes);
	prom_put_one(out, "coldspot_agent_store_files", "gauge",
		     "Files of the store, without hourly sums.", facts->store_files);
}

void meter__put(const struct meter *m, const struct meter_facts *facts, struct sink *out)
{
	put_causes(m, out);
	put_waits(m, out);
	put_states(m, out);
	put_machine(m, out);
	put_losses(m, out);
	put_agent(m, facts, out);
}
