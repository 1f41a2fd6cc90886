/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of formats. */
#include "import/format.h"

#include <errno.h>
#include <string.h>

#define HEAD_SZ 65536

static const struct import_format *const formats[] = {
#define X(ID, name) &import_##ID,
	IMPORT_FORMATS(X)
#undef X
};

static const struct import_format *find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(formats); i++) {
		if (strcmp(formats[i]->name, name) == 0)
			return formats[i];
	}
	return NULL;
}

static int detect(struct input *in, const struct import_format **ret, struct err *err)
{
	struct view head;
	size_t i;
	int r = input__peek(in, HEAD_SZ, &head, err);

	if (r)
		return r;
	if (!view__left(&head))
		return err__set(err, -EINVAL, "'%s' is empty", in->name);
	if (view__left(&head) > 15 && memcmp(head.p, "SQLite format 3", 15) == 0)
		return err__set(err, -EINVAL, "'%s' is a recording already: use coldspot report",
				in->name);
	for (i = 0; i < ARRAY_LEN(formats); i++) {
		if (formats[i]->detect(head)) {
			*ret = formats[i];
			return 0;
		}
	}
	return err__set(err, -EINVAL,
			"'%s' has an unknown format; `coldspot help import` lists those for --from",
			in->name);
}

static int read_input(struct input *in, const struct import_options *opt, struct profile **ret,
		      struct err *err)
{
	const struct import_format *format = opt->format ? find(opt->format) : NULL;
	struct gather g;
	int r = input__unpack(in, err);

	if (r)
		return r;
	if (opt->format && !format)
		return err__set(err, -EINVAL, "there is no format '%s'", opt->format);
	if (!format)
		r = detect(in, &format, err);
	if (r)
		return r;
	r = gather__init(&g, opt);
	r = r ? err__nomem(err) : format->read(in, &g, ret, err);
	gather__done(&g);
	return r;
}

int import_read(int fd, const struct import_options *opt, struct profile **ret, struct err *err)
{
	struct input in;
	int r;

	*ret = NULL;
	input__init(&in, fd, opt->name);
	r = read_input(&in, opt, ret, err);
	input__done(&in);
	return r;
}

int import_bytes(struct view bytes, const struct import_options *opt, struct profile **ret,
		 struct err *err)
{
	struct input in;
	int r = input__init_bytes(&in, bytes, opt->name);

	*ret = NULL;
	r = r ? err__nomem(err) : read_input(&in, opt, ret, err);
	input__done(&in);
	return r;
}
