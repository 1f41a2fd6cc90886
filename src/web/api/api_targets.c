/* SPDX-License-Identifier: Apache-2.0 */
/* Whom a recording records, and to change that while it goes on. */
#include <errno.h>
#include <stdlib.h>

#include "render/encode/json_writer.h"
#include "web/api/routes.h"
#include "web/ask/target_words.h"

static void put_targets(struct web *w, struct sink *out)
{
	struct json j = JSON_TO(out);
	const char *whom;
	size_t i = 0;

	json__object(&j, NULL);
	json__text(&j, "target", w->opt.target);
	json__bool(&j, "changeable", w->opt.change_target != NULL);
	json__array(&j, "targets");
	pthread_mutex_lock(&w->lock);
	while ((whom = web_targets__at(&w->targets, i++))) {
		json__object(&j, NULL);
		if (w->opt.cgroup)
			json__text(&j, "cgroup", whom);
		else
			json__u64(&j, "pid", strtoull(whom, NULL, 10));
		json__end_object(&j);
	}
	pthread_mutex_unlock(&w->lock);
	json__end_array(&j);
	json__end_object(&j);
}

static int remember(struct web *w, const struct target_words *words)
{
	int r;

	pthread_mutex_lock(&w->lock);
	r = web_targets__change(&w->targets, words->add, words->whom);
	pthread_mutex_unlock(&w->lock);
	return r;
}

static int change(struct web *w, const struct request *rq, struct err *err)
{
	struct target_words words;
	int r = target_words_parse(rq->body, rq->body_len, &words, err);

	if (r)
		return r;
	if (!w->opt.change_target)
		return err__set(err, -EOPNOTSUPP,
				"the targets of this recording cannot change: it was not started "
				"with -p or --cgroup");
	if (words.is_cgroup != (w->opt.cgroup != NULL))
		return err__set(err, -EINVAL, "the targets of this recording are %s",
				w->opt.cgroup ? "cgroups, not processes" :
						"processes, not cgroups");
	r = w->opt.change_target(w->opt.change_arg, words.add, words.whom, err);
	/* one that has exited leaves the list as well */
	if (r && (words.add || r != -ESRCH))
		return r;
	return remember(w, &words) ? err__nomem(err) : r;
}

int api_targets(struct web *w, struct request *rq, struct answer *a, struct err *err)
{
	int r = query__check(&rq->query, err);

	if (!r && rq->method == METHOD_POST)
		r = change(w, rq, err);
	if (!r)
		put_targets(w, &a->body);
	return r;
}
