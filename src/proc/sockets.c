/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
 *    0: 0100007F:0BB8 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 8812
 *
 * An address is printed as words of the machine, so on a little-endian one its bytes are in the
 * wrong order. The address of a unix socket is chosen by its owner and continues to the end of the
 * line.
 */
#include "proc/sockets.h"

#include <netinet/tcp.h>
#include <string.h>

/* SO_ACCEPTCON in the flags of a unix socket. */
#define UNIX_ACCEPTS 0x10000

static u32 hex_word(struct view *v, int digits)
{
	struct view word = view__sub(v, 0, (u64)digits);
	u32 n = (u32)view__hex(&word);

	if (word.bad || view__left(&word) || !view__bytes(v, (size_t)digits))
		v->bad = true;
	return n;
}

static u16 address(struct view *line, bool v6, u8 ret[16])
{
	view__blank(line);
	memset(ret, 0, 16);
	for (int i = 0; i < (v6 ? 4 : 1); i++) {
		u32 word = hex_word(line, 8);

		memcpy(ret + 4 * i, &word, sizeof(word));
	}
	if (!view__accept(line, ':'))
		line->bad = true;
	return (u16)hex_word(line, 4);
}

static bool take_inet(struct view line, bool v6, struct socket_line *ret)
{
	struct view field;
	u8 own[16];

	if (!view__token(&line, &field) || field.end[-1] != ':')
		return false;
	ret->port = address(&line, v6, own);
	ret->peer_port = address(&line, v6, ret->peer);
	view__blank(&line);
	ret->state = hex_word(&line, 2);
	/* queues, timer, retransmits, uid, timeout */
	for (int i = 0; i < 5; i++)
		view__token(&line, &field);
	view__blank(&line);
	ret->ino = view__dec(&line);
	ret->is_listening = ret->state == TCP_LISTEN;
	return !line.bad && ret->ino;
}

/* Num RefCount Protocol Flags Type St Inode Path */
static bool take_unix(struct view line, struct socket_line *ret)
{
	struct view field;
	u64 flags;

	if (!view__token(&line, &field) || field.end[-1] != ':' || !view__token(&line, &field) ||
	    !view__token(&line, &field))
		return false;
	view__blank(&line);
	flags = view__hex(&line);
	view__blank(&line);
	ret->type = (u32)view__hex(&line);
	view__token(&line, &field);
	view__blank(&line);
	ret->ino = view__dec(&line);
	ret->is_listening = flags & UNIX_ACCEPTS;
	if (line.bad || !ret->ino)
		return false;
	view__blank(&line);
	view__copy(&line, ret->path, sizeof(ret->path));
	return true;
}

bool socket_line__next(struct view *text, enum socket_file file, struct socket_line *ret)
{
	struct view line;

	while (view__line(text, &line)) {
		*ret = (struct socket_line){ 0 };
		if (file == SOCKETS_UNIX ?
			    take_unix(line, ret) :
			    take_inet(line, file == SOCKETS_TCP6 || file == SOCKETS_UDP6, ret))
			return true;
	}
	return false;
}
