/* SPDX-License-Identifier: Apache-2.0 */
/* Whom a recording records, and to change that while it goes on. */
#include <errno.h>
#include <string.h>

#include "render/encode/json_writer.h"
#include "web/api/routes.h"
#include "web/ask/target_words.h"

static void put_targets(struct web *w, struct sink *out)
{
	struct json j = JSON_TO(out);
	size_t i;

	json__object(&j, NULL);
	json__text(&j, "target", w->opt.target);
	json__bool(&j, "changeable", w->opt.change_target != NULL);
	json__array(&j, "targets");
	pthread_mutex_lock(&w->lock);
	for (i = 0; i < w->targets.len; i++) {
		json__object(&j, NULL);
		json__u64(&j, "pid", *(u32 *)vec__at(&w->targets, i));
		json__end_object(&j);
	}
	pthread_mutex_unlock(&w->lock);
	json__end_array(&j);
	json__end_object(&j);
}

static int remember(struct web *w, const struct target_words *words)
{
	size_t i;
	u32 *slot;
	int r = 0;

	pthread_mutex_lock(&w->lock);
	for (i = 0; i < w->targets.len && *(u32 *)vec__at(&w->targets, i) != words->pid; i++)
		;
	if (words->add && i == w->targets.len) {
		slot = vec__push(&w->targets);
		if (slot)
			*slot = words->pid;
		else
			r = -ENOMEM;
	} else if (!words->add && i < w->targets.len) {
		u32 *last = vec__at(&w->targets, w->targets.len - 1);

		*(u32 *)vec__at(&w->targets, i) = *last;
		w->targets.len--;
	}
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
				"with -p");
	r = w->opt.change_target(w->opt.change_arg, words.add, words.pid, err);
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
