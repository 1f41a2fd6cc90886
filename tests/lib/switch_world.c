/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Everything lies at fixed addresses, so that hashes of addresses, and with them all that is
 * counted, are the same in every run. This file is compiled twice: with calls of the model of cache
 * lines at each load and store, for the tests and the counts, and without, to be timed.
 */
#include "lib/switch_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "lib/host_switch.h"
#include "lib/line_model.h"

#define ARENA 0x210000000000ULL
#define ARENA_SZ (4ULL << 30) /* of addresses */
#define KERNEL_IPS 0x200090000000ULL /* the ORC tables; the text is near, but only numbers */
#define KERNEL_TEXT 0x200081000000ULL
#define KERNEL_TEXT_SZ 0x2000000
#define RQ_AHEAD_NS 12345678 /* of the run queues' clock before the monotonic one */
#define MOVE_EVERY 64
#define USER_STACK_SZ 512
#define PAGE 4096

struct bucket {
	u64 first; /* struct element * */
	u32 lock;
	u32 pad;
};

/* Like struct htab_elem behind the allocator's own word. */
struct element {
	u64 llist;
	u64 next; /* struct element * */
	u64 hash_node[4];
	u32 lru;
	u32 hash;
	u8 key[]; /* then the value */
};

struct host_table {
	struct bucket *buckets;
	u32 buckets_len;
	u32 key_sz;
	u32 value_sz;
	u32 class_sz; /* of an element with all around it */
	u32 each_cpu; /* room for elements */
	u8 *elements;
};

struct host_cpu {
	struct cs_stats stats;
	struct scratch scratch;
	struct memo memos[MEMOS];
	struct print_memo prints[PRINT_MEMOS];
	struct memo_words memo_words;
	struct rq rq;
	struct cfs_rq cfs_rq;
	struct task_struct *current;
	u64 now_ns;
	u64 random;
	u32 number;
	u32 used[4]; /* elements, by table */
};

struct host_task {
	struct task_struct task;
	struct task_struct *leader;
	u64 *user_words;
	u16 kstack;
	u16 ustack;
};

/* As struct bpf_local_storage_data: one word of its own at the begin of a line. */
struct host_slot {
	u64 smap;
	struct task_slot slot;
	u8 pad[(64 - (sizeof(struct task_slot) + 8) % 64) % 64];
};

struct copy {
	u32 cpu;
	u32 at; /* event */
	u32 moved;
	u64 base_ns; /* time of the stream's first event */
	struct host_task *tasks;
};

enum { TABLE_WAITS, TABLE_SHORT, TABLE_MEDIUM, TABLE_LONG, TABLES };

struct switch_world {
	const struct switch_stream *stream;
	u32 cpus;
	enum world_layout layout;
	struct copy copies[WORLD_CPUS];
	struct host_cpu *cpu[WORLD_CPUS];
	struct host_slot *slots;
	struct mm_struct mm;
	struct host_table tables[TABLES];
	u64 used; /* of the arena */
};

/* For looking at it from outside, by no CPU. */
#define UNSEEN __attribute__((no_sanitize("thread")))

static struct switch_world *world;
static __thread struct host_cpu *here;

static __always_inline u64 host_now(void)
{
	return here->now_ns;
}

static __always_inline u32 host_cpu_number(void)
{
	return here->number;
}

static __always_inline u32 host_random(void)
{
	here->random = here->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return here->random >> 32;
}

static __always_inline struct task_struct *host_current(void)
{
	return here->current;
}

static __always_inline const void *host_user_regs(const struct task_struct *task)
{
	return (const void *)(kernel_stack_top(task) - control.orc.regs_sz);
}

static __always_inline void *host_slot(struct task_struct *task)
{
	return task->pid ? &world->slots[task->pid].slot : NULL;
}

/* The helper sees __schedule()'s caller and so on, below the frames of our programs. */
static long host_kernel_stack(u64 *pc, u32 sz)
{
	const struct host_task *task = (const struct host_task *)here->current;
	const struct switch_kstack *k = &world->stream->kstacks[task->kstack];
	u32 i;

	for (i = 0; i < k->len && i < sz / 8; i++)
		pc[i] = KERNEL_TEXT + k->off[i];
	return 8L * i;
}

