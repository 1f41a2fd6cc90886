/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of processes and cgroups have any bytes, and a reader refuses the whole text for one bad
 * line. So control characters become a question mark, and the two that end a value are escaped.
 */
#include "render/encode/prom_text.h"

#include "base/clock.h"
#include "base/text/utf8.h"

void prom_put_head(struct sink *out, const char *name, const char *type, const char *help)
{
	sink__printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void prom_put_label(struct sink *out, const char *text)
{
	u32 cp;

	while ((cp = utf8_next(&text))) {
		if (cp == '"' || cp == '\\')
			sink__puts(out, "\\");
		utf8_put(out, utf8_harmless(cp));
	}
}

void prom_put_seconds(struct sink *out, u64 ns)
{
	sink__printf(out, " %llu.%09llu\n", ns / NSEC_PER_SEC, ns % NSEC_PER_SEC);
}

void prom_put_count(struct sink *out, u64 n)
{
	sink__printf(out, " %llu\n", n);
}

void prom_put_one(struct sink *out, const char *name, const char *type, const char *help, u64 n)
{
	prom_put_head(out, name, type, help);
	sink__puts(out, name);
	prom_put_count(out, n);
}

void prom_put_one_time(struct sink *out, const char *name, const char *help, u64 ns)
{
	prom_put_head(out, name, "counter", help);
	sink__puts(out, name);
	prom_put_seconds(out, ns);
}
