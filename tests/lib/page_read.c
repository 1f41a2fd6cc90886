/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/page_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "lib/pprof_read.h"

#define DATA_BEGIN "<script id=\"data\" type=\"application/octet-stream\">"

static int digit_of(char c)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

static u8 *base64(const char *text, size_t len, size_t *ret_sz)
{
	size_t i, n = 0;
	u32 bits = 0;
	u8 *out;

	if (len % 4)
		return NULL;
	while (len && text[len - 1] == '=')
		len--;
	out = mem_alloc(len + 1);
	for (i = 0; out && i < len; i++) {
		int digit = digit_of(text[i]);

		if (digit < 0) {
			mem_free(out);
			return NULL;
		}
		bits = bits << 6 | (u32)digit;
		if (i % 4)
			out[n++] = (u8)(bits >> (6 - 2 * (i % 4)));
	}
	*ret_sz = n;
	return out;
}

char *page_data(const char *html, size_t *ret_sz)
{
	const char *begin = strstr(html, DATA_BEGIN), *end;
	size_t packed_sz = 0;
	char *data;
	u8 *packed;

	if (!begin)
		return NULL;
	begin += strlen(DATA_BEGIN);
	end = strchr(begin, '<');
	packed = end ? base64(begin, (size_t)(end - begin), &packed_sz) : NULL;
	data = packed ? gunzip(packed, packed_sz, ret_sz) : NULL;
	mem_free(packed);
	return data;
}

static u64 *read_values(const u8 *at, size_t len, u32 rows, bool delta)
{
	u64 *values = mem_array(rows + 1, sizeof(u64)), before = 0;
	const u8 *end = at + len;
	u32 i;

	for (i = 0; values && i < rows; i++) {
		u64 value = 0;
		u32 shift = 0;

		do {
			if (at == end || shift > 63) {
				mem_free(values);
				return NULL;
			}
			value |= (u64)(*at & 0x7f) << shift;
			shift += 7;
		} while (*at++ & 0x80);
		if (delta)
			value = before += value >> 1 ^ (value & 1 ? ~0ULL : 0);
		values[i] = value;
	}
	if (values && at != end) {
		mem_free(values);
		return NULL;
	}
	return values;
}

u64 *page_column(const char *data, size_t sz, const char *name, u32 *ret_rows)
{
	const u8 *bytes = (const u8 *)data;
	u32 len = (u32)bytes[0] | (u32)bytes[1] << 8 | (u32)bytes[2] << 16;
	size_t head = 4 + len, at = head, column_sz;
	const char *list = strstr(data + 4, "\"columns\":["), *end = data + head;
	char found[64];
	u32 rows;
	int delta;

	if (!list || head > sz)
		return NULL;
	for (list = strchr(list, '[') + 1; list < end; list = strchr(list, ']') + 2) {
		if (sscanf(list, "[\"%63[^\"]\",%u,%zu,%d]", found, &rows, &column_sz, &delta) !=
			    4 ||
		    at + column_sz > sz)
			return NULL;
		if (strcmp(found, name) == 0) {
			*ret_rows = rows;
			return read_values(bytes + at, column_sz, rows, delta);
		}
		at += column_sz;
	}
	return NULL;
}
