/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_PAGE_PAGE_MOMENTS_H
#define RENDER_PAGE_PAGE_MOMENTS_H

#include "profile/profile.h"

/* About 10 bytes of a page each, before compression. */
#define PAGE_MOMENTS_MAX 2000000

/*
 * The moments that a page has of a profile (profile/moment.h): all, or the first
 * PAGE_MOMENTS_MAX by their end, so that the rest of the time is a gap for every thread.
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
