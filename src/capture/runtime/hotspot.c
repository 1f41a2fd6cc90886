/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A method's name is several steps from the method: Method -> ConstMethod -> ConstantPool, which
 * contains the symbols of name and signature at their indices, and leads to the class and its
 * symbol.
 */
#include "capture/runtime/hotspot.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "base/sink.h"
#include "base/view.h"
#include "elf/image.h"
#include "elf/lookup.h"

/* Rows of a table; JDK 8 to 25 have 500 to 3,000. */
#define ROWS_MAX 8192
/* Types in sequence; JDK 8 to 25 have 200. */
#define TYPES_MAX 1024
/* Longest name of a relevant field or type, including its NUL. */
#define WORD_SZ 32
/* Longer symbols are cut; the JVM allows 64 KiB. */
#define SYMBOL_MAX_SZ 1024
/* The last byte of a page of the smallest size. */
#define PAGE_END 4095
#define DIMENSIONS_MAX 255

/* As vmStructs.hpp declares them, on 64-bit machines. */
struct struct_row {
	u64 type;
	u64 field;
	u64 type_of_field;
	u32 is_static;
	u32 pad;
	u64 offset;
	u64 address; /* of a static field */
};

struct type_row {
	u64 type;
	u64 super;
	u32 is[3]; /* an oop, an integer, unsigned */
	u32 pad;
	u64 size;
};

/* A field that is needed, and where its offset goes. */
struct wanted {
	const char *type;
	const char *field;
	size_t to; /* u16 in struct hotspot; 0: `code`, which is static */
};

#define TO(member) offsetof(struct hotspot, member)
static const struct wanted wanted[] = {
	{ "AbstractInterpreter", "_code", 0 },
	{ "StubQueue", "_stub_buffer", TO(stub_buffer) },
	{ "StubQueue", "_buffer_limit", TO(stub_limit) },
	{ "Method", "_constMethod", TO(method_const) },
	{ "ConstMethod", "_constants", TO(const_pool) },
	{ "ConstMethod", "_name_index", TO(const_name) },
	{ "ConstMethod", "_signature_index", TO(const_signature) },
	{ "ConstantPool", "_pool_holder", TO(pool_holder) },
	{ "Klass", "_name", TO(klass_name) },
	{ "Symbol", "_length", TO(symbol_len) },
	{ "Symbol", "_body", TO(symbol_body) },
	{ "Symbol", "_body[0]", TO(symbol_body) }, /* the same, under its older name */
};

/* One bit per member found. */
static u64 bit_of(const struct wanted *w)
{
	return 1ULL << w->to / sizeof(u16);
}

static bool take_symbol(void *arg, const char *name, u64 vaddr, u64 sz)
{
	struct hotspot_symbols *s = arg;

	(void)sz;
	if (strcmp(name, "gHotSpotVMStructs") == 0)
		s->structs = vaddr;
	else if (strcmp(name, "gHotSpotVMTypes") == 0)
		s->types = vaddr;
	return !s->structs || !s->types;
}

static int read_symbols(const struct image *img, const struct hotspot_mapping *at,
			struct hotspot_symbols *ret, struct err *err)
{
	u64 vaddr, bias;

	*ret = (struct hotspot_symbols){ 0 };
	lookup_symbols(img, LOOKUP_DYNSYM, take_symbol, ret);
	if (!ret->structs || !ret->types)
		return -ENOENT;
	/* a mapping begins at a page boundary; its segment may begin later */
	if (!image__vaddr_of_offset(img, at->off | PAGE_END, &vaddr))
		return err__set(err, -EINVAL, "no code is at its offset 0x%llx", at->off);
	bias = at->start - (vaddr - PAGE_END);
	ret->structs += bias;
	ret->types += bias;
	return 0;
}

int hotspot_symbols__read(int fd, const char *path, const struct hotspot_mapping *at,
			  struct hotspot_symbols *ret, struct err *err)
{
	struct image *img;
	int r = image__open(fd, path, &img, err);

	if (r)
		return r;
	r = read_symbols(img, at, ret, err);
	image__free(img);
	return r;
}

static bool read_at(const struct hotspot_memory *mem, u64 addr, void *dst, size_t sz)
{
	return addr && mem->read(mem->arg, addr, dst, sz);
}

static u64 word_at(const struct hotspot_memory *mem, u64 addr)
{
	u64 word = 0;

	return read_at(mem, addr, &word, sizeof(word)) ? word : 0;
}

/* A name in a table. Memory after its end may be unreadable. */
struct word {
	u64 addr;
	bool whole; /* all of these bytes were readable */
	char text[WORD_SZ];
};

static void find_word(struct word *w, u64 addr, const struct hotspot_memory *mem)
{
	w->addr = addr;
	w->whole = read_at(mem, addr, w->text, sizeof(w->text));
}

static bool is_word(struct word *w, const char *word, const struct hotspot_memory *mem)
{
	size_t sz = strlen(word) + 1;

	return sz <= sizeof(w->text) && (w->whole || read_at(mem, w->addr, w->text, sz)) &&
	       memcmp(w->text, word, sz) == 0;
}

