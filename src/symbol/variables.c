/* SPDX-License-Identifier: Apache-2.0 */
#include "symbol/variables.h"

#include <errno.h>

#include "base/mem.h"

struct variable_entry {
	struct file_id file;
	u64 off;
	char *name;
	u64 name_off;
};

#define KEY_SZ offsetof(struct variable_entry, name)

int variables__init(struct variables *v)
{
	return intern__init(&v->table, sizeof(struct variable_entry), KEY_SZ);
}

void variables__done(struct variables *v)
{
	for (u32 id = 1; id < intern__len(&v->table); id++)
		mem_free(((struct variable_entry *)intern__at(&v->table, id))->name);
	intern__done(&v->table);
}

bool variables__get(const struct variables *v, const struct file_id *file, u64 off,
		    const char **ret_name, u64 *ret_off)
{
	const struct variable_entry key = { .file = *file, .off = off }, *entry;
	u32 id = intern__find(&v->table, &key);

	if (!id)
		return false;
	entry = intern__at(&v->table, id);
	*ret_name = entry->name;
	*ret_off = entry->name_off;
	return true;
}

int variables__add(struct variables *v, const struct file_id *file, u64 off, const char *name,
		   u64 name_off)
{
	struct variable_entry entry = { .file = *file, .off = off, .name_off = name_off };
	u32 id;

	if (name) {
		entry.name = mem_strdup(name);
		if (!entry.name)
			return -ENOMEM;
	}
	if (!intern__find(&v->table, &entry) && !intern__add(&v->table, &entry, &id))
		return 0;
	mem_free(entry.name);
	return intern__find(&v->table, &entry) ? 0 : -ENOMEM;
}
