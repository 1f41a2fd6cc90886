/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STACKS_TINY_H
#define STACKS_TINY_H

/* In libtinyfirst.so: calls the second. */
int tiny_first(int n);
/* In libtinysecond.so: waits for a quarter of a millisecond. */
int tiny_second(int n);

#endif
