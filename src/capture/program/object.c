/* SPDX-License-Identifier: Apache-2.0 */

/*
 * libbpf 1.1 searches all types of the kernel once for each of our structs, after reading them: 60
 * ms. It accepts other BTF in place of the kernel's, but only by file name, so it gets a file that
 * exists only in memory.
 */
#include "capture/program/object.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abi/cfg.h"
#include "base/log.h"
#include "gen/coldspot.skel.h"

static int write_all(int fd, const struct vec *bytes)
{
	ssize_t n = write(fd, bytes->data, bytes->len);

	if (n < 0)
		return -errno;
	return (size_t)n == bytes->len ? 0 : -EIO;
}

static int put_in_memory(const struct btf_excerpt *btf, int *ret_fd, struct err *err)
{
	int fd = memfd_create("coldspot-btf", MFD_CLOEXEC), r;
	struct vec bytes;

	if (fd < 0)
		return err__set(err, -errno, "cannot make a file in memory: %s", err_str(errno));
	vec__init(&bytes, 1);
	r = btf_excerpt__write(btf, &bytes);
	r = r ? r : write_all(fd, &bytes);
	vec__done(&bytes);
	if (r) {
		close(fd);
		return err__set(err, r, "cannot write a file in memory: %s", err_str(r));
	}
	*ret_fd = fd;
	return 0;
}

int object_open(const struct btf_excerpt *btf, struct coldspot **ret, int *ret_btf_fd,
		struct err *err)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts);
	char path[32];
	int fd = -1, r = put_in_memory(btf, &fd, err);

	if (r)
		return r;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	opts.btf_custom_path = path;
	*ret = coldspot__open_opts(&opts);
	if (!*ret) {
		r = err__set(err, -errno, "cannot open our own BPF object: %s", err_str(errno));
		close(fd);
		return r;
	}
	*ret_btf_fd = fd;
	return 0;
}

int object_print_to_log(enum libbpf_print_level level, const char *format, va_list args)
{
	char line[512];

	if (!log_enabled() || level == LIBBPF_DEBUG)
		return 0;
	vsnprintf(line, sizeof(line), format, args);
	line[strcspn(line, "\n")] = 0;
	log_debug("libbpf: %s", line);
	return 0;
}
