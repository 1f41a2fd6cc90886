/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The port in Host is not compared: with `ssh -L` it is another one. A cookie is sent to all ports
 * of a host, and the pages of another server on this machine count as the same site; so what a
 * browser says of the origin of a request must be this very one.
 */
#include "web/http/guard.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#include "base/file.h"
#include "base/mem.h"

#define SECRET_BYTES 32

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/* base64url without padding */
static int make_secret(char ret[GUARD_SECRET_CHARS + 1], struct err *err)
{
	u8 bytes[SECRET_BYTES + 1] = { 0 };
	size_t i;

	if (getrandom(bytes, SECRET_BYTES, 0) != SECRET_BYTES)
		return err__set(err, -EIO, "the kernel gave no random bytes for the token");
	for (i = 0; i < GUARD_SECRET_CHARS; i++) {
		size_t bit = 6 * i, at = bit / 8;
		u32 pair = (u32)bytes[at] << 8 | (at < SECRET_BYTES ? bytes[at + 1] : 0);

		ret[i] = letters[pair >> (10 - bit % 8) & 63];
	}
	ret[i] = '\0';
	return 0;
}

/* Only what a name of a cookie may have. */
static void name_cookie(struct guard *g, u16 port, const char *host)
{
	size_t len = (size_t)snprintf(g->cookie, sizeof(g->cookie), "coldspot-%u-", port);

	for (; *host && len < sizeof(g->cookie) - 1; host++) {
		if (isalnum((unsigned char)*host) || *host == '-' || *host == '.')
			g->cookie[len++] = *host;
	}
	g->cookie[len] = '\0';
}

int guard__init(struct guard *g, u16 port, const char *host, struct err *err)
{
	int r;

	memset(g, 0, sizeof(*g));
	vec__init(&g->hosts, sizeof(char *));
	name_cookie(g, port, host);
	r = make_secret(g->token, err);
	return r ? r : make_secret(g->session, err);
}

void guard__done(struct guard *g)
{
	for (size_t i = 0; i < g->hosts.len; i++)
		mem_free(*(char **)vec__at(&g->hosts, i));
	vec__done(&g->hosts);
	explicit_bzero(g, sizeof(*g));
}

int guard__add_host(struct guard *g, const char *name)
{
	char **slot = vec__push(&g->hosts);

	if (!slot)
		return -ENOMEM;
	*slot = mem_strdup(name);
	if (*slot)
		return 0;
	g->hosts.len--;
	return -ENOMEM;
}

int guard__read_password(struct guard *g, const char *path, struct err *err)
{
	char *text;
	size_t sz, len;
	int r = file_read(path, 4096, &text, &sz, err);

	if (r)
		return r;
	len = strcspn(text, "\r\n");
	if (!len || len >= sizeof(g->password))
		r = err__set(err, -EINVAL,
			     "'%s' must have a password of 1 to %d bytes in its first line", path,
			     GUARD_PASSWORD_MAX - 1);
	else
		memcpy(g->password, text, len);
	explicit_bzero(text, sz);
	mem_free(text);
	return r;
}

/* The time it takes depends on the length of `given` alone. */
static bool is_same(const char *secret, const char *given, size_t given_len)
{
	size_t len = strlen(secret), i;
	unsigned char differs = len != given_len;

	for (i = 0; i < given_len; i++)
		differs |= (unsigned char)(given[i] ^ secret[len ? i % len : 0]);
	return !differs;
}

/* The host without its port, in brackets or not, into `name`. False: it is not one. */
static bool split_host(const char *host, char *name, size_t sz)
{
	const char *end;
	size_t len;

	if (*host == '[') {
		end = strchr(++host, ']');
		if (!end || (end[1] && end[1] != ':'))
			return false;
	} else {
		end = host + strcspn(host, ":");
	}
	len = (size_t)(end - host);
	if (!len || len >= sz)
		return false;
	memcpy(name, host, len);
	name[len] = '\0';
	if (*end == ']')
		end++;
	return !*end || strspn(end + 1, "0123456789") == strlen(end + 1);
}

/* An address cannot be made to mean another machine later. */
static bool is_address(const char *name)
{
	struct in6_addr a;

	return inet_pton(AF_INET, name, &a) == 1 || inet_pton(AF_INET6, name, &a) == 1;
}

