/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every location has a function, because readers drop or merge those without: an unnamed one has
 * our label, "[libfoo.so+0x12]". A mapping without any name says that it has no functions, so `go
 * tool pprof` searches the file and names what it can.
 */
#include "render/pprof/pprof_code.h"

void pprof_put(struct gzip *gz, struct proto *m)
{
	gzip__put(gz, m->bytes.data, m->bytes.len);
	proto__reset(m);
}

static int put_location(struct code_book *b, struct gzip *gz, u32 id, struct proto m[3])
{
	const struct code_link *link = code_book__link(b, id);
	const struct profile_frame *f = &b->p->frames[link->frame];

	proto__u64(&m[1], 1, id);
	proto__u64(&m[1], 2, f->module);
	proto__u64(&m[1], 3, code_book__address(b, link));
	while (id) {
		u32 function, line;
		int r;

		link = code_book__link(b, id);
		r = code_book__function(b, link, &function, &line);
		if (r)
			return r;
		proto__u64(&m[2], 1, function);
		proto__u64(&m[2], 2, line);
		proto__message(&m[1], 4, &m[2]);
		id = link->outer;
	}
	proto__message(&m[0], PPROF_LOCATION, &m[1]);
	pprof_put(gz, &m[0]);
	return 0;
}

static void put_function(struct code_book *b, struct gzip *gz, u32 id, struct proto m[2])
{
	const struct code_function *f = intern__at(&b->functions, id);

	proto__u64(&m[1], 1, id);
	proto__u64(&m[1], 2, f->name);
	proto__u64(&m[1], 3, f->name);
	proto__u64(&m[1], 4, f->file);
	proto__message(&m[0], PPROF_FUNCTION, &m[1]);
	pprof_put(gz, &m[0]);
}

static int put_mapping(struct code_book *b, struct gzip *gz, u32 id, struct proto m[2])
{
	const struct profile_module *module = &b->p->modules[id];
	const struct code_module *mem = &b->modules[id];
	u32 file = 0, build_id = 0;
	int r;

	r = code_book__str(b, profile__str(b->p, module->path), &file);
	if (!r)
		r = code_book__str(b, profile__str(b->p, module->build_id), &build_id);
	proto__u64(&m[1], 1, id);
	proto__u64(&m[1], 2, mem->start);
	proto__u64(&m[1], 3, mem->limit);
	proto__u64(&m[1], 4, code_book__file_offset(b, id));
	proto__u64(&m[1], 5, file);
	proto__u64(&m[1], 6, build_id);
	proto__u64(&m[1], 7, mem->has_names);
	proto__u64(&m[1], 8, mem->has_lines);
	proto__u64(&m[1], 9, mem->has_lines);
	proto__u64(&m[1], 10, mem->has_inlined);
	proto__message(&m[0], PPROF_MAPPING, &m[1]);
	pprof_put(gz, &m[0]);
	return r;
}

static int put_mappings(struct code_book *b, struct gzip *gz, struct proto m[2])
{
	u32 first = code_book__main_module(b), i;
	int r = first ? put_mapping(b, gz, first, m) : 0;

	for (i = 1; i < b->p->modules_len && !r; i++) {
		if (b->modules[i].used && i != first)
			r = put_mapping(b, gz, i, m);
	}
	return r;
}

int pprof_put_code(struct code_book *b, struct gzip *gz)
{
	struct proto m[3];
	u32 i;
	int r = 0;

	for (i = 0; i < ARRAY_LEN(m); i++)
		proto__init(&m[i]);
	for (i = 1; i < intern__len(&b->links) && !r; i++) {
		if (code_book__link(b, i)->used)
			r = put_location(b, gz, i, m);
	}
	for (i = 1; i < intern__len(&b->functions) && !r; i++)
		put_function(b, gz, i, m);
	if (!r)
		r = put_mappings(b, gz, m);
	for (i = 0; i < strtab__len(&b->strings) && !r; i++) {
		const char *s = strtab__get(&b->strings, i);

		proto__bytes(&m[0], PPROF_STRING, s, strlen(s));
		pprof_put(gz, &m[0]);
	}
	if (!r)
		r = m[0].error ? m[0].error : gz->error;
	for (i = 0; i < ARRAY_LEN(m); i++)
		proto__done(&m[i]);
	return r;
}
