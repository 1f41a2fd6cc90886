/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sending is a process of its own, so that nothing that a server or the network does can delay a
 * window, and so that what servers answer is parsed without privileges. It reads the store like any
 * reader, and the targets from the file of settings: on a command line, everybody would see them.
 */
#include "agent/sender.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

#define PAUSE_MIN_NS NSEC_PER_SEC
#define PAUSE_MAX_NS (300 * NSEC_PER_SEC)
#define END_NS (3 * NSEC_PER_SEC)
#define NAP_NS (20 * NSEC_PER_MSEC)
#define LEVEL_STATUS 7

static void __attribute__((format(printf, 3, 4)))
say(const struct sender *s, enum agent_level level, const char *fmt, ...)
{
	char text[640];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	s->opt->say(s->opt->say_arg, level, text);
}

/* "<4>..."; anything else is of the C library, or of the loader. */
static void take_line(struct sender *s)
{
	const char *text = s->line;
	int level = AGENT_WARNING;

	s->line[s->line_len] = '\0';
	s->line_len = 0;
	if (text[0] == '<' && text[1] >= '0' && text[1] <= '7' && text[2] == '>') {
		level = text[1] - '0';
		text += 3;
	}
	if (level == LEVEL_STATUS)
		snprintf(s->status, sizeof(s->status), "%.390s", text);
	else if (*text)
		say(s, (enum agent_level)level, "push: %s", text);
}

static void read_lines(struct sender *s)
{
	char buf[1024];
	size_t n;

	while ((n = child__read(&s->child, buf, sizeof(buf)))) {
		for (size_t i = 0; i < n; i++) {
			if (buf[i] == '\n' || s->line_len == sizeof(s->line) - 1)
				take_line(s);
			if (buf[i] != '\n')
				s->line[s->line_len++] = buf[i];
		}
	}
}

/* The program that runs, also if its file was replaced. */
static const char *own_path(char *buf, size_t sz)
{
	ssize_t n = readlink("/proc/self/exe", buf, sz - 1);

	buf[n > 0 ? n : 0] = '\0';
	return n > 0 && !access(buf, X_OK) ? buf : "/proc/self/exe";
}

static void start(struct sender *s, u64 now_ns)
{
	char path[1024], name[] = "push", follow[] = "--follow", levels[] = "--log-levels";
	char store_opt[] = "--store", config_opt[] = "--config", config[1024];
	char *argv[] = { s->program, name,	 follow, levels, store_opt,
			 s->store,   config_opt, config, NULL };
	struct err err = { 0 };
	int r;

	snprintf(s->program, sizeof(s->program), "%s", own_path(path, sizeof(path)));
	snprintf(config, sizeof(config), "%s",
		 s->opt->config ? s->opt->config : AGENT_SETTINGS_FILE);
	s->child = (struct child){ .silent = true, .captured = true };
	s->next_ns = now_ns + s->pause_ns;
	r = child__start(&s->child, argv, &err);
	if (!r)
		r = child__release(&s->child, &err);
	s->runs = !r;
	if (r) {
		say(s, AGENT_ERROR, "cannot push: %s", err.msg);
		child__done(&s->child);
	}
}

static void note_end(struct sender *s, u64 now_ns)
{
	char fate[128];

	read_lines(s);
	if (s->line_len)
		take_line(s);
	s->runs = false;
	s->status[0] = '\0';
	if (!child__fate(&s->child, fate, sizeof(fate)))
		fate[0] = '\0';
	if (s->child.output_fd > 0)
		close(s->child.output_fd);
	if (!s->wanted)
		return;
	/* it had been told to begin anew, or ran for long */
	if (now_ns >= s->next_ns)
		s->pause_ns = PAUSE_MIN_NS;
	if (*fate)
		say(s, AGENT_WARNING, "pushing ended, and begins again in %llu s: %s",
		    s->pause_ns / NSEC_PER_SEC, fate);
	s->next_ns = now_ns + s->pause_ns;
	s->pause_ns = s->pause_ns * 2 < PAUSE_MAX_NS ? s->pause_ns * 2 : PAUSE_MAX_NS;
}

void sender__set(struct sender *s, const struct agent_options *opt,
		 const struct agent_settings *settings)
{
	s->opt = opt;
	s->wanted = *settings->push[0] != '\0';
	s->pause_ns = PAUSE_MIN_NS;
	s->next_ns = clock_mono_ns();
	snprintf(s->store, sizeof(s->store), "%s", settings->store);
	if (s->runs)
		kill(s->child.pid, SIGTERM);
}

void sender__turn(struct sender *s, u64 now_mono_ns)
{
	if (s->runs) {
		read_lines(s);
		if (child__ended(&s->child))
			note_end(s, now_mono_ns);
	} else if (s->wanted && now_mono_ns >= s->next_ns) {
		start(s, now_mono_ns);
	}
}

void sender__done(struct sender *s)
{
	u64 end_ns = clock_mono_ns() + END_NS, now_ns;

	s->wanted = false;
	if (!s->runs)
		return;
	kill(s->child.pid, SIGTERM);
	while (!child__ended(&s->child) && (now_ns = clock_mono_ns()) < end_ns)
		clock_sleep_until_mono_ns(now_ns + NAP_NS);
	if (!child__ended(&s->child))
		kill(s->child.pid, SIGKILL);
	note_end(s, clock_mono_ns());
}
