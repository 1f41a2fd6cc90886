/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text/units.h"
#include "capture/feature/features.h"
#include "doctor/path.h"
#include "doctor/process.h"
#include "doctor/tasks.h"
#include "doctor/visits.h"
#include "base/text/wrap.h"
#include "gen/version.h"
#include "proc/task.h"

/*
 * doctor: will recording work here, and what will be missing? Available features have one line per
 * group. Each missing one has its own lines with its cost and its cure, so that it stands out. The
 * last line is the verdict, and the exit status tells scripts the same.
 */

#define DOCTOR_TEXT_COLUMN 11

struct doctor_subject {
	u32 pid; /* 0: none */
	const char *path; /* NULL: none */
};

struct doctor_values {
	struct doctor_subject subject;
};

/* A number is a process; a file with such a name is ./NAME. */
static int parse_subject(const char *text, void *value, struct err *err)
{
	struct doctor_subject *subject = value;
	u64 pid;
	int r;

	*subject = (struct doctor_subject){ 0 };
	if (text[strspn(text, "-0123456789")]) {
		subject->path = text;
		return 0;
	}
	r = units_parse_u64(text, 1, 1 << 22, &pid, err);
	if (!r)
		subject->pid = (u32)pid;
	return r;
}

static const struct opt doctor_args[] = {
	{ 0, NULL, OPT_CUSTOM(struct doctor_values, subject), "PID|FILE",
	  "Report what the stacks of this process, or of this program or library, will look like, "
	  "instead.",
	  .flags = OPT_PROCESS | OPT_FILE, .parse = parse_subject },
	OPT_END,
};

static const struct opt_example doctor_examples[] = {
	{ "sudo coldspot doctor", "Check this machine." },
	{ "sudo coldspot doctor 4121",
	  "Check whether stacks of process 4121 will be whole and have names." },
	{ "coldspot doctor /usr/sbin/nginx",
	  "Find the debug package with the names of its functions." },
	{ NULL, NULL },
};

const struct opt_command doctor_opts = {
	.name = "doctor",
	.summary = "check whether recording works here, and what will be missing",
	.description =

		"Checks the kernel, its hooks and your privileges. With a PID, checks the "
		"files and JIT-compiled code of that process instead, and shows on one "
		"screen what its stacks will look like. For each missing feature it prints "
		"what that costs and what to do. It changes nothing.\n\n"
		"With the path of a program or library, checks that file: its unwind tables, "
		"where its functions get their names, its build ID, and which Debian package has "
		"the missing names. This needs no privileges.\n\n"
		"The exit status is 0 if recording will work, or the file can be read; 3 if "
		"recording is not permitted; and 1 if the kernel lacks something, or there is no "
		"such process or file.",
	.args = doctor_args,
	.examples = doctor_examples,
	.values_sz = sizeof(struct doctor_values),
};

static const char *const group_names[] = {
	[FEATURE_GROUP_KERNEL] = "Kernel",   [FEATURE_GROUP_HOOKS] = "Hooks",
	[FEATURE_GROUP_NUMBERS] = "Numbers", [FEATURE_GROUP_RIGHTS] = "Rights",
	[FEATURE_GROUP_AROUND] = "Around",
};

static void put_present(const struct features *f, u32 group, struct sink *out)
{
	char line[512] = "";
	size_t len = 0;
	u32 id;

	for (id = 0; id < FEATURE_CNT; id++) {
		if (feature_infos[id].group != group || f->at[id].state != FEATURE_YES)
			continue;
		len += (size_t)snprintf(line + len, sizeof(line) - len, "%s%s", len ? ", " : "",
					feature_infos[id].name);
		if (len >= sizeof(line))
			break;
	}
	if (!len)
		return;
	sink__puts(out, "  ok       ");
	wrap_text(out, line, DOCTOR_TEXT_COLUMN, DOCTOR_TEXT_COLUMN);
}

static void put_line(struct sink *out, const char *mark, const char *text)
{
	sink__printf(out, "  %-8s ", mark);
	wrap_text(out, text, DOCTOR_TEXT_COLUMN, DOCTOR_TEXT_COLUMN);
}

/*
 * Prints missing or unknown features with their cost; a feature that another one replaces has none.
 */
static void put_absent(const struct features *f, enum feature_id id, struct sink *out)
{
	const struct feature_info *info = &feature_infos[id];
	bool missing = f->at[id].state == FEATURE_NO;
	bool spared = info->spared_by && features__has(f, info->spared_by);
	char line[768];

	snprintf(line, sizeof(line), "%s%s%s", info->name, f->at[id].detail[0] ? ": " : "",
		 f->at[id].detail);
	if (spared) {
		size_t len = strlen(line);

		snprintf(line + len, sizeof(line) - len, "; not needed beside %s",
			 feature_infos[info->spared_by].name);
		put_line(out, "spare", line);
		return;
	}
	put_line(out, missing ? "missing" : "unknown", line);
	if (!missing)
		return;
	snprintf(line, sizeof(line), "costs: %s", info->cost);
	put_line(out, "", line);
	if (info->remedy) {
		snprintf(line, sizeof(line), "to do: %s", info->remedy);
		put_line(out, "", line);
	}
	if (info->since && info->group != FEATURE_GROUP_RIGHTS) {
		snprintf(line, sizeof(line), "since: Linux %s", info->since);
		put_line(out, "", line);
	}
}

