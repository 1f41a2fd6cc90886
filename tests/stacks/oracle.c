/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The user stacks of stopped processes, by libdw's own unwinder.
 *
 * usage: oracle PID...
 *
 * It stops processes by SIGSTOP, so that a recorder sees each of their threads off the CPU, in
 * state T, until SIGCONT; wherever a thread was hit, its user stack is frozen for all that time. Of
 * a thread in that state ptrace gives the registers; for that it is in state t for a moment, which
 * does not change its user stack either.
 *
 * Commands come from standard input, one on a line, and each is answered by lines that end with
 * `done`:
 *   loop N MIN MAX   N times: let it run for MIN to MAX us, stop the next process, tell, go on
 *   hold PID         stop it, tell its stacks, and leave it stopped
 *   release PID      let it go on
 * Output:
 *   module K PATH                     from now on K stands for PATH
 *   stack PID TID END FRAME...        leaf first. END is `root`, or why libdwfl stopped. FRAME is
 *                                     K:OFFSET (hex, in the file) or -:ADDRESS (no file). In a
 *                                     stack without a root, `?` behind the first frame of which
 *                                     there is no unwind information: from there on it is guessed
 *   skip PID TID STATE                a thread that does not come to a stop
 *   gone PID                          the process has ended
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <elfutils/libdwfl.h>

enum { MAX_FRAMES = 600, MAX_THREADS = 1024, MAX_MAPS = 4096, MAX_PROCESSES = 64 };
enum { STOP_TRIES = 1000, STOP_PAUSE_US = 1000 };

struct map {
	uint64_t start;
	uint64_t end;
	uint64_t off;
	int module; /* index into `module_names`, or -1 */
};

struct process {
	pid_t pid;
	bool gone;
	Dwfl *dwfl;
	char *maps_text; /* what `maps` and `dwfl` were made of */
	struct map maps[MAX_MAPS];
	int maps_cnt;
};

struct frames {
	uint64_t pc[MAX_FRAMES];
	bool interrupted[MAX_FRAMES]; /* pc is of the next instruction, not behind a call */
	int cnt;
};

static char **module_names;
static int module_cnt;

static void die(const char *what)
{
	fprintf(stderr, "oracle: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void *need(void *p)
{
	if (!p)
		die("memory");
	return p;
}

static void pause_us(long us)
{
	struct timespec t = { us / 1000000, us % 1000000 * 1000 };

	nanosleep(&t, NULL);
}

static int module_id(const char *path)
{
	for (int i = 0; i < module_cnt; i++) {
		if (!strcmp(module_names[i], path))
			return i;
	}
	module_names = need(realloc(module_names, (module_cnt + 1) * sizeof(*module_names)));
	module_names[module_cnt] = need(strdup(path));
	printf("module %d %s\n", module_cnt, path);
	return module_cnt++;
}

/* A file of /proc, which has no size. NULL when it cannot be read. */
static char *slurp(const char *path)
{
	FILE *f = fopen(path, "re");
	size_t sz = 0, got;
	char *text = NULL;

	if (!f)
		return NULL;
	do {
		text = need(realloc(text, sz + 65537));
		got = fread(text + sz, 1, 65536, f);
		sz += got;
	} while (got);
	text[sz] = '\0';
	fclose(f);
	return text;
}

static void parse_maps(struct process *p, char *text)
{
	char *line, *rest = text;

	p->maps_cnt = 0;
	while ((line = strsep(&rest, "\n")) && p->maps_cnt < MAX_MAPS) {
		struct map *m = &p->maps[p->maps_cnt];
		char perms[8];
		unsigned long ino;
		int at = 0;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %lu %n", &m->start,
			   &m->end, perms, &m->off, &ino, &at) < 5)
			continue;
		if (!strcmp(line + at, "[vdso]"))
			m->off = 0;
		else if (!ino)
			continue;
		m->module = strchr(perms, 'x') ? module_id(line + at) : -1;
		if (m->module >= 0)
			p->maps_cnt++;
	}
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
};

