/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_PROGRAM_PROGRAMS_PRIV_H
#define CAPTURE_PROGRAM_PROGRAMS_PRIV_H

#include "capture/program/attach.h"
#include "capture/program/hook_choice.h"
#include "capture/program/programs.h"
#include "capture/program/wakeups.h"

struct coldspot;

/* The inside of struct programs; only programs*.c include this. */
struct programs {
	struct coldspot *skel;
	struct loader *loader;
	struct cs_symbol *symbols;
	struct attachments attached;
	struct wakeups wakeups;
	u32 on_cpu_hz; /* 0: not sampled */
	int btf_fd; /* -1: no longer needed */
	u32 split;
	u32 resume;
	bool sleepable;
	u32 visit_hz; /* 0: hooks see every switch */
	struct bpf_link *visits; /* of the walk that visits */
	char resume_symbol[64];
	char words[240];
};

#endif
