/* SPDX-License-Identifier: Apache-2.0 */
#include "crew.h"

#include <stdio.h>
#include <unistd.h>

struct wl_thread crew[CREW_MOST];
static char names[CREW_MOST][16];

void crew_start(int len, void (*run)(struct wl_thread *t), const char *name)
{
	for (int i = 0; i < len; i++) {
		snprintf(names[i], sizeof(names[i]), "%s%d", name, i);
		crew[i] = (struct wl_thread){ .kind = name, .name = names[i], .run = run };
		wl_thread__start(&crew[i]);
		wl_thread__ready(&crew[i]);
	}
}

void crew_converse(int len)
{
	wl_emit("{\"event\":\"ready\",\"pid\":%d}", getpid());
	wl_expect("go");
	wl_open(WL_GATE_GO);
	for (int i = 0; i < len; i++) {
		while (!__atomic_load_n(&crew[i].park_ns, __ATOMIC_ACQUIRE))
			usleep(1000);
		wl_emit("{\"event\":\"waker\",\"index\":%d,\"tid\":%d}", i, crew[i].tid);
	}
	wl_emit("{\"event\":\"done\"}");
	wl_expect("quit");
	wl_open(WL_GATE_QUIT);
	for (int i = 0; i < len; i++)
		wl_thread__join(&crew[i]);
}
