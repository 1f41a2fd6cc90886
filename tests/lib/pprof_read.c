/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/pprof_read.h"

#define ZLIB_CONST
#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "base/sink.h"
#include "base/vec.h"
#include "base/view.h"

#define UNZIPPED_MAX (64u << 20)

char *gunzip(const void *data, size_t sz, size_t *ret_sz)
{
	z_stream z = { .next_in = data, .avail_in = (unsigned int)sz };
	struct sink out;
	u8 buf[4096];
	char *text = NULL;
	int r = Z_OK;

	if (inflateInit2(&z, 15 + 16) != Z_OK)
		return NULL;
	sink__init_mem(&out);
	while (r == Z_OK && out.len < UNZIPPED_MAX) {
		z.next_out = buf;
		z.avail_out = sizeof(buf);
		r = inflate(&z, Z_NO_FLUSH);
		sink__put(&out, buf, sizeof(buf) - z.avail_out);
	}
	if (r == Z_STREAM_END && !z.avail_in && !sink__finish(&out, NULL))
		text = sink__steal(&out, ret_sz);
	inflateEnd(&z);
	sink__done(&out);
	return text;
}

/* A field of a message: a number, or bytes. */
struct field {
	u32 number;
	u64 value;
	struct view bytes;
};

struct line {
	u64 function;
	u64 line;
};

struct location {
	u64 id;
	u64 mapping;
	u64 addr;
	struct vec lines; /* struct line, innermost first */
};

struct named {
	u64 id;
	u64 name;
	u64 file;
};

struct reader {
	struct vec strings; /* struct view */
	struct vec locations;
	struct vec functions; /* struct named */
	struct vec mappings; /* struct view */
	struct vec mapping_ids; /* u64 */
	struct sink out;
	struct pprof_sums sums;
	const char *why;
};

static void wrong(struct reader *r, const char *why)
{
	if (!r->why)
		r->why = why;
}

static bool next_field(struct reader *r, struct view *v, struct field *f)
{
	u64 tag;

	if (r->why || !view__left(v))
		return false;
	memset(f, 0, sizeof(*f));
	tag = view__uleb(v);
	f->number = (u32)(tag >> 3);
	if ((tag & 7) == 0) {
		f->value = view__uleb(v);
	} else if ((tag & 7) == 2) {
		u64 sz = view__uleb(v);

		f->bytes = view__sub(v, 0, sz);
		view__bytes(v, sz);
	} else {
		wrong(r, "a wire type that we do not write");
	}
	if (v->bad)
		wrong(r, "cut off");
	return !r->why;
}

static void put_string(struct reader *r, u64 id)
{
	const struct view *s = id < r->strings.len ? vec__at(&r->strings, id) : NULL;

	if (s)
		sink__put(&r->out, s->p, view__left(s));
	else
		wrong(r, "a string that is not there");
}

static void read_location(struct reader *r, struct view v)
{
	struct location *l = vec__push(&r->locations);
	struct field f, g;

	vec__init(&l->lines, sizeof(struct line));
	while (next_field(r, &v, &f)) {
		struct line *line;

		if (f.number == 1)
			l->id = f.value;
		if (f.number == 2)
			l->mapping = f.value;
		if (f.number == 3)
			l->addr = f.value;
		if (f.number > 4)
			wrong(r, "an unknown field of a location");
		if (f.number != 4)
			continue;
		line = vec__push(&l->lines);
		while (next_field(r, &f.bytes, &g)) {
			if (g.number == 1)
				line->function = g.value;
			else
				line->line = g.value;
		}
	}
}

static void read_function(struct reader *r, struct view v)
{
	struct named *n = vec__push(&r->functions);
	struct field f;

	while (next_field(r, &v, &f)) {
		if (f.number == 1)
			n->id = f.value;
		if (f.number == 2)
			n->name = f.value;
		if (f.number == 4)
			n->file = f.value;
	}
}

