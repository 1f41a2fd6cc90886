/* SPDX-License-Identifier: Apache-2.0 */
#include "async/task_budget.h"

#include <stdint.h>

/* A debt is paid back in so many passes, and a pass keeps this part of its share. */
#define PAY_PASSES 8
#define KEEP 8
/* Where less can never be read, the debt stops growing. */
#define OWED_PASSES 64
/* So many passes make a mean, and one of so many rounds makes a pass at least. */
#define MEAN_OF 16
#define LEFT_OUT_MAX 16

u32 task_budget__one_in(const struct task_budget *b, u64 cost_ns)
{
	u64 pay_ns = b->owed_ns / PAY_PASSES, most_ns = b->pass_ns - b->pass_ns / KEEP;
	u64 left_ns = b->pass_ns - (pay_ns < most_ns ? pay_ns : most_ns);
	u64 parts = cost_ns / (left_ns ? left_ns : 1);

	return parts < UINT32_MAX ? (u32)parts + 1 : UINT32_MAX;
}

static void pay(struct task_budget *b, u64 ns)
{
	u64 max_ns = OWED_PASSES * b->pass_ns, owed_ns = b->owed_ns + ns;

	owed_ns = owed_ns > b->pass_ns ? owed_ns - b->pass_ns : 0;
	b->owed_ns = owed_ns < max_ns ? owed_ns : max_ns;
}

void task_budget__spent(struct task_budget *b, u64 ns)
{
	u64 most_ns = LEFT_OUT_MAX * b->pass_ns, cost_ns = ns < most_ns ? ns : most_ns;

	/* the first one may read all tasks, as its cost is not known */
	if (!b->mean_ns)
		b->mean_ns = b->pass_ns;
	b->mean_ns = b->mean_ns - b->mean_ns / MEAN_OF + cost_ns / MEAN_OF;
	pay(b, ns);
}

bool task_budget__leaves_out(struct task_budget *b, u64 random)
{
	u64 cost_ns = b->mean_ns + b->owed_ns / OWED_PASSES;

	if (!cost_ns || random % cost_ns < b->pass_ns)
		return false;
	pay(b, 0);
	return true;
}
