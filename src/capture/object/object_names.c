/* SPDX-License-Identifier: Apache-2.0 */

/* All bytes come from programs that may use any name, so no length is trusted. */
#include "capture/object/object_names.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proc/task.h"

#define V4_MAPPED "\0\0\0\0\0\0\0\0\0\0\xff\xff"

static u32 path_len(const struct cs_object *o)
{
	return o->path_len < CS_OBJECT_PATH_SZ ? o->path_len : CS_OBJECT_PATH_SZ;
}

const char *object_name_path(const struct cs_object *o, char *buf)
{
	u32 len = path_len(o), end = len;
	size_t used = 0;

	buf[0] = '\0';
	if (!len)
		return buf;
	/* The last component may be incomplete. */
	if (len == CS_OBJECT_PATH_SZ) {
		used = (size_t)snprintf(buf, OBJECT_NAME_SZ, "...");
		while (end && o->path[end - 1])
			end--;
	}
	while (end) {
		u32 begin = end - 1;

		while (begin && o->path[begin - 1])
			begin--;
		used += (size_t)snprintf(buf + used, OBJECT_NAME_SZ - used, "/%.*s",
					 (int)(end - begin), o->path + begin);
		end = begin;
	}
	return buf;
}

const char *object_name_unix(const struct cs_object *o, char *buf)
{
	u32 len = path_len(o);

	snprintf(buf, OBJECT_NAME_SZ, "%.*s", (int)len, o->path);
	if (len > 1 && !o->path[0])
		snprintf(buf, OBJECT_NAME_SZ, "@%.*s", (int)len - 1, o->path + 1);
	return buf;
}

const char *object_name_symbol(const struct cs_object *o, char *buf, u64 *ret_off)
{
	char text[CS_OBJECT_PATH_SZ + 1] = "";
	char *plus, *end;
	u64 off;

	memcpy(text, o->path, path_len(o));
	plus = strstr(text, "+0x");
	if (!plus || plus == text)
		return NULL;
	off = strtoull(plus + 1, &end, 16);
	if (*end != '/')
		return NULL;
	*plus = '\0';
	*ret_off = off;
	/* The module follows the size, and a build id may follow that. */
	end = strchr(end + 1, '[');
	if (end)
		end[strcspn(end, " ]")] = '\0';
	snprintf(buf, OBJECT_NAME_SZ, "%s%s%s%s", text, end ? " " : "", end ? end : "",
		 end ? "]" : "");
	return buf;
}

const char *object_name_inet(const struct cs_object_key *k, char *buf)
{
	static const __u8 nowhere[sizeof(k->peer)];
	const void *at = k->peer;
	int family = k->family;

	buf[0] = '\0';
	if (!memcmp(k->peer, nowhere, sizeof(nowhere)))
		return buf;
	if (family == AF_INET6 && !memcmp(k->peer, V4_MAPPED, 12)) {
		family = AF_INET;
		at = k->peer + 12;
	}
	if (!inet_ntop(family, at, buf, OBJECT_NAME_SZ))
		buf[0] = '\0';
	return buf;
}

const char *object_name_process(u32 pid, char *buf)
{
	char comm[PROC_COMM_SZ];

	if (proc_task_comm(pid, comm, sizeof(comm), NULL))
		snprintf(buf, OBJECT_NAME_SZ, "%u", pid);
	else
		snprintf(buf, OBJECT_NAME_SZ, "%s-%u", comm, pid);
	return buf;
}
