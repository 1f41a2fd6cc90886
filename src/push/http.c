/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything that a server sends is bounded: the time for it, and the bytes that are kept. A body
 * that ends early is no answer, because nobody can tell what the server did.
 *
 * Connections are kept between requests. Proxies are those of the environment, as with curl.
 */
#include "push/http.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/view.h"
#include "push/http_priv.h"
#include "push/url.h"

#define ANSWER_MAX (64u << 10)
#define HEADER_FILE_MAX (16u << 10)
#define LOW_SPEED_S 30

int http__new(const struct http_limits *limits, bool (*stop)(void), struct http **ret,
	      struct err *err)
{
	struct http *h = mem_alloc(sizeof(*h));
	int r;

	if (!h)
		return err__nomem(err);
	h->limits = *limits;
	if (!h->limits.silent_s)
		h->limits.silent_s = LOW_SPEED_S;
	if (!h->limits.answer_bytes)
		h->limits.answer_bytes = ANSWER_MAX;
	h->stop = stop;
	r = curl__load(&h->lib, err);
	if (!r) {
		h->curl = h->lib.easy_init();
		r = h->curl ? 0 : err__nomem(err);
	}
	if (r)
		http__free(h);
	else
		*ret = h;
	return r;
}

void http__free(struct http *h)
{
	if (!h)
		return;
	if (h->curl)
		h->lib.easy_cleanup(h->curl);
	mem_free(h);
}

struct taking {
	struct http_answer *answer;
	u64 most;
};

/* Keeps the beginning, and takes the rest. */
static size_t take_body(char *data, size_t sz, size_t n, void *arg)
{
	struct taking *t = arg;
	struct sink *body = &t->answer->body;
	u64 room = t->most - body->len;

	sz *= n;
	t->answer->is_cut |= sz > room;
	sink__put(body, data, sz < room ? sz : room);
	return sz;
}

static int is_over(void *arg, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	const struct http *h = arg;

	(void)a, (void)b, (void)c, (void)d;
	return h->stop && h->stop();
}

void http_headers__add(struct http_headers *to, const char *line)
{
	struct curl_slist *longer = to->h->lib.slist_append(to->list, line);

	if (longer)
		to->list = longer;
	else
		to->error = -ENOMEM;
}

/* Secrets: nobody else may be able to read them, as ssh demands of its keys. */
int http_read_secrets(const char *path, char **ret, size_t *ret_sz, struct err *err)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC), r;

	if (fd < 0)
		return err__set(err, -errno, "cannot open '%s': %s", path, err_str(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_mode & 0007)
		r = err__set(err, -EINVAL,
			     "'%s' must be a file that others cannot read: chmod o= '%s'", path,
			     path);
	else
		r = file_read_fd(fd, path, HEADER_FILE_MAX, ret, ret_sz, err);
	close(fd);
	return r;
}

/* Lines "Name: value"; empty ones and comments are skipped. */
static int add_header_file(struct http_headers *to, const char *path, struct err *err)
{
	struct view text, line;
	char *data, one[4096];
	size_t sz;
	int r = http_read_secrets(path, &data, &sz, err);

	if (r)
		return r;
	text = view__of(data, sz);
	while (!r && view__line(&text, &line)) {
		if (view__left(&line) && line.end[-1] == '\r')
			line.end--;
		if (!view__left(&line) || *line.p == '#')
			continue;
		if (!view__copy(&line, one, sizeof(one)) || !strchr(one, ':') || strchr(one, '\r'))
			r = err__set(err, -EINVAL,
				     "'%s' has a line that is no header: write it as "
				     "Name: value",
				     path);
		else
			http_headers__add(to, one);
	}
	mem_free(data);
	return r;
}

int http_headers__of_user(struct http_headers *to, const struct push_url *url, struct err *err)
{
	char line[320];
	int r = 0;

	if (*url->tenant) {
		snprintf(line, sizeof(line), "X-Scope-OrgID: %s", url->tenant);
		http_headers__add(to, line);
	}
	if (*url->header_file)
		r = add_header_file(to, url->header_file, err);
	return r ? r : to->error ? err__nomem(err) : 0;
}

