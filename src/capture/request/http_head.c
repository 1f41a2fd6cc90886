/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of paths are classes of requests, and a program may have one for each user or order. So
 * what differs from one to the next is folded here, and request_heads.h limits what is left.
 */
#include "capture/request/http_head.h"

#include <string.h>

/* Parts of a path that are kept, and how long one may be. */
#define PARTS_MAX 6
#define PART_MAX 32
/* A part with digits that is longer is an id. */
#define WORD_MAX 20
#define FOLDED "{}"
#define CUT "..."
#define TRACEPARENT "traceparent"

static bool is_digit(u8 c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(u8 c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static u8 lower(u8 c)
{
	return c >= 'A' && c <= 'Z' ? (u8)(c - 'A' + 'a') : c;
}

static size_t put(struct http_head *h, size_t len, const void *text, size_t sz)
{
	if (sz >= sizeof(h->name) - len)
		return len;
	memcpy(h->name + len, text, sz);
	h->name[len + sz] = '\0';
	return len + sz;
}

/*
 * An id: of digits alone, or of hexadecimal ones with at least one digit among eight, with or
 * without hyphens; a long word with digits; what is too long for a name, or has other bytes.
 */
static bool is_id(const u8 *p, size_t len)
{
	size_t digits = 0, hex = 0, hyphens = 0;

	for (size_t i = 0; i < len; i++) {
		if (p[i] <= ' ' || p[i] >= 0x7f || p[i] == '%')
			return true;
		digits += is_digit(p[i]);
		hex += is_hex(p[i]);
		hyphens += p[i] == '-';
	}
	return len > PART_MAX || (digits && digits + hyphens == len) ||
	       (digits && hex >= 8 && hex + hyphens == len) || (digits && len > WORD_MAX);
}

static bool ends_path(u8 c)
{
	return c == ' ' || c == '?' || c == '#' || c == '\r' || c == '\n' || c == ';';
}

/* "/users/17/orders" becomes "/users/{}/orders". */
static size_t put_path(struct http_head *h, size_t len, struct view *v)
{
	u32 parts = 0;

	while (v->p < v->end && *v->p == '/') {
		const u8 *begin = ++v->p;

		while (v->p < v->end && *v->p != '/' && !ends_path(*v->p))
			v->p++;
		/* a name that is cut may be any */
		if (parts++ == PARTS_MAX || v->p == v->end ||
		    len + PART_MAX + sizeof(CUT) + 1 > sizeof(h->name))
			return put(h, len, "/" CUT, sizeof(CUT));
		len = put(h, len, "/", 1);
		if (is_id(begin, (size_t)(v->p - begin)))
			len = put(h, len, FOLDED, strlen(FOLDED));
		else
			len = put(h, len, begin, (size_t)(v->p - begin));
	}
	return len;
}

/*
 * Not any word of capital letters: other protocols begin with one, too. Those of HTTP itself, then
 * those of WebDAV and its like, and of caches.
 */
static const char *const methods[] = {
	"GET",	  "HEAD",     "POST",	    "PUT",   "DELETE", "OPTIONS", "PATCH", "CONNECT",
	"TRACE",  "PROPFIND", "PROPPATCH",  "MKCOL", "COPY",   "MOVE",	  "LOCK",  "UNLOCK",
	"REPORT", "SEARCH",   "MKCALENDAR", "ACL",   "QUERY",  "PURGE",	  "BAN",
};

/* Whether a method is next, or all of it but its first letter. */
static bool is_method(const struct view *v, const char *method, bool *ret_is_whole)
{
	size_t sz = strlen(method);

	for (size_t missing = 0; missing < 2; missing++)
		if (view__left(v) >= sz - missing + 2 &&
		    !memcmp(v->p, method + missing, sz - missing) && v->p[sz - missing] == ' ') {
			*ret_is_whole = !missing;
			return true;
		}
	return false;
}

/* Fewer letters are more often something else, so the version must be there, too. */
static bool has_version(const struct view *v)
{
	static const char version[] = " HTTP/1.";
	const u8 *end = memchr(v->p, '\n', view__left(v));

	return end && memmem(v->p, (size_t)(end - v->p), version, sizeof(version) - 1);
}

/* Other targets than a path: "*", and those of proxies. */
static bool parse_line(struct http_head *h, struct view *v)
{
	for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
		size_t sz = strlen(methods[i]), len;
		bool is_whole;

		if (!is_method(v, methods[i], &is_whole) || (!is_whole && !has_version(v)))
			continue;
		v->p += sz + is_whole;
		len = put(h, 0, methods[i], sz);
		len = put(h, len, " ", 1);
		if (*v->p == '/')
			put_path(h, len, v);
		else
			put(h, len, CUT, strlen(CUT));
		return true;
	}
	return false;
}

/* "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", after the colon. */
static bool parse_trace(struct http_head *h, struct view v)
{
	const u8 *p;
	bool has_some = false;

	view__blank(&v);
	p = v.p;
	if (view__left(&v) < 55 || (view__left(&v) > 55 && is_hex(p[55])))
		return false;
	for (size_t i = 0; i < 55; i++) {
		bool hyphen = i == 2 || i == 35 || i == 52;

		if (hyphen ? p[i] != '-' : !is_hex(p[i]) || lower(p[i]) != p[i])
			return false;
	}
	if (!memcmp(p, "ff", 2))
		return false;
	for (size_t i = 0; i < HTTP_TRACE_LEN; i++) {
		h->trace[i] = (char)p[3 + i];
		has_some |= p[3 + i] != '0';
	}
	h->trace[has_some ? HTTP_TRACE_LEN : 0] = '\0';
	return has_some;
}

/* The rest of a line without its end; false if the end is not there. */
static bool next_line(struct view *v, struct view *line)
{
	const u8 *end = view__left(v) ? memchr(v->p, '\n', view__left(v)) : NULL;

	if (!end)
		return false;
	*line = view__of(v->p, (size_t)(end - v->p));
	if (line->end > line->p && line->end[-1] == '\r')
		line->end--;
	v->p = end + 1;
	return true;
}

static bool is_traceparent(struct view *line)
{
	size_t sz = strlen(TRACEPARENT);

	if (view__left(line) <= sz || line->p[sz] != ':')
		return false;
	for (size_t i = 0; i < sz; i++)
		if (lower(line->p[i]) != (u8)TRACEPARENT[i])
			return false;
	line->p += sz + 1;
	return true;
}

bool http_head_parse(struct http_head *ret, struct view bytes)
{
	struct view line;

	*ret = (struct http_head){ .is_cut = true };
	if (!parse_line(ret, &bytes))
		return false;
	next_line(&bytes, &line); /* the version */
	while (next_line(&bytes, &line)) {
		if (!view__left(&line)) {
			ret->is_cut = false;
			break;
		}
		if (is_traceparent(&line) && parse_trace(ret, line))
			break;
	}
	return true;
}
