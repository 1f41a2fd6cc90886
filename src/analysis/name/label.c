/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides in one place how an unresolved frame looks, so that every format shows the same text. The
 * text contains the offset: two unnamed addresses are two frames until someone knows better, and
 * the offset is needed to look up the address later.
 */
#include "analysis/name/label.h"

#include <errno.h>

#include "base/mem.h"
#include "base/sink.h"

const char *label_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool label_has_place(const struct profile *p, const struct profile_frame *f)
{
	return f->file && p->modules[f->module].kind != MODULE_CODE;
}

/* The module's name without the brackets of names such as "[kernel]" and "[vdso]". */
static size_t module_name(const struct profile *p, u32 module, const char **ret_name)
{
	const char *name = label_basename(profile__str(p, p->modules[module].path));
	size_t len = strlen(name);

	if (len > 2 && name[0] == '[' && name[len - 1] == ']') {
		name++;
		len -= 2;
	}
	*ret_name = name;
	return len;
}

static int add_unnamed(struct strtab *st, const struct profile *p, const struct profile_frame *f,
		       u32 *ret_id)
{
	char buf[320];
	const char *name;
	size_t len;

	if (!f->module || f->module >= p->modules_len)
		return strtab__add(st, "[unknown]", ret_id);
	len = module_name(p, f->module, &name);
	if (!len)
		return strtab__add(st, "[unknown]", ret_id);
	if (p->modules[f->module].kind == MODULE_CODE) {
		/* the address of a function in memory is useless later */
		snprintf(buf, sizeof(buf), "[%.*s: unread function]", (int)(len < 255 ? len : 255),
			 name);
		return strtab__add(st, buf, ret_id);
	}
	snprintf(buf, sizeof(buf), "[%.*s+0x%llx]", (int)(len < 255 ? len : 255), name, f->addr);
	return strtab__add(st, buf, ret_id);
}

/* "name (file.c:123)" */
static int add_placed(struct strtab *st, const struct profile *p, const struct profile_frame *f,
		      u32 *ret_id)
{
	const char *name = profile__str(p, f->name), *file = profile__str(p, f->file);
	struct sink text;
	size_t len;
	char *all;
	int r;

	sink__init_mem(&text);
	sink__printf(&text, "%s (%s:%u)", name, label_basename(file), f->line);
	sink__finish(&text, NULL);
	all = sink__steal(&text, &len);
	sink__done(&text);
	r = all ? strtab__add(st, all, ret_id) : -ENOMEM;
	mem_free(all);
	return r;
}

int labels__init(struct labels *l, const struct profile *p, struct err *err)
{
	u32 i;
	int r;

	memset(l, 0, sizeof(*l));
	r = strtab__init(&l->names);
	if (r)
		return err__nomem(err);
	l->of_frame = mem_array(p->frames_len ? p->frames_len : 1, sizeof(u32));
	if (!l->of_frame)
		return err__nomem(err);
	l->frames_len = p->frames_len;
	for (i = 1; i < p->frames_len; i++) {
		const struct profile_frame *f = &p->frames[i];

		if (f->name && label_has_place(p, f))
			r = add_placed(&l->names, p, f, &l->of_frame[i]);
		else if (f->name)
			r = strtab__add(&l->names, profile__str(p, f->name), &l->of_frame[i]);
		else
			r = add_unnamed(&l->names, p, f, &l->of_frame[i]);
		if (r)
			return err__nomem(err);
	}
	return 0;
}

void labels__done(struct labels *l)
{
	if (!l)
		return;
	strtab__done(&l->names);
	mem_free(l->of_frame);
	memset(l, 0, sizeof(*l));
}

u32 labels__id(const struct labels *l, u32 frame)
{
	return frame < l->frames_len ? l->of_frame[frame] : 0;
}

const char *labels__frame(const struct labels *l, u32 frame)
{
	return strtab__get(&l->names, labels__id(l, frame));
}
