/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Goes over the frames of a profile once, asks the source of each frame's module, and makes the
 * answer readable. Every frame ends with a name or with exactly one reason.
 *
 * A return address is the byte behind the call, which may already be the next function (a call that
 * never returns is often the last instruction). So the byte before it is looked up, while the
 * offset that is shown stays that of the address itself.
 */
#include "symbol/resolver.h"

#include <errno.h>

#include "base/mem.h"
#include "symbol/demangle.h"
#include "symbol/source.h"

int resolver__new(const struct resolver_options *opt, const struct kallsyms *k,
		  struct resolver **ret, struct err *err)
{
	struct resolver *r = mem_alloc(sizeof(*r));

	if (!r)
		return err__nomem(err);
	r->kallsyms = k;
	r->demangle = opt->demangle;
	r->vdso.fd = -1;
	vec__init(&r->perfmaps, sizeof(struct perfmap_entry));
	if (modules__init(&r->modules))
		goto err_out;
	if (opt->debug_dir) {
		r->debug_dir = mem_strdup(opt->debug_dir);
		if (!r->debug_dir)
			goto err_out;
	}
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
	for (i = 0; i < r->perfmaps.len; i++) {
		struct perfmap_entry *entry = vec__at(&r->perfmaps, i);

		perfmap__free(entry->map);
	}
	vec__done(&r->perfmaps);
	module_code__done(&r->vdso);
	modules__done(&r->modules);
	mem_free(r->debug_dir);
	mem_free(r);
}

int resolver__give_file(struct resolver *r, u64 dev, u64 ino, int fd)
{
	return modules__give(&r->modules, dev, ino, fd);
}

const char *resolver__build_id(struct resolver *r, u64 dev, u64 ino)
{
	return modules__build_id(&r->modules, dev, ino);
}

/* Takes `map`, also on error. */
static int give_map(struct resolver *r, u32 tgid, struct perfmap *map, struct err *err)
{
	struct perfmap_entry *entry = perfmap_entry_of(r, tgid);

	if (!entry) {
		perfmap__free(map);
		return err__nomem(err);
	}
	perfmap__free(entry->map);
	entry->map = map;
	entry->given = true;
	return 0;
}

int resolver__give_process(struct resolver *r, u32 tgid, struct err *err)
{
	struct perfmap *map;
	struct err why = { 0 };
	int error = perfmap__read(tgid, &map, &why);

	if (error == -ENOENT)
		return 0;
	if (error)
		return err__set(err, error, "%s", why.msg);
	return give_map(r, tgid, map, err);
}

int resolver__give_perfmap(struct resolver *r, u32 tgid, struct view text, struct err *err)
{
	struct perfmap *map;
	int error = perfmap__parse(&map, text, err);

	return error ? error : give_map(r, tgid, map, err);
}

/* Frames without a module keep the reason that is known already. */
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
	struct symbol_query q = { .module = module, .addr = f->addr - back };
	int error;

	if (!source) {
		ret->reason = reason_without_module(f);
		return 0;
	}
	q.path = profile__str(p, module->path);
	error = source->find(r, &q, ret);
	ret->name_off += back;
	return error;
}

static int name_frame(struct resolver *r, struct profile *p, u32 frame)
{
	struct symbol_answer answer = { 0 };
	char readable[DEMANGLE_SZ];
	int error = find_name(r, p, &p->frames[frame], &answer);

	if (error)
		return error;
	if (answer.name && r->demangle && demangle_name(answer.name, readable, sizeof(readable)))
		answer.name = readable;
	return profile__name_frame(p, frame, answer.name, answer.name_off,
				   answer.name ? FRAME_NAMED : answer.reason);
}

int resolver__name_profile(struct resolver *r, struct profile *p, struct err *err)
{
	u32 frame;

	r->pass++;
	for (frame = 1; frame < p->frames_len; frame++) {
		if (name_frame(r, p, frame))
			return err__nomem(err);
	}
	profile__count_unnamed(p);
	return 0;
}
