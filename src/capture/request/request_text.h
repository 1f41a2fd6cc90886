/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_REQUEST_REQUEST_TEXT_H
#define CAPTURE_REQUEST_REQUEST_TEXT_H

#include "base/err.h"
#include "base/vec.h"

struct image;

#define REQUEST_PATH_SZ 4096
#define REQUEST_NAMES_SZ 512

/* "uprobe:BIN:FUNC" or "usdt:BIN:PROV:NAMES", in its parts. */
struct request_text {
	char bin[REQUEST_PATH_SZ];
	const char *provider; /* of static probes; NULL: it is a function */
	char names[REQUEST_NAMES_SZ]; /* FUNC; of probes: START,END,... or one NAME */
	char provider_text[REQUEST_NAMES_SZ];
};

/* False if the text has neither form, or a part is too long. */
bool request_text_parse(struct request_text *t, const char *text);
/*
 * The entry and the return of a function, to a vec of struct request_place. `path` is for messages.
 * -ENOENT or -ENOTUNIQ with a message; -ENOMEM.
 */
int request_find_func(const struct image *img, const char *path, const struct request_text *t,
		      struct vec *places, struct err *err);
/*
 * All places of START, and of each END. Of one NAME: the pair NAME__start and NAME__done, or others
 * that are named so. -ENOENT, -EINVAL or -E2BIG with a message; -ENOMEM.
 */
int request_find_usdt(const struct image *img, const char *path, const struct request_text *t,
		      struct vec *places, struct err *err);

#endif
