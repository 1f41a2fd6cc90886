/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_OBJECT_NAMES_H
#define CAPTURE_OBJECT_NAMES_H

#include "abi/object.h"
#include "base/types.h"

/* Texts of objects. Each returns a string in `buf`, which has OBJECT_NAME_SZ bytes; "" for none. */
#define OBJECT_NAME_SZ 512

/* From the components of a path, leaf first; one that is longer than was kept begins with "...". */
const char *object_name_path(const struct cs_object *o, char *buf);
/* Of a unix socket: an abstract one with an "@" before it. */
const char *object_name_unix(const struct cs_object *o, char *buf);
/* The address of the peer; an IPv4 one that is written as IPv6 is shown as IPv4. */
const char *object_name_inet(const struct cs_object_key *k, char *buf);
/*
 * Of a lock that is a variable of the kernel: "rtnl_mutex", or "table [module]", and where in it
 * the lock is. NULL: it is none, or the kernel knows no names of variables.
 */
const char *object_name_symbol(const struct cs_object *o, char *buf, u64 *ret_off);
/* A process, which may be gone: "postgres-77", or "77". */
const char *object_name_process(u32 pid, char *buf);

#endif
