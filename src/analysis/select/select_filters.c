/* SPDX-License-Identifier: Apache-2.0 */
/* The filters, as two tables; a new one is a line in one of them. */
#include "analysis/select/select_priv.h"

#include <stdio.h>
#include <string.h>

#include "analysis/name/cgroup_label.h"
#include "analysis/name/label.h"
#include "analysis/name/object_label.h"
#include "analysis/name/pattern.h"

static bool has_comms(const struct select_options *opt)
{
	return opt->comms.len;
}

static bool fits_comm(const struct selecting *s, const struct profile_task *t)
{
	return patterns__match(&s->comms, profile__str(s->p, t->comm));
}

static bool has_id(const struct select_ids *ids, u32 id)
{
	size_t i;

	for (i = 0; i < ids->len; i++) {
		if (ids->at[i] == id)
			return true;
	}
	return false;
}

static bool has_tids(const struct select_options *opt)
{
	return opt->tids.len;
}

static bool fits_tid(const struct selecting *s, const struct profile_task *t)
{
	return has_id(&s->opt->tids, t->tid);
}

static bool has_pids(const struct select_options *opt)
{
	return opt->pids.len;
}

static bool fits_pid(const struct selecting *s, const struct profile_task *t)
{
	return has_id(&s->opt->pids, t->tgid);
}

static bool has_cgroups(const struct select_options *opt)
{
	return opt->cgroups.len || opt->cgroup_ids_len;
}

static bool fits_cgroup_id(const struct selecting *s, const struct profile_task *t)
{
	char digits[24];
	size_t i;

	snprintf(digits, sizeof(digits), "%llu", t->cgroup_id);
	for (i = 0; i < s->opt->cgroups.len; i++) {
		if (strcmp(s->opt->cgroups.at[i], digits) == 0)
			return true;
	}
	/* ids on this machine, if the path is unknown */
	for (i = 0; i < s->opt->cgroup_ids_len && !t->cgroup; i++) {
		if (s->opt->cgroup_ids[i] == t->cgroup_id)
			return true;
	}
	return false;
}

static bool fits_cgroup(const struct selecting *s, const struct profile_task *t)
{
	const char *path = profile__str(s->p, t->cgroup);

	if (fits_cgroup_id(s, t))
		return true;
	return *path && (patterns__match(&s->cgroups, path) ||
			 patterns__match(&s->cgroups, label_basename(path)));
}

static bool has_units(const struct select_options *opt)
{
	return opt->units.len;
}

static bool fits_unit(const struct selecting *s, const struct profile_task *t)
{
	struct cgroup_words w;
	size_t stem;

	cgroup_words_of_task(s->p, t, &w);
	if (!*w.unit || patterns__match(&s->units, w.unit))
		return *w.unit;
	/* "nginx" is nginx.service, as for `record --unit` */
	stem = strlen(w.unit) - strlen(".service");
	if (strlen(w.unit) <= strlen(".service") || strcmp(w.unit + stem, ".service"))
		return false;
	w.unit[stem] = '\0';
	return patterns__match(&s->units, w.unit);
}

static bool has_containers(const struct select_options *opt)
{
	return opt->containers.len;
}

/* As `record --container` takes it: a name, or an ID, which may be cut after four digits. */
static bool fits_container(const struct selecting *s, const struct profile_task *t)
{
	struct cgroup_words w;

	cgroup_words_of_task(s->p, t, &w);
	if ((*w.container_name && patterns__match(&s->containers, w.container_name)) ||
	    (t->container && patterns__match(&s->containers, profile__str(s->p, t->container))))
		return true;
	if (!*w.container || patterns__match(&s->containers, w.container))
		return *w.container;
	for (size_t i = 0; i < s->opt->containers.len; i++) {
		size_t len = strlen(s->opt->containers.at[i]);

		if (len >= 4 && !strncmp(s->opt->containers.at[i], w.container, len))
			return true;
	}
	return false;
}

static bool has_pods(const struct select_options *opt)
{
	return opt->pods.len;
}

/* By its UID, by its name, or by its namespace and name. */
static bool fits_pod(const struct selecting *s, const struct profile_task *t)
{
	struct cgroup_words w;
	char whole[sizeof(w.namespace) + sizeof(w.pod_name)];

	cgroup_words_of_task(s->p, t, &w);
	snprintf(whole, sizeof(whole), "%s/%s", w.namespace, w.pod_name);
	return (*w.pod && patterns__match(&s->pods, w.pod)) ||
	       (*w.pod_name &&
		(patterns__match(&s->pods, w.pod_name) || patterns__match(&s->pods, whole)));
}

static bool wants_user_threads(const struct select_options *opt)
{
	return opt->user_threads;
}

static bool is_user_thread(const struct selecting *s, const struct profile_task *t)
{
	(void)s;
	return !(t->flags & TASK_KTHREAD);
}

static bool wants_kernel_threads(const struct select_options *opt)
{
	return opt->kernel_threads;
}

static bool is_kernel_thread(const struct selecting *s, const struct profile_task *t)
{
	(void)s;
	return t->flags & TASK_KTHREAD;
}

