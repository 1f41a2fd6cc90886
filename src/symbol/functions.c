/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names are built per frame, not per function: the line is that of the call, which distinguishes
 * two frames of one function. The separator of folded stacks must not be in a name, and a name from
 * an untrusted process may contain anything.
 */
#include "symbol/functions.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "symbol/pyline.h"

struct function {
	/* the key */
	u64 image;
	u64 code;
	/* what is known about it */
	u32 version;
	u32 first_line;
	char *name; /* "file:function" */
	char *path; /* NULL: unknown */
	u8 *lines;
	size_t lines_len;
	bool lines_cut;
};

#define KEY_SZ offsetof(struct function, version)
/* After the name: a colon, a number, the NUL. */
#define LINE_SZ 12

static const char *after_last(const char *path, const char *word)
{
	const char *found = NULL, *p = path;

	while ((p = strstr(p, word))) {
		p += strlen(word);
		found = p;
	}
	return found && *found ? found : NULL;
}

/* The part after "lib/python3.11/", where the standard library is. */
static const char *after_stdlib(const char *path)
{
	const char *p = after_last(path, "lib/python3.");

	if (!p)
		return NULL;
	p += strspn(p, "0123456789t");
	return *p == '/' && p[1] ? p + 1 : NULL;
}

const char *functions_short_path(const char *path)
{
	const char *p = after_last(path, "/site-packages/");
	const char *end;
	int slashes = 0;

	if (!p)
		p = after_last(path, "/dist-packages/");
	if (!p)
		p = after_stdlib(path);
	if (p)
		return p;
	for (end = path + strlen(path); end > path; end--) {
		if (end[-1] == '/' && ++slashes == 2)
			return end;
	}
	return path + (*path == '/' && path[1]);
}

static void make_plain(char *text)
{
	for (; *text; text++) {
		if (*text == ';')
			*text = ',';
		else if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
	}
}

static char *make_file_name(const struct interpreted_code *code)
{
	const char *file = *code->file ? functions_short_path(code->file) : "?";
	const char *name = *code->name ? code->name : "?";
	size_t sz = strlen(file) + strlen(name) + 2;
	char *text = mem_alloc(sz);

	if (text) {
		snprintf(text, sz, "%s:%s", file, name);
		make_plain(text);
	}
	return text;
}

static char *make_name(const struct interpreted_code *code)
{
	char *whole = code->file ? NULL : mem_strdup(code->name);

	if (whole)
		make_plain(whole);
	return code->file ? make_file_name(code) : whole;
}

static void forget(struct function *fn)
{
	mem_free(fn->name);
	mem_free(fn->path);
	mem_free(fn->lines);
	fn->name = NULL;
	fn->path = NULL;
	fn->lines = NULL;
	fn->lines_len = 0;
}

int functions__init(struct functions *f)
{
	f->text = NULL;
	return intern__init(&f->table, sizeof(struct function), KEY_SZ);
}

void functions__done(struct functions *f)
{
	u32 id;

	if (!f)
		return;
	for (id = 1; f->table.items.data && id < intern__len(&f->table); id++)
		forget(intern__at(&f->table, id));
	intern__done(&f->table);
	mem_free(f->text);
	f->text = NULL;
}

int functions__give(struct functions *f, const struct interpreted_code *code)
{
	struct function key = { .image = code->image, .code = code->code };
	struct function *fn;
	u32 id;

	if (!*code->name && !(code->file && *code->file))
		return 0;
	if (intern__add(&f->table, &key, &id))
		return -ENOMEM;
	fn = intern__at(&f->table, id);
	forget(fn);
	fn->version = code->version;
	fn->first_line = code->first_line;
	fn->lines_cut = code->lines_cut;
	fn->lines_len = view__left(&code->lines);
	fn->name = make_name(code);
	fn->path = code->file && *code->file ? mem_strdup(code->file) : NULL;
	fn->lines = mem_alloc(fn->lines_len + 1);
	if (fn->name && fn->lines && (fn->path || !code->file || !*code->file)) {
		memcpy(fn->lines, code->lines.p, fn->lines_len);
		return 0;
	}
	forget(fn);
	return -ENOMEM;
}

struct sweep {
	const struct ended *ended;
};

static bool goes_on(void *arg, void *item)
{
	const struct sweep *sweep = arg;
	struct function *fn = item;

	if (!ended__has_image(sweep->ended, fn->image))
		return true;
	forget(fn);
	return false;
}

void functions__forget(struct functions *f, const struct ended *ended)
{
	intern__retain(&f->table, goes_on, &(struct sweep){ ended });
}

int functions__name(struct functions *f, u64 image, u64 addr, struct function_name *ret)
{
	struct function key = { .image = image, .code = interpreted_code_of(addr) };
	const struct function *fn = intern__at(&f->table, intern__find(&f->table, &key));
	size_t sz;
	u32 line;

	*ret = (struct function_name){ 0 };
	if (!fn->name)
		return 0;
	sz = strlen(fn->name) + LINE_SZ;
	mem_free(f->text);
	f->text = mem_alloc(sz);
	if (!f->text)
		return -ENOMEM;
	line = pyline_find(fn->version, fn->first_line, view__of(fn->lines, fn->lines_len),
			   fn->lines_cut, interpreted_instr_of(addr));
	if (line)
		snprintf(f->text, sz, "%s:%u", fn->name, line);
	else
		snprintf(f->text, sz, "%s", fn->name);
	*ret = (struct function_name){ f->text, fn->path, line };
	return 0;
}
