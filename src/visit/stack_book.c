/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stack is a node of a trie, root first, so that stacks with the same callers share them, as in a
 * profile. Functions of the kernel come with their names and without addresses: /proc gives no
 * more to most users.
 */
#include "visit/stack_book.h"

#include <errno.h>

#include "capture/runtime/runtimes.h"

enum book_kind {
	BOOK_FILE = 1, /* `of` is a code file, `at` an offset */
	BOOK_MEMORY, /* `of` is a process, `at` an address */
	BOOK_NOWHERE, /* `at` is an address without code */
	BOOK_TRUNCATED, /* `of` is a code file, `at` enum stack_end */
	BOOK_KERNEL, /* `at` is a name */
	BOOK_CODE, /* `of` is an image, `at` an interpreted function and place in it */
	BOOK_NOTE, /* `at` is a name */
	BOOK_PLACE, /* `at` is a name and a file, `of` a line */
};

struct book_frame {
	u64 at;
	u32 of;
	u16 kind;
	u16 flags; /* enum profile_frame_flag */
};

struct book_node {
	u32 parent;
	u32 frame;
};

int stack_book__init(struct stack_book *sb)
{
	vec__init(&sb->in_builder, sizeof(u32));
	vec__init(&sb->modules, sizeof(u32));
	vec__init(&sb->images, sizeof(u32));
	if (!vec__push(&sb->images) ||
	    intern__init(&sb->frames, sizeof(struct book_frame), sizeof(struct book_frame)) ||
	    intern__init(&sb->nodes, sizeof(struct book_node), sizeof(struct book_node)) ||
	    strtab__init(&sb->names))
		return -ENOMEM;
	return 0;
}

void stack_book__done(struct stack_book *sb)
{
	if (!sb || !sb->in_builder.elem_sz)
		return;
	intern__done(&sb->frames);
	intern__done(&sb->nodes);
	strtab__done(&sb->names);
	vec__done(&sb->in_builder);
	vec__done(&sb->modules);
	vec__done(&sb->images);
}

int stack_book__image(struct stack_book *sb, u32 tgid, u32 *ret)
{
	u32 *slot = vec__push(&sb->images);

	if (!slot)
		return -ENOMEM;
	*slot = tgid;
	*ret = (u32)sb->images.len - 1;
	return 0;
}

static int push(struct stack_book *sb, const struct book_frame *f, u32 *stack)
{
	struct book_node n = { .parent = *stack };
	int r = intern__add(&sb->frames, f, &n.frame);

	return r ? r : intern__add(&sb->nodes, &n, stack);
}

/* What stands for missing callers of the outermost of the first `len` frames. */
static int push_missing(struct stack_book *sb, const struct host_stack *s, u32 len, u32 end,
			u32 *stack)
{
	struct book_frame f = { .at = end, .kind = BOOK_TRUNCATED };

	if (len && s->frame[len - 1].is_file)
		f.of = s->frame[len - 1].id;
	return push(sb, &f, stack);
}

static struct book_frame frame_of(u32 tgid, const struct host_frame *h)
{
	struct book_frame f = { .at = h->off, .flags = h->exact ? 0 : FRAME_RETURN };

	f.kind = h->is_file ? BOOK_FILE : h->found ? BOOK_MEMORY : BOOK_NOWHERE;
	f.of = h->is_file ? h->id : h->found ? tgid : 0;
	return f;
}

/* The functions that the `loop`th native frame runs: the last `*left` of them, callers first. */
static int push_python(struct stack_book *sb, u32 image, const struct python_frames *python,
		       u32 loop, u32 *left, u32 *stack)
{
	int r = 0;

	for (; !r && *left && python->frame[*left - 1].loop == loop; --*left) {
		const struct python_frame *p = &python->frame[*left - 1];
		struct book_frame f = { .of = image, .kind = BOOK_CODE };

		f.at = cs_pc_code(p->code, p->instr);
		r = push(sb, &f, stack);
	}
	return r;
}

int stack_book__add_user(struct stack_book *sb, const struct process *p, const struct host_stack *s,
			 const struct python_frames *python, u32 *ret)
{
	u32 left = python->len;
	int r = 0;

	*ret = 0;
	if (s->end)
		r = push_missing(sb, s, s->len, s->end, ret);
	for (u32 i = s->len; !r && i-- > 0;) {
		struct book_frame f = frame_of(p->tgid, &s->frame[i]);

		if (i + 1 == s->gap && s->gap < s->len)
			r = push_missing(sb, s, s->gap, STACK_END_GAP, ret);
		if (!r)
			r = push(sb, &f, ret);
		if (!r)
			r = push_python(sb, p->image, python, i, &left, ret);
	}
	return r;
}