static void *with_id(const struct vec *v, u64 id)
{
	void *found = NULL;
	size_t i;

	for (i = 0; i < v->len; i++) {
		if (*(u64 *)vec__at(v, i) != id)
			continue;
		if (found)
			return NULL;
		found = vec__at(v, i);
	}
	return id ? found : NULL;
}

/* Tables first: in a profile they may stand behind what needs them. */
static void read_tables(struct reader *r, struct view v)
{
	struct field f;

	while (next_field(r, &v, &f)) {
		if (f.number == 3)
			*(struct view *)vec__push(&r->mappings) = f.bytes;
		if (f.number == 4)
			read_location(r, f.bytes);
		if (f.number == 5)
			read_function(r, f.bytes);
		if (f.number == 6)
			*(struct view *)vec__push(&r->strings) = f.bytes;
		if (f.number == 7 || f.number == 8 || f.number > 14)
			wrong(r, "a field that we do not write");
	}
	if (!r->strings.len || view__left(vec__at(&r->strings, 0)))
		wrong(r, "the table of strings does not begin with an empty one");
}

static void put_location(struct reader *r, u64 id)
{
	const struct location *l = with_id(&r->locations, id);
	size_t i;

	if (!l || !l->lines.len) {
		wrong(r, "a location that is not there, or twice, or has no function");
		return;
	}
	for (i = l->lines.len; i-- > 0;) {
		const struct line *line = vec__at(&l->lines, i);
		const struct named *fn = with_id(&r->functions, line->function);

		if (!fn) {
			wrong(r, "a function that is not there, or twice");
			return;
		}
		put_string(r, fn->name);
		if (fn->file) {
			sink__puts(&r->out, "(");
			put_string(r, fn->file);
			sink__printf(&r->out, ":%llu)", line->line);
		}
		sink__puts(&r->out, i ? "+" : "");
	}
}

static void put_label(struct reader *r, struct view v)
{
	u64 key = 0, text = 0, number = 0;
	struct field f;

	while (next_field(r, &v, &f)) {
		if (f.number == 1)
			key = f.value;
		if (f.number == 2)
			text = f.value;
		if (f.number == 3)
			number = f.value;
	}
	if (!key || !!text == !!number)
		wrong(r, "a label that is nothing or both");
	sink__puts(&r->out, " ");
	put_string(r, key);
	sink__puts(&r->out, "=");
	if (text)
		put_string(r, text);
	else
		sink__printf(&r->out, "%llu", number);
}

static void put_sample(struct reader *r, struct view v)
{
	struct view labels = v, stack = { 0 }, values = { 0 };
	u64 ids[1024], value;
	size_t n = 0, i;
	struct field f;

	while (next_field(r, &v, &f)) {
		if (f.number == 1)
			stack = f.bytes;
		if (f.number == 2)
			values = f.bytes;
	}
	r->sums.samples++;
	sink__puts(&r->out, "sample");
	for (i = 0; i < r->sums.types && i < ARRAY_LEN(r->sums.values); i++) {
		value = view__uleb(&values);
		r->sums.values[i] += value;
		sink__printf(&r->out, " %llu", value);
	}
	if (values.bad || view__left(&values))
		wrong(r, "a sample has not a value of each type");
	while (view__left(&stack) && n < ARRAY_LEN(ids))
		ids[n++] = view__uleb(&stack);
	for (i = n; i-- > 0 && !r->why;) {
		sink__puts(&r->out, i + 1 == n ? " " : ";");
		put_location(r, ids[i]);
	}
	while (next_field(r, &labels, &f)) {
		if (f.number == 3)
			put_label(r, f.bytes);
	}
	sink__puts(&r->out, "\n");
}

