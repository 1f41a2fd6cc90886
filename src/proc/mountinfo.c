/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line of /proc/PID/mountinfo, proc_pid_mountinfo(5):
 *
 *	36 35 98:0 /root /mnt/point rw,noatime master:1 - ext3 /dev/root rw,errors=continue
 *
 * Between the sixth field and the "-" there may be any number of fields. Blanks, newlines and
 * backslashes in a field are octal, so fields contain no spaces.
 */
#include "proc/mountinfo.h"

#include <string.h>

static bool skip_tokens(struct view *line, size_t len)
{
	struct view token;

	while (len--)
		if (!view__token(line, &token))
			return false;
	return true;
}

static bool parse_device(struct view *line, struct mount_line *ret)
{
	struct view device;
	u64 major, minor;

	if (!view__token(line, &device))
		return false;
	major = view__dec(&device);
	if (!view__accept(&device, ':'))
		return false;
	minor = view__dec(&device);
	if (device.bad || view__left(&device) || major > 0xfff || minor > 0xfffff)
		return false;
	ret->major = (u32)major;
	ret->minor = (u32)minor;
	return true;
}

static bool parse_line(struct view line, struct mount_line *ret)
{
	struct view token;

	if (!skip_tokens(&line, 2) || !parse_device(&line, ret) ||
	    !view__token(&line, &ret->root) || !view__token(&line, &ret->point) ||
	    !skip_tokens(&line, 1))
		return false;
	do {
		if (!view__token(&line, &token))
			return false;
	} while (!view__eq(&token, "-"));
	return view__token(&line, &ret->fs) && view__token(&line, &ret->source) &&
	       view__token(&line, &ret->options);
}

bool mountinfo__next(struct view *text, struct mount_line *ret)
{
	struct view line;

	while (view__line(text, &line))
		if (parse_line(line, ret))
			return true;
	return false;
}

bool mountinfo__find(struct view text, u32 major, u32 minor, struct mount_line *ret)
{
	while (mountinfo__next(&text, ret))
		if (ret->major == major && ret->minor == minor)
			return true;
	return false;
}

/* Three octal digits after a backslash, else -1. */
static int octal(const struct view *field)
{
	int value = 0;
	size_t i;

	if (view__left(field) < 4 || field->p[0] != '\\')
		return -1;
	for (i = 1; i < 4; i++) {
		if (field->p[i] < '0' || field->p[i] > '7')
			return -1;
		value = value * 8 + (field->p[i] - '0');
	}
	return value & 0xff;
}

bool mountinfo__unescape(struct view field, char *buf, size_t sz)
{
	size_t len = 0;

	while (view__left(&field) && len + 1 < sz) {
		int c = octal(&field);

		if (c < 0)
			c = view__u8(&field);
		else
			view__bytes(&field, 4);
		buf[len++] = (char)c;
	}
	buf[len] = '\0';
	return !view__left(&field);
}

bool mountinfo__option(struct view options, const char *name, struct view *ret)
{
	size_t name_len = strlen(name);
	const u8 *comma;

	while (view__left(&options)) {
		struct view option = options;

		comma = memchr(options.p, ',', view__left(&options));
		option.end = comma ? comma : options.end;
		options.p = comma ? comma + 1 : options.end;
		if (view__left(&option) > name_len && !memcmp(option.p, name, name_len) &&
		    option.p[name_len] == '=') {
			*ret = view__sub(&option, name_len + 1, view__left(&option) - name_len - 1);
			return true;
		}
	}
	return false;
}
