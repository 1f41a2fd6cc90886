/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PUSH_OTLP_ANSWER_H
#define PUSH_OTLP_ANSWER_H

#include "base/types.h"
#include "base/view.h"

/* What an ExportProfilesServiceResponse says. */
struct otlp_answer {
	s64 rejected; /* profiles that the server did not take */
	char message[160]; /* cut; "": none */
};

/* False: it is no such message. An empty one is fine. */
bool otlp_answer__parse(struct otlp_answer *a, struct view body);

#endif
