/* SPDX-License-Identifier: Apache-2.0 */
#include "web/api/answer.h"

#include <errno.h>
#include <string.h>

void answer__init(struct answer *a)
{
	memset(a, 0, sizeof(*a));
	a->status = 200;
	a->mime = MIME_JSON;
	sink__init_mem(&a->body);
}

void answer__done(struct answer *a)
{
	sink__done(&a->body);
}

void answer__error(struct answer *a, u32 status, const char *sentence)
{
	struct json j = JSON_TO(&a->body);

	answer__done(a);
	answer__init(a);
	a->status = status;
	json__object(&j, NULL);
	json__text(&j, "error", sentence);
	json__end_object(&j);
	sink__puts(&a->body, "\n");
}

u32 answer_status_of(int code)
{
	switch (code) {
	case -EINVAL:
	case -E2BIG:
		return 400;
	case -ENOENT:
	case -ESRCH:
		return 404;
	case -EEXIST:
	case -EOPNOTSUPP:
		return 409;
	case -ENOMEM:
	case -EBUSY:
	case -ECANCELED:
	case -ETIMEDOUT:
		return 503;
	default:
		return 500;
	}
}
