/* SPDX-License-Identifier: Apache-2.0 */

/* Two passes over the file: the first one counts, so that arrays are made once. */
#include "lib/switch_stream.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

#define LINE_SZ 512

static int parse_kstack(struct switch_kstack *k, const char *text)
{
	int used;

	while (k->len < STREAM_FRAMES && sscanf(text, " %x%n", &k->off[k->len], &used) == 1) {
		text += used;
		k->len++;
	}
	return k->len && text[strspn(text, " \n")] == '\0' ? 0 : -EINVAL;
}

static int parse_event(struct switch_stream *s, const char *line)
{
	struct switch_event *e = &s->events[s->events_len];
	unsigned long long ns;
	int n;

	if (line[0] == 's')
		n = sscanf(line, "s %llu %hu %x %hu %hu %hu", &ns, &e->thread, &e->state, &e->next,
			   &e->kstack, &e->ustack) -
		    6;
	else
		n = sscanf(line, "w %llu %hu", &ns, &e->thread) - 2;
	if (n || e->thread >= s->threads_len || e->next >= s->threads_len ||
	    e->kstack >= s->kstacks_len)
		return -EINVAL;
	e->waking = line[0] == 'w';
	s->switches += !e->waking;
	s->span_ns += ns;
	e->at_ns = s->span_ns;
	s->events_len++;
	return 0;
}

/* 't' and 'k' lines come before all others. */
static int parse_line(struct switch_stream *s, const char *line)
{
	switch (line[0]) {
	case '#':
		return 0;
	case 't':
		s->kernel_thread[s->threads_len++] = line[2] == 'k';
		return 0;
	case 'k':
		return parse_kstack(&s->kstacks[s->kstacks_len++], line + 1);
	case 's':
	case 'w':
		return parse_event(s, line);
	default:
		return -EINVAL;
	}
}

static int make_room(struct switch_stream *s, FILE *f)
{
	__u32 threads = 1, kstacks = 1, events = 0;
	char line[LINE_SZ];

	while (fgets(line, sizeof(line), f)) {
		threads += line[0] == 't';
		kstacks += line[0] == 'k';
		events += line[0] == 's' || line[0] == 'w';
	}
	rewind(f);
	s->events = mem_alloc(events * sizeof(*s->events));
	s->kstacks = mem_alloc(kstacks * sizeof(*s->kstacks));
	s->kernel_thread = mem_alloc(threads);
	s->threads_len = 1;
	s->kstacks_len = 1;
	return s->events && s->kstacks && s->kernel_thread ? 0 : -ENOMEM;
}

int switch_stream__read(struct switch_stream *s, const char *path, __u32 *ret_line)
{
	FILE *f = fopen(path, "re");
	char line[LINE_SZ];
	int r;

	memset(s, 0, sizeof(*s));
	*ret_line = 0;
	if (!f)
		return -errno;
	r = make_room(s, f);
	while (!r && fgets(line, sizeof(line), f)) {
		++*ret_line;
		r = parse_line(s, line);
	}
	fclose(f);
	if (!r && (!s->switches || s->events[0].waking ||
		   s->events[s->events_len - 1].next != s->events[0].thread))
		r = -EINVAL;
	if (r)
		switch_stream__done(s);
	return r;
}

void switch_stream__done(struct switch_stream *s)
{
	mem_free(s->events);
	mem_free(s->kstacks);
	mem_free(s->kernel_thread);
	memset(s, 0, sizeof(*s));
}
