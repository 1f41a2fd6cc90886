/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Visits each frame of a profile once, queries the source for its module, and makes the result
 * readable. Every frame ends up with a name or with exactly one reason.
 *
 * A return address is the byte after the call, which may already be in the next function (a call
 * that never returns is often the last instruction). So the byte before it is looked up, while the
 * displayed offset stays that of the address itself. If that byte is certainly in no function, the
 * address was put on the stack by hand so that a function begins there: the return from a signal.
 */
#include "symbol/resolver.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "symbol/demangle.h"
#include "symbol/source.h"
#include "base/text/suffix.h"

/* Containers seen; each missing debug file is searched in all of them. */
#define ROOTS_MAX 64

/* -ENOMEM or 0. */
static int take_search(struct resolver *r, const struct resolver_options *opt)
{
	if (opt->debug_dir) {
		r->debug_dir = mem_strdup(opt->debug_dir);
		if (!r->debug_dir)
			return -ENOMEM;
	}
	if (opt->debuginfod && *opt->debuginfod &&
	    debuginfod__new(opt->debuginfod, DEBUGINFOD_LIMIT_NS, &r->debuginfod, NULL))
		return -ENOMEM;
	r->search.where.debug_dir = r->debug_dir;
	r->search.where.debuginfod = r->debuginfod;
	r->search.source = opt->lines || opt->inlines;
	return 0;
}

int resolver__new(const struct resolver_options *opt, const struct kallsyms *k,
		  struct resolver **ret, struct err *err)
{
	struct resolver *r = mem_alloc(sizeof(*r));

	if (!r)
		return err__nomem(err);
	r->kallsyms = k;
	r->demangle = opt->demangle;
	r->vdso.fd = -1;
	runtime_codes__init(&r->runtime);
	vec__init(&r->roots, sizeof(int));
	if (modules__init(&r->modules) || functions__init(&r->functions))
		goto err_out;
	r->strip_suffixes = opt->strip_suffixes;
	r->lines = opt->lines;
	r->inlines = opt->inlines;
	if (take_search(r, opt))
		goto err_out;
	*ret = r;
	return 0;
err_out:
	resolver__free(r);
	return err__nomem(err);
}

void resolver__free(struct resolver *r)
{
	size_t i;

	if (!r)
		return;
	for (i = 0; i < r->roots.len; i++)
		close(*(int *)vec__at(&r->roots, i));
	vec__done(&r->roots);
	debuginfod__free(r->debuginfod);
	runtime_codes__done(&r->runtime);
	functions__done(&r->functions);
	module_code__done(&r->vdso);
	modules__done(&r->modules);
	mem_free(r->debug_dir);
	mem_free(r);
}

void resolver__use_kernel_symbols(struct resolver *r, const struct kallsyms *k)
{
	r->kallsyms = k;
}

const char *resolver__trouble(const struct resolver *r)
{
	return debuginfod__trouble(r->debuginfod);
}

int resolver__give_file(struct resolver *r, const struct file_id *file, int fd)
{
	return modules__give(&r->modules, file, fd);
}

