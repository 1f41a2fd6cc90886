/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From libmicrohttpd's callbacks to requests, and from answers back. All of HTTP is the library's.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "render/encode/gzip.h"
#include "web/api/routes.h"
#include "web/http/server_priv.h"
#include "web/http/stream.h"

#define BODY_MAX 4096
/* Smaller answers are sent as they are. */
#define PACK_FROM 1024
#define STREAM_BLOCK 4096
/* A wrong password costs so much time of one of few connections. */
#define WRONG_NS NSEC_PER_SEC

/* One request from its first line on. */
struct call {
	struct connection *conn;
	bool begun; /* its headers are there */
	bool encoded; /* the path has a percent sign, which none of ours has */
	char body[BODY_MAX + 1];
	size_t body_len;
	bool too_large;
};

enum MHD_Result http_accept(void *arg, const struct sockaddr *from, socklen_t len)
{
	struct server *s = arg;

	(void)len;
	if (connections__has_room(&s->connections, from))
		return MHD_YES;
	web__refuse(s->web, WEB_REFUSED_CONNECTIONS);
	return MHD_NO;
}

static struct connection *conn_of(struct MHD_Connection *mc)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(mc, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

static int fd_of(struct MHD_Connection *mc)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(mc, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info ? info->connect_fd : -1;
}

static const struct sockaddr *address_of(struct MHD_Connection *mc)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(mc, MHD_CONNECTION_INFO_CLIENT_ADDRESS);

	return info ? info->client_addr : NULL;
}

void http_connection(void *arg, struct MHD_Connection *mc, void **conn,
		     enum MHD_ConnectionNotificationCode what)
{
	struct server *s = arg;
	struct connection *c = *conn;

	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		*conn = connections__add(&s->connections, fd_of(mc), address_of(mc));
		if (!*conn) {
			shutdown(fd_of(mc), SHUT_RDWR);
			web__refuse(s->web, WEB_REFUSED_CONNECTIONS);
		}
		return;
	}
	if (!c)
		return;
	if (connections__remove(&s->connections, c))
		web__refuse(s->web, WEB_REFUSED_NO_REQUEST);
	*conn = NULL;
}

static const char *header(struct MHD_Connection *mc, const char *name)
{
	return MHD_lookup_connection_value(mc, MHD_HEADER_KIND, name);
}

struct reading {
	struct query *query;
	struct err err;
	const char *token;
};

/* The token is for the guard alone. */
static enum MHD_Result add_pair(void *arg, enum MHD_ValueKind kind, const char *name,
				size_t name_len, const char *value, size_t value_len)
{
	struct reading *rd = arg;

	(void)kind;
	if (name_len == 5 && !strcmp(name, "token")) {
		rd->token = value ? value : "";
		return MHD_YES;
	}
	return query__add(rd->query, name, value, value ? value_len : 0, &rd->err) ? MHD_NO :
										     MHD_YES;
}

static void add_header(struct MHD_Response *r, const char *name, const char *value)
{
	MHD_add_response_header(r, name, value);
}

static void add_headers(const struct server *s, const struct answer *a, struct MHD_Response *r)
{
	char file[200];

	if (a->status != 204)
		add_header(r, "Content-Type", a->mime);
	add_header(r, "Content-Security-Policy",
		   a->policy ? s->policy : "default-src 'none'; frame-ancestors 'none'; sandbox");
	add_header(r, "X-Content-Type-Options", "nosniff");
	add_header(r, "X-Frame-Options", "DENY");
	add_header(r, "Referrer-Policy", "no-referrer");
	add_header(r, "Cross-Origin-Resource-Policy", "same-origin");
	add_header(r, "Cross-Origin-Opener-Policy", "same-origin");
	add_header(r, "Cache-Control", "no-store");
	if (*a->file) {
		snprintf(file, sizeof(file), "attachment; filename=\"%s\"", a->file);
		add_header(r, "Content-Disposition", file);
	}
}

/* Replaces the body by a smaller one. */
static bool pack(struct answer *a)
{
	struct sink packed;
	struct gzip gz;
	int r;

	sink__init_mem(&packed);
	r = gzip__init(&gz, &packed);
	if (!r) {
		gzip__put(&gz, a->body.buf, a->body.len);
		r = gzip__finish(&gz);
	}
	gzip__done(&gz);
	if (!r)
		r = sink__finish(&packed, NULL);
	if (r || packed.len >= a->body.len) {
		sink__done(&packed);
		return false;
	}
	sink__done(&a->body);
	a->body = packed;
	return true;
}

static bool accepts_gzip(struct MHD_Connection *mc)
{
	const char *accepted = header(mc, "Accept-Encoding");

	return accepted && strstr(accepted, "gzip");
}

static void free_buffer(void *buf)
{
	mem_free(buf);
}

/* Takes the body. */
static struct MHD_Response *response_of(struct server *s, struct MHD_Connection *mc,
					struct answer *a)
{
	bool packed = !a->packed && a->body.len >= PACK_FROM && accepts_gzip(mc) && pack(a);
	struct MHD_Response *r;
	size_t len = 0;
	char *buf = sink__steal(&a->body, &len);

