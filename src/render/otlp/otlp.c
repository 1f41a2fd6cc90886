/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenTelemetry's format for profiles, as a file has it and as collectors take it: ProfilesData of
 * opentelemetry/proto/profiles/v1development, whose fields are those of a request to export. The
 * numbers of fields are those of versions 1.10 and newer; older ones differ.
 *
 * A profile has one type of values there, so times and counts are two profiles with the same
 * samples, and samples on a CPU are two more. Samples with equal stacks and attributes are one, as
 * the format demands. There is no convention for off-CPU time but the name of its type; our own
 * attributes begin with "off_cpu." and "coldspot.".
 *
 * Receivers such as Pyroscope know off-CPU time by its type without a period, and call any other
 * profile by the type of its period: those have one.
 */
#include <errno.h>
#include <limits.h>

#include "analysis/cause/cause_memo.h"
#include "analysis/cause/syscall_name.h"
#include "analysis/name/cgroup_label.h"
#include "analysis/name/object_label.h"
#include "analysis/name/waker_label.h"
#include "base/hash.h"
#include "profile/state.h"
#include "render/otlp/otlp_dictionary.h"
#include "render/render.h"
#include "render/render_view.h"
#include "render/words/effort_text.h"
#include "render/words/loss_text.h"
#include "render/words/scope_text.h"

/* Numbers of fields, by message. */
enum {
	DATA_RESOURCE = 1,
	DATA_DICTIONARY = 2,

	RESOURCE_RESOURCE = 1,
	RESOURCE_SCOPE = 2,

	RESOURCE_ATTRIBUTE = 1,

	SCOPE_SCOPE = 1,
	SCOPE_PROFILE = 2,

	SCOPE_NAME = 1,
	SCOPE_VERSION = 2,

	PROFILE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_TIME = 3,
	PROFILE_DURATION = 4,
	PROFILE_PERIOD_TYPE = 5,
	PROFILE_PERIOD = 6,
	PROFILE_ID = 7,
	PROFILE_ATTRIBUTES = 11,

	TYPE_TYPE = 1,
	TYPE_UNIT = 2,

	SAMPLE_STACK = 1,
	SAMPLE_ATTRIBUTES = 2,
	SAMPLE_VALUES = 4,
};

/* What is measured: one profile each. */
enum value {
	VALUE_OFF_NS = 0,
	VALUE_EVENTS,
	VALUE_ON_NS,
	VALUE_SAMPLES,
	VALUE_CNT,
};

struct value_type {
	const char *type;
	const char *unit;
	const char *period_type; /* NULL: no period */
	bool on_cpu;
};

static const struct value_type value_types[VALUE_CNT] = {
	[VALUE_OFF_NS] = { "off_cpu", "nanoseconds", NULL, false },
	[VALUE_EVENTS] = { "events", "count", "off_cpu_events", false },
	[VALUE_ON_NS] = { "on_cpu", "nanoseconds", "on_cpu", true },
	[VALUE_SAMPLES] = { "samples", "count", "on_cpu_samples", true },
};

#define SAMPLE_ATTRIBUTES_MAX 20
#define PROFILE_ATTRIBUTES_MAX (LOSS_CNT + 8)
#define SERVICE "coldspot"

struct sample {
	u32 stack;
	u32 attributes[SAMPLE_ATTRIBUTES_MAX]; /* indices, up to the first 0 */
	u32 zero; /* no padding in the key */
	u64 values[VALUE_CNT]; /* not of the key */
};

struct otlp {
	const struct profile *p;
	const struct render_options *opt;
	enum time_view view;
	struct labels labels;
	struct causes causes;
	struct otlp_dictionary dictionary;
	struct intern samples;
	u32 about[PROFILE_ATTRIBUTES_MAX]; /* attributes of every profile */
	u32 about_len;
	/* messages, from the outside in */
	struct proto data;
	struct proto resource;
	struct proto scope;
	struct proto profile;
	struct proto sample;
	struct proto inner;
	int error;
};

/* Numbers of OTLP are signed. */
static u64 number(u64 n)
{
	return n > LLONG_MAX ? LLONG_MAX : n;
}

static void note_error(struct otlp *w, int r)
{
	if (r && !w->error)
		w->error = r;
}

static void add(struct sample *s, u32 attribute)
{
	u32 i = 0;

	while (i < SAMPLE_ATTRIBUTES_MAX - 1 && s->attributes[i])
		i++;
	s->attributes[i] = attribute;
}

static void add_text(struct otlp *w, struct sample *s, const char *key, const char *value)
{
	u32 idx = 0;

	note_error(w, otlp_dictionary__text(&w->dictionary, key, value, &idx));
	if (idx)
		add(s, idx);
}

