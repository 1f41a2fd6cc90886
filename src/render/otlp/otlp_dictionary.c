/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables are filled in the order in which they refer to each other: samples name stacks and
 * attributes; when these are written, stacks name locations, locations name functions and mappings,
 * and all of them name strings. So no table has an item that nothing refers to, and none twice.
 *
 * A stack is kept as the nodes of the profile that it consists of, because these are few numbers,
 * and different nodes are different stacks.
 */
#include "render/otlp/otlp_dictionary.h"

#include <errno.h>

#include "base/mem.h"
#include "base/text/utf8.h"

/* Numbers of fields, by message of opentelemetry/proto/profiles/v1development, 1.10 and newer. */
enum {
	DICTIONARY_MAPPING = 1,
	DICTIONARY_LOCATION = 2,
	DICTIONARY_FUNCTION = 3,
	DICTIONARY_LINK = 4,
	DICTIONARY_STRING = 5,
	DICTIONARY_ATTRIBUTE = 6,
	DICTIONARY_STACK = 7,

	MAPPING_START = 1,
	MAPPING_LIMIT = 2,
	MAPPING_OFFSET = 3,
	MAPPING_FILE = 4,
	MAPPING_ATTRIBUTES = 5,

	LOCATION_MAPPING = 1,
	LOCATION_ADDRESS = 2,
	LOCATION_LINE = 3,

	LINE_FUNCTION = 1,
	LINE_LINE = 2,

	FUNCTION_NAME = 1,
	FUNCTION_FILE = 3,

	LINK_TRACE = 1,
	LINK_SPAN = 2,

	STACK_LOCATIONS = 1,

	ATTRIBUTE_KEY = 1,
	ATTRIBUTE_VALUE = 2,

	KEY_VALUE_KEY = 1,
	KEY_VALUE_VALUE = 2,

	VALUE_TEXT = 1,
	VALUE_NUMBER = 3,
};

#define BUILD_ID "process.executable.build_id.gnu"
#define NO_STACK "[no stack]"

struct stack {
	u32 kernel; /* nodes of the profile */
	u32 user;
	u32 kernel_missed;
	u32 user_missed;
	u32 lost; /* a text of `values`, or 0 */
};

struct attribute {
	u64 number; /* if there is no text */
	u32 key; /* string */
	u32 text; /* of `values` */
};

int otlp_dictionary__init(struct otlp_dictionary *d, const struct profile *p,
			  const struct labels *labels)
{
	int r = code_book__init(&d->book, p, labels);

	vec__init(&d->locations, sizeof(u32));
	vec__init(&d->index_of, sizeof(u32));
	vec__init(&d->mappings, sizeof(u32));
	if (!r)
		r = intern__init(&d->stacks, sizeof(struct stack), sizeof(struct stack));
	if (!r)
		r = intern__init(&d->attributes, sizeof(struct attribute),
				 sizeof(struct attribute));
	if (!r)
		r = strtab__init(&d->values);
	if (!r) {
		d->mapping_of = mem_array(p->modules_len, sizeof(*d->mapping_of));
		r = d->mapping_of ? 0 : -ENOMEM;
	}
	return r;
}

void otlp_dictionary__done(struct otlp_dictionary *d)
{
	mem_free(d->mapping_of);
	vec__done(&d->mappings);
	vec__done(&d->index_of);
	vec__done(&d->locations);
	strtab__done(&d->values);
	intern__done(&d->attributes);
	intern__done(&d->stacks);
	code_book__done(&d->book);
}

int otlp_dictionary__str(struct otlp_dictionary *d, const char *text, u32 *ret_idx)
{
	return code_book__str(&d->book, text, ret_idx);
}

int otlp_dictionary__stack(struct otlp_dictionary *d, const struct wait_stacks *s, u32 *ret_idx)
{
	struct stack key = {
		.kernel = s->kernel,
		.user = s->user,
		.kernel_missed = s->kernel_missed,
		.user_missed = s->user_missed,
	};
	int r = s->lost ? strtab__add(&d->values, s->lost, &key.lost) : 0;

	return r ? r : intern__add(&d->stacks, &key, ret_idx);
}

int otlp_dictionary__text(struct otlp_dictionary *d, const char *key, const char *value,
			  u32 *ret_idx)
{
	struct attribute fresh = { 0 };
	char *clean;
	int r;

	*ret_idx = 0;
	if (!*value)
		return 0;
	clean = utf8_clean(value);
	r = clean ? strtab__add(&d->values, clean, &fresh.text) : -ENOMEM;
	mem_free(clean);
	if (!r)
		r = code_book__str(&d->book, key, &fresh.key);
	return r ? r : intern__add(&d->attributes, &fresh, ret_idx);
}

