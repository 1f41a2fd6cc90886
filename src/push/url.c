/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Only what is ours is taken out of a URL and decoded; the rest goes to the server as it was
 * written. Messages never quote the part in which a password may be.
 */
#include "push/url.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/view.h"
#include "push/target.h"

/* Takes the bytes up to one of `ends`, which stays. */
static struct view take_until(struct view *v, const char *ends)
{
	struct view part = { .p = v->p };

	while (view__left(v) && !strchr(ends, *v->p))
		v->p++;
	part.end = v->p;
	return part;
}

static int hex_digit(u8 c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* False: too long, or a '%' without two digits, or a control character. */
static bool decode(struct view v, char *to, size_t sz)
{
	size_t len = 0;

	while (view__left(&v)) {
		u8 c = view__u8(&v);

		if (c == '%') {
			int high = hex_digit(view__u8(&v)), low = hex_digit(view__u8(&v));

			if (high < 0 || low < 0)
				return false;
			c = (u8)(high << 4 | low);
		}
		if (len + 1 >= sz || c < ' ' || c == 0x7f)
			return false;
		to[len++] = (char)c;
	}
	to[len] = '\0';
	return true;
}

static int take_scheme(struct push_url *u, struct view *v, const char **ret_http, struct err *err)
{
	struct view name = take_until(v, "+:/"), http;
	char text[32] = "";

	view__copy(&name, text, sizeof(text));
	u->target = view__accept(v, '+') ? push_target_find(text) : NULL;
	if (u->target && u->target->is_local)
		u->target = NULL;
	http = take_until(v, ":/");
	*ret_http = view__eq(&http, "https") ? "https" : view__eq(&http, "http") ? "http" : NULL;
	if (u->target && *ret_http && view__accept(v, ':') && view__accept(v, '/') &&
	    view__accept(v, '/'))
		return 0;
	return err__set(err, -EINVAL,
			"a target is NAME+http://HOST[:PORT] or NAME+https://..., where NAME is "
			"one of %s, or dir:/DIRECTORY",
			push_target_names());
}

/* USER:PASSWORD@, if it is there. */
static int take_user(struct push_url *u, struct view *v, struct err *err)
{
	struct view rest = *v, all = take_until(&rest, "/?#"), user = { .p = all.p };
	const u8 *at = NULL;

	for (const u8 *p = all.p; p < all.end; p++) {
		if (*p == '@')
			at = p;
	}
	if (!at)
		return 0;
	user.end = at;
	v->p = at + 1;
	all = take_until(&user, ":");
	(void)view__accept(&user, ':');
	if (!decode(all, u->user, sizeof(u->user)) ||
	    !decode(user, u->password, sizeof(u->password)))
		return err__set(err, -EINVAL,
				"the user or password before '@' is not valid: write special "
				"characters as %%40");
	return 0;
}

static int take_host(struct push_url *u, struct view *v, const char *http, struct err *err)
{
	struct view host = take_until(v, "/?#"), path;
	char name[256], way[PUSH_URL_SZ] = "";
	int n;

	if (!view__left(&host) || !view__copy(&host, name, sizeof(name)))
		return err__set(err, -EINVAL, "the name of a host is missing in the target");
	for (const char *p = name; *p; p++) {
		if (*p <= ' ' || *p > '~' || strchr("\"'<>\\^`{|}", *p))
			return err__set(err, -EINVAL,
					"the name of the host has a character that "
					"host names cannot have");
	}
	path = take_until(v, "?#");
	if (!view__copy(&path, way, sizeof(way)))
		return err__set(err, -EINVAL, "the path of the target is too long");
	if (!strcmp(way, "/"))
		way[0] = '\0';
	for (const char *p = way; *p; p++) {
		if (*p <= ' ' || *p > '~')
			return err__set(err, -EINVAL,
					"write special characters in the path as %%20");
	}
	n = snprintf(u->base, sizeof(u->base), "%s://%s%s", http, name,
		     *way ? way : u->target->path);
	if (n < 0 || (size_t)n >= sizeof(u->base))
		return err__set(err, -EINVAL, "the target is too long");
	snprintf(u->name, sizeof(u->name), "%s+%s", u->target->name, u->base);
	return 0;
}

struct parameter {
	const char *name;
	char *to;
	size_t sz;
};

static int take_parameter(struct push_url *u, struct view one, struct err *err)
{
	const struct parameter ours[] = {
		{ "service", u->service, sizeof(u->service) },
		{ "tenant", u->tenant, sizeof(u->tenant) },
		{ "header-file", u->header_file, sizeof(u->header_file) },
		/* of targets for days */
		{ "region", u->region, sizeof(u->region) },
		{ "credentials-file", u->credentials_file, sizeof(u->credentials_file) },
	};
	size_t known = u->target->put_day ? ARRAY_LEN(ours) : 3;
	struct view value = one, name = take_until(&value, "=");
	size_t len = strlen(u->query);

	(void)view__accept(&value, '=');
	for (size_t i = 0; i < known; i++) {
		if (!view__eq(&name, ours[i].name))
			continue;
		if (!decode(value, ours[i].to, ours[i].sz) || !*ours[i].to)
			return err__set(err, -EINVAL,
					"%s= in the target is empty, too long, or "
					"not valid",
					ours[i].name);
		return 0;
	}
	for (const u8 *p = one.p; p < one.end; p++) {
		if (*p <= ' ' || *p > '~')
			return err__set(err, -EINVAL,
					"write special characters in parameters as %%20");
	}
	if (len + 1 + view__left(&one) + 1 > sizeof(u->query))
		return err__set(err, -EINVAL, "the parameters of the target are too long");
	snprintf(u->query + len, sizeof(u->query) - len, "%s%.*s", len ? "&" : "",
		 (int)view__left(&one), (const char *)one.p);
	return 0;
}

/* dir:/PATH as it is, or file:///PATH with %20 for special characters. */
static int take_directory(struct push_url *u, const char *text, bool is_url, struct err *err)
{
	struct view path = view__of_str(text);
	char way[PUSH_URL_SZ];
	size_t len;

	for (const char *p = text; *p; p++) {
		if ((u8)*p < ' ' || *p == 0x7f)
			return err__set(err, -EINVAL,
					"the path of the target has a control "
					"character");
	}
	if (!is_url)
		snprintf(way, sizeof(way), "%s", text);
	else if (!decode(path, way, sizeof(way)))
		return err__set(err, -EINVAL,
				"the path of the target is not valid: write special "
				"characters as %%20");
	if (way[0] != '/')
		return err__set(err, -EINVAL, "a directory as target is dir:/PATH, from the root");
	for (len = strlen(way); len > 1 && way[len - 1] == '/'; len--)
		way[len - 1] = '\0';
	u->target = &push_dir;
	snprintf(u->base, sizeof(u->base), "%s", way);
	snprintf(u->name, sizeof(u->name), "%s:%s", push_dir.name, way);
	return 0;
}

int push_url__parse(struct push_url *u, const char *text, struct err *err)
{
	struct view v = view__of_str(text);
	const char *http;
	int r;

	*u = (struct push_url){ 0 };
	if (strlen(text) >= PUSH_URL_SZ)
		return err__set(err, -EINVAL, "a target has at most %d bytes", PUSH_URL_SZ - 1);
	if (!strncmp(text, "dir:", 4))
		return take_directory(u, text + 4, false, err);
	if (!strncmp(text, "file://", 7))
		return take_directory(u, text + 7, true, err);
	r = take_scheme(u, &v, &http, err);
	if (!r)
		r = take_user(u, &v, err);
	/* of a password with a '/' or '?', the rest would be a path, and be shown */
	if (!r && memchr(v.p, '@', view__left(&v)))
		r = err__set(err, -EINVAL,
			     "an '@' that does not end USER:PASSWORD: write special characters as "
			     "%%40, %%2f and %%3f");
	if (!r)
		r = take_host(u, &v, http, err);
	if (!r && view__accept(&v, '?')) {
		do {
			struct view one = take_until(&v, "&#");

			if (view__left(&one))
				r = take_parameter(u, one, err);
		} while (!r && view__accept(&v, '&'));
	}
	if (!r && view__left(&v))
		r = err__set(err, -EINVAL, "a target has no '#'");
	return !r && u->target->check ? u->target->check(u, err) : r;
}

bool push_url__is_same(const struct push_url *a, const struct push_url *b)
{
	return !strcmp(a->name, b->name) && !strcmp(a->query, b->query);
}