static void add_number(struct otlp *w, struct sample *s, const char *key, u64 value)
{
	u32 idx = 0;

	note_error(w, otlp_dictionary__number(&w->dictionary, key, value, &idx));
	if (idx)
		add(s, idx);
}

/* Nothing if wakers are not shown, or the waker is not known. */
static void add_waker(struct otlp *w, struct sample *s, u32 waker)
{
	char name[WAKER_LABEL_SZ];

	if (!waker)
		return;
	add_text(w, s, "off_cpu.waker", waker_label(w->p, waker, name, sizeof(name)));
	add_number(w, s, "off_cpu.waker_tid", w->p->wakers[waker].tid);
}

/* By the semantic conventions of resources: container.*, k8s.*. */
static void add_container(struct otlp *w, struct sample *s, const struct profile_task *t)
{
	struct cgroup_words words;

	cgroup_words_of_task(w->p, t, &words);
	add_text(w, s, "container.id", words.container);
	add_text(w, s, *words.namespace ? "k8s.container.name" : "container.name",
		 words.container_name);
	add_text(w, s, "k8s.pod.name", words.pod_name);
	add_text(w, s, "k8s.namespace.name", words.namespace);
}

static void add_attributes(struct otlp *w, struct sample *s, u32 id)
{
	const struct profile_wait *wait = &w->p->waits[id];
	const struct profile_task *t = &w->p->tasks[wait->task];
	const char *call = syscall_name(profile__str(w->p, w->p->hdr.arch), wait->sysno);
	const char state[2] = { state_letter(wait->state), '\0' };
	char object[OBJECT_LABEL_SZ], owner[OWNER_LABEL_SZ], cgroup[CGROUP_ID_SZ];

	add_text(w, s, "off_cpu.cause", cause_name(causes__of(&w->causes, id)));
	add_text(w, s, "off_cpu.class", class_name(causes__class(&w->causes, id)));
	add_text(w, s, "process.executable.name", profile__str(w->p, t->group_comm));
	add_number(w, s, "process.pid", t->tgid);
	add_text(w, s, "thread.name", profile__str(w->p, t->comm));
	add_number(w, s, "thread.id", t->tid);
	add_text(w, s, "process.linux.cgroup", cgroup_label(w->p, t, cgroup));
	add_container(w, s, t);
	add_text(w, s, "off_cpu.state", wait->flags & WAIT_ON_CPU ? "" : state);
	add_text(w, s, "off_cpu.syscall", call ? call : "");
	add_text(w, s, "off_cpu.object", object_label(w->p, wait->object, object, sizeof(object)));
	add_text(w, s, "off_cpu.owner", owner_label(w->p, wait, owner, sizeof(owner)));
	add_waker(w, s, wait->waker);
}

static void add_stack(struct otlp *w, struct sample *s, u32 wait)
{
	struct wait_stacks stacks = wait_stacks_of(w->p, wait, w->opt->sides);

	/* as in pprof: tables of functions would begin with __schedule only */
	if (!w->opt->kernel_frames && !w->opt->wakers && stacks.user) {
		stacks.kernel = 0;
		stacks.kernel_missed = false;
	}
	note_error(w, otlp_dictionary__stack(&w->dictionary, &stacks, &s->stack));
}

static void add_row(struct otlp *w, u32 id)
{
	const struct profile_wait *row = &w->p->waits[id];
	struct sample fresh = { 0 }, *s;
	u32 sample = 0;

	add_stack(w, &fresh, id);
	add_attributes(w, &fresh, id);
	note_error(w, intern__add(&w->samples, &fresh, &sample));
	if (w->error)
		return;
	s = intern__at(&w->samples, sample);
	if (!(row->flags & WAIT_ON_CPU)) {
		s->values[VALUE_OFF_NS] += wait_ns(row);
		s->values[VALUE_EVENTS] += row->count;
	} else {
		s->values[VALUE_EVENTS] += row->count;
		s->values[VALUE_SAMPLES] += row->samples;
	}
	s->values[VALUE_ON_NS] += row->on_ns;
}

static void say(struct otlp *w, const char *key, const char *text)
{
	u32 idx = 0;

	note_error(w, otlp_dictionary__text(&w->dictionary, key, text, &idx));
	if (idx && w->about_len < PROFILE_ATTRIBUTES_MAX)
		w->about[w->about_len++] = idx;
}