static bool has_only_tasks(const struct select_options *opt)
{
	return opt->only_tasks;
}

static bool is_given_task(const struct selecting *s, const struct profile_task *t)
{
	return s->opt->only_tasks[t - s->p->tasks];
}

const struct select_task_filter select_task_filters[] = {
	{ "--comm", has_comms, fits_comm },
	{ "--tid", has_tids, fits_tid },
	{ "--pid", has_pids, fits_pid },
	{ "--cgroup", has_cgroups, fits_cgroup },
	{ "--unit", has_units, fits_unit },
	{ "--container", has_containers, fits_container },
	{ "--pod", has_pods, fits_pod },
	{ "--user-threads", wants_user_threads, is_user_thread },
	{ "--kernel-threads", wants_kernel_threads, is_kernel_thread },
	{ "the choice of threads", has_only_tasks, is_given_task },
};

static bool has_states(const struct select_options *opt)
{
	return opt->states;
}

static bool fits_state(const struct selecting *s, u32 wait)
{
	const struct profile_wait *w = &s->p->waits[wait];
	u32 bits = 1U << w->state;

	if (w->flags & (WAIT_LOST | WAIT_ON_CPU))
		return false;
	if (w->flags & WAIT_KILLABLE)
		bits |= SELECT_KILLABLE;
	return s->opt->states & bits;
}

static bool has_causes(const struct select_options *opt)
{
	return opt->causes;
}

static bool fits_cause(const struct selecting *s, u32 wait)
{
	return s->opt->causes >> causes__of(&s->causes, wait) & 1;
}

static bool has_classes(const struct select_options *opt)
{
	return opt->classes;
}

static bool fits_class(const struct selecting *s, u32 wait)
{
	return s->opt->classes >> causes__class(&s->causes, wait) & 1;
}

static u64 frames_of(const struct selecting *s, u32 wait)
{
	const struct profile_wait *w = &s->p->waits[wait];

	return s->frames.of_stack[w->ustack] | s->frames.of_stack[w->kstack];
}

static bool has_under(const struct select_options *opt)
{
	return opt->under.len;
}

static bool is_under(const struct selecting *s, u32 wait)
{
	return (frames_of(s, wait) & s->frames.under) == s->frames.under;
}

static bool has_not_under(const struct select_options *opt)
{
	return opt->not_under.len;
}

static bool is_not_under(const struct selecting *s, u32 wait)
{
	return !(frames_of(s, wait) & s->frames.not_under);
}

static bool has_modules(const struct select_options *opt)
{
	return opt->modules.len;
}

static bool fits_module(const struct selecting *s, u32 wait)
{
	return frames_of(s, wait) & s->frames.modules;
}

static bool has_objects(const struct select_options *opt)
{
	return opt->objects.len;
}

static bool fits_object(const struct selecting *s, u32 wait)
{
	char label[OBJECT_LABEL_SZ];
	u32 object = s->p->waits[wait].object;

	return object &&
	       (patterns__match(&s->objects, object_label(s->p, object, label, sizeof(label))) ||
		patterns__match(&s->objects,
				object_label_without_device(s->p, object, label, sizeof(label))));
}

static bool has_owners(const struct select_options *opt)
{
	return opt->owners.len;
}

static bool fits_owner(const struct selecting *s, u32 wait)
{
	const struct profile_wait *w = &s->p->waits[wait];
	char label[OWNER_LABEL_SZ], tid[16];

	if (!w->owner_tid)
		return false;
	snprintf(tid, sizeof(tid), "%u", w->owner_tid);
	return patterns__match(&s->owners, owner_label(s->p, w, label, sizeof(label))) ||
	       patterns__match(&s->owners, tid) ||
	       (w->owner &&
		patterns__match(&s->owners, profile__str(s->p, s->p->tasks[w->owner].comm)));
}

static bool has_wakers(const struct select_options *opt)
{
	return opt->wakers.len;
}

static bool fits_waker(const struct selecting *s, u32 wait)
{
	return select_wakers__fits(&s->wakers, &s->p->waits[wait]);
}

static bool has_only_waits(const struct select_options *opt)
{
	return opt->only_waits;
}

static bool is_given_wait(const struct selecting *s, u32 wait)
{
	return wait < s->whole->waits_len && s->opt->only_waits[wait];
}

const struct select_wait_filter select_wait_filters[] = {
	{ "--state", has_states, fits_state },
	{ "--cause", has_causes, fits_cause },
	{ "--class", has_classes, fits_class },
	{ "--under", has_under, is_under },
	{ "--not-under", has_not_under, is_not_under },
	{ "--module", has_modules, fits_module },
	{ "--object", has_objects, fits_object },
	{ "--owner", has_owners, fits_owner },
	{ "--waker", has_wakers, fits_waker },
	{ "the choice of waits", has_only_waits, is_given_wait },
};

const size_t select_task_filters_len = ARRAY_LEN(select_task_filters);
const size_t select_wait_filters_len = ARRAY_LEN(select_wait_filters);
