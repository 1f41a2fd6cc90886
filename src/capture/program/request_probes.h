/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_PROGRAM_REQUEST_PROBES_H
#define CAPTURE_PROGRAM_REQUEST_PROBES_H

#include "base/err.h"
#include "base/vec.h"
#include "capture/program/options.h"

struct bpf_program;

/*
 * Where requests begin and end, as the user named it (docs/requests.md): "uprobe:BIN:FUNC" is a
 * function, from its entry to its return. "auto" has no probe: a hook sees all connections.
 */
struct request_probe {
	char *class; /* "BIN:FUNC", without directories */
	char *path;
	u64 off; /* of the function in the file */
};

struct request_probes {
	struct vec list; /* struct request_probe; its index is the number of a mark */
};

void request_probes__init(struct request_probes *rp);
/* All zero is fine. */
void request_probes__done(struct request_probes *rp);
/*
 * Finds the functions of opt->requests. -EINVAL for any other text, -ENOENT if the file or the
 * function does not exist, -ENOTUNIQ for a name of several functions, or an error of reading the
 * file.
 */
int request_probes__find(struct request_probes *rp, const struct capture_options *opt,
			 struct err *err);
/* Whether it asks for the requests on connections of servers. */
bool request_is_auto(const char *text);
/* Room for the class of a connection. */
#define REQUEST_PORT_SZ 16
/*
 * The class of a mark, from cs_mark.probe >> 1: of a probe, or ":PORT" or "unix" of a connection,
 * written to `buf`. "?" if there is no probe with this number.
 */
const char *request_probes__class(const struct request_probes *rp, u32 probe,
				  char buf[REQUEST_PORT_SZ]);
/*
 * Attaches the program to each begin and end, and appends the struct bpf_link * of each to `links`.
 * The kernel's error.
 */
int request_probes__attach(const struct request_probes *rp, const struct bpf_program *prog,
			   struct vec *links, struct err *err);

#endif