static void put_group(const struct features *f, u32 group, struct sink *out)
{
	u32 id;

	sink__printf(out, "%s\n", group_names[group]);
	put_present(f, group, out);
	for (id = 0; id < FEATURE_CNT; id++) {
		if (feature_infos[id].group == group && f->at[id].state != FEATURE_YES)
			put_absent(f, id, out);
	}
}

static void put_sysctl(struct sink *out, const char *name, s64 value)
{
	if (value == FEATURES_NOT_KNOWN)
		sink__printf(out, "  %s: cannot be read\n", name);
	else
		sink__printf(out, "  %s: %lld\n", name, value);
}

/* Settings that change nothing by themselves, for someone who reads the report elsewhere. */
static void put_settings(const struct features *f, struct sink *out)
{
	char memlock[32];

	if (f->memlock_bytes == ~0ULL)
		snprintf(memlock, sizeof(memlock), "unlimited");
	else
		units_format_bytes(f->memlock_bytes, memlock, sizeof(memlock));
	sink__puts(out, "Settings\n");
	put_sysctl(out, "kernel.unprivileged_bpf_disabled", f->unprivileged_bpf_disabled);
	put_sysctl(out, "kernel.perf_event_paranoid", f->perf_event_paranoid);
	put_sysctl(out, "kernel.kptr_restrict", f->kptr_restrict);
	put_sysctl(out, "kernel.perf_event_max_stack", f->perf_event_max_stack);
	sink__printf(out, "  lockdown: %s\n", f->lockdown[0] ? f->lockdown : "not known");
	sink__printf(out, "  locked memory: %s (BPF maps do not count since Linux 5.11)\n",
		     memlock);
	if (f->cgroup2_path[0])
		sink__printf(out, "  cgroup v2: %s\n", f->cgroup2_path);
	if (f->resume_symbol[0])
		sink__printf(out, "  kprobe symbol: %s\n", f->resume_symbol);
}

/* The verdict is a result, not an error of ours: it is in the report, not on standard error. */
static int put_verdict(const struct features *f, struct sink *out)
{
	struct err why = { 0 };
	int r = features__verdict(f, &why);

	if (!r) {
		sink__puts(out, "\nRecording will work.\n");
		return STATUS_OK;
	}
	sink__puts(out, "\nRecording will not work:");
	wrap_text(out, why.msg, 24, 0);
	sink__puts(out, "`record` then visits threads in /proc: see `Without BPF` above.\n");
	return r == -EPERM ? STATUS_NOT_PERMITTED : STATUS_FAILED;
}

static void put_machine(const struct features *f, struct sink *out)
{
	u32 group;

	sink__printf(out, "coldspot %s on Linux %s\n\n", COLDSPOT_VERSION, f->release);
	for (group = 0; group < ARRAY_LEN(group_names); group++)
		put_group(f, group, out);
	doctor_visits("/proc", out);
	doctor_tasks("/proc", out);
	put_settings(f, out);
}

static int report(const struct doctor_values *v, struct sink *out, int *ret_status, struct err *err)
{
	struct features f;
	int r;

	if (v->subject.path)
		return doctor_path(v->subject.path, out, err);
	if (v->subject.pid && !proc_task_exists(v->subject.pid))
		return err__set(err, -ESRCH, "no process %u", v->subject.pid);
	r = features__probe(&f, 0, err);
	if (r < 0)
		return r;
	if (v->subject.pid)
		r = doctor_process(v->subject.pid, out, err);
	else
		put_machine(&f, out);
	*ret_status = put_verdict(&f, out);
	features__done(&f);
	return r;
}

int cmd_doctor(int argc, char **argv)
{
	struct err err = { 0 }, out_err = { 0 };
	struct doctor_values values;
	struct sink out;
	int status = STATUS_OK, r;

	if (!command_begin(&doctor_opts, argc, argv, &values, &status))
		return status;
	sink__init_fd(&out, STDOUT_FILENO);
	r = report(&values, &out, &status, &err);
	if (r < 0)
		status = command_fail(&doctor_opts, &err);
	if (sink__finish(&out, &out_err) < 0 && out_err.code != -EPIPE)
		status = command_fail(&doctor_opts, &out_err);
	sink__done(&out);
	return status;
}