int stack_book__add_cut(struct stack_book *sb, u32 *ret)
{
	const struct book_frame missing = { .at = CS_END_DEPTH, .kind = BOOK_TRUNCATED };

	*ret = 0;
	return push(sb, &missing, ret);
}

int stack_book__add_python(struct stack_book *sb, u32 image, const struct python_frames *python,
			   bool cut, u32 *ret)
{
	u32 left = python->len;
	int r = 0;

	*ret = 0;
	if (cut)
		r = stack_book__add_cut(sb, ret);
	return r ? r : push_python(sb, image, python, 0, &left, ret);
}

static int push_named(struct stack_book *sb, u32 parent, const char *name, struct book_frame f,
		      u32 *ret)
{
	u32 str;
	int r = strtab__add(&sb->names, name, &str);

	*ret = parent;
	f.at = str;
	return r ? r : push(sb, &f, ret);
}

int stack_book__add_kernel(struct stack_book *sb, u32 parent, const char *name, u32 *ret)
{
	const struct book_frame f = { .kind = BOOK_KERNEL, .flags = FRAME_KERNEL };

	return push_named(sb, parent, name, f, ret);
}

int stack_book__add_note(struct stack_book *sb, u32 parent, const char *note, u32 *ret)
{
	const struct book_frame f = { .kind = BOOK_NOTE };

	return push_named(sb, parent, note, f, ret);
}

int stack_book__add_place(struct stack_book *sb, u32 parent, const char *name, const char *file,
			  u32 line, u32 *ret)
{
	struct book_frame f = { .kind = BOOK_PLACE, .of = line };
	u32 name_id, file_id;
	int r = strtab__add(&sb->names, name, &name_id);

	*ret = parent;
	if (!r)
		r = strtab__add(&sb->names, file, &file_id);
	if (r)
		return r;
	f.at = (u64)file_id << 32 | name_id;
	return push(sb, &f, ret);
}

int stack_book__begin(struct stack_book *sb, struct builder *b)
{
	struct profile_module kernel = { .kind = MODULE_KERNEL };
	int r = builder__str(b, "[kernel]", &kernel.path);

	vec__reset(&sb->in_builder);
	vec__reset(&sb->modules);
	if (!vec__push_n(&sb->in_builder, intern__len(&sb->nodes)))
		return -ENOMEM;
	return r ? r : builder__module(b, &kernel, &sb->kernel_module);
}

static int module_of_file(struct stack_book *sb, const struct code_files *cf,
			  const struct capture_files *files, u32 idx, struct builder *b, u32 *ret)
{
	const struct code_file *f = code_files__at(cf, idx);
	struct profile_module m = { .kind = idx == CODE_FILE_VDSO ? MODULE_VDSO : MODULE_ELF };
	u32 *known;
	int r;

	if (sb->modules.len <= idx && !vec__push_n(&sb->modules, idx + 1 - sb->modules.len))
		return -ENOMEM;
	known = vec__at(&sb->modules, idx);
	*ret = *known;
	if (*known)
		return 0;
	m.dev = f->file.dev;
	m.ino = f->file.ino;
	m.generation = f->file.generation;
	r = builder__str(b, f->path, &m.path);
	if (!r)
		r = builder__str(b, files->build_id(files->arg, &f->file), &m.build_id);
	if (!r)
		r = builder__module(b, &m, ret);
	*known = *ret;
	return r;
}

static int give_memory(u32 tgid, const struct book_frame *f, struct builder *b, u32 *ret)
{
	struct profile_module m = { .kind = MODULE_ANON, .tgid = tgid };
	u32 module;
	int r = builder__str(b, "[anon]", &m.path);

	if (!r)
		r = builder__module(b, &m, &module);
	return r ? r : builder__frame(b, module, f->at, f->flags, FRAME_NOT_TRIED, ret);
}

static int give_code(const struct stack_book *sb, const struct book_frame *f, struct builder *b,
		     u32 *ret)
{
	struct profile_module m = { .kind = MODULE_CODE, .dev = f->of };
	u32 module;
	int r = builder__str(b, runtimes_code_label(cs_pc_code_addr(f->at)), &m.path);

	m.tgid = *(const u32 *)vec__at(&sb->images, f->of);
	if (!r)
		r = builder__module(b, &m, &module);
	return r ? r : builder__frame(b, module, f->at, 0, FRAME_NOT_TRIED, ret);
}