/* In the place of unwind.bpf.c: the words of the stack tell which one it is. */
int walk_all(struct user_walk *w)
{
	const u64 *words = (const u64 *)w->trail_sp;
	u32 i;

	for (i = 0; i < 8; i++) {
		w->stack.pc[i] = cs_pc_module(1 + i, words[i]);
		w->trail[i] = (u16)(8 * i);
	}
	w->stack.len = 8;
	w->trail_len = 8;
	return 0;
}

static __always_inline int table_of(const void *map)
{
	return map == &waits	     ? TABLE_WAITS :
	       map == &short_stacks  ? TABLE_SHORT :
	       map == &medium_stacks ? TABLE_MEDIUM :
	       map == &stacks	     ? TABLE_LONG :
				       -1;
}

static __always_inline u32 hash_of(const u8 *key, u32 sz)
{
	u64 h = 0x9e3779b97f4a7c15ULL;
	u32 i;

	for (i = 0; i < sz; i += 8) {
		h = (h ^ *(const u64 *)(key + i)) * 0xd6e8feb86659fd93ULL;
		h ^= h >> 32;
	}
	return (u32)h;
}

static __always_inline u8 *find_in(u64 at, const void *key, u32 sz, u32 hash)
{
	while (at) {
		struct element *e = (struct element *)at;

		if (e->hash == hash && !memcmp(e->key, key, sz))
			return e->key + sz;
		at = e->next;
	}
	return NULL;
}

static __always_inline struct bucket *bucket_of(const struct host_table *t, u32 hash)
{
	return &t->buckets[hash & (t->buckets_len - 1)];
}

static __always_inline void *host_lookup(const void *map, const void *key)
{
	const u32 *index = key;
	int table = table_of(map);

	if (table >= 0) {
		const struct host_table *t = &world->tables[table];
		u32 hash = hash_of(key, t->key_sz);

		return find_in(*(volatile u64 *)&bucket_of(t, hash)->first, key, t->key_sz, hash);
	}
	return map == &stats	   ? (void *)&here->stats :
	       map == &scratches   ? (void *)&here->scratch :
	       map == &memos	   ? (void *)&here->memos[*index & (MEMOS - 1)] :
	       map == &print_memos ? (void *)&here->prints[*index & (PRINT_MEMOS - 1)] :
	       map == &memo_words  ? (void *)&here->memo_words :
				     NULL;
}

static long host_insert(const void *map, const void *key, const void *value)
{
	int table = table_of(map);
	struct host_table *t = &world->tables[table < 0 ? 0 : table];
	u32 hash = hash_of(key, t->key_sz), slot;
	struct bucket *b = bucket_of(t, hash);
	struct element *e;
	long r = -17; /* EEXIST */

	if (table < 0)
		return -1;
	if (here->used[table] == t->each_cpu)
		return -7; /* E2BIG */
	while (__sync_lock_test_and_set(&b->lock, 1))
		;
	if (!find_in(b->first, key, t->key_sz, hash)) {
		slot = here->number * t->each_cpu + here->used[table]++;
		e = (struct element *)(t->elements + (u64)slot * t->class_sz);
		e->next = b->first;
		e->hash = hash;
		memcpy(e->key, key, t->key_sz);
		memcpy(e->key + t->key_sz, value, t->value_sz);
		*(volatile u64 *)&b->first = (u64)e;
		r = 0;
	}
	__sync_lock_release(&b->lock);
	return r;
}

/* Memory of a whole number of pages, zeroed. */
static void *take(struct switch_world *w, u64 sz)
{
	u64 at = ARENA + w->used;

	w->used += (sz + PAGE - 1) & ~(PAGE - 1ULL);
	return (void *)at;
}

