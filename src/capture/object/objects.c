/* SPDX-License-Identifier: Apache-2.0 */

/* Kernel pointers used as identities end here; names replace them. */
#include "capture/object/objects.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/self_memory.h"

#include "capture/object/anon_kind.h"
#include "capture/object/object_names.h"
#include "capture/program/constants.h"
#include "capture/program/tables.h"

/* Offsets of the futex words in glibc's pthread_cond_t, old and since 2.41. */
#define COND_SIGNALS_AT 40
#define COND_SIGNALS_AT_241 32

/* An object of the table. */
struct read_object {
	struct cs_object_key key; /* without CS_OBJECT_SIDE */
	struct cs_object value;
};

void objects__init(struct objects *o, struct builder *b, struct peers *peers)
{
	struct stat st;

	*o = (struct objects){ .b = b, .peers = peers };
	if (!stat("/proc/self/ns/pid", &st))
		o->own_pidns = (u32)st.st_ino;
	map64__init(&o->modules);
	map64__init(&o->ids);
	vec__init(&o->read, sizeof(struct read_object));
	map64__init(&o->read_by_id);
	map64__init(&o->threads);
	map64__init(&o->by_own);
	map64__init(&o->spaces);
	devices__init(&o->devices);
	map64__init(&o->by_tid);
	map64__init(&o->by_host);
}

void objects__done(struct objects *o)
{
	map64__done(&o->modules);
	map64__done(&o->ids);
	vec__done(&o->read);
	map64__done(&o->read_by_id);
	map64__done(&o->threads);
	map64__done(&o->by_own);
	map64__done(&o->spaces);
	devices__done(&o->devices);
	map64__done(&o->by_tid);
	map64__done(&o->by_host);
}

/* `space`: a process, or a PID namespace. */
static u64 thread_key(u32 space, u32 own_tid)
{
	return (u64)space << 32 | own_tid;
}

int objects__add_thread(struct objects *o, const struct cs_task_record *rec, u32 task)
{
	u64 thread = (u64)rec->tid << 32 | task;
	int r = map64__set(&o->threads, thread_key(rec->tgid, rec->own_tid), thread);

	if (!r)
		r = map64__set(&o->by_own, thread_key(rec->own_pidns, rec->own_tid), thread);
	if (!r)
		r = map64__set(&o->by_tid, rec->tid, task);
	if (!r)
		r = map64__set(&o->by_host, rec->host_tgid, rec->tgid);
	return r ? r : map64__set(&o->spaces, task, (u64)rec->tgid << 32 | rec->own_pidns);
}

/* A thread in our PID namespace that is not in the recording. */
static bool is_thread_of(u32 tgid, u32 tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/task/%u", tgid, tid);
	return !access(path, F_OK);
}

/* In a PID namespace of our own, only processes in the recording have a number. */
static u32 process_of_host(const struct objects *o, u32 host_tgid)
{
	u64 tgid;

	if (map64__get(&o->by_host, host_tgid, &tgid))
		return (u32)tgid;
	return o->own_pidns == INITIAL_PIDNS_INUM ? host_tgid : 0;
}

void objects__owner(const struct objects *o, u32 owner, u32 waiter, u32 *ret_task, u32 *ret_tid)
{
	u32 own_tid = owner & CS_OWNER_NUMBER, tgid, pidns;
	u64 thread, space;

	*ret_task = *ret_tid = 0;
	if (!own_tid)
		return;
	if (owner & CS_OWNER_FILE_LOCK)
		own_tid = process_of_host(o, own_tid);
	if (owner & (CS_OWNER_SURE | CS_OWNER_FILE_LOCK)) {
		*ret_tid = own_tid;
		if (map64__get(&o->by_tid, own_tid, &thread))
			*ret_task = (u32)thread;
		return;
	}
	if (!map64__get(&o->spaces, waiter, &space))
		return;
	tgid = (u32)(space >> 32);
	pidns = (u32)space;
	if (map64__get(&o->threads, thread_key(tgid, own_tid), &thread) ||
	    (owner & CS_OWNER_SHARED &&
	     map64__get(&o->by_own, thread_key(pidns, own_tid), &thread))) {
		*ret_task = (u32)thread;
		*ret_tid = (u32)(thread >> 32);
	} else if (pidns == o->own_pidns &&
		   is_thread_of(owner & CS_OWNER_SHARED ? own_tid : tgid, own_tid)) {
		*ret_tid = own_tid;
	}
}

static int take_anon(struct objects *o, const struct cs_object_key *k, const struct cs_object *v,
		     struct profile_object *ret)
{
	char name[CS_OBJECT_PATH_SZ + 1] = "";

	memcpy(name, v->path, CS_OBJECT_PATH_SZ);
	ret->kind = anon_kind(name);
	ret->number = k->number;
	ret->tgid = v->tgid;
	return ret->kind == OBJECT_ANON ? builder__str(o->b, name, &ret->name) : 0;
}

