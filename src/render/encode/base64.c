/* SPDX-License-Identifier: Apache-2.0 */
/* Three bytes are four characters; the last ones may be fewer. */
#include "render/encode/base64.h"

void base64_put(struct sink *out, const void *data, size_t sz)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const u8 *bytes = data;
	size_t i, k;

	for (i = 0; i < sz; i += 3) {
		size_t n = sz - i < 3 ? sz - i : 3;
		char four[4];
		u32 bits = 0;

		for (k = 0; k < 3; k++)
			bits = bits << 8 | (k < n ? bytes[i + k] : 0);
		for (k = 0; k < 4; k++)
			four[k] = k <= n ? digits[bits >> (18 - 6 * k) & 63] : '=';
		sink__put(out, four, sizeof(four));
	}
}
