/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is accepted is printed as a file that means the same. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct agent_settings s, again;
	struct sink out;

	agent_settings__init(&s);
	if (agent_settings__parse(&s, view__of(data, size), NULL))
		return 0;
	sink__init_mem(&out);
	agent_settings__put(&s, &out);
	if (sink__finish(&out, NULL))
		abort();
	agent_settings__init(&again);
	if (agent_settings__parse(&again, view__of(out.buf, out.len), NULL) ||
	    agent_settings__need_restart(&s, &again) ||
	    agent_settings__push_otherwise(&s, &again) ||
	    s.retention_days != again.retention_days ||
	    s.retention_bytes != again.retention_bytes || s.watches_len != again.watches_len ||
	    memcmp(s.watches, again.watches, s.watches_len * sizeof(*s.watches)))
		abort();
	sink__done(&out);
	return 0;
}