/* Reads the mappings if they have changed. Modules that are still there keep their tables. */
static bool refresh(struct process *p)
{
	char path[64], *text;

	snprintf(path, sizeof(path), "/proc/%d/maps", p->pid);
	text = slurp(path);
	if (!text || !*text) {
		free(text);
		return false;
	}
	if (p->maps_text && !strcmp(p->maps_text, text)) {
		free(text);
		return true;
	}
	free(p->maps_text);
	p->maps_text = need(strdup(text));
	parse_maps(p, text);
	free(text);
	if (!p->dwfl)
		p->dwfl = need(dwfl_begin(&callbacks));
	dwfl_report_begin(p->dwfl);
	if (dwfl_linux_proc_report(p->dwfl, p->pid) || dwfl_report_end(p->dwfl, NULL, NULL))
		return false;
	return dwfl_pid(p->dwfl) > 0 || !dwfl_linux_proc_attach(p->dwfl, p->pid, true);
}

/* 0 when the thread is gone. */
static char thread_state(pid_t pid, pid_t tid)
{
	char path[64], *text, *close;
	char state = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	text = slurp(path);
	close = text ? strrchr(text, ')') : NULL;
	if (close && close[1])
		state = close[2];
	free(text);
	return state;
}

static int threads_of(pid_t pid, pid_t tids[MAX_THREADS])
{
	char path[64];
	struct dirent *e;
	int n = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	d = opendir(path);
	while (d && n < MAX_THREADS && (e = readdir(d))) {
		if (isdigit((unsigned char)e->d_name[0]))
			tids[n++] = atoi(e->d_name);
	}
	if (d)
		closedir(d);
	return n;
}

/* Waits until every thread stands still; some never do, as the parent of a vfork. */
static void await_stop(pid_t pid)
{
	pid_t tids[MAX_THREADS];

	for (int try = 0; try < STOP_TRIES; try++) {
		int n = threads_of(pid, tids), i;

		for (i = 0; i < n; i++) {
			char state = thread_state(pid, tids[i]);

			if (state && !strchr("TtZX", state))
				break;
		}
		if (i == n)
			return;
		pause_us(STOP_PAUSE_US);
	}
}

static int take_frame(Dwfl_Frame *state, void *arg)
{
	struct frames *f = arg;
	Dwarf_Addr pc;

	if (f->cnt == MAX_FRAMES || !dwfl_frame_pc(state, &pc, &f->interrupted[f->cnt]))
		return DWARF_CB_ABORT;
	f->pc[f->cnt++] = pc;
	return DWARF_CB_OK;
}

static void print_frame(const struct process *p, uint64_t pc)
{
	for (int i = 0; i < p->maps_cnt; i++) {
		const struct map *m = &p->maps[i];

		if (pc >= m->start && pc < m->end) {
			printf(" %d:%" PRIx64, m->module, pc - m->start + m->off);
			return;
		}
	}
	printf(" -:%" PRIx64, pc);
}

static void print_word(const char *text)
{
	for (; *text; text++)
		putchar(isspace((unsigned char)*text) ? '_' : *text);
}

static bool has_frame(Dwarf_CFI *cfi, uint64_t addr)
{
	Dwarf_Frame *frame;

	if (!cfi || dwarf_cfi_addrframe(cfi, addr, &frame))
		return false;
	free(frame);
	return true;
}

static bool has_cfi(const struct process *p, const struct frames *f, int i)
{
	uint64_t pc = f->pc[i] - !f->interrupted[i];
	Dwfl_Module *mod = dwfl_addrmodule(p->dwfl, pc);
	Dwarf_Addr bias;
	Dwarf_CFI *cfi;

	if (!mod)
		return false;
	cfi = dwfl_module_eh_cfi(mod, &bias);
	if (has_frame(cfi, pc - bias))
		return true;
	cfi = dwfl_module_dwarf_cfi(mod, &bias);
	return has_frame(cfi, pc - bias);
}