	if (!buf)
		return NULL;
	r = MHD_create_response_from_buffer_with_free_callback(len, buf, free_buffer);
	if (!r) {
		mem_free(buf);
		return NULL;
	}
	add_headers(s, a, r);
	if (packed)
		add_header(r, "Content-Encoding", "gzip");
	add_header(r, "Vary", "Accept-Encoding");
	return r;
}

static enum MHD_Result queue(struct MHD_Connection *mc, u32 status, struct MHD_Response *r)
{
	enum MHD_Result queued = r ? MHD_queue_response(mc, status, r) : MHD_NO;

	if (r)
		MHD_destroy_response(r);
	return queued;
}

static ssize_t read_stream(void *arg, uint64_t pos, char *buf, size_t max)
{
	ssize_t n = stream__read(arg, buf, max);

	(void)pos;
	if (n < 0)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	return n ? n : MHD_CONTENT_READER_END_OF_STREAM;
}

static void free_stream(void *arg)
{
	stream__free(arg);
}

static enum MHD_Result queue_stream(struct server *s, struct MHD_Connection *mc,
				    const struct answer *a, struct connection *conn)
{
	struct stream *stream = stream__new(s->web, a->stream_after, fd_of(mc));
	struct MHD_Response *r;

	if (!stream)
		return MHD_NO;
	r = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK, read_stream, stream,
					      free_stream);
	if (!r) {
		stream__free(stream);
		return MHD_NO;
	}
	add_headers(s, a, r);
	add_header(r, "X-Accel-Buffering", "no");
	connections__set(&s->connections, conn, PHASE_STREAM);
	return queue(mc, 200, r);
}

/* For a person, or for a program. */
static void say(struct answer *a, bool page, u32 status, const char *sentence)
{
	answer__error(a, status, sentence);
	if (!page)
		return;
	sink__done(&a->body);
	sink__init_mem(&a->body);
	a->mime = "text/html; charset=utf-8";
	sink__printf(&a->body,
		     "<!doctype html><html lang=en><title>coldspot</title><p>%s</p></html>\n",
		     sentence);
}

static enum MHD_Result queue_refusal(struct server *s, struct MHD_Connection *mc, bool page,
				     enum guard_verdict verdict)
{
	bool password = *s->guard.password, unknown = verdict >= GUARD_NO_TOKEN;
	struct MHD_Response *r;
	struct answer a;

	answer__init(&a);
	if (verdict == GUARD_WRONG_HOST)
		say(&a, page, 403, "this server has another name: use the address that it printed");
	else if (verdict == GUARD_WRONG_ORIGIN)
		say(&a, page, 403, "the request comes from a page of another site");
	else if (password)
		say(&a, page, 401, "a password is needed");
	else
		say(&a, page, 401,
		    "a token is needed: use the whole address that coldspot serve printed");
	web__refuse(s->web, unknown			? WEB_REFUSED_TOKEN :
			    verdict == GUARD_WRONG_HOST ? WEB_REFUSED_HOST :
							  WEB_REFUSED_ORIGIN);
	if (password && verdict == GUARD_WRONG_TOKEN)
		clock_sleep_until_mono_ns(clock_mono_ns() + WRONG_NS);
	sink__finish(&a.body, NULL);
	r = response_of(s, mc, &a);
	if (r && unknown)
		add_header(r, "WWW-Authenticate",
			   password ? "Basic realm=\"coldspot\", charset=\"UTF-8\"" : "Bearer");
	answer__done(&a);
	return queue(mc, a.status, r);
}

/* The token leaves the address, and so the history. */
static enum MHD_Result queue_cookie(struct server *s, struct MHD_Connection *mc)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
	char cookie[GUARD_COOKIE_SZ + GUARD_SECRET_CHARS + 64];

	if (!r)
		return MHD_NO;
	snprintf(cookie, sizeof(cookie), "%s=%s; Path=/; HttpOnly; SameSite=Strict%s",
		 s->guard.cookie, s->guard.session, s->tls ? "; Secure" : "");
	add_header(r, "Set-Cookie", cookie);
	add_header(r, "Location", "/");
	add_header(r, "Referrer-Policy", "no-referrer");
	add_header(r, "Cache-Control", "no-store");
	return queue(mc, 303, r);
}

static enum MHD_Result queue_error(struct server *s, struct MHD_Connection *mc, u32 status,
				   const char *sentence, const char *allow)
{
	struct MHD_Response *r;
	struct answer a;

	answer__init(&a);
	answer__error(&a, status, sentence);
	web__refuse(s->web, status == 413 ? WEB_REFUSED_TOO_LARGE : WEB_REFUSED_OTHER);
	sink__finish(&a.body, NULL);
	r = response_of(s, mc, &a);
	if (r && allow)
		add_header(r, "Allow", allow);
	answer__done(&a);
	return queue(mc, status, r);
}