/* What was recorded, how, and what is missing. */
static void say_all(struct otlp *w)
{
	static const char *const scopes[SCOPE_CNT] = {
		[SCOPE_SOURCE] = "coldspot.source",
		[SCOPE_WINDOWS] = "coldspot.merged",
		[SCOPE_TRIGGER] = "coldspot.trigger",
		[SCOPE_SELECTION] = "coldspot.part",
	};
	char text[EFFORT_TEXT_SZ], scope[SCOPE_TEXT_SZ], names[LOSS_TEXT_SZ], key[64];

	say(w, "coldspot.command", profile__str(w->p, w->p->hdr.command));
	say(w, "coldspot.target", profile__str(w->p, w->p->hdr.target));
	for (int i = 0; i < SCOPE_CNT; i++) {
		if (scope_text(w->p, (enum scope)i, scope, sizeof(scope)))
			say(w, scopes[i], scope);
	}
	effort_seen_text(w->p, text, sizeof(text));
	say(w, "coldspot.seen", text);
	render_samples_text(w->p, text, sizeof(text));
	say(w, "coldspot.sampled", text);
	for (int i = 0; i < LOSS_CNT; i++) {
		snprintf(key, sizeof(key), "coldspot.lost.%s",
			 loss_name((enum profile_loss_kind)i));
		if (loss_text(w->p, (enum profile_loss_kind)i, text, sizeof(text)))
			say(w, key, text);
	}
	names_text(w->p, NULL, names, sizeof(names));
	say(w, "coldspot.names", names);
}

static void put_type(struct otlp *w, u32 field, const char *type, const char *unit)
{
	u32 idx = 0;

	note_error(w, otlp_dictionary__str(&w->dictionary, type, &idx));
	proto__u64(&w->inner, TYPE_TYPE, idx);
	note_error(w, otlp_dictionary__str(&w->dictionary, unit, &idx));
	proto__u64(&w->inner, TYPE_UNIT, idx);
	proto__message(&w->profile, field, &w->inner);
}

static void put_sample(struct otlp *w, const struct sample *s, enum value value)
{
	proto__u64(&w->sample, SAMPLE_STACK, s->stack);
	for (u32 i = 0; s->attributes[i]; i++)
		proto__varint(&w->inner, s->attributes[i]);
	proto__message(&w->sample, SAMPLE_ATTRIBUTES, &w->inner);
	proto__varint(&w->inner, number(s->values[value]));
	proto__message(&w->sample, SAMPLE_VALUES, &w->inner);
	proto__message(&w->profile, PROFILE_SAMPLE, &w->sample);
}

/* The same window has the same: a receiver may notice that it came twice. */
static void put_id(struct otlp *w, enum value value)
{
	const struct profile_header *h = &w->p->hdr;
	u64 low = hash_text(profile__str(w->p, h->host));
	u64 high = hash_u64(hash_u64(h->begin_wall_ns + value) ^ low);
	u8 id[16];

	low = hash_u64(low ^ h->window_ns ^ hash_text(profile__str(w->p, h->target)));
	for (int i = 0; i < 8; i++) {
		id[i] = (u8)(high >> (8 * i));
		id[8 + i] = (u8)(low >> (8 * i));
	}
	proto__bytes(&w->profile, PROFILE_ID, id, sizeof(id));
}

static u64 period_of(const struct otlp *w, enum value value)
{
	u32 hz = w->p->hdr.on_cpu_hz;

	return value == VALUE_ON_NS && hz ? NSEC_PER_SEC / hz : 1;
}

static void put_profile(struct otlp *w, enum value value)
{
	const struct value_type *type = &value_types[value];
	u32 i;

	put_type(w, PROFILE_TYPE, type->type, type->unit);
	for (i = 1; i < intern__len(&w->samples) && !w->profile.error; i++) {
		const struct sample *s = intern__at(&w->samples, i);

		if (s->values[value])
			put_sample(w, s, value);
	}
	proto__fixed64(&w->profile, PROFILE_TIME, w->p->hdr.begin_wall_ns);
	proto__u64(&w->profile, PROFILE_DURATION, w->p->hdr.window_ns);
	if (type->period_type) {
		put_type(w, PROFILE_PERIOD_TYPE, type->period_type, type->unit);
		proto__u64(&w->profile, PROFILE_PERIOD, period_of(w, value));
	}
	put_id(w, value);
	for (i = 0; i < w->about_len; i++)
		proto__varint(&w->inner, w->about[i]);
	proto__message(&w->profile, PROFILE_ATTRIBUTES, &w->inner);
	proto__message(&w->scope, SCOPE_PROFILE, &w->profile);
}

