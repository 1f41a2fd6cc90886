/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces of Perfetto and of wprof: packets of trace_packet.proto. Of them count the switches and
 * wakeups that the kernel's tracepoints gave (data source linux.ftrace), from which every thread
 * gets its exact times, the names of threads and processes, and the call stacks that wprof gives
 * to the end of a thread's time on a CPU.
 */
#include <errno.h>

#include "import/format.h"
#include "import/perfetto_names.h"
#include "import/perfetto_replay.h"
#include "import/wire.h"

/* Of a head that may be a trace. */
#define HEAD_PACKETS 4

enum {
	TRACE_PACKET = 1,
	PACKET_FTRACE_EVENTS = 1,
	PACKET_PROCESS_TREE = 2,
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_STATE_CLEARED = 41,
	PACKET_PREVIOUS_DROPPED = 42,
	PACKET_SYSTEM_INFO = 45,
	PACKET_COMPRESSED = 50,
	PACKET_TRACK_DESCRIPTOR = 60,
	PACKET_FIELD_MAX = 1000,
	FLAG_STATE_CLEARED = 1,
	EVENT_TYPE = 9,
	EVENT_TRACK_UUID = 11,
	EVENT_CALLSTACK_IID = 56,
	EVENT_TYPE_SLICE_END = 2,
	SNAPSHOT_CLOCKS = 1,
	CLOCK_ID = 1,
	CLOCK_TIMESTAMP = 2,
	CLOCK_IS_REALTIME = 1,
	CLOCK_IS_BOOTTIME = 6,
	BUNDLE_FTRACE_CLOCK = 5,
	SYSTEM_UTSNAME = 1,
	UTSNAME_RELEASE = 3,
	UTSNAME_MACHINE = 4,
};

struct perfetto {
	struct input *in;
	struct gather *g;
	struct sched_trace sched;
	struct perfetto_interned interned;
	struct perfetto_events events;
	struct perfetto_names names;
	struct vec unpacked; /* struct vec of u8: views point there */
	u64 dropped; /* packets, at least */
	s64 wall_less_boot_ns;
	bool has_wall;
	bool other_clock; /* events are not in CLOCK_BOOTTIME */
};

static bool is_packet(struct view message, bool whole)
{
	struct wire_field f;
	bool any = false;

	while (wire__next(&message, &f)) {
		if (f.number > PACKET_FIELD_MAX)
			return false;
		any = true;
	}
	return any && (!whole || !view__left(&message));
}

static bool detect(struct view head)
{
	struct wire_field f;
	struct view at = head;
	u32 n;

	if (import_is_text(head) || !view__left(&head))
		return false;
	for (n = 0; n < HEAD_PACKETS && view__left(&at); n++) {
		struct view before = at;
		u64 key = view__uleb(&before), sz = view__uleb(&before);

		if (before.bad || key != (TRACE_PACKET << 3 | 2))
			return false;
		/* the head may end within a packet */
		if (sz > view__left(&before))
			return n || is_packet(before, false);
		wire__next(&at, &f);
		if (!is_packet(f.bytes, true))
			return false;
	}
	return true;
}

/* Where a thread stops to run, wprof says with which stack. */
static int take_track_event(struct perfetto *p, u64 time_ns, u32 sequence, struct view message)
{
	u64 iid = wire__number(message, EVENT_CALLSTACK_IID);
	u32 tid = perfetto_names__tid(&p->names, wire__number(message, EVENT_TRACK_UUID)), stack;

	if (!iid || !tid || wire__number(message, EVENT_TYPE) != EVENT_TYPE_SLICE_END)
		return 0;
	stack = perfetto_interned__stack(&p->interned, sequence, iid);
	return stack ? perfetto_events__add_stack(&p->events, time_ns, tid, stack) : 0;
}

