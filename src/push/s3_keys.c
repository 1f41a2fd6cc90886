/* SPDX-License-Identifier: Apache-2.0 */
#include "push/s3_keys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "push/http.h"
#include "push/url.h"

static bool set(char *to, size_t sz, const char *text)
{
	for (const char *p = text; *p; p++) {
		if ((unsigned char)*p <= ' ' || *p == 0x7f)
			return false;
	}
	return snprintf(to, sz, "%s", text) < (int)sz;
}

static struct view trimmed(struct view v)
{
	view__blank(&v);
	while (view__left(&v) && strchr(" \t\r", v.end[-1]))
		v.end--;
	return v;
}

static bool take_line(struct s3_keys *keys, struct view line)
{
	struct view name = { .p = line.p, .end = line.p };
	char text[sizeof(keys->token)];

	while (name.end < line.end && *name.end != '=')
		name.end++;
	line.p = name.end;
	if (!view__accept(&line, '='))
		return true;
	name = trimmed(name);
	line = trimmed(line);
	if (!view__copy(&line, text, sizeof(text)))
		return false;
	if (view__eq(&name, "aws_access_key_id"))
		return set(keys->key_id, sizeof(keys->key_id), text);
	if (view__eq(&name, "aws_secret_access_key"))
		return set(keys->secret, sizeof(keys->secret), text);
	if (view__eq(&name, "aws_session_token"))
		return set(keys->token, sizeof(keys->token), text);
	return true;
}

bool s3_keys__parse(struct s3_keys *keys, struct view text)
{
	bool ours = true, ok = true;
	struct view line;

	*keys = (struct s3_keys){ .key_id = "" };
	while (ok && view__line(&text, &line)) {
		line = trimmed(line);
		if (!view__left(&line) || *line.p == '#' || *line.p == ';')
			continue;
		if (*line.p == '[')
			ours = view__eq(&line, "[default]");
		else if (ours)
			ok = take_line(keys, line);
	}
	return ok;
}

static int from_file(struct s3_keys *keys, const char *path, struct err *err)
{
	char *data;
	size_t sz;
	int r = http_read_secrets(path, &data, &sz, err);

	if (r)
		return r;
	if (!s3_keys__parse(keys, view__of(data, sz)) || !*keys->key_id || !*keys->secret)
		r = err__set(err, -EINVAL,
			     "'%s' must have lines aws_access_key_id = ID and "
			     "aws_secret_access_key = KEY",
			     path);
	mem_free(data);
	return r;
}

int s3_keys__find(struct s3_keys *keys, const struct push_url *url, struct err *err)
{
	const char *id = *url->user ? url->user : getenv("AWS_ACCESS_KEY_ID");
	const char *secret = *url->user ? url->password : getenv("AWS_SECRET_ACCESS_KEY");
	const char *token = *url->user ? NULL : getenv("AWS_SESSION_TOKEN");

	*keys = (struct s3_keys){ .key_id = "" };
	if (!*url->user && *url->credentials_file)
		return from_file(keys, url->credentials_file, err);
	if (!id || !*id || !secret || !*secret)
		return err__set(err, -ENOKEY,
				"no keys for S3: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, "
				"or name a file with credentials-file=");
	if (!set(keys->key_id, sizeof(keys->key_id), id) ||
	    !set(keys->secret, sizeof(keys->secret), secret) ||
	    !set(keys->token, sizeof(keys->token), token ? token : ""))
		return err__set(err, -EINVAL, "the keys for S3 are too long, or have blanks");
	return 0;
}