/* The process, if only one was recorded. */
static const char *service_of(const struct otlp *w)
{
	const struct profile *p = w->p;

	if (w->opt->service)
		return w->opt->service;
	for (u32 i = 2; i < p->tasks_len; i++) {
		if (p->tasks[i].tgid != p->tasks[1].tgid)
			return SERVICE;
	}
	return p->tasks_len > 1 && *profile__str(p, p->tasks[1].group_comm) ?
		       profile__str(p, p->tasks[1].group_comm) :
		       SERVICE;
}

static void put_resource(struct otlp *w)
{
	const struct profile_header *h = &w->p->hdr;

	otlp_put_key_value(&w->inner, RESOURCE_ATTRIBUTE, "service.name", service_of(w));
	if (*profile__str(w->p, h->host))
		otlp_put_key_value(&w->inner, RESOURCE_ATTRIBUTE, "host.name",
				   profile__str(w->p, h->host));
	otlp_put_key_value(&w->inner, RESOURCE_ATTRIBUTE, "os.type", "linux");
	if (*profile__str(w->p, h->kernel))
		otlp_put_key_value(&w->inner, RESOURCE_ATTRIBUTE, "os.version",
				   profile__str(w->p, h->kernel));
	proto__message(&w->resource, RESOURCE_RESOURCE, &w->inner);
}

static void put_scope(struct otlp *w)
{
	const char *version = profile__str(w->p, w->p->hdr.version);

	proto__bytes(&w->inner, SCOPE_NAME, SERVICE, strlen(SERVICE));
	if (*version)
		proto__bytes(&w->inner, SCOPE_VERSION, version, strlen(version));
	proto__message(&w->scope, SCOPE_SCOPE, &w->inner);
	for (int i = 0; i < VALUE_CNT; i++) {
		if (w->view != (value_types[i].on_cpu ? VIEW_OFF : VIEW_ON))
			put_profile(w, (enum value)i);
	}
	proto__message(&w->resource, RESOURCE_SCOPE, &w->scope);
}

static int put_all(struct otlp *w, struct sink *out)
{
	for (u32 i = 1; i < w->p->waits_len && !w->error; i++)
		add_row(w, i);
	say_all(w);
	put_resource(w);
	put_scope(w);
	proto__message(&w->data, DATA_RESOURCE, &w->resource);
	sink__put(out, w->data.bytes.data, w->data.bytes.len);
	proto__reset(&w->data);
	note_error(w, otlp_dictionary__put(&w->dictionary, &w->resource));
	proto__message(&w->data, DATA_DICTIONARY, &w->resource);
	sink__put(out, w->data.bytes.data, w->data.bytes.len);
	return w->error ? w->error : w->data.error;
}

static int start(struct otlp *w)
{
	int r;

	proto__init(&w->data);
	proto__init(&w->resource);
	proto__init(&w->scope);
	proto__init(&w->profile);
	proto__init(&w->sample);
	proto__init(&w->inner);
	r = labels__init(&w->labels, w->p, NULL);
	if (!r)
		r = causes__recall(&w->causes, w->p, w->opt->memo, NULL);
	if (!r)
		r = otlp_dictionary__init(&w->dictionary, w->p, &w->labels);
	return r ? r :
		   intern__init(&w->samples, sizeof(struct sample),
				offsetof(struct sample, values));
}

static void end(struct otlp *w)
{
	intern__done(&w->samples);
	otlp_dictionary__done(&w->dictionary);
	causes__done(&w->causes);
	labels__done(&w->labels);
	proto__done(&w->data);
	proto__done(&w->resource);
	proto__done(&w->scope);
	proto__done(&w->profile);
	proto__done(&w->sample);
	proto__done(&w->inner);
}

static int render(const struct profile *p, const struct render_options *opt, struct sink *out,
		  struct err *err)
{
	const struct shown_options shown_opt = render_shown(p, opt, VIEW_WALL);
	struct otlp w = { .opt = opt, .view = shown_opt.view };
	struct shown shown;
	int r;

	r = shown__init(&shown, p, &shown_opt, NULL);
	w.p = shown.p;
	if (!r)
		r = start(&w);
	if (!r)
		r = put_all(&w, out);
	end(&w);
	shown__done(&shown);
	if (!r)
		return 0;
	return r == -ENOMEM ?
		       err__nomem(err) :
		       err__set(err, r, "cannot make an OTLP profile: it has more than %u MiB",
				PROTO_MAX >> 20);
}

const struct render_ops render_otlp = {
	.name = "otlp",
	.endings = ".otlp",
	.mime = "application/x-protobuf",
	.help = "OpenTelemetry profiles (v1development, 1.10 or newer), for collectors",
	.takes_wakers = true,
	.render = render,
};