static void *map_at(u64 at, u64 sz)
{
	void *p = mmap((void *)at, sz, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	return p == MAP_FAILED || (u64)p != at ? NULL : p;
}

static void table_init(struct switch_world *w, int table, u32 buckets, u32 key_sz, u32 value_sz)
{
	struct host_table *t = &w->tables[table];

	t->buckets_len = buckets;
	t->key_sz = key_sz;
	t->value_sz = value_sz;
	t->each_cpu = 1024;
	for (t->class_sz = 64; t->class_sz < sizeof(struct element) + key_sz + value_sz;)
		t->class_sz *= 2;
	t->buckets = take(w, (u64)buckets * sizeof(struct bucket));
	t->elements = take(w, (u64)t->each_cpu * t->class_sz * w->cpus);
}

struct orc_row {
	s16 sp_off;
	s16 bp_off;
	u8 regs; /* of sp, of bp */
	u8 type;
} __attribute__((packed));

static int by_value(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

/*
 * A row for each return address: every frame has two words. The outermost ones end at the user
 * registers, or are the kernel thread's.
 */
static int make_orc(struct switch_world *w)
{
	const struct switch_stream *s = w->stream;
	struct orc_row *rows;
	u32 i, j, n = 0, *offs;
	s32 *ips;

	offs = calloc((u64)s->kstacks_len * STREAM_FRAMES, sizeof(*offs));
	ips = map_at(KERNEL_IPS, 1 << 20);
	if (!offs || !ips) {
		free(offs);
		return -1;
	}
	for (i = 1; i < s->kstacks_len; i++)
		for (j = 0; j < s->kstacks[i].len; j++)
			offs[n++] = s->kstacks[i].off[j];
	qsort(offs, n, sizeof(*offs), by_value);
	rows = (struct orc_row *)(KERNEL_IPS + (1 << 19));
	for (i = 0; i < n; i++) {
		ips[i] = (s32)(KERNEL_TEXT + offs[i] - 1 - (u64)&ips[i]);
		rows[i] = (struct orc_row){ 16, 0, ORC_SP, ORC_CALL };
		for (j = 1; j < s->kstacks_len; j++)
			if (s->kstacks[j].off[s->kstacks[j].len - 1] == offs[i])
				rows[i].type = ORC_REGS;
	}
	free(offs);
	control.orc.ips = (u64)ips;
	control.orc.entries = (u64)rows;
	control.orc.text = KERNEL_TEXT;
	control.orc.text_end = KERNEL_TEXT + KERNEL_TEXT_SZ;
	control.orc.len = n;
	control.orc.regs_sz = sizeof(struct pt_regs);
	return 0;
}

/* What a thread leaves behind when it leaves the CPU. */
static void leave_stacks(struct host_task *t, u16 kstack, u16 ustack)
{
	const struct switch_kstack *k = &world->stream->kstacks[kstack];
	u64 user = kernel_stack_top(&t->task) - control.orc.regs_sz, *sp;
	u32 i;

	if (t->kstack == kstack && t->ustack == ustack)
		return;
	t->kstack = kstack;
	t->ustack = ustack;
	sp = (u64 *)(user - 16ULL * k->len);
	for (i = 1; i < k->len; i++)
		sp[2 * i - 1] = KERNEL_TEXT + k->off[i];
	sp -= INACTIVE_SZ / 8;
	sp[INACTIVE_IP / 8] = k->len ? KERNEL_TEXT + k->off[0] : 0;
	t->task.thread.sp = (unsigned long)sp;
	for (i = 0; i < 8; i++)
		t->user_words[i] = ustack * 64 + i;
	((struct pt_regs *)user)->ip = 0x1000 + ustack;
	((struct pt_regs *)user)->orig_ax = ustack & 0xff;
}

static void make_task(struct switch_world *w, struct copy *c, u32 i, u32 pid)
{
	struct host_task *t = &c->tasks[i];
	struct pt_regs *regs;
	u64 top;

	t->leader = &c->tasks[1].task;
	t->task.group_leader = t->leader;
	t->task.pid = i ? (int)pid : 0;
	t->task.bpf_storage = i ? (struct bpf_local_storage *)w->slots : NULL;
	t->task.se.cfs_rq = &w->cpu[c - w->copies]->cfs_rq;
	t->task.tgid = i ? 1000 + (int)(c - w->copies) : 0;
	t->task.flags = !i || w->stream->kernel_thread[i] ? PF_KTHREAD : 0;
	t->task.mm = t->task.flags ? NULL : &w->mm;
	t->task.cgroups = &host_css_set;
	t->user_words = take(w, USER_STACK_SZ);
	top = (u64)take(w, 2 * KERNEL_STACK_SZ) + 2 * KERNEL_STACK_SZ;
	top &= ~(KERNEL_STACK_SZ - 1ULL);
	t->task.thread.sp = top - KERNEL_STACK_SZ / 2;
	regs = (struct pt_regs *)(top - control.orc.regs_sz);
	regs->cs = USER_CS;
	regs->sp = (unsigned long)t->user_words;
	regs->ip = 0x1000;
	leave_stacks(t, 0, 0);
}

/* Threads are taken into the trace as task_mark() does it, less what it reads of the kernel. */
static void mark(struct switch_world *w, u32 copy, u32 i, u32 pid)
{
	struct task_slot *slot = &w->slots[pid].slot;
	u32 threads = w->stream->threads_len;

	/* Not looked into: host_slot() finds it. */
	w->copies[copy].tasks[i].task.bpf_storage = (struct bpf_local_storage *)slot;
	slot->rec.id = 1 + (w->layout == WORLD_ONE_KEY ? i : copy * threads + i);
	slot->rec.tid = slot->rec.host_tid = pid;
	slot->rec.tgid = slot->rec.host_tgid = 1000 + copy;
	slot->rec.image = w->layout == WORLD_ONE_KEY ? 1 : 1 + copy;
	slot->phase = CS_PHASE_UNSEEN;
	slot->since_ns = 1;
}

static void make_copies(struct switch_world *w)
{
	u32 i, c, threads = w->stream->threads_len;

	w->slots = take(w, ((u64)w->cpus * threads + 1) * sizeof(*w->slots));
	for (c = 0; c < w->cpus; c++)
		w->cpu[c] = take(w, sizeof(*w->cpu[c]));
	for (c = 0; c < w->cpus; c++) {
		struct host_cpu *cpu = w->cpu[c];
		struct copy *copy = &w->copies[c];

		cpu->number = c;
		cpu->random = c + 1;
		cpu->cfs_rq.rq = &cpu->rq;
		copy->cpu = c;
		copy->tasks = take(w, threads * sizeof(*copy->tasks));
		/* They do not all do the same at one time. */
		copy->base_ns = 1000000000 + w->stream->span_ns * c / w->cpus;
		for (i = 0; i < threads; i++) {
			u32 pid = 1 + c * threads + i;

			make_task(w, copy, i, pid);
			if (i)
				mark(w, c, i, pid);
		}
		/* They are asleep where they will be again at the end of the stream. */
		for (i = 0; i < w->stream->events_len; i++) {
			const struct switch_event *e = &w->stream->events[i];

			if (!e->waking)
				leave_stacks(&copy->tasks[e->thread], e->kstack, e->ustack);
		}
	}
}

static void configure(const struct switch_world *w, u64 period_ns)
{
	cfg = (struct cs_cfg){
		.split = w->layout == WORLD_WOKEN ? CS_SPLIT_WAKING : CS_SPLIT_SCHED_INFO,
		.user_threads = 1,
		.kernel_threads = 1,
		.user_stacks = 1,
		.kernel_stacks = 1,
		.state_any = 1,
		.kstack_len = CS_STACK_DEFAULT,
		.ustack_len = CS_STACK_DEFAULT,
		.mm_walk = 1,
		.orc = 1,
		.memo = 1,
		.max_ns = ~0ULL,
	};
	control = (struct cs_control){
		.begin_ns = 2, /* even: one table of waits */
		.end_ns = ~0ULL,
		.last_ns = ~0ULL,
		.period_ns = period_ns,
	};
	memset(orc_cache, 0, sizeof(orc_cache));
}

struct switch_world *switch_world__new(const struct switch_stream *stream, u32 cpus,
				       enum world_layout layout, u64 period_ns)
{
	struct switch_world *w;

	if (world || !cpus || cpus > WORLD_CPUS)
		return NULL;
	w = map_at(ARENA, ARENA_SZ);
	if (!w)
		return NULL;
	world = w;
	w->stream = stream;
	w->cpus = cpus;
	w->layout = layout;
	w->used = PAGE * (1 + sizeof(*w) / PAGE);
	configure(w, period_ns);
	if (make_orc(w)) {
		switch_world__free(w);
		return NULL;
	}
	table_init(w, TABLE_WAITS, 131072, sizeof(struct cs_wait_key), sizeof(struct cs_wait_sum));
	table_init(w, TABLE_SHORT, 8192, 8, CS_STACK_SZ(CS_STACK_SHORT));
	table_init(w, TABLE_MEDIUM, 4096, 8, CS_STACK_SZ(CS_STACK_MEDIUM));
	table_init(w, TABLE_LONG, 32768, 8, sizeof(struct cs_stack));
	make_copies(w);
	return w;
}

void switch_world__free(struct switch_world *w)
{
	if (!w)
		return;
	world = NULL;
	munmap((void *)KERNEL_IPS, 1 << 20);
	munmap(w, ARENA_SZ);
}

static void do_switch(struct host_cpu *cpu, struct host_task *prev, struct host_task *next,
		      u32 state, _Bool hooks)
{
	struct sched_info *in = &next->task.sched_info;

	next->task.se.cfs_rq = &cpu->cfs_rq;
	/* The clock was read a moment before. */
	cpu->rq.clock = cpu->now_ns + RQ_AHEAD_NS - (cpu->now_ns * 2654435769U >> 8 & 1023);
	if (hooks)
		on_sched_switch(NULL, 0, &prev->task, &next->task, state);
	/* sched_info */
	if (!state)
		prev->task.sched_info.last_queued = cpu->rq.clock;
	if (in->last_queued && cpu->rq.clock > in->last_queued)
		in->run_delay += cpu->rq.clock - in->last_queued;
	in->last_queued = 0;
	in->last_arrival = cpu->rq.clock;
	cpu->current = &next->task;
	if (hooks)
		on_sched_exit(NULL, 1);
}

static void do_event(struct switch_world *w, struct copy *c, u32 on, _Bool hooks)
{
	const struct switch_event *e = &w->stream->events[c->at];
	struct host_task *t = &c->tasks[e->thread];

	here = w->cpu[on];
	here->now_ns = c->base_ns + e->at_ns;
	if (!e->waking) {
		leave_stacks(t, e->kstack, e->ustack);
		do_switch(here, t, &c->tasks[e->next], e->state, hooks);
	} else {
		t->task.sched_info.last_queued = here->now_ns + RQ_AHEAD_NS;
		if (hooks && cfg.split == CS_SPLIT_WAKING)
			on_sched_waking(NULL, &t->task);
	}
	if (++c->at == w->stream->events_len) {
		c->at = 0;
		c->base_ns += w->stream->span_ns + 1000;
	}
}

/* The thread on the CPU is preempted and goes on with the next one, and with it all others. */
static void move(struct switch_world *w, struct copy *c)
{
	struct host_task *running = &c->tasks[w->stream->events[c->at].thread];
	u64 now = c->base_ns + w->stream->events[c->at].at_ns;
	u32 i;

	if (w->stream->events[c->at].waking)
		return; /* soon */
	c->moved = 0;
	here = w->cpu[c->cpu];
	here->now_ns = now;
	do_switch(here, running, &c->tasks[0], 0, 1);
	c->cpu = (c->cpu + 1) % w->cpus;
	line_model__run_on(c->cpu);
	/* The new CPU takes them from where they are, all of them asleep but on a run queue. */
	for (i = 1; i < w->stream->threads_len; i++) {
		here = w->cpu[c->cpu];
		here->now_ns = now;
		c->tasks[i].task.se.sched_delayed = &c->tasks[i] != running;
		on_sched_migrate(NULL, &c->tasks[i].task);
	}
	here = w->cpu[c->cpu];
	here->now_ns = now;
	do_switch(here, &c->tasks[0], running, 0, 1);
}

static u64 next_ns(const struct switch_world *w, const struct copy *c)
{
	return c->base_ns + w->stream->events[c->at].at_ns;
}

void switch_world__pass(struct switch_world *w)
{
	u32 left[WORLD_CPUS], i, on;

	for (i = 0; i < w->cpus; i++)
		left[i] = w->stream->events_len;
	for (;;) {
		struct copy *first = NULL;

		for (i = 0; i < w->cpus; i++)
			if (left[i] && (!first || next_ns(w, &w->copies[i]) < next_ns(w, first)))
				first = &w->copies[i];
		if (!first)
			return;
		left[first - w->copies]--;
		line_model__run_on(first->cpu);
		if (w->layout == WORLD_MOVING && first->moved++ >= MOVE_EVERY)
			move(w, first);
		on = first->cpu;
		if (w->layout == WORLD_WOKEN && w->stream->events[first->at].waking)
			on = (on + 1) % w->cpus;
		line_model__run_on(on);
		do_event(w, first, on, 1);
	}
}

void switch_world__pass_of(struct switch_world *w, u32 copy, _Bool hooks)
{
	struct copy *c = &w->copies[copy];
	u32 i;

	for (i = 0; i < w->stream->events_len; i++)
		do_event(w, c, c->cpu, hooks);
}

UNSEEN u64 switch_world__switches(const struct switch_world *w)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < w->cpus; i++)
		sum += w->cpu[i]->stats.switches;
	return sum;
}

