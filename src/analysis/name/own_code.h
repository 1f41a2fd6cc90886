/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_NAME_OWN_CODE_H
#define ANALYSIS_NAME_OWN_CODE_H

#include "profile/profile.h"

/*
 * Whose code a frame is. Decided by the path of its file, or else by its name; what no rule knows
 * is the program's.
 */
enum code_role {
	CODE_PROGRAM = 0,
	CODE_LIBRARY, /* a package or shared library, which has a name */
	CODE_MACHINERY, /* what comes with the language or the system */
};

struct own_code {
	enum code_role role;
	const char *rule; /* why, in a few words; "" for the program */
	const char *library; /* its name; not terminated; borrowed from the profile */
	u32 library_len; /* 0 unless the role is CODE_LIBRARY */
	bool interpreted; /* Python, Java or JavaScript, compiled or not */
};

/*
 * For a user frame. `java`: methods of Java may be in its module. FRAME_TRUNCATED is machinery. A
 * frame without a name is classified by its file.
 */
void own_code_of(const struct profile *p, u32 frame, bool java, struct own_code *ret);
/* A function with which run times wait, in any file. */
bool own_code_name_is_machinery(const char *name);
/* The C library, its loader, the vDSO, and run time libraries of C++. */
bool own_code_is_c_runtime(const struct profile *p, u32 module);
/* A library that talks to a server, such as libpq or libssl. */
bool own_code_is_client(const struct profile *p, u32 module);

#endif