static void put_mapping(struct reader *r, struct view v)
{
	static const char *const marks[] = {
		[7] = " functions", [8] = " files", [9] = " lines", [10] = " inlined"
	};
	u64 values[11] = { 0 };
	struct field f;
	size_t i;

	while (next_field(r, &v, &f)) {
		if (f.number < ARRAY_LEN(values))
			values[f.number] = f.value;
	}
	*(u64 *)vec__push(&r->mapping_ids) = values[1];
	sink__printf(&r->out, "mapping %llu %llx-%llx %llx ", values[1], values[2], values[3],
		     values[4]);
	put_string(r, values[5]);
	sink__puts(&r->out, " ");
	put_string(r, values[6]);
	for (i = 7; i < ARRAY_LEN(values); i++)
		sink__puts(&r->out, values[i] ? marks[i] : "");
	sink__puts(&r->out, "\n");
	if (values[3] <= values[2] && values[3])
		wrong(r, "a mapping that ends before it begins");
}

static void put_locations(struct reader *r)
{
	size_t i;

	for (i = 0; i < r->mappings.len; i++)
		put_mapping(r, *(struct view *)vec__at(&r->mappings, i));
	for (i = 0; i < r->locations.len && !r->why; i++) {
		const struct location *l = vec__at(&r->locations, i);

		if (l->mapping && !with_id(&r->mapping_ids, l->mapping))
			wrong(r, "a mapping that is not there, or twice");
		sink__printf(&r->out, "location %llu in %llu at %llx ", l->id, l->mapping, l->addr);
		put_location(r, l->id);
		sink__puts(&r->out, "\n");
	}
}

static void put_type(struct reader *r, const char *what, struct view v)
{
	struct field f;

	sink__puts(&r->out, what);
	while (next_field(r, &v, &f)) {
		sink__puts(&r->out, f.number == 1 ? " " : "/");
		put_string(r, f.value);
	}
	sink__puts(&r->out, "\n");
}

static void put_rest(struct reader *r, struct view v)
{
	static const char *const names[] = { [9] = "time", [10] = "duration", [12] = "period" };
	struct field f;

	while (next_field(r, &v, &f)) {
		if (f.number == 1)
			put_type(r, "sample_type", f.bytes);
		if (f.number == 11)
			put_type(r, "period_type", f.bytes);
		if (f.number == 9 || f.number == 10 || f.number == 12)
			sink__printf(&r->out, "%s %llu\n", names[f.number], f.value);
		if (f.number != 13 && f.number != 14)
			continue;
		sink__puts(&r->out, f.number == 13 ? "comment " : "default ");
		put_string(r, f.value);
		sink__puts(&r->out, "\n");
	}
}

char *pprof_text(const void *data, size_t sz, struct pprof_sums *ret_sums, const char **ret_why)
{
	struct view v = view__of(data, sz), samples = v, types = v;
	struct reader r = { 0 };
	struct field f;
	char *text;
	size_t i;

	vec__init(&r.strings, sizeof(struct view));
	vec__init(&r.locations, sizeof(struct location));
	vec__init(&r.functions, sizeof(struct named));
	vec__init(&r.mappings, sizeof(struct view));
	vec__init(&r.mapping_ids, sizeof(u64));
	sink__init_mem(&r.out);
	read_tables(&r, v);
	while (next_field(&r, &types, &f))
		r.sums.types += f.number == 1;
	while (next_field(&r, &samples, &f)) {
		if (f.number == 2)
			put_sample(&r, f.bytes);
	}
	put_locations(&r);
	put_rest(&r, v);
	sink__finish(&r.out, NULL);
	text = r.why ? NULL : sink__steal(&r.out, &sz);
	*ret_sums = r.sums;
	*ret_why = r.why ? r.why : "";
	for (i = 0; i < r.locations.len; i++)
		vec__done(&((struct location *)vec__at(&r.locations, i))->lines);
	vec__done(&r.strings);
	vec__done(&r.locations);
	vec__done(&r.functions);
	vec__done(&r.mappings);
	vec__done(&r.mapping_ids);
	sink__done(&r.out);
	return text;
}