static void tell_thread(const struct process *p, pid_t tid)
{
	struct frames f = { .cnt = 0 };
	bool sure = true;
	int r;

	dwfl_errno();
	r = dwfl_getthread_frames(p->dwfl, tid, take_frame, &f);
	printf("stack %d %d ", p->pid, tid);
	print_word(!r ? "root" : r > 0 ? "too deep" : dwfl_errmsg(-1));
	for (int i = 0; i < f.cnt; i++) {
		print_frame(p, f.pc[i]);
		if (r && sure && !has_cfi(p, &f, i)) {
			putchar('?');
			sure = false;
		}
	}
	putchar('\n');
}

static bool seize(pid_t tid)
{
	int status;

	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL))
		return false;
	while (waitpid(tid, &status, __WALL) < 0) {
		if (errno != EINTR)
			return false;
	}
	return WIFSTOPPED(status);
}

/* Every thread is stopped by the signal. */
static void tell_stacks(struct process *p)
{
	pid_t tids[MAX_THREADS];
	int n = threads_of(p->pid, tids);

	for (int i = 0; i < n; i++) {
		char state = thread_state(p->pid, tids[i]);

		if (state == 'T' && !seize(tids[i]))
			state = '-';
		if (state != 'T') {
			printf("skip %d %d %c\n", p->pid, tids[i], state ? state : '-');
			tids[i] = 0;
		}
	}
	if (refresh(p)) {
		for (int i = 0; i < n; i++) {
			if (tids[i])
				tell_thread(p, tids[i]);
		}
	}
	for (int i = 0; i < n; i++) {
		if (tids[i])
			ptrace(PTRACE_DETACH, tids[i], NULL, NULL);
	}
}

static bool hold(struct process *p)
{
	if (p->gone)
		return false;
	if (kill(p->pid, SIGSTOP)) {
		p->gone = true;
		printf("gone %d\n", p->pid);
		return false;
	}
	await_stop(p->pid);
	tell_stacks(p);
	return true;
}

static void loop(struct process *list, int cnt, int times, long min_us, long max_us)
{
	for (int i = 0; i < times; i++) {
		struct process *p = &list[i % cnt];

		if (!p->gone)
			pause_us(min_us + random() % (max_us - min_us + 1));
		if (hold(p))
			kill(p->pid, SIGCONT);
		fflush(stdout);
	}
}

static struct process *find(struct process *list, int cnt, int pid)
{
	for (int i = 0; i < cnt; i++) {
		if (list[i].pid == pid)
			return &list[i];
	}
	return NULL;
}

static void obey(struct process *list, int cnt, const char *line)
{
	struct process *p;
	long min_us, max_us;
	int n;

	if (sscanf(line, "loop %d %ld %ld", &n, &min_us, &max_us) == 3) {
		loop(list, cnt, n, min_us, max_us);
	} else if (sscanf(line, "hold %d", &n) == 1 && (p = find(list, cnt, n))) {
		/* let go by ptrace, threads have a few steps to go until they stand still again */
		if (hold(p))
			await_stop(p->pid);
	} else if (sscanf(line, "release %d", &n) == 1 && (p = find(list, cnt, n))) {
		kill(p->pid, SIGCONT);
	} else {
		fprintf(stderr, "oracle: what is '%s'?\n", line);
		exit(2);
	}
	printf("done\n");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct process *list;
	char line[256];

	if (argc < 2 || argc - 1 > MAX_PROCESSES) {
		fprintf(stderr, "usage: oracle PID...\n");
		return 2;
	}
	unsetenv("DEBUGINFOD_URLS");
	/* what it stops is busy, and perhaps others are: more stops in the same time */
	setpriority(PRIO_PROCESS, 0, -10);
	srandom((unsigned int)time(NULL) ^ (unsigned int)getpid());
	list = need(calloc((size_t)argc - 1, sizeof(*list)));
	for (int i = 1; i < argc; i++)
		list[i - 1].pid = atoi(argv[i]);
	while (fgets(line, sizeof(line), stdin))
		obey(list, argc - 1, line);
	/* nobody is to stay stopped when the test breaks off */
	for (int i = 0; i < argc - 1; i++) {
		if (!list[i].gone)
			kill(list[i].pid, SIGCONT);
	}
	return 0;
}
