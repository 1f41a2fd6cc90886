/* SPDX-License-Identifier: Apache-2.0 */
#include "session/outside.h"

#include "async/tasks.h"
#include "base/mem.h"
#include "visit/visits.h"

/* One of the two. */
struct outside {
	struct visits *visits;
	struct tasks *tasks;
};

int outside__open(enum outside_kind kind, const struct capture_options *opt, u32 hz,
		  struct outside **ret, struct err *err)
{
	struct outside *o = mem_alloc(sizeof(*o));
	int r;

	if (!o)
		return err__nomem(err);
	r = kind == OUTSIDE_TASKS ? tasks__open(opt, hz, &o->tasks, err) :
				    visits__open(opt, hz, "/proc", &o->visits, err);
	if (r) {
		mem_free(o);
		return r;
	}
	*ret = o;
	return 0;
}

void outside__free(struct outside *o)
{
	if (!o)
		return;
	visits__free(o->visits);
	tasks__free(o->tasks);
	mem_free(o);
}

u32 outside__threads(const struct outside *o)
{
	return o->tasks ? tasks__processes(o->tasks) : visits__threads(o->visits);
}

u32 outside__targets(const struct outside *o)
{
	return o->tasks ? tasks__targets(o->tasks) : visits__targets(o->visits);
}

int outside__add_target(struct outside *o, u32 id, struct err *err)
{
	return o->tasks ? tasks__add_target(o->tasks, id, err) :
			  visits__add_target(o->visits, id, err);
}

int outside__expect_target(struct outside *o, u32 id, struct err *err)
{
	return o->tasks ? tasks__expect_target(o->tasks, id, err) :
			  visits__expect_target(o->visits, id, err);
}

int outside__remove_target(struct outside *o, u32 id)
{
	return o->tasks ? tasks__remove_target(o->tasks, id) : visits__remove_target(o->visits, id);
}

int outside__start(struct outside *o, struct err *err)
{
	return o->tasks ? tasks__start(o->tasks, err) : visits__start(o->visits, err);
}

int outside__poll(struct outside *o, int wake_fd, int timeout_ms, struct err *err)
{
	return o->tasks ? tasks__poll(o->tasks, wake_fd, timeout_ms, err) :
			  visits__poll(o->visits, wake_fd, timeout_ms, err);
}

int outside__cut(struct outside *o, u64 at_ns, bool last, struct err *err)
{
	return o->tasks ? tasks__cut(o->tasks, at_ns, last, err) :
			  visits__cut(o->visits, at_ns, last, err);
}

int outside__drain(struct outside *o, struct builder *b, const struct capture_files *files,
		   struct err *err)
{
	return o->tasks ? tasks__drain(o->tasks, b, files, err) :
			  visits__drain(o->visits, b, files, err);
}

const char *outside__notice(const struct outside *o, size_t idx)
{
	return o->tasks ? tasks__notice(o->tasks, idx) : visits__notice(o->visits, idx);
}
