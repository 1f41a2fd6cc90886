/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_PAGE_PAGE_MOMENTS_H
#define RENDER_PAGE_PAGE_MOMENTS_H

#include "profile/profile.h"

/* About 10 bytes of a page each, before compression. */
#define PAGE_MOMENTS_MAX 2000000

/*
 * The moments of a profile that its page has (profile/moment.h): all, or the first
 * PAGE_MOMENTS_MAX by their end. The rest of the time is then a gap in every lane.
 */
struct page_moments {
	bool are_kept; /* false: the recording has none, and the page no timelines */
	u32 len;
	u32 all; /* that the profile has */
	u64 until_ns; /* since the begin of the window; 0: none was left out */
};

/* `p` as it is shown. */
struct page_moments page_moments_of(const struct profile *p);

#endif
