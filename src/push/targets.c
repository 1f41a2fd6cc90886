/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The registry, and what all targets have in common. A window is given up only if the server says
 * that the window itself is at fault. If the target is, such as its password or path, windows wait
 * until someone fixes it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text/utf8.h"
#include "push/target.h"
#include "render/encode/gzip.h"

const struct push_target *const push_targets[] = {
	&push_otlp, &push_pyroscope, &push_parca, &push_clickhouse, &push_dir, &push_s3, NULL,
};

const struct push_target *push_target_find(const char *name)
{
	for (size_t i = 0; push_targets[i]; i++) {
		if (!strcmp(push_targets[i]->name, name))
			return push_targets[i];
	}
	return NULL;
}

const char *push_target_names(void)
{
	return "otlp, pyroscope, parca, clickhouse and s3";
}

const char *push_target_takes(const struct push_target *target)
{
	return target->put_day ? "days" : "windows";
}

/* The window itself: not a form, too large, not acceptable. */
static bool is_about_the_window(u32 status)
{
	return status == 400 || status == 413 || status == 422;
}

static void say_status(const struct http_answer *answer, struct err *why)
{
	char text[161];
	size_t len = answer->body.len < sizeof(text) - 1 ? answer->body.len : sizeof(text) - 1;

	if (len)
		memcpy(text, answer->body.buf, len);
	text[len] = '\0';
	text[strcspn(text, "\r\n")] = '\0';
	if (*text)
		err__set(why, -EPROTO, "status %u: %s", answer->status, text);
	else
		err__set(why, -EPROTO, "status %u", answer->status);
}

enum push_verdict push_judge(const struct push_target *target, const struct http_answer *answer,
			     struct err *why)
{
	if (!answer->status) {
		err__set(why, -EIO, "%s", answer->trouble);
		return PUSH_LATER;
	}
	if (answer->status >= 200 && answer->status < 300)
		return target->judge ? target->judge(answer, why) : PUSH_TAKEN;
	say_status(answer, why);
	return is_about_the_window(answer->status) ? PUSH_REFUSED : PUSH_LATER;
}

static int compress_body(struct sink *body, struct sink *to, struct err *err)
{
	struct gzip gz;
	int r = gzip__init(&gz, to);

	if (!r) {
		gzip__put(&gz, body->buf, body->len);
		r = gzip__finish(&gz);
	}
	gzip__done(&gz);
	if (!r)
		r = sink__finish(to, NULL);
	return r == -ENOMEM ? err__nomem(err) : r ? err__set(err, r, "cannot compress it") : 0;
}

int push_parts__add(struct push_parts *parts, const struct http_part *part, struct sink *body,
		    bool gzip, struct err *err)
{
	struct http_part *fresh;
	int r = sink__finish(body, err);

	if (!parts->parts.elem_sz)
		vec__init(&parts->parts, sizeof(*fresh));
	if (r)
		return r;
	fresh = vec__push(&parts->parts);
	if (!fresh)
		return err__nomem(err);
	*fresh = *part;
	sink__init_mem(&fresh->body);
	fresh->gzip = gzip;
	if (gzip)
		return compress_body(body, &fresh->body, err);
	fresh->body = *body;
	sink__init_mem(body);
	return 0;
}

void push_parts__done(struct push_parts *parts)
{
	for (size_t i = 0; i < parts->parts.len; i++) {
		struct http_part *part = vec__at(&parts->parts, i);

		sink__done(&part->body);
	}
	if (parts->parts.elem_sz)
		vec__done(&parts->parts);
}
