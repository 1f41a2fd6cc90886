/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include "base/err.h"
#include "base/types.h"

/* SHA-256 (FIPS 180-4), for checksums that others ask for. */
struct sha256 {
	u32 state[8];
	u64 bytes;
	u8 block[64]; /* what is not a whole block yet */
};

#define SHA256_SZ 32
#define SHA256_HEX_SZ 65

void sha256__init(struct sha256 *s);
void sha256__put(struct sha256 *s, const void *data, size_t sz);
/* Ends it: lower-case digits and a NUL. */
void sha256__hex(struct sha256 *s, char *ret);
/* Of a whole file, from its begin on; its offset stays. `name` is for messages. */
int sha256_file(int fd, const char *name, char *ret_hex, struct err *err);

#endif