static bool is_same_file(int a, int b)
{
	struct stat x, y;

	return !fstat(a, &x) && !fstat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int resolver__give_root(struct resolver *r, int fd)
{
	size_t i;
	int *slot;

	for (i = 0; i < r->roots.len && !is_same_file(fd, *(int *)vec__at(&r->roots, i)); i++)
		;
	slot = i < r->roots.len || i >= ROOTS_MAX ? NULL : vec__push(&r->roots);
	if (slot)
		*slot = fd;
	else
		close(fd);
	r->search.where.root_fds = r->roots.data;
	r->search.where.root_fds_len = r->roots.len;
	return slot || i < r->roots.len || i >= ROOTS_MAX ? 0 : -ENOMEM;
}

const char *resolver__build_id(struct resolver *r, const struct file_id *file)
{
	return modules__build_id(&r->modules, file);
}

bool resolver__variable(struct resolver *r, const struct file_id *file, const char *path, u64 off,
			struct object_variable *ret)
{
	struct object_variable linked;
	char readable[DEMANGLE_SZ];

	if (!modules__variable(&r->modules, file, path, off, &r->search, &linked))
		return false;
	snprintf(ret->name, sizeof(ret->name), "%.*s", (int)sizeof(ret->name) - 1,
		 resolver__readable(r, linked.name, readable, sizeof(readable)));
	ret->off = linked.off;
	return true;
}

int resolver__give_code(struct resolver *r, struct code_place *place)
{
	return runtime_codes__give(&r->runtime, place);
}

int resolver__give_function(struct resolver *r, const struct interpreted_code *code)
{
	return functions__give(&r->functions, code);
}

void resolver__forget(struct resolver *r, const struct ended *ended)
{
	functions__forget(&r->functions, ended);
	runtime_codes__forget(&r->runtime, ended);
}

/* Frames without a module keep their known reason. */
static enum frame_reason reason_without_module(const struct profile_frame *f)
{
	return f->reason == FRAME_NOT_TRIED ? FRAME_NO_MAPPING : (enum frame_reason)f->reason;
}

static int find_name(struct resolver *r, const struct profile *p, const struct profile_frame *f,
		     struct symbol_answer *ret)
{
	const struct profile_module *module = &p->modules[f->module];
	bool kernel = f->flags & FRAME_KERNEL;
	const struct symbol_source *source =
		symbol_source_of(kernel ? MODULE_KERNEL : (enum module_kind)module->kind);
	bool back = (f->flags & FRAME_RETURN) && f->addr;
	struct symbol_query q = { .module = module, .addr = f->addr - back, .back = back };
	int error;

	if (!source) {
		ret->reason = reason_without_module(f);
		return 0;
	}
	q.path = profile__str(p, module->path);
	error = source->find(r, &q, ret);
	ret->name_off += back && !ret->begins;
	return error;
}

const char *resolver__readable(const struct resolver *r, const char *name, char *buf, size_t sz)
{
	if (r->demangle && demangle_name(name, buf, sz))
		name = buf;
	return r->strip_suffixes ? suffix_strip(name, buf, sz) : name;
}

static int name_frame(struct resolver *r, struct profile *p, u32 frame)
{
	struct symbol_answer answer = { 0 };
	char readable[DEMANGLE_SZ];
	int error = find_name(r, p, &p->frames[frame], &answer);

	if (error)
		return error;
	if (answer.name)
		answer.name = resolver__readable(r, answer.name, readable, sizeof(readable));
	error = profile__name_frame(p, frame, answer.name, answer.name_off,
				    answer.name ? FRAME_NAMED : answer.reason);
	if (!error && answer.file)
		error = profile__place_frame(p, frame, answer.file, answer.line);
	return error;
}

/* For later lookups with only a debug file: see rename.h. */
static int keep_biases(struct resolver *r, struct profile *p)
{
	u32 i;

	for (i = 1; i < p->modules_len; i++) {
		struct file_id file = profile_module__file(&p->modules[i]);
		const struct module_code *code;
		u64 bias;

		if (p->modules[i].kind != MODULE_ELF || p->modules[i].has_bias)
			continue;
		code = modules__get(&r->modules, &file, profile__str(p, p->modules[i].path),
				    &r->search);
		if (!code)
			return -ENOMEM;
		if (code->image && image__bias(code->image, &bias))
			profile__set_bias(p, i, bias);
	}
	return 0;
}

int resolver__name_profile(struct resolver *r, struct profile *p, struct err *err)
{
	u32 frame;

	r->pass++;
	modules__begin(&r->modules, clock_mono_ns());
	r->search.since_ns = p->hdr.begin_wall_ns;
	for (frame = 1; frame < p->frames_len; frame++) {
		/* truncated or interpreted frames were named when they were created */
		if (!p->frames[frame].name && name_frame(r, p, frame))
			return err__nomem(err);
	}
	if (keep_biases(r, p) || resolver__add_source(r, p) ||
	    modules__release_unused(&r->modules, &r->search))
		return err__nomem(err);
	profile__count_unnamed(p);
	p->losses[LOSS_CODE_FULL].events += runtime_codes__tell_dropped(&r->runtime, r->pass);
	p->losses[LOSS_CODE_UNREAD].events += runtime_codes__unread(&r->runtime, r->pass);
	return 0;
}
