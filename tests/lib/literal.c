/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the notation of literal.h into a builder. A task's totals depend on its waits, so the
 * waits are kept back until the task is over. Names are given after freezing, as a resolver does.
 */
#include "lib/literal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/hist.h"
#include "analysis/cause/syscall_name.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text/units.h"
#include "lib/literal_flags.h"
#include "lib/literal_priv.h"

int lit__str(struct lit *l, const char *text, u32 *ret_id)
{
	char *buf = mem_alloc(NAME_MAX_SZ);
	int r = buf ? lit__unescape(l, text, buf) : err__nomem(l->err);

	if (!r)
		r = builder__str(l->b, buf, ret_id);
	mem_free(buf);
	return r;
}

int lit__duration(struct lit *l, const char *text, u64 *ret)
{
	if (strcmp(text, "max") == 0) {
		*ret = ~0ULL;
		return 0;
	}
	return units_parse_ns(text, 1, ret, NULL) ? lit__fault(l, "not a time:", text) : 0;
}

static int flag_list(struct lit *l, char *text, const struct flag_name *names, u32 *flags)
{
	char *word, *save = NULL;
	u32 i;

	for (word = strtok_r(text, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		for (i = 0; names[i].name && strcmp(names[i].name, word) != 0; i++)
			;
		if (!names[i].name)
			return lit__fault(l, "unknown flag", word);
		*flags |= names[i].bit;
	}
	return 0;
}

/* Header lines. -ENOENT: not one of them. */
static int header_text(struct lit *l, const char *key, char **rest)
{
	struct profile_header *h = builder__header(l->b);
	const struct {
		const char *key;
		u32 *str;
	} keys[] = {
		{ "host", &h->host },		{ "kernel", &h->kernel },
		{ "arch", &h->arch },		{ "version", &h->version },
		{ "command", &h->command },	{ "target", &h->target },
		{ "hooks", &h->hooks },		{ "boot", &h->boot },
		{ "selection", &h->selection }, { "source", &h->source },
		{ "trigger", &h->trigger },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(keys); i++) {
		if (strcmp(keys[i].key, key) == 0)
			return lit__str(l, lit_rest_of(rest), keys[i].str);
	}
	return -ENOENT;
}

/* One period, or: mean, shortest, longest, sum, number of changes. */
static int period_line(struct lit *l, char **rest)
{
	struct profile_header *h = builder__header(l->b);
	u64 *const places[] = { &h->period_ns, &h->period_min_ns, &h->period_max_ns,
				&h->period_sum_ns };
	char *word;
	u64 n = 0;
	size_t i;
	int r = 0;

	for (i = 0; i < ARRAY_LEN(places) && !r; i++) {
		word = lit_next_word(rest);
		if (!word && i != 1)
			return lit__fault(l, "bad period", "");
		if (!word) {
			h->period_min_ns = h->period_max_ns = h->period_sum_ns = h->period_ns;
			return 0;
		}
		r = lit__duration(l, word, places[i]);
	}
	word = r ? NULL : lit_next_word(rest);
	if (word)
		r = lit__number(l, word, &n);
	h->period_changes = (u32)n;
	return r;
}

static int header_number(struct lit *l, const char *key, char **rest)
{
	struct profile_header *h = builder__header(l->b);
	const struct {
		const char *key;
		u64 *ns;
	} keys[] = {
		{ "window", &h->window_ns },
		{ "min", &h->min_ns },
		{ "max", &h->max_ns },
		{ "prog", &h->prog_ns },
		{ "self_cpu", &h->self_cpu_ns },
		{ "kernel_bytes", &h->kernel_bytes },
		{ "gap", &h->gap_ns },
		{ "overlap", &h->overlap_ns },
		{ "machine", &h->machine_ns },
		{ "whole_off", &h->whole_off_ns },
		{ "whole_wall", &h->whole_wall_ns },
		{ "whole_on", &h->whole_on_ns },
		{ "begin_wall", &h->begin_wall_ns },
		{ "begin_mono", &h->begin_mono_ns },
		{ "prog_runs", &h->prog_runs },
		{ "max_events", &h->max_moments },
		{ "switches_seen", &h->switches_seen },
		{ "waits_chosen", &h->waits_chosen },
		{ "on_cpu_samples", &h->on_cpu_samples },
		{ "visits", &h->visits },
		{ "visited", &h->visited_ns },
		{ "visits_changed", &h->visits_changed },
		{ "visit_passes", &h->visit_passes },
		{ "visit_late", &h->visit_late_ns },
		{ "visit_late_max", &h->visit_late_max_ns },
		{ "idle", &h->idle_ns[1] },
		{ "idle_var", &h->idle_var_us2 },
	};
	const struct {
		const char *key;
		u32 *n;
	} counts[] = {
		{ "ncpu", &h->ncpu },
		{ "hist_unit", &h->hist_unit_ns },
		{ "windows", &h->windows },
		{ "whole_threads", &h->whole_threads },
		{ "on_cpu_hz", &h->on_cpu_hz },
		{ "idle_known", &h->idle_known },
		{ "wakers", &h->wakers },
		{ "visit_hz", &h->visit_hz },
		{ "visit_sources", &h->visit_sources },
	};
	u64 n = 0;
	size_t i;
	int r;

	if (strcmp(key, "period") == 0)
		return period_line(l, rest);
	for (i = 0; i < ARRAY_LEN(counts); i++) {
		if (strcmp(counts[i].key, key) != 0)
			continue;
		r = lit__number(l, lit_rest_of(rest), &n);
		*counts[i].n = (u32)n;
		return r;
	}
	for (i = 0; i < ARRAY_LEN(keys); i++) {
		if (strcmp(keys[i].key, key) == 0)
			return lit__duration(l, lit_rest_of(rest), keys[i].ns);
	}
	return -ENOENT;
}

/* Names of profile/missing/unknown.h. */
static int unknown_line(struct lit *l, char **rest)
{
	struct profile_header *h = builder__header(l->b);
	char *word;
	u32 i;

	while ((word = lit_next_word(rest))) {
		for (i = 0; i < UNKNOWN_BITS && strcmp(unknown_name(i), word) != 0; i++)
			;
		if (i == UNKNOWN_BITS)
			return lit__fault(l, "unknown word", word);
		h->unknown |= 1U << i;
	}
	return 0;
}

static int header_line(struct lit *l, const char *key, char **rest)
{
	struct profile_header *h = builder__header(l->b);
	char *word;
	int r;

	if (strcmp(key, "filtered") == 0) {
		h->filtered = 1;
		return 0;
	}
	if (strcmp(key, "sides") == 0) {
		h->sides = 0;
		while ((word = lit_next_word(rest)))
			h->sides |= strcmp(word, "user") == 0 ? SIDE_USER : SIDE_KERNEL;
		return 0;
	}
	if (strcmp(key, "unknown") == 0)
		return unknown_line(l, rest);
	r = header_text(l, key, rest);
	return r == -ENOENT ? header_number(l, key, rest) : r;
}

static int loss_line(struct lit *l, char **rest)
{
	char *name = lit_next_word(rest), *events = lit_next_word(rest), *ns = lit_next_word(rest);
	u64 events_n = 0, ns_n = 0;
	int kind, r;

	for (kind = 0; name && kind < LOSS_CNT; kind++) {
		if (strcmp(loss_name((enum profile_loss_kind)kind), name) == 0)
			break;
	}
	if (!name || !events || kind == LOSS_CNT)
		return lit__fault(l, "bad loss", name ? name : "");
	r = lit__number(l, events, &events_n);
	if (!r && ns)
		r = lit__duration(l, ns, &ns_n);
	return r ? r : builder__loss(l->b, (enum profile_loss_kind)kind, events_n, ns_n);
}

static int module_line(struct lit *l, char **rest)
{
	static const char *const kinds[] = {
		"none", "kernel", "elf", "vdso", "anon", "code", "note"
	};
	char *name = lit_next_word(rest), *kind = lit_next_word(rest), *path = lit_next_word(rest),
	     *word;
	struct profile_module m = { 0 };
	u64 tgid = 0;
	int r;

	if (!path || l->modules_len == MODULES_MAX)
		return lit__fault(l, "bad module", name ? name : "");
	while (m.kind < ARRAY_LEN(kinds) && strcmp(kinds[m.kind], kind) != 0)
		m.kind++;
	if (m.kind == ARRAY_LEN(kinds))
		return lit__fault(l, "unknown kind of module", kind);
	r = lit__str(l, path, &m.path);
	while (!r && (word = lit_next_word(rest))) {
		if (strncmp(word, "build=", 6) == 0)
			r = lit__str(l, word + 6, &m.build_id);
		else if (strncmp(word, "tgid=", 5) == 0)
			r = lit__number(l, word + 5, &tgid);
		else
			r = lit__fault(l, "unknown word", word);
	}
	m.tgid = (u32)tgid;
	if (!r)
		r = builder__module(l->b, &m, &l->module_ids[l->modules_len]);
	if (!r)
		l->module_names[l->modules_len++] = mem_strdup(name);
	return r;
}

static int state_of(struct lit *l, const char *word, u32 *ret_state)
{
	const char *at = strchr(PROFILE_STATE_LETTERS, *word);

	if (!*word || word[1] || !at)
		return lit__fault(l, "unknown state", word);
	*ret_state = (u32)(at - PROFILE_STATE_LETTERS);
	return 0;
}

static int hist_list(struct lit *l, char *text, struct profile_wait *w)
{
	char *word, *save = NULL;

	for (word = strtok_r(text, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		unsigned int bucket, n;

		if (sscanf(word, "%u:%u", &bucket, &n) != 2 || bucket >= PROFILE_HIST_LEN)
			return lit__fault(l, "bad histogram", word);
		w->hist[bucket] += n;
	}
	return 0;
}

static void default_hist(struct profile_wait *w)
{
	u64 total = w->blocked_ns + w->runq_ns, rest = total, n = w->count;
	u32 i;

	for (i = 0; i < PROFILE_HIST_LEN; i++) {
		if (w->hist[i])
			return;
	}
	if (!n)
		return;
	if (w->max_ns) {
		w->hist[cs_hist_bucket(w->max_ns)]++;
		rest -= w->max_ns < rest ? w->max_ns : rest;
		n--;
	} else {
		w->max_ns = total / n;
	}
	if (n)
		w->hist[cs_hist_bucket(rest / n)] += (u32)n;
}

static int wait_word(struct lit *l, char *word, struct profile_wait *w)
{
	char *value = strchr(word, '=');
	u64 n = 0;

	if (!value)
		return lit__fault(l, "unknown word", word);
	*value++ = '\0';
	if (strcmp(word, "blocked") == 0)
		return lit__duration(l, value, &w->blocked_ns);
	if (strcmp(word, "runq") == 0)
		return lit__duration(l, value, &w->runq_ns);
	if (strcmp(word, "on") == 0)
		return lit__duration(l, value, &w->on_ns);
	if (strcmp(word, "max") == 0)
		return lit__duration(l, value, &w->max_ns);
	if (strcmp(word, "count") == 0)
		return lit__number(l, value, &w->count);
	if (strcmp(word, "samples") == 0)
		return lit__number(l, value, &w->samples);
	if (strcmp(word, "var") == 0)
		return lit__number(l, value, &w->var_us2);
	if (strcmp(word, "each") == 0)
		return lit__each_list(l, value);
	if (strcmp(word, "at") == 0)
		return lit__at_list(l, value);
	if (strcmp(word, "hist") == 0)
		return hist_list(l, value, w);
	if (strcmp(word, "flags") == 0)
		return flag_list(l, value, wait_flags, &w->flags);
	if (strcmp(word, "as") == 0)
		return lit__name_wait(l, value);
	if (strcmp(word, "owner") == 0)
		return lit__owner(l, value, w);
	if (strcmp(word, "sys") != 0)
		return lit__fault(l, "unknown word", word);
	w->sysno = syscall_number(value);
	if (w->sysno < 0 && !lit__number(l, value, &n))
		w->sysno = (s32)n;
	return w->sysno < 0 ? lit__fault(l, "unknown system call", value) : 0;
}

static int wait_line(struct lit *l, char **rest)
{
	struct profile_wait *w;
	char *state = lit_next_word(rest), *word;
	int r;

	if (!l->in_task || !state)
		return lit__fault(l, "a wait without a task or state", *rest);
	w = vec__push(&l->waits);
	if (!w)
		return err__nomem(l->err);
	w->sysno = -1;
	w->count = 1;
	r = state_of(l, state, &w->state);
	while (!r && (word = lit_next_word(rest)))
		r = wait_word(l, word, w);
	if (r || w->flags & WAIT_SUMMED)
		return r;
	default_hist(w);
	if (!w->samples)
		w->samples = w->count;
	return 0;
}

/* Kept among the waits of its task until that is known. */
static int hot_line(struct lit *l, char **rest)
{
	struct profile_wait *w = l->in_task ? vec__push(&l->waits) : NULL;
	char *word;
	int r = 0;

	if (!l->in_task)
		return lit__fault(l, "a hot without a task", *rest);
	if (!w)
		return err__nomem(l->err);
	w->sysno = -1;
	w->flags = WAIT_ON_CPU;
	while (!r && (word = lit_next_word(rest)))
		r = wait_word(l, word, w);
	return r;
}

#define GIVEN_RUNQ 16
#define GIVEN_PREEMPTED 17

static int task_word(struct lit *l, char *word)
{
	struct profile_task *t = &l->task;
	const struct {
		const char *key;
		u64 *value;
		u32 given;
	} keys[] = {
		{ "start", &t->start_boottime_ns, 0 },
		{ "cgroup", &t->cgroup_id, 0 },
		{ "begin", &t->begin_ns, 0 },
		{ "on", &t->on_ns, 0 },
		{ "unaccounted", &t->unaccounted_ns, 0 },
		{ "runq", &t->runq_ns, 1U << GIVEN_RUNQ },
		{ "preempted", &t->preempted_ns, 1U << GIVEN_PREEMPTED },
		{ "switches", &t->switches, 0 },
		{ "preemptions", &t->preemptions, 0 },
		{ "wakeups", &t->wakeups, 0 },
		{ "migrations", &t->migrations, 0 },
		{ "waits", &l->task_waits, 0 },
		{ "hist_on", &t->hist_on_ns, 0 },
		{ "hist_runq", &t->hist_runq_ns, 0 },
		{ "hist_blocked", &t->hist_blocked_ns, 0 },
		{ "gap_wait", &t->gap_wait_ns, 0 },
	};
	char *value = strchr(word, '=');
	u32 i, state = 0;
	int r;

	if (!value)
		return lit__fault(l, "unknown word", word);
	*value++ = '\0';
	if (strcmp(word, "container") == 0)
		return lit__str(l, value, &t->container);
	if (strcmp(word, "group") == 0 || strcmp(word, "cgroup_path") == 0)
		return lit__str(l, value, *word == 'g' ? &t->group_comm : &t->cgroup);
	if (strcmp(word, "flags") == 0)
		return flag_list(l, value, task_flags, &t->flags);
	for (i = 0; i < ARRAY_LEN(keys); i++) {
		if (strcmp(keys[i].key, word) != 0)
			continue;
		l->given |= keys[i].given;
		return lit__duration(l, value, keys[i].value);
	}
	r = state_of(l, word, &state);
	if (r)
		return r;
	l->given |= 1U << state;
	return lit__duration(l, value, &t->blocked_ns[state]);
}

/* Totals that the text left open, from the waits. */
static void complete_task(struct lit *l)
{
	struct profile_task *t = &l->task;
	u32 i;

	for (i = 0; i < l->waits.len; i++) {
		const struct profile_wait *w = vec__at(&l->waits, i);
		bool preempted = !w->state && !(w->flags & WAIT_NEW);

		if (w->flags & WAIT_ON_CPU)
			continue;
		if (!(l->given & 1U << w->state))
			t->blocked_ns[w->state] += w->blocked_ns;
		if (preempted && !(l->given & 1U << GIVEN_PREEMPTED))
			t->preempted_ns += w->runq_ns;
		if (!preempted && !(l->given & 1U << GIVEN_RUNQ))
			t->runq_ns += w->runq_ns;
	}
	t->wall_ns = t->on_ns + t->preempted_ns + t->runq_ns + t->unaccounted_ns;
	for (i = 0; i < PROFILE_STATES; i++)
		t->wall_ns += t->blocked_ns[i];
}

static int add_replicates(struct lit *l, u32 idx)
{
	size_t i;
	int r = 0;

	for (i = 0; i < l->replicates.len && !r; i++) {
		struct profile_replicate rep =
			*(struct profile_replicate *)vec__at(&l->replicates, i);

		if (rep.wait != idx)
			continue;
		rep.wait = builder__last_wait(l->b);
		r = builder__replicate(l->b, &rep);
	}
	return r;
}

static int end_task(struct lit *l)
{
	u32 i, id;
	int r = lit__end_waker(l);

	if (r || !l->in_task)
		return r;
	l->in_task = false;
	complete_task(l);
	r = builder__task(l->b, &l->task, &id);
	if (!r && l->task_waits)
		r = builder__task_waits(l->b, id, l->task_waits);
	if (!r)
		r = lit__know_thread(l, l->task.tid, id);
	for (i = 0; i < l->waits.len && !r; i++) {
		struct profile_wait *w = vec__at(&l->waits, i);

		const struct profile_hot h = {
			.task = id,
			.ustack = w->ustack,
			.kstack = w->kstack,
			.sysno = w->sysno,
			.on_ns = w->on_ns,
			.samples = w->samples,
			.var_us2 = w->var_us2,
		};

		w->task = id;
		lit__place_wait(l, i, w);
		r = w->flags & WAIT_ON_CPU ? builder__hot(l->b, &h) : builder__wait(l->b, w);
		if (!r && !(w->flags & WAIT_ON_CPU))
			r = add_replicates(l, i);
		if (!r && !(w->flags & WAIT_ON_CPU))
			r = lit__add_moments(l, i);
	}
	for (i = 0; i < l->bins.len && !r; i++) {
		struct profile_bin *bin = vec__at(&l->bins, i);

		bin->task = id;
		r = builder__bin(l->b, bin);
	}
	vec__reset(&l->waits);
	vec__reset(&l->replicates);
	vec__reset(&l->moments);
	vec__reset(&l->bins);
	return r;
}

static int task_line(struct lit *l, char **rest)
{
	char *ids = lit_next_word(rest), *comm = lit_next_word(rest), *word;
	int r = end_task(l);

	if (r)
		return r;
	memset(&l->task, 0, sizeof(l->task));
	l->given = 0;
	l->task_waits = 0;
	l->in_task = true;
	if (!comm || sscanf(ids, "%u/%u", &l->task.tgid, &l->task.tid) != 2)
		return lit__fault(l, "bad task", ids ? ids : "");
	r = lit__str(l, strcmp(comm, "-") == 0 ? "" : comm, &l->task.comm);
	l->task.group_comm = l->task.comm;
	while (!r && (word = lit_next_word(rest)))
		r = task_word(l, word);
	return r;
}

/* Wakers come after the tasks. */
static int waker_line(struct lit *l, char **rest)
{
	int r = end_task(l);

	return r ? r : lit__waker_line(l, rest);
}

static int line(struct lit *l, char *text)
{
	char *rest = text, *key = lit_next_word(&rest);
	int r;

	if (!key || *key == '#')
		return 0;
	if (strcmp(key, "loss") == 0)
		return loss_line(l, &rest);
	if (strcmp(key, "intervals") == 0)
		return lit__intervals_line(l, &rest);
	if (strcmp(key, "module") == 0)
		return module_line(l, &rest);
	if (strcmp(key, "task") == 0)
		return task_line(l, &rest);
	if (strcmp(key, "wait") == 0)
		return wait_line(l, &rest);
	if (strcmp(key, "hot") == 0)
		return hot_line(l, &rest);
	if (strcmp(key, "woken") == 0)
		return lit__woken_line(l, &rest);
	if (strcmp(key, "waker") == 0)
		return waker_line(l, &rest);
	if (strcmp(key, "hists") == 0)
		return lit__hists_line(l, &rest);
	if (strcmp(key, "object") == 0)
		return lit__object_line(l, &rest);
	if (strcmp(key, "u") == 0 || strcmp(key, "k") == 0)
		return lit__frame_line(l, *key == 'k', &rest);
	if (strcmp(key, "kcut") == 0)
		return lit__cut_line(l);
	if (strcmp(key, "utrunc") == 0)
		return lit__truncated_line(l, &rest);
	r = header_line(l, key, &rest);
	return r == -ENOENT ? lit__fault(l, "unknown word", key) : r;
}

static int name_frames(struct lit *l, struct profile *p)
{
	size_t i;
	int r = 0;

	for (i = 0; i < l->namings.len && !r; i++) {
		const struct naming *n = vec__at(&l->namings, i);

		r = profile__name_frame(p, n->frame, n->name, n->off, n->reason);
	}
	return r;
}

static int read_lines(struct lit *l, char *text)
{
	char *next;
	int r = 0;

	builder__header(l->b)->max_ns = ~0ULL;
	builder__header(l->b)->sides = SIDE_USER | SIDE_KERNEL;
	for (; text && !r; text = next) {
		next = strchr(text, '\n');
		if (next)
			*next++ = '\0';
		l->line_no++;
		r = line(l, text);
	}
	if (!r)
		r = end_task(l);
	return r ? r : lit__end_wakes(l);
}

static void release(struct lit *l)
{
	size_t i;

	for (i = 0; i < l->namings.len; i++)
		mem_free(((struct naming *)vec__at(&l->namings, i))->name);
	for (i = 0; i < l->modules_len; i++)
		mem_free(l->module_names[i]);
	vec__done(&l->namings);
	vec__done(&l->waits);
	vec__done(&l->replicates);
	vec__done(&l->moments);
	vec__done(&l->bins);
	vec__done(&l->threads);
	lit__free_wakers(l);
	builder__free(l->b);
}

int literal_parse(const char *text, struct profile **ret_profile, struct err *err)
{
	struct lit l = { .b = builder__new(), .err = err };
	char *copy = mem_strdup(text);
	struct profile *p = NULL;
	int r = -ENOMEM;

	vec__init(&l.namings, sizeof(struct naming));
	vec__init(&l.waits, sizeof(struct profile_wait));
	vec__init(&l.replicates, sizeof(struct profile_replicate));
	vec__init(&l.moments, sizeof(struct lit_moment));
	vec__init(&l.woken_moments, sizeof(struct lit_moment));
	vec__init(&l.bins, sizeof(struct profile_bin));
	vec__init(&l.threads, 2 * sizeof(u32));
	vec__init(&l.waker_names, sizeof(char *));
	vec__init(&l.woken, sizeof(struct lit_woken));
	vec__init(&l.named_waits, sizeof(struct lit_named_wait));
	if (l.b && copy)
		r = read_lines(&l, copy);
	if (!r)
		r = builder__freeze(l.b, &p, err);
	if (!r)
		r = name_frames(&l, p);
	release(&l);
	mem_free(copy);
	if (r) {
		profile__free(p);
		return r == -ENOMEM ? err__nomem(err) : r;
	}
	*ret_profile = p;
	return 0;
}

int literal_load(const char *path, struct profile **ret_profile, struct err *err)
{
	char *text;
	size_t sz;
	int r = file_read(path, 16 << 20, &text, &sz, err);

	if (r)
		return r;
	r = literal_parse(text, ret_profile, err);
	mem_free(text);
	return r ? err__wrap(err, r, "%s", path) : 0;
}