static bool is_our_host(const struct guard *g, const char *host)
{
	char name[256];

	if (!host || !split_host(host, name, sizeof(name)))
		return false;
	if (is_address(name) || !strcasecmp(name, "localhost"))
		return true;
	for (size_t i = 0; i < g->hosts.len; i++) {
		if (!strcasecmp(name, *(char **)vec__at(&g->hosts, i)))
			return true;
	}
	return false;
}

/* "https://host:port" of the very Host that was asked. */
static bool is_our_origin(const struct guard_view *v)
{
	const char *at = strstr(v->origin, "://");

	return at && !strcasecmp(at + 3, v->host);
}

static bool is_elsewhere(const struct guard_view *v)
{
	if (v->origin && !is_our_origin(v))
		return true;
	return v->fetch_site && !v->is_page && strcmp(v->fetch_site, "same-origin") &&
	       strcmp(v->fetch_site, "none");
}

/* name=value; name=value */
static bool has_cookie(const struct guard *g, const char *cookies)
{
	size_t name_len = strlen(g->cookie), len;
	const char *at = cookies;
	bool found = false;

	while (*at) {
		at += strspn(at, "; \t");
		len = strcspn(at, ";");
		if (len > name_len && !memcmp(at, g->cookie, name_len) && at[name_len] == '=')
			found |= is_same(g->session, at + name_len + 1, len - name_len - 1);
		at += len;
	}
	return found;
}

/* Value of a base64 digit, or -1. */
static int digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Returns the length of what was decoded. */
static size_t decode(const char *text, char *buf, size_t sz)
{
	size_t len = 0;
	u32 bits = 0, bits_len = 0;
	int d;

	for (; (d = digit(*text)) >= 0 && len < sz; text++) {
		bits = bits << 6 | (u32)d;
		bits_len += 6;
		if (bits_len >= 8) {
			bits_len -= 8;
			buf[len++] = (char)(bits >> bits_len);
		}
	}
	return len;
}

/* "user:password" in base64; any user will do. */
static bool has_password(const struct guard *g, const char *basic)
{
	char pair[2 * GUARD_PASSWORD_MAX];
	size_t len = decode(basic, pair, sizeof(pair));
	const char *colon = memchr(pair, ':', len);
	bool good = colon && is_same(g->password, colon + 1, len - (size_t)(colon + 1 - pair));

	explicit_bzero(pair, sizeof(pair));
	return good;
}

static const char *after_scheme(const char *authorization, const char *scheme)
{
	size_t len = strlen(scheme);

	if (!authorization || strncasecmp(authorization, scheme, len) || authorization[len] != ' ')
		return NULL;
	return authorization + len + strspn(authorization + len, " ");
}

static enum guard_verdict judge_token(const struct guard *g, const struct guard_view *v)
{
	const char *bearer = after_scheme(v->authorization, "Bearer");

	if (bearer && is_same(g->token, bearer, strlen(bearer)))
		return GUARD_WELCOME;
	if (v->token && is_same(g->token, v->token, strlen(v->token)))
		return v->is_page ? GUARD_NEW : GUARD_WELCOME;
	return bearer || v->token ? GUARD_WRONG_TOKEN : GUARD_NO_TOKEN;
}

static enum guard_verdict judge_password(const struct guard *g, const struct guard_view *v)
{
	const char *basic = after_scheme(v->authorization, "Basic");

	if (!basic)
		return GUARD_NO_TOKEN;
	return has_password(g, basic) ? GUARD_WELCOME : GUARD_WRONG_TOKEN;
}

enum guard_verdict guard__judge(const struct guard *g, const struct guard_view *v)
{
	if (!v->host || (!g->any_host && !is_our_host(g, v->host)))
		return GUARD_WRONG_HOST;
	if (is_elsewhere(v))
		return GUARD_WRONG_ORIGIN;
	if (v->is_open)
		return GUARD_WELCOME;
	/* a token in the address is to leave the address, even with a cookie */
	if (v->cookie && has_cookie(g, v->cookie) && !(v->is_page && v->token))
		return GUARD_WELCOME;
	return *g->password ? judge_password(g, v) : judge_token(g, v);
}