static enum MHD_Result answer(struct server *s, struct MHD_Connection *mc, struct call *call,
			      const struct route *route, struct request *rq, bool is_head)
{
	struct answer a;
	enum MHD_Result r;

	/* what takes long here is not the client's fault */
	MHD_set_connection_option(mc, MHD_CONNECTION_OPTION_TIMEOUT, 0U);
	connections__set(&s->connections, call->conn, PHASE_ANSWER);
	answer__init(&a);
	route__answer(route, s->web, rq, &a);
	atomic_fetch_add(&s->web->requests, 1);
	MHD_set_connection_option(mc, MHD_CONNECTION_OPTION_TIMEOUT, (unsigned)SERVER_IDLE_S);
	if (a.stream && !is_head)
		r = queue_stream(s, mc, &a, call->conn);
	else
		r = queue(mc, a.status, response_of(s, mc, &a));
	answer__done(&a);
	return r;
}

static enum guard_verdict judge(const struct server *s, struct MHD_Connection *mc,
				const struct route *route, const char *token)
{
	const struct guard_view view = {
		.host = header(mc, "Host"),
		.origin = header(mc, "Origin"),
		.fetch_site = header(mc, "Sec-Fetch-Site"),
		.cookie = header(mc, "Cookie"),
		.authorization = header(mc, "Authorization"),
		.token = token,
		.is_page = route && route->page,
		.is_open = route && route->open,
	};

	return guard__judge(&s->guard, &view);
}

static enum request_method method_of(const char *method)
{
	if (!strcmp(method, "GET") || !strcmp(method, "HEAD"))
		return METHOD_GET;
	return !strcmp(method, "POST") ? METHOD_POST : 0;
}

/* Who asks is judged before anything else is said, also that there is no such path. */
static enum MHD_Result respond(struct server *s, struct MHD_Connection *mc, struct call *call,
			       const char *path, const char *method)
{
	struct request rq = { .method = method_of(method), .path = path, .body = call->body };
	struct reading rd = { .query = &rq.query };
	const struct route *route = call->encoded ? NULL : route_find(path);
	enum guard_verdict verdict;
	enum MHD_Result r;

	query__init(&rq.query);
	MHD_get_connection_values_n(mc, MHD_GET_ARGUMENT_KIND, add_pair, &rd);
	rq.body_len = call->body_len;
	rq.last_event_id = header(mc, "Last-Event-ID");
	verdict = judge(s, mc, route, rd.token);
	if (verdict == GUARD_NEW && !strcmp(path, "/"))
		r = queue_cookie(s, mc);
	else if (verdict > GUARD_NEW)
		r = queue_refusal(s, mc, route && route->page, verdict);
	else if (call->too_large)
		r = queue_error(s, mc, 413, "the body is larger than 4096 bytes", NULL);
	else if (!route)
		r = queue_error(s, mc, 404, "no such path; see /api/v1/openapi.json", NULL);
	else if (!(route->methods & rq.method))
		r = queue_error(s, mc, 405, "this path does not take that method",
				route->methods & METHOD_POST ? "GET, HEAD, POST" : "GET, HEAD");
	else if (rd.err.code)
		r = queue_error(s, mc, 400, rd.err.msg, NULL);
	else
		r = answer(s, mc, call, route, &rq, !strcmp(method, "HEAD"));
	query__done(&rq.query);
	return r;
}

void *http_begin(void *arg, const char *uri, struct MHD_Connection *mc)
{
	struct call *c = mem_alloc(sizeof(*c));

	(void)arg;
	if (c) {
		c->conn = conn_of(mc);
		c->encoded = memchr(uri, '%', strcspn(uri, "?"));
	}
	return c;
}

enum MHD_Result http_request(void *arg, struct MHD_Connection *mc, const char *path,
			     const char *method, const char *version, const char *body,
			     size_t *body_len, void **call)
{
	struct server *s = arg;
	struct call *c = *call;
	size_t room, len;

	(void)version;
	if (!c || !c->conn)
		return MHD_NO;
	if (!c->begun) {
		c->begun = true;
		return MHD_YES;
	}
	if (!*body_len)
		return respond(s, mc, c, path, method);
	room = BODY_MAX - c->body_len;
	len = *body_len < room ? *body_len : room;
	c->too_large |= len < *body_len;
	memcpy(c->body + c->body_len, body, len);
	c->body_len += len;
	*body_len = 0;
	return MHD_YES;
}

void http_completed(void *arg, struct MHD_Connection *mc, void **call,
		    enum MHD_RequestTerminationCode why)
{
	struct server *s = arg;
	struct call *c = *call;
	bool in_time;

	(void)mc;
	if (!c)
		return;
	in_time = !c->conn || connections__set(&s->connections, c->conn, PHASE_NEXT);
	if (why == MHD_REQUEST_TERMINATED_TIMEOUT_REACHED)
		web__refuse(s->web, WEB_REFUSED_SLOW);
	else if (!c->begun && in_time)
		web__refuse(s->web, WEB_REFUSED_NO_REQUEST);
	mem_free(c);
	*call = NULL;
}