int otlp_dictionary__number(struct otlp_dictionary *d, const char *key, u64 value, u32 *ret_idx)
{
	struct attribute fresh = { .number = value };
	int r;

	*ret_idx = 0;
	if (!value)
		return 0;
	r = code_book__str(&d->book, key, &fresh.key);
	return r ? r : intern__add(&d->attributes, &fresh, ret_idx);
}

/* What a message is made of, from the outside in. */
struct levels {
	struct proto *out; /* the dictionary */
	struct proto item;
	struct proto part;
	int error;
};

static void note_error(struct levels *l, int r)
{
	if (r && !l->error)
		l->error = r;
}

/* The index of a location; it gets one if it has none. */
static u32 index_of(struct otlp_dictionary *d, struct levels *l, u32 location)
{
	u32 *slot, *item;

	while (d->index_of.len <= location) {
		if (!vec__push(&d->index_of)) {
			note_error(l, -ENOMEM);
			return 0;
		}
	}
	slot = vec__at(&d->index_of, location);
	if (*slot)
		return *slot;
	item = vec__push(&d->locations);
	if (!item) {
		note_error(l, -ENOMEM);
		return 0;
	}
	*item = location;
	*slot = (u32)d->locations.len;
	return *slot;
}

static void put_note(struct otlp_dictionary *d, struct levels *l, const char *note)
{
	u32 location = 0;

	note_error(l, code_book__note(&d->book, note, &location));
	proto__varint(&l->part, index_of(d, l, location));
}

/* Leaf first. A missing part of a stack is marked at its root. */
static void put_side(struct otlp_dictionary *d, struct levels *l, u32 leaf, const char *missed)
{
	u32 node = leaf, location;

	while (node && !l->error) {
		note_error(l, code_book__location(&d->book, &node, &location));
		if (!l->error)
			proto__varint(&l->part, index_of(d, l, location));
	}
	if (leaf && d->book.p->stacks[leaf].flags & STACK_CUT)
		put_note(d, l, NOTE_CUT);
	if (missed)
		put_note(d, l, missed);
}

static void put_stacks(struct otlp_dictionary *d, struct levels *l)
{
	proto__message(l->out, DICTIONARY_STACK, &l->item);
	for (u32 i = 1; i < intern__len(&d->stacks) && !l->error; i++) {
		const struct stack *s = intern__at(&d->stacks, i);

		put_side(d, l, s->kernel, s->kernel_missed ? NOTE_MISSED_KERNEL : NULL);
		put_side(d, l, s->user, s->user_missed ? NOTE_MISSED_USER : NULL);
		if (s->lost)
			put_note(d, l, strtab__get(&d->values, s->lost));
		else if (!l->part.bytes.len)
			put_note(d, l, NO_STACK);
		proto__message(&l->item, STACK_LOCATIONS, &l->part);
		proto__message(l->out, DICTIONARY_STACK, &l->item);
	}
}

/* 0 for code that is in no file. */
static u32 mapping_of(struct otlp_dictionary *d, struct levels *l, u32 module)
{
	u32 *item;

	if (!module || d->mapping_of[module])
		return d->mapping_of[module];
	item = vec__push(&d->mappings);
	if (!item) {
		note_error(l, -ENOMEM);
		return 0;
	}
	*item = module;
	d->mapping_of[module] = (u32)d->mappings.len;
	return d->mapping_of[module];
}

static void put_location(struct otlp_dictionary *d, struct levels *l, u32 id)
{
	const struct code_link *link = code_book__link(&d->book, id);

	proto__u64(&l->item, LOCATION_MAPPING,
		   mapping_of(d, l, d->book.p->frames[link->frame].module));
	proto__u64(&l->item, LOCATION_ADDRESS, code_book__address(&d->book, link));
	while (id) {
		u32 function = 0, line = 0;

		link = code_book__link(&d->book, id);
		note_error(l, code_book__function(&d->book, link, &function, &line));
		proto__u64(&l->part, LINE_FUNCTION, function);
		proto__u64(&l->part, LINE_LINE, line);
		proto__message(&l->item, LOCATION_LINE, &l->part);
		id = link->outer;
	}
	proto__message(l->out, DICTIONARY_LOCATION, &l->item);
}

