/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command gets JSON from a file in memory: a pipe could fill up, and the agent would wait. It
 * has a process group of its own, so that what it starts is killed with it.
 */
#include "agent/alert.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/sink.h"
#include "base/text/units.h"
#include "base/vec.h"
#include "render/encode/json_writer.h"

extern char **environ;

int alert_split(char *buf, char *words[ALERT_WORDS + 1], struct err *err)
{
	size_t n = 0;

	for (char *p = buf; *p;) {
		bool quoted;

		p += strspn(p, " \t");
		if (!*p)
			break;
		if (n == ALERT_WORDS)
			return err__set(err, -E2BIG, "a command has more than %d words",
					ALERT_WORDS);
		quoted = *p == '\'';
		p += quoted;
		words[n++] = p;
		p += strcspn(p, quoted ? "'" : " \t");
		if (quoted && !*p)
			return err__set(err, -EINVAL, "the command lacks its closing '");
		if (*p)
			*p++ = '\0';
	}
	words[n] = NULL;
	return n ? 0 : err__set(err, -EINVAL, "the command is empty");
}

struct fact {
	const char *name;
	const char *value;
};

#define FACTS 11
struct fact_texts {
	char value[24], limit[24];
	struct fact at[FACTS];
};

static void tell(const struct alert_facts *f, struct fact_texts *t)
{
	u64 limit;
	const char *measure = watch_rule__measure(f->rule, &limit);
	const struct fact facts[FACTS] = {
		{ "watch", f->rule->name },    { "state", f->begins ? "begin" : "end" },
		{ "sentence", f->sentence },   { "measure", measure },
		{ "value", t->value },	       { "limit", t->limit },
		{ "cause", f->rule->cause },   { "process", f->rule->process },
		{ "cgroup", f->rule->cgroup }, { "host", f->host },
		{ "begin", f->begin },
	};

	snprintf(t->value, sizeof(t->value), "%llu", f->value);
	snprintf(t->limit, sizeof(t->limit), "%llu", limit);
	memcpy(t->at, facts, sizeof(facts));
}

/* A descriptor of the facts as JSON, or -errno. */
static int json_of(const struct fact_texts *t, const struct alert_facts *f)
{
	struct sink out;
	struct json j = JSON_TO(&out);
	int fd = memfd_create("coldspot-alert", MFD_CLOEXEC), r;

	if (fd < 0)
		return -errno;
	sink__init_mem(&out);
	json__object(&j, NULL);
	for (size_t i = 0; i < FACTS; i++) {
		/* numbers, as everything in JSON that is one */
		if (t->at[i].value == t->value || t->at[i].value == t->limit)
			json__printf(&j, t->at[i].name, "%s", t->at[i].value);
		else
			json__text(&j, t->at[i].name, t->at[i].value);
	}
	json__text(&j, "store", f->store);
	json__end_object(&j);
	sink__puts(&out, "\n");
	r = sink__finish(&out, NULL);
	if (!r && pwrite(fd, out.buf, out.len, 0) != (ssize_t)out.len)
		r = -EIO;
	sink__done(&out);
	if (r)
		close(fd);
	return r ? r : fd;
}

/* The environment with the facts, for free_env(). NULL: out of memory. */
static char **env_of(const struct fact_texts *t, const struct alert_facts *f)
{
	size_t len = 0, k = 0;
	char **env;

	while (environ[len])
		len++;
	env = mem_array(len + FACTS + 2, sizeof(*env));
	if (!env)
		return NULL;
	for (size_t i = 0; i < FACTS + 1; i++) {
		const char *name = i < FACTS ? t->at[i].name : "store";
		const char *value = i < FACTS ? t->at[i].value : f->store;
		size_t sz = sizeof("COLDSPOT_=") + strlen(name) + strlen(value);
		char *text = mem_alloc(sz), *p;

		if (!text)
			continue;
		snprintf(text, sz, "COLDSPOT_%s=%s", name, value);
		for (p = text; *p != '='; p++)
			*p = *p >= 'a' && *p <= 'z' ? (char)(*p - 'a' + 'A') : *p;
		env[k++] = text;
	}
	for (size_t i = 0; i < len; i++)
		env[k + i] = environ[i];
	return env;
}

static void free_env(char **env)
{
	for (size_t i = 0; env && env[i] && env[i] != environ[0]; i++)
		mem_free(env[i]);
	mem_free(env);
}

