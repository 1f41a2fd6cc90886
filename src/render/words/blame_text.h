/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_WORDS_BLAME_TEXT_H
#define RENDER_WORDS_BLAME_TEXT_H

#include "analysis/model/blame.h"
#include "base/sink.h"

/*
 * What a thread did while others waited for it: "in disk-sync for file /srv/wal", "in sleep at
 * retry", "running Parser::next", or without samples "running, last in unlock", "waiting for a
 * CPU". "" for an interrupt, whose name says it.
 */
void blame_put_doing(const struct blame_part *part, struct sink *out);
/*
 * "worker-4133", "nginx-7 waiting for python3 (4 threads)", or "nobody" with why in
 * blame_put_doing().
 */
void blame_put_who(const struct blame_part *part, struct sink *out);
/*
 * Whether the blame of a set of waits says more than their cause: wakers ended 5% of it, or more.
 */
bool blame_says_something(const struct blame *blame);
/*
 * "71% of it worker-4133 in disk-sync for file /srv/wal, 20% waiting for a CPU, 9% other": parts of
 * 5% and more, longest first, a name only where it changes.
 */
void blame_put_text(const struct blame *blame, struct sink *out);

#endif