static int take_file(struct objects *o, const struct cs_object_key *k, const struct cs_object *v,
		     struct profile_object *ret)
{
	char buf[OBJECT_NAME_SZ];
	int r = builder__str(o->b, object_name_path(v, buf), &ret->name);

	ret->kind = k->kind == CS_OBJECT_FIFO ? OBJECT_FIFO : OBJECT_FILE;
	ret->number = k->role;
	ret->dev = k->dev;
	ret->ino = k->at;
	if (!r && k->kind == CS_OBJECT_FILE)
		r = devices__name(&o->devices, o->b, k->dev, v->tgid, &ret->file);
	return r;
}

static int take_socket(struct objects *o, const struct cs_object_key *k, const struct cs_object *v,
		       struct profile_object *ret)
{
	char buf[OBJECT_NAME_SZ];
	int r;

	ret->kind = OBJECT_SOCKET;
	ret->family = k->family;
	ret->type = k->type;
	ret->protocol = k->protocol;
	ret->role = k->role < SOCKET_ROLE_CNT ? k->role : SOCKET_UNCONNECTED;
	if (k->family == AF_INET || k->family == AF_INET6) {
		ret->port = k->number >> 16 ? k->number >> 16 : k->number;
		return builder__str(o->b, object_name_inet(k, buf), &ret->name);
	}
	if (!k->role)
		ret->ino = k->at;
	r = builder__str(o->b, k->family == AF_UNIX ? object_name_unix(v, buf) : "", &ret->name);
	if (r || !v->pid)
		return r;
	return builder__str(o->b, object_name_process(v->pid, buf), &ret->peer);
}

/* The file of an inode, if any program ran code from it: its variables have names. */
static const struct mapped_file *file_of(const struct objects *o, const struct cs_module_key *key)
{
	u64 idx;

	return key->ino && map64__get(&o->modules, hash_bytes(key, sizeof(*key)), &idx) ?
		       vec__at(&o->mapped->files, idx) :
		       NULL;
}

static int take_futex(struct objects *o, const struct cs_object_key *k, const struct cs_object *v,
		      struct profile_object *ret)
{
	const struct mapped_file *f = file_of(o, &v->module);
	struct object_variable variable;
	int r;

	ret->kind = OBJECT_FUTEX;
	ret->futex = k->futex < FUTEX_KIND_CNT ? k->futex : FUTEX_KIND_OTHER;
	ret->tgid = v->tgid;
	ret->addr = k->at;
	if (!f || memcmp(&f->key, &v->module, sizeof(f->key)) ||
	    !o->files->variable(o->files->arg, &f->file, f->path, v->module_off, &variable))
		return 0;
	ret->addr = v->module_off;
	/* The variable must be a condition variable itself, not contain one. */
	if (k->futex != CS_FUTEX_COND ||
	    (variable.off != COND_SIGNALS_AT && variable.off != COND_SIGNALS_AT_241))
		ret->name_off = variable.off;
	r = builder__str(o->b, variable.name, &ret->name);
	return r ? r : builder__str(o->b, f->path, &ret->file);
}

/* One child, all children with a name, or the argument of the call. */
static int take_child(struct objects *o, const struct cs_object_key *k, const struct cs_object *v,
		      struct profile_object *ret)
{
	char name[sizeof(k->peer) + 1] = "";

	memcpy(name, k->peer, sizeof(k->peer));
	ret->kind = OBJECT_CHILD;
	ret->family = k->family < CHILD_ID_CNT ? k->family : CHILD_ANY;
	ret->number = *name ? v->pid : k->number;
	ret->tgid = *name && !v->pid ? 0 : v->tgid;
	return builder__str(o->b, name, &ret->name);
}

static int take_pidfd(struct objects *o, const struct cs_object_key *k, const struct cs_object *v,
		      struct profile_object *ret)
{
	int r = take_child(o, k, v, ret);

	ret->kind = OBJECT_PIDFD;
	return r;
}

static int take_lock_of_file(struct objects *o, const struct cs_object_key *k,
			     const struct cs_object *v, struct profile_object *ret)
{
	static const char *const names[] = {
		[CS_LOCK_OF_INODE] = "i_rwsem",
		[CS_LOCK_OF_MAPPING] = "i_mmap_rwsem",
		[CS_LOCK_OF_PAGES] = "invalidate_lock",
		[CS_LOCK_OF_POS] = "f_pos_lock",
		[CS_LOCK_OF_PIPE] = "mutex",
	};
	char buf[OBJECT_NAME_SZ];
	int r = builder__str(o->b, names[k->role], &ret->name);

	ret->dev = k->dev;
	ret->ino = k->at;
	object_name_path(v, buf);
	if (k->role == CS_LOCK_OF_PIPE)
		snprintf(buf, sizeof(buf), "pipe:[%llu]", k->at);
	else if (!buf[0])
		snprintf(buf, sizeof(buf), "inode %llu", k->at);
	return r ? r : builder__str(o->b, buf, &ret->file);
}