static void take_clocks(struct perfetto *p, struct view message)
{
	u64 wall_ns = 0, boot_ns = 0;
	bool has_boot = false;
	struct wire_field f;

	while (wire__next(&message, &f)) {
		u64 id = f.number == SNAPSHOT_CLOCKS ? wire__number(f.bytes, CLOCK_ID) : 0;

		if (id == CLOCK_IS_REALTIME)
			wall_ns = wire__number(f.bytes, CLOCK_TIMESTAMP);
		if (id != CLOCK_IS_BOOTTIME)
			continue;
		boot_ns = wire__number(f.bytes, CLOCK_TIMESTAMP);
		has_boot = true;
	}
	if (!wall_ns || !has_boot || p->has_wall)
		return;
	p->has_wall = true;
	p->wall_less_boot_ns = (s64)(wall_ns - boot_ns);
}

static int take_system(struct perfetto *p, struct view message)
{
	struct profile_header *h = builder__header(p->g->b);
	struct view uts = wire__bytes(message, SYSTEM_UTSNAME);
	struct view release = wire__bytes(uts, UTSNAME_RELEASE);
	struct view machine = wire__bytes(uts, UTSNAME_MACHINE);
	int r = view__left(&release) ? gather__str(p->g, &release, &h->kernel) : 0;

	return r || !view__left(&machine) ? r : gather__str(p->g, &machine, &h->arch);
}

static int take_interned(struct perfetto *p, struct view packet, u32 sequence)
{
	bool cleared = wire__number(packet, PACKET_STATE_CLEARED) ||
		       wire__number(packet, PACKET_SEQUENCE_FLAGS) & FLAG_STATE_CLEARED;
	struct view data = wire__bytes(packet, PACKET_INTERNED_DATA);
	int r = cleared ? perfetto_interned__restart(&p->interned, sequence) : 0;

	return r ? r : perfetto_interned__add(&p->interned, sequence, data);
}

static int take_data(struct perfetto *p, const struct wire_field *f, u64 time_ns, u32 sequence)
{
	switch (f->number) {
	case PACKET_FTRACE_EVENTS:
		p->other_clock |= wire__number(f->bytes, BUNDLE_FTRACE_CLOCK) != 0;
		return perfetto_events__add_bundle(&p->events, f->bytes);
	case PACKET_PROCESS_TREE:
		return perfetto_names__add_tree(&p->names, f->bytes);
	case PACKET_CLOCK_SNAPSHOT:
		take_clocks(p, f->bytes);
		return 0;
	case PACKET_TRACK_EVENT:
		return take_track_event(p, time_ns, sequence, f->bytes);
	case PACKET_SYSTEM_INFO:
		return take_system(p, f->bytes);
	case PACKET_TRACK_DESCRIPTOR:
		return perfetto_names__add_track(&p->names, f->bytes);
	default:
		return 0;
	}
}

static int take_packet(struct perfetto *p, struct view packet)
{
	u32 sequence = (u32)wire__number(packet, PACKET_SEQUENCE_ID);
	u64 time_ns = wire__number(packet, PACKET_TIMESTAMP);
	struct wire_field f;
	int r = take_interned(p, packet, sequence);

	p->dropped += wire__number(packet, PACKET_PREVIOUS_DROPPED) != 0;
	while (!r && wire__next(&packet, &f)) {
		if (f.is_bytes)
			r = take_data(p, &f, time_ns, sequence);
	}
	return r ? r : view__left(&packet) ? -EINVAL : 0;
}

static int fault(const struct perfetto *p, u64 offset, int r, struct err *err)
{
	if (r == -EINVAL && !offset)
		return err__set(err, r,
				"'%s' is no Perfetto trace: it does not begin with a whole packet",
				p->in->name);
	if (r == -EINVAL)
		return input__fault_at(p->in, offset, err, "a packet that is damaged or cut short");
	return import_refuse(p->in, r, err);
}