UNSEEN u64 switch_world__chosen(const struct switch_world *w)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < w->cpus; i++)
		sum += w->cpu[i]->stats.chosen;
	return sum;
}

/* Counters that stay at 0 where nothing is wrong. */
UNSEEN u64 switch_world__lost(const struct switch_world *w)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < w->cpus; i++) {
		const struct cs_stats *s = &w->cpu[i]->stats;

		sum += s->wait_lost + s->resume_missed + s->missed_in + s->missed_out +
		       s->clock_back + s->unreported + s->kstack_differs + s->ustack_differs;
	}
	return sum;
}

UNSEEN u64 switch_world__listed_ns(const struct switch_world *w)
{
	const struct host_table *t = &w->tables[TABLE_WAITS];
	u64 sum = 0, at;
	u32 i;

	for (i = 0; i < t->buckets_len; i++)
		for (at = t->buckets[i].first; at; at = ((struct element *)at)->next) {
			const struct cs_wait_sum *s =
				(const void *)(((struct element *)at)->key + t->key_sz);

			sum += s->blocked_ns + s->runq_ns;
		}
	return sum;
}

UNSEEN u64 switch_world__waited_ns(const struct switch_world *w)
{
	u64 sum = 0;
	u32 i, j, slots = w->cpus * w->stream->threads_len;

	for (i = 1; i <= slots; i++) {
		const struct cs_totals *t = &w->slots[i].slot.rec.totals;

		sum += t->preempted_ns + t->runq_ns;
		for (j = 0; j < CS_STATE_CNT; j++)
			sum += t->blocked_ns[j];
	}
	return sum;
}