/* Signals as a new program expects them, and a group of its own. */
static int set_up(posix_spawnattr_t *attr, posix_spawn_file_actions_t *files, int in_fd)
{
	sigset_t all, none;

	sigfillset(&all);
	sigemptyset(&none);
	if (posix_spawn_file_actions_adddup2(files, in_fd, STDIN_FILENO) ||
	    posix_spawn_file_actions_adddup2(files, STDERR_FILENO, STDOUT_FILENO) ||
	    posix_spawnattr_setsigdefault(attr, &all) || posix_spawnattr_setsigmask(attr, &none) ||
	    posix_spawnattr_setpgroup(attr, 0))
		return -ENOMEM;
	return -posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
						       POSIX_SPAWN_SETPGROUP);
}

static int spawn(char **words, char **env, int in_fd, pid_t *ret_pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	int r = -posix_spawn_file_actions_init(&files);

	if (r)
		return r;
	r = -posix_spawnattr_init(&attr);
	if (!r) {
		r = set_up(&attr, &files, in_fd);
		if (!r)
			r = -posix_spawnp(ret_pid, words[0], &files, &attr, words, env);
		posix_spawnattr_destroy(&attr);
	}
	posix_spawn_file_actions_destroy(&files);
	return r;
}

static struct alert *find_free(struct alerts *a)
{
	for (size_t i = 0; i < ALERTS_MAX; i++) {
		if (!a->running[i].pid)
			return &a->running[i];
	}
	return NULL;
}

int alerts__start(struct alerts *a, const struct alert_facts *f, struct err *err)
{
	char command[sizeof(f->rule->run)], *words[ALERT_WORDS + 1], **env;
	struct alert *alert = find_free(a);
	struct fact_texts texts;
	int fd, r;

	memcpy(command, f->rule->run, sizeof(command));
	r = alert_split(command, words, err);
	if (r)
		return r;
	if (!alert)
		return err__set(err, -EAGAIN, "'%s' was not run: %d commands run already", words[0],
				ALERTS_MAX);
	tell(f, &texts);
	fd = json_of(&texts, f);
	env = env_of(&texts, f);
	r = fd < 0 ? fd : env ? spawn(words, env, fd, &alert->pid) : -ENOMEM;
	free_env(env);
	if (fd >= 0)
		close(fd);
	if (r) {
		alert->pid = 0;
		return err__set(err, r, "cannot run '%s': %s", words[0], err_str(-r));
	}
	memcpy(alert->name, f->rule->name, sizeof(alert->name));
	alert->limit_ns = f->rule->limit_ns;
	alert->until_ns = clock_mono_ns() + f->rule->limit_ns;
	alert->killed = false;
	return 0;
}

/* Whether its end is worth a sentence. */
static bool say_end(const struct alert *alert, int status, char *buf, size_t sz)
{
	char limit[32];

	units_format_ns(alert->limit_ns, limit, sizeof(limit));
	if (alert->killed)
		snprintf(buf, sz, "the command of watch '%s' was killed after %s", alert->name,
			 limit);
	else if (WIFSIGNALED(status))
		snprintf(buf, sz, "the command of watch '%s' was killed by signal %d", alert->name,
			 WTERMSIG(status));
	else if (WEXITSTATUS(status))
		snprintf(buf, sz, "the command of watch '%s' exited with status %d", alert->name,
			 WEXITSTATUS(status));
	else
		return false;
	return true;
}

int alerts__poll(struct alerts *a, u64 now_ns, char *buf, size_t sz)
{
	for (size_t i = 0; i < ALERTS_MAX; i++) {
		struct alert *alert = &a->running[i];
		int status;

		if (!alert->pid)
			continue;
		if (now_ns >= alert->until_ns && !alert->killed) {
			kill(-alert->pid, SIGKILL);
			alert->killed = true;
		}
		if (waitpid(alert->pid, &status, WNOHANG) != alert->pid)
			continue;
		alert->pid = 0;
		if (say_end(alert, status, buf, sz))
			return 1;
	}
	return 0;
}

void alerts__done(struct alerts *a)
{
	for (size_t i = 0; i < ALERTS_MAX; i++) {
		if (!a->running[i].pid)
			continue;
		kill(-a->running[i].pid, SIGKILL);
		waitpid(a->running[i].pid, NULL, 0);
		a->running[i].pid = 0;
	}
}