static int take_lock(struct objects *o, const struct cs_object_key *k, const struct cs_object *v,
		     struct profile_object *ret)
{
	static const char *const types[] = {
		[CS_LOCK_NONE] = "lock",
		[CS_LOCK_MUTEX] = "mutex",
		[CS_LOCK_RWSEM] = "rwsem",
		[CS_LOCK_SEMAPHORE] = "semaphore",
		[CS_LOCK_PERCPU_RWSEM] = "percpu_rwsem",
		[CS_LOCK_RT] = "rt_mutex",
	};
	char buf[OBJECT_NAME_SZ];

	ret->kind = OBJECT_KERNEL_LOCK;
	if (k->role == CS_LOCK_OF_MM) {
		ret->tgid = v->tgid;
		return builder__str(o->b, "mmap_lock", &ret->name);
	}
	if (k->role != CS_LOCK_OF_NONE && k->role <= CS_LOCK_OF_PIPE)
		return take_lock_of_file(o, k, v, ret);
	if (object_name_symbol(v, buf, &ret->name_off))
		return builder__str(o->b, buf, &ret->name);
	ret->addr = k->at;
	return builder__str(o->b, types[k->type < ARRAY_LEN(types) ? k->type : CS_LOCK_NONE],
			    &ret->name);
}

/* The row of the profile for an object. */
static int give(struct objects *o, const struct cs_object_key *k, const struct cs_object *v,
		u32 *ret)
{
	struct profile_object obj = { .more = k->more };
	int r = 0;

	switch (k->kind) {
	case CS_OBJECT_FILE:
	case CS_OBJECT_FIFO:
		r = take_file(o, k, v, &obj);
		break;
	case CS_OBJECT_PIPE:
		obj.kind = OBJECT_PIPE;
		obj.number = k->role;
		obj.ino = k->at;
		break;
	case CS_OBJECT_SOCKET:
		r = take_socket(o, k, v, &obj);
		break;
	case CS_OBJECT_ANON:
		r = take_anon(o, k, v, &obj);
		break;
	case CS_OBJECT_FUTEX:
		r = take_futex(o, k, v, &obj);
		break;
	case CS_OBJECT_LOCK:
		r = take_lock(o, k, v, &obj);
		break;
	case CS_OBJECT_PIDFD:
		r = take_pidfd(o, k, v, &obj);
		break;
	default:
		r = take_child(o, k, v, &obj);
		break;
	}
	if (!r)
		r = builder__object(o->b, &obj, ret);
	return r ? r : peers__bind(o->peers, v->id, *ret);
}

static int take(void *arg, const void *key, const void *value)
{
	const struct cs_object *v = value;
	struct objects *o = arg;
	struct read_object *read;
	int r;

	o->entries++;
	o->full = o->full || !self_memory_allows(vec__growth(&o->read, 1));
	if (o->full)
		return 0;
	r = map64__set(&o->read_by_id, v->id, o->read.len);
	read = r ? NULL : vec__push(&o->read);
	if (!read)
		return -ENOMEM;
	memcpy(&read->key, key, sizeof(read->key));
	read->key.kind &= (u8)~CS_OBJECT_SIDE;
	read->value = *v;
	return 0;
}

int objects__at(struct objects *o, u32 object, u32 *ret)
{
	const struct read_object *read;
	u64 at;
	int r;

	*ret = 0;
	if (map64__get(&o->ids, object, &at)) {
		*ret = (u32)at;
		return 0;
	}
	if (!map64__get(&o->read_by_id, object, &at))
		return 0;
	o->full = o->full || !self_memory_allows(builder__object_growth(o->b));
	if (o->full)
		return 0;
	read = vec__at(&o->read, at);
	r = give(o, &read->key, &read->value, ret);
	return r ? r : map64__set(&o->ids, object, *ret);
}

int objects__add_other(struct objects *o)
{
	const struct profile_object other = { .kind = OBJECT_OTHER };
	u32 id;
	int r = builder__object(o->b, &other, &id);

	return r ? r : map64__set(&o->ids, CS_OBJECT_OTHER, id);
}

int objects__read(struct objects *o, const struct programs *p, const struct mapped *mapped,
		  const struct capture_files *files, struct err *err)
{
	int r = 0;

	o->mapped = mapped;
	o->files = files;
	for (size_t i = 0; i < mapped->files.len && !r; i++) {
		const struct mapped_file *f = vec__at(&mapped->files, i);

		if (f->id && f->key.ino)
			r = map64__set(&o->modules, hash_bytes(&f->key, sizeof(f->key)), i);
	}
	if (r)
		return err__nomem(err);
	return table_read(programs__objects_fd(p), sizeof(struct cs_object_key),
			  sizeof(struct cs_object), take, o, err);
}