const char *const switch_world_regions[] = {
	"control", "orc cache", "buckets", "sums", "stack buckets",
	"stacks",  "threads",	"per CPU", NULL,
};

void switch_world__show_lines(const struct switch_world *w)
{
	const struct host_table *t = w->tables;
	u32 threads = w->stream->threads_len;
	u64 stacks_at = (u64)t[TABLE_SHORT].elements;

	line_model__add("control", &control, sizeof(control));
	line_model__add("orc cache", orc_cache, sizeof(orc_cache));
	line_model__add("buckets", t[TABLE_WAITS].buckets,
			t[TABLE_WAITS].buckets_len * sizeof(struct bucket));
	line_model__add("sums", t[TABLE_WAITS].elements,
			(u64)t[TABLE_WAITS].each_cpu * t[TABLE_WAITS].class_sz * w->cpus);
	line_model__add("stack buckets", t[TABLE_SHORT].buckets,
			t[TABLE_SHORT].buckets_len * sizeof(struct bucket));
	line_model__add("stacks", (void *)stacks_at,
			(u64)t[TABLE_SHORT].each_cpu * t[TABLE_SHORT].class_sz * w->cpus);
	line_model__add("threads", w->slots, ((u64)w->cpus * threads + 1) * sizeof(*w->slots));
	line_model__add("per CPU", w->cpu[0], (u64)(w->cpu[w->cpus - 1] + 1) - (u64)w->cpu[0]);
}
