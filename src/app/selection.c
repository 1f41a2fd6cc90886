/* SPDX-License-Identifier: Apache-2.0 */
#include "app/selection.h"

#include "app/selection_words.h"
#include "base/mem.h"
#include "proc/cgroup/cgroup.h"
#include "proc/mountinfo.h"

static struct select_texts texts_of(const struct vec *strings)
{
	return (struct select_texts){ strings->data, strings->len };
}

static struct select_ids ids_of(const struct vec *ids)
{
	return (struct select_ids){ ids->data, ids->len };
}

/* Names that are directories on this machine; returns how many. */
static size_t find_cgroups(const struct vec *names, u64 *ids)
{
	char mount[MOUNT_TEXT_SZ];
	size_t len = 0, i;

	if (!names->len || cgroup_find_mount(mount, sizeof(mount)))
		return 0;
	for (i = 0; i < names->len; i++) {
		if (!cgroup_find_id(*(const char **)vec__at(names, i), mount, &ids[len], NULL))
			len++;
	}
	return len;
}

static int apply(const struct selection *v, const struct select_options *opt, struct profile **p,
		 struct err *err)
{
	struct select_options whole = *opt;
	struct profile *part;
	char *words = selection__words(v);
	int r;

	if (!words)
		return err__nomem(err);
	whole.words = words;
	r = select_profile(*p, &whole, &part, err);
	mem_free(words);
	if (r)
		return r;
	profile__free(*p);
	*p = part;
	return 0;
}

/* The selected classes without the hidden ones. */
static u32 classes_of(const struct selection *v)
{
	const u32 all = (1U << CLASS_CNT) - 1;

	if (!v->no_idle)
		return v->classes;
	return (v->classes ? v->classes : all) & ~(1U << CLASS_IDLE);
}

int selection__apply(const struct selection *v, const struct ruleset *rules, struct profile **p,
		     struct err *err)
{
	u64 *ids = mem_array(v->cgroups.len + 1, sizeof(*ids));
	struct select_options opt = {
		.comms = texts_of(&v->comms),
		.tids = ids_of(&v->tids),
		.pids = ids_of(&v->pids),
		.cgroups = texts_of(&v->cgroups),
		.cgroup_ids = ids,
		.units = texts_of(&v->units),
		.containers = texts_of(&v->containers),
		.pods = texts_of(&v->pods),
		.user_threads = v->user_threads,
		.kernel_threads = v->kernel_threads,
		.causes = v->causes,
		.classes = classes_of(v),
		.rules = rules,
		.states = v->states,
		.under = texts_of(&v->under),
		.not_under = texts_of(&v->not_under),
		.modules = texts_of(&v->modules),
		.objects = texts_of(&v->objects),
		.owners = texts_of(&v->owners),
		.wakers = texts_of(&v->wakers),
		.min = v->min,
		.max = v->max,
		.regex = v->regex,
	};
	int r = 0;

	if (!ids)
		return err__nomem(err);
	opt.cgroup_ids_len = find_cgroups(&v->cgroups, ids);
	if (select_options__any(&opt))
		r = apply(v, &opt, p, err);
	mem_free(ids);
	return r;
}
