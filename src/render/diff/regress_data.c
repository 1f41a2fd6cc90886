/* SPDX-License-Identifier: Apache-2.0 */
/* Regressions for scripts. Keys and columns are stable. */
#include "analysis/cause/cause.h"
#include "analysis/diff/diff.h"
#include "base/clock.h"
#include "render/diff/regress_view.h"
#include "render/encode/csv_text.h"
#include "render/encode/json_writer.h"

static const char *const kinds[REGRESS_KINDS] = { "cause", "function" };

static void put_item(struct json *to, const struct regress_item *it)
{
	json__line(to);
	json__object(to, NULL);
	json__text(to, "kind", kinds[it->kind]);
	json__text(to, "process", it->process);
	json__text(to, "cause",
		   it->kind == REGRESS_CAUSE ? cause_name((enum cause)it->cause) : NULL);
	json__text(to, "function", it->kind == REGRESS_FUNCTION ? it->function : NULL);
	json__text(to, "module", it->kind == REGRESS_FUNCTION ? it->module : NULL);
	json__printf(to, "before", "%.3f", it->rate[0]);
	json__printf(to, "after", "%.3f", it->rate[1]);
	json__printf(to, "change", "%.3f", it->rate[1] - it->rate[0]);
	json__printf(to, "error", "%.3f", it->error);
	json__printf(to, "p", "%.6g", it->p);
	json__end_object(to);
}

void regress_json_put(const struct regress_view *v, struct sink *out)
{
	struct json j = JSON_TO(out), *to = &j;
	const struct regress *f = v->found;
	char from[40], until[40];

	clock_format_wall(v->from_ns, from, sizeof(from));
	clock_format_wall(v->to_ns, until, sizeof(until));
	json__object(to, NULL);
	json__text(to, "format", "coldspot-regressions");
	json__u64(to, "version", 1);
	json__text(to, "from", from);
	json__text(to, "to", until);
	json__u64(to, "days", f->days);
	json__bool(to, "tested_by_days", f->by_days);
	json__bool(to, "tested_by_windows", f->by_windows);
	json__u64(to, "tested", f->tested);
	json__printf(to, "false_part", "%g", f->by_days ? REGRESS_FALSE_PART : DIFF_FALSE_PART);
	for (u32 side = 0; side < 2; side++) {
		json__object(to, side ? "after" : "before");
		json__u64(to, "windows", f->windows[side]);
		json__printf(to, "seconds", "%.3f", f->seconds[side]);
		json__printf(to, "rate", "%.3f", f->rate[side]);
		json__end_object(to);
	}
	json__array(to, "regressions");
	for (u32 i = 0; i < f->len; i++)
		put_item(to, &f->items[i]);
	json__end_array(to);
	json__end_object(to);
	sink__puts(out, "\n");
}

void regress_csv_put(const struct regress_view *v, struct sink *out)
{
	sink__puts(out, "kind,process,cause,function,module,before_ns,after_ns,change_ns,error_ns,"
			"p\n");
	for (u32 i = 0; i < v->found->len; i++) {
		const struct regress_item *it = &v->found->items[i];

		sink__printf(out, "%s,", kinds[it->kind]);
		csv_text_put(out, it->process);
		sink__printf(out, ",%s,",
			     it->kind == REGRESS_CAUSE ? cause_name((enum cause)it->cause) : "");
		csv_text_put(out, it->function);
		sink__puts(out, ",");
		csv_text_put(out, it->module);
		sink__printf(out, ",%.3f,%.3f,%.3f,%.3f,%.6g\n", it->rate[0], it->rate[1],
			     it->rate[1] - it->rate[0], it->error, it->p);
	}
}
