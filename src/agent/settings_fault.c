/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/settings_fault.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "push/target.h"

static int check_metrics(const char *path, struct err *err)
{
	char directory[sizeof(((struct agent_settings *)0)->metrics_file)];
	struct stat st;

	snprintf(directory, sizeof(directory), "%s", path);
	directory[strrchr(directory, '/') - directory + 1] = '\0';
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return err__set(err, -EISDIR, "metrics_file: '%s' is no regular file", path);
	if (stat(directory, &st))
		return err__set(err, -errno, "metrics_file: the directory '%s': %s", directory,
				err_str(errno));
	return 0;
}

static int check_target(const char *text, struct err *err)
{
	struct push_url url;
	int r = push_url__parse(&url, text, err);

	if (!r && url.target->find_fault)
		r = url.target->find_fault(&url, err);
	/* the service may have another environment */
	if (r == -ENOKEY)
		return 0;
	return r ? err__wrap(err, r, "push: %s", url.name) : 0;
}

int agent_settings__find_fault(const struct agent_settings *s, struct err *err)
{
	int r = *s->metrics_file ? check_metrics(s->metrics_file, err) : 0;

	for (size_t i = 0; !r && i < AGENT_TARGETS_MAX && *s->push[i]; i++)
		r = check_target(s->push[i], err);
	return r;
}
