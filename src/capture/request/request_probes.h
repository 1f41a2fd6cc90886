/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_REQUEST_REQUEST_PROBES_H
#define CAPTURE_REQUEST_REQUEST_PROBES_H

#include "base/err.h"
#include "base/vec.h"

struct bpf_program;

/* What a user asked for. Borrowed. */
struct request_options {
	const char *const *texts; /* as of --request */
	size_t len;
	const u32 *pids; /* of recorded processes or threads; programs are looked for there, too */
	size_t pids_len;
};

/* An instruction at which requests begin or end. */
struct request_place {
	u64 off; /* in the file */
	u64 semaphore_off; /* of a static probe: what switches it on; 0: nothing need be */
	bool is_end;
	bool at_return; /* of the function that begins there */
};

/*
 * Where requests begin and end, as the user named it (docs/requests.md): "uprobe:BIN:FUNC" is a
 * function, from its entry to its return; "usdt:BIN:PROV:START,END" are static probes. "auto" and
 * "auto:http" have no probe: a hook sees all connections.
 */
struct request_probe {
	char *class; /* "BIN:NAME", without directories */
	char *path;
	struct vec places; /* struct request_place */
	/* One that begins is not inside of the one before, which has no end: after an error. */
	bool begins_anew;
};

struct request_probes {
	struct vec list; /* struct request_probe; its index is the number of a mark */
};

void request_probes__init(struct request_probes *rp);
/* All zero is fine. */
void request_probes__done(struct request_probes *rp);
/*
 * Finds the places of all that it asks for. -EINVAL for any other text, -ENOENT if the file, the
 * function or the probe does not exist, -ENOTUNIQ for a name of several functions, -E2BIG for a
 * probe in too many places, or an error of reading the file.
 */
int request_probes__find(struct request_probes *rp, const struct request_options *opt,
			 struct err *err);
/* Whether it asks for the requests on connections of servers. */
bool request_is_auto(const char *text);
/* Whether it also asks for what those of HTTP begin with. */
bool request_wants_heads(const char *text);
/* Room for the class of a connection. */
#define REQUEST_PORT_SZ 16
/*
 * The class of a mark, from cs_mark.probe >> 1: of a probe, or ":PORT" or "unix" of a connection,
 * written to `buf`. "?" if there is no probe with this number.
 */
const char *request_probes__class(const struct request_probes *rp, u32 probe,
				  char buf[REQUEST_PORT_SZ]);
/* Whether its begins end what was begun before: request_probe.begins_anew. */
bool request_probes__begins_anew(const struct request_probes *rp, u32 probe);
/*
 * Attaches the program to each begin and end, and appends the struct bpf_link * of each to `links`.
 * The kernel's error.
 */
int request_probes__attach(const struct request_probes *rp, const struct bpf_program *prog,
			   struct vec *links, struct err *err);

#endif
