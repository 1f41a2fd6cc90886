/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDING_CODE_CHAIN_H
#define RECORDING_CODE_CHAIN_H

#include "recording/code_tables.h"

/*
 * The code of windows that follow each other, written: the first block of a chain is complete by
 * itself, each other one has what none before it has, and numbers of what its window uses.
 */
struct code_chain {
	struct code_tables tables; /* of the chain, while `windows` is not 0 */
	u32 windows;
	u32 root; /* the first one */
	u32 crc; /* of the block of the last one */
};

/* Windows of a chain: an hour, if they are minutes. */
#define CODE_CHAIN_WINDOWS 60

/*
 * Appends the sections of the code block of window `window`, which follows the last one. If there
 * is too little memory for the tables, the chain ends. -ENOMEM or 0.
 */
int code_chain__encode(struct code_chain *c, const struct profile *p, u32 window,
		       struct vec *sections);
/* That block is in the file, with this checksum. */
void code_chain__took(struct code_chain *c, u32 crc);
/* The block is not in the file, or nothing follows: the next one is complete by itself. */
void code_chain__end(struct code_chain *c);

#endif
