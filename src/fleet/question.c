/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server adds up: a host has a thousand rows a minute, and a fleet hundreds of hosts. No
 * setting is changed, which a user who may only read is not allowed to.
 */
#include "fleet/question.h"

#include "base/clock.h"

/* Longer than any window of a store: bounds `ts`, by which the table is partitioned. */
#define LONGEST_S 3700
#define LAST_S 0xffffffffULL

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* As a regular expression of RE2, in a literal: \\x{2d}. */
static void put_glob(struct sink *sql, const char *glob)
{
	sink__puts(sql, "'(?s)^");
	for (; *glob; glob++) {
		if (*glob == '*')
			sink__puts(sql, ".*");
		else if (*glob == '?')
			sink__puts(sql, ".");
		else if (is_plain(*glob) || *glob & 0x80)
			sink__put(sql, glob, 1);
		else
			sink__printf(sql, "\\\\x{%02x}", (u32)(u8)*glob);
	}
	sink__puts(sql, "$'");
}

static void put_globs(struct sink *sql, const char *column, const struct vec *globs)
{
	for (size_t i = 0; i < globs->len; i++) {
		sink__printf(sql, "%smatch(%s, ", i ? " OR " : "(", column);
		put_glob(sql, *(const char **)vec__at(globs, i));
		sink__puts(sql, ")");
	}
	sink__puts(sql, globs->len ? ")" : "1");
}

static void put_span(struct sink *sql, const struct time_span *span)
{
	u64 from_s = span->from_ns / NSEC_PER_SEC, to_s = span->to_ns / NSEC_PER_SEC;

	if (span->from_ns)
		sink__printf(sql,
			     " AND ts >= toDateTime(%llu) AND (begin_ns + window_ns > %llu OR "
			     "begin_ns >= %llu)",
			     from_s < LONGEST_S ? 0 : from_s - LONGEST_S, span->from_ns,
			     span->from_ns);
	if (span->to_ns != ~0ULL)
		sink__printf(sql, " AND ts <= toDateTime(%llu) AND begin_ns < %llu",
			     to_s < LAST_S ? to_s : LAST_S, span->to_ns);
}

/* A row that an older coldspot sent has no number, so each counts. */
static void put_from(const struct question *q, struct sink *sql)
{
	sink__puts(sql, q->once ? " FROM (SELECT * FROM offcpu_samples WHERE " :
				  " FROM offcpu_samples WHERE ");
	put_globs(sql, "host", q->hosts);
	put_span(sql, &q->span);
	if (q->once)
		sink__puts(sql, " LIMIT 1 BY host, begin_ns, if(wait > 0, toUInt64(wait), "
				"bitNot(toUInt64(rowNumberInAllBlocks())))) WHERE 1");
}

void question__bounds(const struct question *q, struct sink *sql)
{
	sink__puts(sql, "SELECT min(begin_ns), max(begin_ns + window_ns), count() "
			"FROM offcpu_samples WHERE ");
	put_globs(sql, "host", q->hosts);
	sink__puts(sql, " FORMAT JSONCompact");
}

void question__windows(const struct question *q, struct sink *sql)
{
	sink__puts(sql, "SELECT host, begin_ns, max(window_ns), count(), "
			"uniqExactIf(wait, wait > 0), countIf(wait = 0), "
			"greatest(max(rows), max(wait)), max(rows) > 0, max(sampled), sum(ns), "
			"sumIf(ns, ");
	put_globs(sql, "service", q->services);
	sink__puts(sql, ")");
	put_from(q, sql);
	sink__puts(sql, " GROUP BY host, begin_ns ORDER BY host, begin_ns FORMAT JSONCompact");
}

#define KEY                                                                                        \
	"host, service, cause, class, state, syscall, cgroup, container, thread, pid, tid, "       \
	"object, owner, stack_id"

void question__sums(const struct question *q, struct sink *sql)
{
	sink__puts(sql, "SELECT " KEY ", sum(ns), sum(count), sum(runq_ns)");
	put_from(q, sql);
	sink__puts(sql, " AND ");
	put_globs(sql, "service", q->services);
	sink__puts(sql, " GROUP BY " KEY ", count = 0 ORDER BY " KEY ", count = 0 "
			"FORMAT JSONCompact");
}

void question__hosts(const struct question *q, struct sink *sql)
{
	sink__puts(sql, "SELECT host, cause, class, sum(ns)");
	put_from(q, sql);
	sink__puts(sql, " AND ");
	put_globs(sql, "service", q->services);
	sink__puts(sql, " GROUP BY host, cause, class ORDER BY host FORMAT JSONCompact");
}

void question__stacks(const struct question *q, struct sink *sql)
{
	sink__puts(sql, "SELECT stack_id, any(frames), anyIf(files, notEmpty(files)), min(kernel) "
			"FROM offcpu_stacks WHERE stack_id IN (SELECT stack_id");
	put_from(q, sql);
	sink__puts(sql, " AND ");
	put_globs(sql, "service", q->services);
	sink__puts(sql, ") GROUP BY stack_id FORMAT JSONCompact");
}

void question__threads(const struct question *q, struct sink *sql)
{
	sink__puts(sql, "SELECT uniqExact(host, tid)");
	put_from(q, sql);
	sink__puts(sql, " FORMAT JSONCompact");
}