/* Several rows of a table, to save system calls. */
struct block {
	u64 addr;
	size_t len;
	u8 bytes[4096];
};

static bool read_row(struct block *b, u64 addr, void *row, size_t sz,
		     const struct hotspot_memory *mem)
{
	u64 off = addr - b->addr;

	if (off >= b->len || b->len - off < sz) {
		b->addr = addr;
		b->len = read_at(mem, addr, b->bytes, sizeof(b->bytes)) ? sizeof(b->bytes) : 0;
		off = 0;
	}
	if (!b->len)
		return read_at(mem, addr, row, sz);
	memcpy(row, b->bytes + off, sz);
	return true;
}

/* Rows of one type usually follow each other and have the same pointer to its name. */
struct type_memo {
	u64 addr;
	u32 fits; /* one bit for each of wanted[] */
	u32 changes;
};

static u32 fields_of_type(const struct hotspot_memory *mem, u64 addr, struct type_memo *memo)
{
	struct word type;
	u32 i;

	if (memo->addr == addr)
		return memo->fits;
	memo->addr = addr;
	memo->fits = 0;
	memo->changes++;
	find_word(&type, addr, mem);
	for (i = 0; i < ARRAY_LEN(wanted); i++)
		memo->fits |= (u32)is_word(&type, wanted[i].type, mem) << i;
	return memo->fits;
}

/* False if the row is invalid. */
static bool take_field(struct hotspot *h, const struct struct_row *row, const struct wanted *w)
{
	u16 off = (u16)row->offset;

	if (!w->to != !!row->is_static || row->offset != off)
		return false;
	if (w->to)
		memcpy((char *)h + w->to, &off, sizeof(off));
	else
		h->code = row->address;
	return w->to || h->code;
}

/* Stores the row's wanted fields; returns one bit for each member. */
static u64 take_row(struct hotspot *h, const struct struct_row *row, u32 fits,
		    const struct hotspot_memory *mem)
{
	struct word field;
	u64 found = 0;
	u32 i;

	if (fits)
		find_word(&field, row->field, mem);
	for (i = 0; fits >> i; i++) {
		if (fits >> i & 1 && is_word(&field, wanted[i].field, mem) &&
		    take_field(h, row, &wanted[i]))
			found |= bit_of(&wanted[i]);
	}
	return found;
}

/* -EFAULT: the table cannot be read; -ENOTSUP: it lacks some of wanted[]. */
static int read_structs(struct hotspot *h, u64 table, const struct hotspot_memory *mem)
{
	struct type_memo memo = { 0 };
	struct block block = { 0 };
	struct struct_row row;
	u64 found = 0, all = 0;
	u32 n, i;

	for (n = 0; n < ROWS_MAX && memo.changes < TYPES_MAX; n++) {
		if (!read_row(&block, table + n * sizeof(row), &row, sizeof(row), mem))
			return -EFAULT;
		if (!row.type)
			break;
		found |= take_row(h, &row, fields_of_type(mem, row.type, &memo), mem);
	}
	for (i = 0; i < ARRAY_LEN(wanted); i++)
		all |= bit_of(&wanted[i]);
	return found == all ? 0 : -ENOTSUP;
}

static int read_types(struct hotspot *h, u64 table, const struct hotspot_memory *mem)
{
	struct block block = { 0 };
	struct type_row row;
	struct word type;
	u32 n;

	for (n = 0; n < ROWS_MAX; n++) {
		if (!read_row(&block, table + n * sizeof(row), &row, sizeof(row), mem))
			return -EFAULT;
		if (!row.type)
			break;
		find_word(&type, row.type, mem);
		if (!is_word(&type, "ConstantPool", mem))
			continue;
		h->pool_entries = (u16)row.size;
		return row.size == h->pool_entries && row.size ? 0 : -ENOTSUP;
	}
	return -ENOTSUP;
}

int hotspot__read_interpreter(struct hotspot *h, const struct hotspot_memory *mem)
{
	u64 queue;
	u32 limit;

	if (!read_at(mem, h->code, &queue, sizeof(queue)))
		return -EFAULT;
	if (!queue)
		return -EAGAIN;
	if (!read_at(mem, queue + h->stub_buffer, &h->code_start, sizeof(h->code_start)) ||
	    !read_at(mem, queue + h->stub_limit, &limit, sizeof(limit)))
		return -EFAULT;
	if (!h->code_start)
		return -EAGAIN;
	h->code_end = h->code_start + limit;
	return limit && limit < 1U << 30 && h->code_end > h->code_start ? 0 : -ENOTSUP;
}

int hotspot__read(struct hotspot *h, const struct hotspot_symbols *s,
		  const struct hotspot_memory *mem)
{
	u64 structs, types;
	int r;

	*h = (struct hotspot){ 0 };
	if (!read_at(mem, s->structs, &structs, sizeof(structs)) ||
	    !read_at(mem, s->types, &types, sizeof(types)))
		return -EFAULT;
	/* libjvm.so is mapped, but the dynamic linker has not relocated it yet */
	if (!structs || !types)
		return -EAGAIN;
	r = read_structs(h, structs, mem);
	if (!r)
		r = read_types(h, types, mem);
	return r ? r : hotspot__read_interpreter(h, mem);
}

