/* SPDX-License-Identifier: Apache-2.0 */

/*
 * System call numbers differ between machines, so the programs get a table. Calls whose arguments
 * do not name what they wait for (sleeping, opening, System V messages) are not in it.
 */
#include "capture/feature/call_kinds.h"

#include <string.h>
#include <sys/syscall.h>

#include "abi/moment.h"

struct call {
	u32 number;
	u32 kind; /* enum cs_call, or enum cs_socket_call */
};

#define CALL(name, kind) { SYS_##name, CS_CALL_##kind },
#define FD(name) CALL(name, FD)

/* Old calls that newer machines lack are x86-64's. */
static const struct call calls[] = {
	/* clang-format off */
	FD(read)
	FD(write)
	FD(pread64)
	FD(pwrite64)
	FD(readv)
	FD(writev)
	FD(preadv)
	FD(pwritev)
	FD(preadv2)
	FD(pwritev2)
	FD(fsync)
	FD(fdatasync)
	FD(sync_file_range)
	FD(syncfs)
	FD(ftruncate)
	FD(fallocate)
	FD(fadvise64)
	FD(flock)
	FD(fcntl)
	FD(ioctl)
	FD(getdents64)
	FD(sendfile)
	FD(splice)
	FD(tee)
	FD(vmsplice)
	FD(copy_file_range)
	FD(accept)
	FD(accept4)
	FD(connect)
	FD(recvfrom)
	FD(sendto)
	FD(recvmsg)
	FD(sendmsg)
	FD(recvmmsg)
	FD(sendmmsg)
	FD(shutdown)
	FD(epoll_pwait)
	FD(epoll_pwait2)
	FD(io_uring_enter)
	FD(mq_timedsend)
	FD(mq_timedreceive)
	CALL(futex, FUTEX)
	CALL(futex_waitv, FUTEX_WAITV)
	CALL(ppoll, POLL)
	CALL(pselect6, SELECT)
	CALL(wait4, WAIT4)
	CALL(waitid, WAITID)
#ifdef __x86_64__
	FD(epoll_wait)
	CALL(poll, POLL)
	CALL(select, SELECT)
#endif
	/* clang-format on */
};

/* Those that servers answer connections by; bytes that splice() moves are not looked at. */
static const struct call socket_calls[] = {
	{ SYS_read, CS_SOCKET_CALL_READ },	   { SYS_readv, CS_SOCKET_CALL_READV },
	{ SYS_recvfrom, CS_SOCKET_CALL_RECVFROM }, { SYS_recvmsg, CS_SOCKET_CALL_RECVMSG },
	{ SYS_write, CS_SOCKET_CALL_WRITE },	   { SYS_writev, CS_SOCKET_CALL_WRITE },
	{ SYS_sendto, CS_SOCKET_CALL_WRITE },	   { SYS_sendmsg, CS_SOCKET_CALL_WRITE },
	{ SYS_sendmmsg, CS_SOCKET_CALL_WRITE },	   { SYS_sendfile, CS_SOCKET_CALL_WRITE },
};

void call_kinds_fill(u8 ret_kinds[CS_CALLS_LEN])
{
	memset(ret_kinds, CS_CALL_NONE, CS_CALLS_LEN);
	for (size_t i = 0; i < ARRAY_LEN(calls); i++)
		ret_kinds[calls[i].number] = (u8)calls[i].kind;
}

void socket_calls_fill(u8 ret_calls[CS_CALLS_LEN])
{
	memset(ret_calls, CS_SOCKET_CALL_NONE, CS_CALLS_LEN);
	for (size_t i = 0; i < ARRAY_LEN(socket_calls); i++)
		ret_calls[socket_calls[i].number] = (u8)socket_calls[i].kind;
}
