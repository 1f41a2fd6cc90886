/* SPDX-License-Identifier: Apache-2.0 */
#include "web/api/windows_json.h"

#include <string.h>

#include "render/encode/json_writer.h"
#include "web/source/kept.h"

#define NO_INDEX 0xffff

struct cause_index {
	u16 of[CAUSE_CNT][CLASS_CNT];
	u16 len;
};

static const struct kept_window *at(const struct vec *windows, size_t i)
{
	return *(struct kept_window **)vec__at(windows, i);
}

/* Numbers the causes that occur, and writes their names. */
static void put_causes(struct json *j, const struct vec *windows, struct cause_index *idx)
{
	memset(idx->of, 0xff, sizeof(idx->of));
	idx->len = 0;
	json__array(j, "causes");
	for (size_t i = 0; i < windows->len; i++) {
		const struct window_sums *s = &at(windows, i)->sums;

		for (u32 k = 0; k < s->causes_len; k++) {
			const struct cause_sum *c = &s->causes[k];

			if (idx->of[c->cause][c->class] != NO_INDEX)
				continue;
			idx->of[c->cause][c->class] = idx->len++;
			json__array(j, NULL);
			json__text(j, NULL, cause_name((enum cause)c->cause));
			json__text(j, NULL, class_name((enum wait_class)c->class));
			json__end_array(j);
		}
	}
	json__end_array(j);
}

static void put_numbers(struct json *j, const char *key, const struct vec *windows, size_t off)
{
	json__array(j, key);
	for (size_t i = 0; i < windows->len; i++) {
		const char *sums = (const char *)&at(windows, i)->sums;
		u64 n;

		memcpy(&n, sums + off, sizeof(n));
		json__u64(j, NULL, n);
	}
	json__end_array(j);
}

#define PUT(j, windows, field) put_numbers(j, #field, windows, offsetof(struct window_sums, field))

static void put_index(struct json *j, const struct vec *windows, const struct cause_index *idx)
{
	json__array(j, "cause");
	for (size_t i = 0; i < windows->len; i++) {
		const struct window_sums *s = &at(windows, i)->sums;

		json__array(j, NULL);
		for (u32 k = 0; k < s->causes_len; k++)
			json__u64(j, NULL, idx->of[s->causes[k].cause][s->causes[k].class]);
		json__end_array(j);
	}
	json__end_array(j);
	json__array(j, "ns");
	for (size_t i = 0; i < windows->len; i++) {
		const struct window_sums *s = &at(windows, i)->sums;

		json__array(j, NULL);
		for (u32 k = 0; k < s->causes_len; k++)
			json__u64(j, NULL, s->causes[k].ns);
		json__end_array(j);
	}
	json__end_array(j);
}

static void put_intervals_of(struct json *j, const struct window_sums *s)
{
	json__object(j, NULL);
	json__array(j, "length_ns");
	for (u32 i = 0; i < s->intervals_len; i++)
		json__u64(j, NULL, s->interval_ns[i]);
	json__end_array(j);
	json__array(j, "ns");
	for (u32 i = 0; i < s->intervals_len; i++) {
		json__array(j, NULL);
		for (u32 k = 0; k < s->causes_len; k++)
			json__u64(j, NULL, s->interval_cause_ns[(size_t)i * s->causes_len + k]);
		json__end_array(j);
	}
	json__end_array(j);
	json__end_object(j);
}

static void put_intervals(struct json *j, const struct vec *windows)
{
	json__array(j, "intervals");
	for (size_t i = 0; i < windows->len; i++) {
		const struct window_sums *s = &at(windows, i)->sums;

		if (s->intervals_len)
			put_intervals_of(j, s);
		else
			json__null(j, NULL);
	}
	json__end_array(j);
}

static void put_head(struct json *j, const struct vec *windows)
{
	json__array(j, "seq");
	for (size_t i = 0; i < windows->len; i++)
		json__u64(j, NULL, at(windows, i)->seq);
	json__end_array(j);
	json__array(j, "begin_wall_ms");
	for (size_t i = 0; i < windows->len; i++)
		json__printf(j, NULL, "%llu.%06llu",
			     at(windows, i)->sums.begin_wall_ns / NSEC_PER_MSEC,
			     at(windows, i)->sums.begin_wall_ns % NSEC_PER_MSEC);
	json__end_array(j);
	json__array(j, "threads");
	for (size_t i = 0; i < windows->len; i++)
		json__u64(j, NULL, at(windows, i)->sums.threads);
	json__end_array(j);
}

void windows_json_put(const char *server, u64 dropped, const struct vec *windows, struct sink *out)
{
	struct json j = JSON_TO(out);
	struct cause_index idx;

	json__object(&j, NULL);
	json__text(&j, "server", server);
	json__u64(&j, "dropped", dropped);
	put_causes(&j, windows, &idx);
	put_head(&j, windows);
	PUT(&j, windows, length_ns);
	PUT(&j, windows, on_ns);
	PUT(&j, windows, runq_ns);
	PUT(&j, windows, blocked_ns);
	PUT(&j, windows, idle_ns);
	PUT(&j, windows, lost_ns);
	put_index(&j, windows, &idx);
	put_intervals(&j, windows);
	json__end_object(&j);
}