/* The text of a Symbol; false if there is none. */
static bool read_symbol(const struct hotspot *h, u64 addr, const struct hotspot_memory *mem,
			char buf[SYMBOL_MAX_SZ], struct view *ret)
{
	u16 len = 0;

	if (!addr || !read_at(mem, addr + h->symbol_len, &len, sizeof(len)) || !len)
		return false;
	if (len > SYMBOL_MAX_SZ)
		len = SYMBOL_MAX_SZ;
	*ret = view__of(buf, len);
	return read_at(mem, addr + h->symbol_body, buf, len);
}

/* The suffix that distinguishes a hidden class from others with its name: "+0x00007f9694001a28". */
static bool is_hidden_mark(const struct view *at)
{
	return view__left(at) > 2 && memcmp(at->p, "+0x", 3) == 0;
}

/* "java/lang/Object" in source notation. */
static void put_class(struct sink *out, struct view name)
{
	for (; name.p < name.end; name.p++) {
		char c = (char)*name.p;

		if (c == '/')
			c = '.';
		else if (is_hidden_mark(&name))
			c = '/';
		sink__put(out, &c, 1);
	}
}

static const char *primitive(char c)
{
	switch (c) {
	case 'B':
		return "byte";
	case 'C':
		return "char";
	case 'D':
		return "double";
	case 'F':
		return "float";
	case 'I':
		return "int";
	case 'J':
		return "long";
	case 'S':
		return "short";
	case 'V':
		return "void";
	case 'Z':
		return "boolean";
	default:
		return "?";
	}
}

/* One type of a descriptor (JVM specification, 4.3.2). */
static void put_type(struct sink *out, struct view *v)
{
	struct view name;
	u32 dimensions = 0;

	while (view__accept(v, '[') && dimensions < DIMENSIONS_MAX)
		dimensions++;
	if (view__accept(v, 'L')) {
		name = *v;
		while (view__left(v) && *v->p != ';')
			v->p++;
		name.end = v->p;
		put_class(out, name);
		view__accept(v, ';');
	} else {
		sink__puts(out, primitive((char)view__u8(v)));
	}
	while (dimensions--)
		sink__puts(out, "[]");
}

static void put_arguments(struct sink *out, struct view *v)
{
	bool first = true;

	sink__puts(out, "(");
	while (view__left(v) && *v->p != ')') {
		if (!first)
			sink__puts(out, ", ");
		put_type(out, v);
		first = false;
	}
	sink__puts(out, ")");
}

/*
 * The part of a descriptor after its arguments, empty if it was cut. Names may contain a ')' too.
 */
static struct view returned(struct view v)
{
	while (view__left(&v) && *v.p != ')') {
		if (view__u8(&v) != 'L')
			continue;
		while (view__left(&v) && *v.p != ';')
			v.p++;
	}
	view__accept(&v, ')');
	return v;
}

/* Modified UTF-8 (JVMS 4.4.7) has no zero byte, and our texts end with one. */
static bool is_text(struct view v)
{
	return view__left(&v) && !memchr(v.p, 0, view__left(&v));
}

int hotspot_texts__join(const struct hotspot_texts *t, char **ret)
{
	struct view type = returned(t->signature), arguments = t->signature;
	struct sink out;
	size_t len;

	if (!is_text(t->holder) || !is_text(t->name) || !is_text(t->signature) ||
	    !view__accept(&arguments, '('))
		return -EFAULT;
	sink__init_mem(&out);
	put_type(&out, &type);
	sink__puts(&out, " ");
	put_class(&out, t->holder);
	sink__puts(&out, ".");
	sink__put(&out, t->name.p, view__left(&t->name));
	put_arguments(&out, &arguments);
	sink__finish(&out, NULL);
	*ret = sink__steal(&out, &len);
	sink__done(&out);
	return *ret ? 0 : -ENOMEM;
}

int hotspot__name(const struct hotspot *h, u64 code, const struct hotspot_memory *mem, char **ret)
{
	char bufs[3][SYMBOL_MAX_SZ];
	struct hotspot_texts t;
	u64 pool = word_at(mem, code + h->const_pool), klass, entries = pool + h->pool_entries;
	u16 name = 0, signature = 0;

	if (!pool || !read_at(mem, code + h->const_name, &name, sizeof(name)) ||
	    !read_at(mem, code + h->const_signature, &signature, sizeof(signature)))
		return -EFAULT;
	klass = word_at(mem, pool + h->pool_holder);
	if (!klass ||
	    !read_symbol(h, word_at(mem, klass + h->klass_name), mem, bufs[0], &t.holder) ||
	    !read_symbol(h, word_at(mem, entries + 8ULL * name), mem, bufs[1], &t.name) ||
	    !read_symbol(h, word_at(mem, entries + 8ULL * signature), mem, bufs[2], &t.signature))
		return -EFAULT;
	return hotspot_texts__join(&t, ret);
}
