/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread for each connection, which may compute and wait: there are at most CONNECTIONS_MAX of
 * them. They are slightly less urgent than the recording.
 */
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cond.h"
#include "base/file.h"
#include "base/mem.h"
#include "web/http/server_priv.h"

#define STACK_BYTES (1U << 20)
#define MEMORY_BYTES (32U << 10)
#define PEM_MAX_BYTES (1U << 20)
#define NICENESS 5
/* Heaps of the C library: one for each thread would keep what one answer took. */
#define ARENAS 2

static void *reap(void *arg)
{
	struct server *s = arg;

	pthread_mutex_lock(&s->lock);
	while (!s->stop) {
		u32 ended;

		cond_wait_until(&s->stopping, &s->lock, clock_mono_ns() + NSEC_PER_SEC);
		ended = connections__end_late(&s->connections, clock_mono_ns());
		for (; ended; ended--)
			web__refuse(s->web, WEB_REFUSED_SLOW);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

static void start_daemon(struct server *s)
{
	const unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION |
			       MHD_USE_POLL | (s->tls ? MHD_USE_TLS : 0);
	const struct MHD_OptionItem tls[] = {
		{ s->tls ? MHD_OPTION_HTTPS_MEM_KEY : MHD_OPTION_END, 0, s->key },
		{ s->tls ? MHD_OPTION_HTTPS_MEM_CERT : MHD_OPTION_END, 0, s->cert },
		{ MHD_OPTION_END, 0, NULL },
	};

	s->daemon = MHD_start_daemon(flags, 0, http_accept, s, http_request, s, MHD_OPTION_ARRAY,
				     tls, MHD_OPTION_LISTEN_SOCKET, s->listener.fd,
				     MHD_OPTION_NOTIFY_CONNECTION, http_connection, s,
				     MHD_OPTION_NOTIFY_COMPLETED, http_completed, s,
				     MHD_OPTION_URI_LOG_CALLBACK, http_begin, s,
				     MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX + 8,
				     MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SERVER_IDLE_S,
				     MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY_BYTES,
				     MHD_OPTION_THREAD_STACK_SIZE, (size_t)STACK_BYTES,
				     MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
	if (s->daemon)
		s->listener.fd = -1;
}

/* Signals are for the thread that records; niceness is what threads inherit. */
int server__run(struct server *s, struct err *err)
{
	int nice_before = getpriority(PRIO_PROCESS, 0);
	sigset_t all, before;

	mallopt(M_ARENA_MAX, ARENAS);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	setpriority(PRIO_PROCESS, 0, nice_before + NICENESS);
	s->has_reaper = !pthread_create(&s->reaper, NULL, reap, s);
	if (s->has_reaper)
		pthread_setname_np(s->reaper, "serve-reaper");
	if (s->has_reaper)
		start_daemon(s);
	setpriority(PRIO_PROCESS, 0, nice_before);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (s->daemon)
		return 0;
	return err__set(err, -EIO, "cannot start the server: no memory for its threads%s",
			s->tls ? ", or the certificate and its key do not go together" : "");
}

static int read_pem(const char *path, char **ret, struct err *err)
{
	size_t sz;

	return file_read(path, PEM_MAX_BYTES, ret, &sz, err);
}

static int read_secrets(struct server *s, const struct server_options *opt, struct err *err)
{
	int r = guard__init(&s->guard, s->listener.port, s->web->host, err);

	if (!r && opt->password_file)
		r = guard__read_password(&s->guard, opt->password_file, err);
	if (!r && opt->tls_key)
		r = read_pem(opt->tls_key, &s->key, err);
	if (!r && opt->tls_cert)
		r = read_pem(opt->tls_cert, &s->cert, err);
	s->tls = opt->tls_key && opt->tls_cert;
	if (!r && s->tls && MHD_is_feature_supported(MHD_FEATURE_TLS) != MHD_YES)
		r = err__set(err, -EOPNOTSUPP, "this libmicrohttpd was built without TLS");
	return r;
}

static int check_exposed(const struct server *s, struct err *err)
{
	bool password = *s->guard.password;

	if (s->listener.loopback || (s->tls && password))
		return 0;
	return err__set(err, -EINVAL,
			"%s can be reached from other machines: add %s%s%s, or listen on 127.0.0.1 "
			"and use `ssh -L`",
			s->listener.host, s->tls ? "" : "--tls-cert and --tls-key",
			s->tls || password ? "" : " and ", password ? "" : "--password-file");
}

static int add_names(struct server *s)
{
	char name[256] = "";
	int r = guard__add_host(&s->guard, s->listener.host);

	if (!r && !s->listener.loopback && !gethostname(name, sizeof(name) - 1) && *name)
		r = guard__add_host(&s->guard, name);
	return r;
}

static void make_url(struct server *s)
{
	bool six = strchr(s->listener.host, ':');

	snprintf(s->url, sizeof(s->url), "http%s://%s%s%s:%u/%s%s", s->tls ? "s" : "",
		 six ? "[" : "", s->listener.host, six ? "]" : "", s->listener.port,
		 *s->guard.password ? "" : "?token=", *s->guard.password ? "" : s->guard.token);
}

static struct server *new_server(struct web *w)
{
	struct server *s = mem_alloc(sizeof(*s));

	if (!s)
		return NULL;
	s->web = w;
	s->listener.fd = -1;
	connections__init(&s->connections);
	page_live_policy(s->policy, sizeof(s->policy));
	pthread_mutex_init(&s->lock, NULL);
	cond_init(&s->stopping);
	return s;
}

int server__open(struct web *w, const struct server_options *opt, struct server **ret,
		 struct err *err)
{
	struct server *s = new_server(w);
	int r;

	if (!s)
		return err__nomem(err);
	r = listener__open(&s->listener, opt->listen, err);
	if (!r)
		r = read_secrets(s, opt, err);
	if (!r)
		r = check_exposed(s, err);
	s->guard.any_host = s->tls && *s->guard.password && !s->listener.loopback;
	if (!r && add_names(s))
		r = err__nomem(err);
	if (r) {
		server__free(s);
		return r;
	}
	make_url(s);
	*ret = s;
	return 0;
}

const char *server__url(const struct server *s)
{
	return s->url;
}

void server__free(struct server *s)
{
	if (!s)
		return;
	web__close(s->web);
	if (s->daemon)
		MHD_stop_daemon(s->daemon);
	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_cond_signal(&s->stopping);
	pthread_mutex_unlock(&s->lock);
	if (s->has_reaper)
		pthread_join(s->reaper, NULL);
	listener__close(&s->listener);
	guard__done(&s->guard);
	connections__done(&s->connections);
	pthread_cond_destroy(&s->stopping);
	pthread_mutex_destroy(&s->lock);
	if (s->key)
		explicit_bzero(s->key, strlen(s->key));
	mem_free(s->key);
	mem_free(s->cert);
	explicit_bzero(s->url, sizeof(s->url));
	mem_free(s);
}