static int add_headers(struct http_headers *to, const struct push_url *url,
		       const struct http_part *part, struct err *err)
{
	char line[320];

	snprintf(line, sizeof(line), "Content-Type: %s", part->content_type);
	http_headers__add(to, line);
	if (part->gzip)
		http_headers__add(to, "Content-Encoding: gzip");
	if (part->header)
		http_headers__add(to, part->header);
	/* the body is there: no need to ask whether it may come */
	http_headers__add(to, "Expect:");
	return http_headers__of_user(to, url, err);
}

void http__set_up(struct http *h, const char *full_url)
{
	const struct curl *lib = &h->lib;

	lib->easy_reset(h->curl);
	lib->easy_setopt(h->curl, CURLOPT_URL, full_url);
	lib->easy_setopt(h->curl, CURLOPT_NOSIGNAL, 1L);
	lib->easy_setopt(h->curl, CURLOPT_FOLLOWLOCATION, 0L);
	lib->easy_setopt(h->curl, CURLOPT_CONNECTTIMEOUT_MS, (long)h->limits.connect_ms);
	lib->easy_setopt(h->curl, CURLOPT_TIMEOUT_MS, (long)h->limits.total_ms);
	lib->easy_setopt(h->curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	lib->easy_setopt(h->curl, CURLOPT_LOW_SPEED_TIME, (long)h->limits.silent_s);
	lib->easy_setopt(h->curl, CURLOPT_USERAGENT, "coldspot");
	lib->easy_setopt(h->curl, CURLOPT_NOPROGRESS, 0L);
	lib->easy_setopt(h->curl, CURLOPT_XFERINFOFUNCTION, is_over);
	lib->easy_setopt(h->curl, CURLOPT_XFERINFODATA, h);
}

static void set_post(struct http *h, const struct push_url *url, const struct http_part *part)
{
	const struct curl *lib = &h->lib;

	lib->easy_setopt(h->curl, CURLOPT_POST, 1L);
	lib->easy_setopt(h->curl, CURLOPT_POSTFIELDS, part->body.buf ? part->body.buf : "");
	lib->easy_setopt(h->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)part->body.len);
	if (*url->user) {
		lib->easy_setopt(h->curl, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
		lib->easy_setopt(h->curl, CURLOPT_USERNAME, url->user);
		lib->easy_setopt(h->curl, CURLOPT_PASSWORD, url->password);
	}
}

void http__perform(struct http *h, struct http_answer *answer)
{
	const struct curl *lib = &h->lib;
	struct taking taking = { answer, h->limits.answer_bytes };
	curl_off_t after = 0;
	long status = 0;
	CURLcode code;

	lib->easy_setopt(h->curl, CURLOPT_WRITEFUNCTION, take_body);
	lib->easy_setopt(h->curl, CURLOPT_WRITEDATA, &taking);
	code = lib->easy_perform(h->curl);
	if (code) {
		snprintf(answer->trouble, sizeof(answer->trouble), "%s", lib->easy_strerror(code));
		return;
	}
	lib->easy_getinfo(h->curl, CURLINFO_RESPONSE_CODE, &status);
	lib->easy_getinfo(h->curl, CURLINFO_RETRY_AFTER, &after);
	answer->status = (u32)status;
	answer->retry_after_s = after > 0 && after < (1 << 24) ? (u32)after : 0;
}

int http__post(struct http *h, const struct push_url *url, const struct http_part *part,
	       struct http_answer *ret, struct err *err)
{
	struct http_headers headers = { .h = h };
	char full[2 * PUSH_URL_SZ + sizeof(part->query)];
	bool both = *url->query && *part->query;
	int r;

	*ret = (struct http_answer){ 0 };
	sink__init_mem(&ret->body);
	if (part->body.len > h->limits.body_bytes)
		return err__set(err, -E2BIG, "the window has %zu bytes, more than %llu",
				part->body.len, (unsigned long long)h->limits.body_bytes);
	snprintf(full, sizeof(full), "%s%s%s%s%s", url->base,
		 *url->query || *part->query ? "?" : "", url->query, both ? "&" : "", part->query);
	r = add_headers(&headers, url, part, err);
	if (!r) {
		http__set_up(h, full);
		set_post(h, url, part);
		h->lib.easy_setopt(h->curl, CURLOPT_HTTPHEADER, headers.list);
		http__perform(h, ret);
		if (sink__finish(&ret->body, NULL))
			r = err__nomem(err);
	}
	h->lib.slist_free_all(headers.list);
	return r;
}

void http_answer__done(struct http_answer *answer)
{
	sink__done(&answer->body);
}
