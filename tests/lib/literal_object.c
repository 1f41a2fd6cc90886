/* SPDX-License-Identifier: Apache-2.0 */
/* What waits are for, and who held it, of literal profiles. */
#include <errno.h>
#include <string.h>

#include "literal_priv.h"

struct literal_thread {
	u32 tid;
	u32 task;
};

int lit__know_thread(struct lit *l, u32 tid, u32 task)
{
	struct literal_thread *th = vec__push(&l->threads);

	if (!th)
		return err__nomem(l->err);
	*th = (struct literal_thread){ tid, task };
	return 0;
}

int lit__owner(struct lit *l, const char *text, struct profile_wait *w)
{
	u64 tid;
	size_t i;
	int r = lit__number(l, text, &tid);

	w->owner_tid = (u32)tid;
	for (i = 0; i < l->threads.len && !r; i++) {
		const struct literal_thread *th = vec__at(&l->threads, i);

		if (th->tid == w->owner_tid)
			w->owner = th->task;
	}
	return r;
}

static int kind_of(struct lit *l, const char *word, u32 *ret_kind)
{
	u32 i;

	for (i = OBJECT_OTHER; i < OBJECT_KIND_CNT; i++) {
		if (word && strcmp(object_kind_name((enum object_kind)i), word) == 0) {
			*ret_kind = i;
			return 0;
		}
	}
	return lit__fault(l, "unknown object", word ? word : "");
}

static int futex_of(struct lit *l, const char *word, u32 *ret_kind)
{
	u32 i;

	for (i = 0; i < FUTEX_KIND_CNT; i++) {
		if (strcmp(futex_kind_name((enum futex_kind)i), word) == 0) {
			*ret_kind = i;
			return 0;
		}
	}
	return lit__fault(l, "unknown futex", word);
}

static int role_of(struct lit *l, const char *word, u32 *ret_role)
{
	u32 i;

	for (i = 0; i < SOCKET_ROLE_CNT; i++) {
		if (strcmp(socket_role_name((enum socket_role)i), word) == 0) {
			*ret_role = i;
			return 0;
		}
	}
	return lit__fault(l, "unknown role", word);
}

static int object_number(struct lit *l, const char *key, const char *value,
			 struct profile_object *o)
{
	const struct {
		const char *key;
		u32 *small;
		u64 *large;
	} keys[] = {
		{ "family", &o->family, NULL },	    { "type", &o->type, NULL },
		{ "protocol", &o->protocol, NULL }, { "port", &o->port, NULL },
		{ "number", &o->number, NULL },	    { "tgid", &o->tgid, NULL },
		{ "more", &o->more, NULL },	    { "dev", NULL, &o->dev },
		{ "ino", NULL, &o->ino },	    { "addr", NULL, &o->addr },
		{ "off", NULL, &o->name_off },
	};
	u64 n;
	size_t i;
	int r;

	for (i = 0; i < ARRAY_LEN(keys); i++) {
		if (strcmp(keys[i].key, key) != 0)
			continue;
		r = lit__number(l, value, &n);
		if (keys[i].small)
			*keys[i].small = (u32)n;
		else
			*keys[i].large = n;
		return r;
	}
	return lit__fault(l, "unknown word", key);
}

static int object_word(struct lit *l, char *word, struct profile_object *o)
{
	char *value = strchr(word, '=');

	if (!value)
		return lit__fault(l, "unknown word", word);
	*value++ = '\0';
	if (strcmp(word, "futex") == 0)
		return futex_of(l, value, &o->futex);
	if (strcmp(word, "role") == 0)
		return role_of(l, value, &o->role);
	if (strcmp(word, "name") == 0)
		return lit__str(l, value, &o->name);
	if (strcmp(word, "peer") == 0)
		return lit__str(l, value, &o->peer);
	if (strcmp(word, "file") == 0)
		return lit__str(l, value, &o->file);
	return object_number(l, word, value, o);
}

int lit__object_line(struct lit *l, char **rest)
{
	struct profile_object o = { 0 };
	struct profile_wait *w;
	char *word;
	int r;

	if (!l->waits.len)
		return lit__fault(l, "an object without a wait", *rest);
	w = vec__at(&l->waits, l->waits.len - 1);
	r = kind_of(l, lit_next_word(rest), &o.kind);
	while (!r && (word = lit_next_word(rest)))
		r = object_word(l, word, &o);
	return r ? r : builder__object(l->b, &o, &w->object);
}