/* Packets that were compressed together; the offset of all of them is that of the whole. */
static int take_compressed(struct perfetto *p, struct view packed, u64 offset, struct err *err)
{
	struct vec *bytes = vec__push(&p->unpacked);
	struct wire_field f;
	struct view all;
	int r;

	if (!bytes)
		return err__nomem(err);
	vec__init(bytes, 1);
	r = input__inflate(p->in, packed, "compressed data", offset, bytes, err);
	if (r)
		return r;
	all = view__of(bytes->data, bytes->len);
	while (!r && wire__next(&all, &f))
		r = f.number == TRACE_PACKET && f.is_bytes ? take_packet(p, f.bytes) : 0;
	if (!r && view__left(&all))
		r = -EINVAL;
	return r ? fault(p, offset, r, err) : 0;
}

static int read_packets(struct perfetto *p, struct err *err)
{
	struct view all, packed;
	struct wire_field f;
	const u8 *start, *at;
	int r = input__rest(p->in, &all, err);

	start = at = all.p;
	while (!r && wire__next(&all, &f)) {
		if (f.number == TRACE_PACKET && f.is_bytes) {
			r = take_packet(p, f.bytes);
			if (r)
				return fault(p, (u64)(at - start), r, err);
			packed = wire__bytes(f.bytes, PACKET_COMPRESSED);
			if (view__left(&packed))
				r = take_compressed(p, packed, (u64)(packed.p - start), err);
		}
		at = all.p;
	}
	return r || !(view__left(&all) || all.bad) ? r : fault(p, (u64)(at - start), -EINVAL, err);
}

static int finish(struct perfetto *p, struct profile **ret, struct err *err)
{
	struct profile_header *h = builder__header(p->g->b);
	u32 unknown = h->kernel ? 0 : UNKNOWN_MACHINE;
	u64 switches;
	int r = perfetto_replay(&p->events, &p->interned, &p->sched, &switches);

	if (!r && !switches)
		return err__set(err, -EINVAL,
				"'%s' has no switches of the scheduler: record sched/sched_switch "
				"and sched/sched_waking (data source linux.ftrace), or with wprof",
				p->in->name);
	if (!r)
		r = perfetto_names__give(&p->names, &p->sched);
	if (!r)
		r = sched_trace__end(&p->sched);
	if (!r && p->events.gaps + p->dropped)
		r = builder__loss(p->g->b, LOSS_SOURCE_LOST, p->events.gaps + p->dropped, 0);
	if (r)
		return import_refuse(p->in, r, err);
	if (p->has_wall && !p->other_clock)
		h->begin_wall_ns = p->sched.begin_ns + (u64)p->wall_less_boot_ns;
	else
		unknown |= UNKNOWN_BEGIN;
	unknown |= p->sched.has_wakeups ? 0 : UNKNOWN_RUNQ;
	unknown |= p->sched.has_tgids ? 0 : UNKNOWN_PROCESSES;
	return gather__finish(p->g, "Perfetto trace", unknown, ret, err);
}

static int init(struct perfetto *p)
{
	int r = sched_trace__init(&p->sched, p->g);

	perfetto_names__init(&p->names);
	vec__init(&p->unpacked, sizeof(struct vec));
	if (!r)
		r = perfetto_interned__init(&p->interned);
	return r ? r : perfetto_events__init(&p->events);
}

static void done(struct perfetto *p)
{
	for (size_t i = 0; i < p->unpacked.len; i++)
		vec__done(vec__at(&p->unpacked, i));
	vec__done(&p->unpacked);
	perfetto_names__done(&p->names);
	perfetto_events__done(&p->events);
	perfetto_interned__done(&p->interned);
	sched_trace__done(&p->sched);
}

static int read_perfetto(struct input *in, struct gather *g, struct profile **ret, struct err *err)
{
	struct perfetto p = { .in = in, .g = g };
	int r = init(&p);

	if (r)
		err__nomem(err);
	if (!r)
		r = read_packets(&p, err);
	if (!r)
		r = finish(&p, ret, err);
	done(&p);
	return r;
}

const struct import_format import_perfetto = {
	.name = "perfetto",
	.detect = detect,
	.read = read_perfetto,
};