/*
 * A number for a function that has no address here: frames differ by their addresses, also
 * in recordings and when those are merged, so it depends on the name and the line alone (FNV-1a).
 */
static u64 number_of(const char *name, const char *file, u32 line)
{
	u64 h = 0xcbf29ce484222325ULL;

	for (; *name; name++)
		h = (h ^ (u8)*name) * 0x100000001b3ULL;
	for (; *file; file++)
		h = (h ^ (u8)*file) * 0x100000001b3ULL;
	return (h ^ line * 0x9e3779b97f4a7c15ULL) >> 8;
}

static int give_named(const struct stack_book *sb, const struct book_frame *f, u32 module,
		      struct builder *b, u32 *ret)
{
	struct profile_frame known = { .module = module, .flags = f->flags };
	const char *name = strtab__get(&sb->names, (u32)f->at);
	int r = builder__str(b, name, &known.name);

	known.addr = number_of(name, "", 0);
	return r ? r : builder__known_frame(b, &known, ret);
}

static int module_of_tasks(struct builder *b, u32 *ret)
{
	struct profile_module m = { .kind = MODULE_NOTE };
	int r = builder__str(b, "[tasks]", &m.path);

	return r ? r : builder__module(b, &m, ret);
}

static int give_note(const struct stack_book *sb, const struct book_frame *f, struct builder *b,
		     u32 *ret)
{
	u32 module;
	int r = module_of_tasks(b, &module);

	return r ? r : give_named(sb, f, module, b, ret);
}

static int give_place(const struct stack_book *sb, const struct book_frame *f, struct builder *b,
		      u32 *ret)
{
	const char *name = strtab__get(&sb->names, (u32)f->at);
	const char *file = strtab__get(&sb->names, (u32)(f->at >> 32));
	struct profile_frame known = { .line = f->of, .addr = number_of(name, file, f->of) };
	int r = module_of_tasks(b, &known.module);

	if (!r)
		r = builder__str(b, name, &known.name);
	if (!r)
		r = builder__str(b, file, &known.file);
	if (!known.file)
		known.line = 0;
	return r ? r : builder__known_frame(b, &known, ret);
}

static int give_frame(struct stack_book *sb, const struct code_files *cf,
		      const struct capture_files *files, u32 frame, struct builder *b, u32 *ret)
{
	const struct book_frame *f = intern__at(&sb->frames, frame);
	enum frame_reason reason = FRAME_NOT_TRIED;
	u32 module = 0;
	int r = 0;

	if (f->kind == BOOK_FILE || (f->kind == BOOK_TRUNCATED && f->of))
		r = module_of_file(sb, cf, files, f->of, b, &module);
	if (r)
		return r;
	switch (f->kind) {
	case BOOK_FILE:
		if (f->of != CODE_FILE_VDSO && !code_files__at(cf, f->of)->given)
			reason = FRAME_FILE_GONE;
		return builder__frame(b, module, f->at, f->flags, reason, ret);
	case BOOK_TRUNCATED:
		return builder__truncated(b, module, (enum stack_end)f->at, ret);
	case BOOK_MEMORY:
		return give_memory(f->of, f, b, ret);
	case BOOK_CODE:
		return give_code(sb, f, b, ret);
	case BOOK_KERNEL:
		return give_named(sb, f, sb->kernel_module, b, ret);
	case BOOK_NOTE:
		return give_note(sb, f, b, ret);
	case BOOK_PLACE:
		return give_place(sb, f, b, ret);
	default:
		return builder__frame(b, 0, f->at, f->flags, FRAME_NO_MAPPING, ret);
	}
}

/* Callers first, each once. */
int stack_book__give(struct stack_book *sb, const struct code_files *cf,
		     const struct capture_files *files, u32 stack, struct builder *b, u32 *ret)
{
	const struct book_node *n = intern__at(&sb->nodes, stack);
	u32 parent = 0, frame, *known = vec__at(&sb->in_builder, stack);
	int r = 0;

	*ret = *known;
	if (*known || !stack)
		return 0;
	if (n->parent)
		r = stack_book__give(sb, cf, files, n->parent, b, &parent);
	if (!r)
		r = give_frame(sb, cf, files, n->frame, b, &frame);
	if (!r)
		r = builder__stack(b, parent, frame, ret);
	*known = *ret;
	return r;
}
