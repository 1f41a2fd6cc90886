/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: farm N AT-ONCE PROGRAM [fresh DIR]
 *
 * A build farm: runs PROGRAM N times, up to AT-ONCE at a time, one after the other as fast as it
 * can. With `fresh` each run is of a copy of its own in DIR, which is removed when the run is over,
 * as configure scripts do.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int copy(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC), out;
	struct stat st;
	ssize_t sent;

	if (in < 0 || fstat(in, &st))
		return -1;
	out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	sent = out < 0 ? -1 : sendfile(out, in, NULL, (size_t)st.st_size);
	close(in);
	return out < 0 || close(out) || sent != st.st_size ? -1 : 0;
}

static void fresh_name(char *buf, size_t sz, const char *dir, int i)
{
	snprintf(buf, sz, "%s/tiny%d", dir, i);
}

int main(int argc, char **argv)
{
	int n, at_once, i, status, failed = 0, running = 0;
	const char *dir = argc == 6 ? argv[5] : NULL;
	pid_t *pids, pid;
	char name[512];

	if (argc != 4 && argc != 6)
		return 2;
	n = atoi(argv[1]);
	at_once = atoi(argv[2]);
	pids = calloc((size_t)n, sizeof(*pids));
	for (i = 0; pids && (i < n || running);) {
		if (i < n && running < at_once) {
			char *run[] = { (char[]){ "tiny" }, NULL };

			snprintf(name, sizeof(name), "%s", argv[3]);
			if (dir)
				fresh_name(name, sizeof(name), dir, i);
			if ((dir && copy(argv[3], name)) ||
			    posix_spawn(&pids[i++], name, NULL, NULL, run, environ))
				return 1;
			running++;
			continue;
		}
		pid = wait(&status);
		if (pid < 0)
			return 1;
		running--;
		failed += status != 0;
		for (int k = 0; dir && k < i; k++) {
			if (pids[k] == pid) {
				fresh_name(name, sizeof(name), dir, k);
				unlink(name);
			}
		}
	}
	return failed ? 1 : 0;
}