static void put_locations(struct otlp_dictionary *d, struct levels *l)
{
	proto__message(l->out, DICTIONARY_LOCATION, &l->item);
	for (size_t i = 0; i < d->locations.len && !l->error; i++)
		put_location(d, l, *(u32 *)vec__at(&d->locations, i));
}

static void put_functions(struct otlp_dictionary *d, struct levels *l)
{
	proto__message(l->out, DICTIONARY_FUNCTION, &l->item);
	for (u32 i = 1; i < intern__len(&d->book.functions); i++) {
		const struct code_function *f = intern__at(&d->book.functions, i);

		proto__u64(&l->item, FUNCTION_NAME, f->name);
		proto__u64(&l->item, FUNCTION_FILE, f->file);
		proto__message(l->out, DICTIONARY_FUNCTION, &l->item);
	}
}

static void put_mapping(struct otlp_dictionary *d, struct levels *l, u32 module)
{
	const struct profile *p = d->book.p;
	const struct code_module *mem = &d->book.modules[module];
	u32 file = 0, build_id = 0;

	note_error(l, code_book__str(&d->book, profile__str(p, p->modules[module].path), &file));
	note_error(l,
		   otlp_dictionary__text(d, BUILD_ID, profile__str(p, p->modules[module].build_id),
					 &build_id));
	proto__u64(&l->item, MAPPING_START, mem->start);
	proto__u64(&l->item, MAPPING_LIMIT, mem->limit);
	proto__u64(&l->item, MAPPING_OFFSET, code_book__file_offset(&d->book, module));
	proto__u64(&l->item, MAPPING_FILE, file);
	if (build_id) {
		proto__varint(&l->part, build_id);
		proto__message(&l->item, MAPPING_ATTRIBUTES, &l->part);
	}
	proto__message(l->out, DICTIONARY_MAPPING, &l->item);
}

static void put_mappings(struct otlp_dictionary *d, struct levels *l)
{
	proto__message(l->out, DICTIONARY_MAPPING, &l->item);
	for (size_t i = 0; i < d->mappings.len && !l->error; i++)
		put_mapping(d, l, *(u32 *)vec__at(&d->mappings, i));
}

static void put_text(struct proto *to, u32 field, const char *text)
{
	proto__bytes(to, field, text, strlen(text));
}

static void put_attributes(struct otlp_dictionary *d, struct levels *l)
{
	proto__message(l->out, DICTIONARY_ATTRIBUTE, &l->item);
	for (u32 i = 1; i < intern__len(&d->attributes); i++) {
		const struct attribute *a = intern__at(&d->attributes, i);

		if (a->text)
			put_text(&l->part, VALUE_TEXT, strtab__get(&d->values, a->text));
		else
			proto__u64(&l->part, VALUE_NUMBER, a->number);
		proto__u64(&l->item, ATTRIBUTE_KEY, a->key);
		proto__message(&l->item, ATTRIBUTE_VALUE, &l->part);
		proto__message(l->out, DICTIONARY_ATTRIBUTE, &l->item);
	}
}

/* Decoders expect identifiers of their full length. */
static void put_links(struct levels *l)
{
	static const u8 zeros[16];

	proto__bytes(&l->item, LINK_TRACE, zeros, 16);
	proto__bytes(&l->item, LINK_SPAN, zeros, 8);
	proto__message(l->out, DICTIONARY_LINK, &l->item);
}

int otlp_dictionary__put(struct otlp_dictionary *d, struct proto *message)
{
	struct levels l = { .out = message };

	proto__init(&l.item);
	proto__init(&l.part);
	put_stacks(d, &l);
	put_locations(d, &l);
	put_functions(d, &l);
	put_mappings(d, &l);
	put_attributes(d, &l);
	put_links(&l);
	for (u32 i = 0; i < strtab__len(&d->book.strings); i++)
		put_text(message, DICTIONARY_STRING, strtab__get(&d->book.strings, i));
	proto__done(&l.item);
	proto__done(&l.part);
	return l.error ? l.error : message->error;
}

void otlp_put_key_value(struct proto *to, u32 field, const char *key, const char *value)
{
	struct proto pair, text;
	char *clean = utf8_clean(value);

	proto__init(&pair);
	proto__init(&text);
	if (clean)
		put_text(&text, VALUE_TEXT, clean);
	else
		pair.error = -ENOMEM;
	put_text(&pair, KEY_VALUE_KEY, key);
	proto__message(&pair, KEY_VALUE_VALUE, &text);
	proto__message(to, field, &pair);
	proto__done(&text);
	proto__done(&pair);
	mem_free(clean);
}
