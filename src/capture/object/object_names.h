/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_OBJECT_OBJECT_NAMES_H
#define CAPTURE_OBJECT_OBJECT_NAMES_H

#include "abi/object.h"
#include "base/types.h"

/* Texts of objects. Each returns a string in `buf`, which has OBJECT_NAME_SZ bytes; "" for none. */
#define OBJECT_NAME_SZ 512

/* From the components of a path, leaf first; a path that was cut begins with "...". */
const char *object_name_path(const struct cs_object *o, char *buf);
/* For a unix socket; abstract ones begin with "@". */
const char *object_name_unix(const struct cs_object *o, char *buf);
/* The address of the peer; an IPv4 address in IPv6 form is shown as IPv4. */
const char *object_name_inet(const struct cs_object_key *k, char *buf);
/*
 * For a kernel lock in a variable: "rtnl_mutex", or "table [module]", and the position of the lock
 * in it. NULL: it is not in one, or the kernel has no names of variables.
 */
const char *object_name_symbol(const struct cs_object *o, char *buf, u64 *ret_off);
/* A process, which may have exited: "postgres-77", or "77". */
const char *object_name_process(u32 pid, char *buf);

#endif
