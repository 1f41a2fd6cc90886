/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_MAPPING_VDSO_TABLE_H
#define CAPTURE_MAPPING_VDSO_TABLE_H

#include "unwind/rules.h"
#include "unwind/table.h"

/*
 * The unwind table of the vDSO. The kernel maps the same image into every 64-bit process, so ours
 * serves for all. *ret is NULL if there is no vDSO or its table cannot be built, which is logged;
 * free it with table__free(). -ENOMEM or 0.
 */
int vdso_table(struct rules *rules, struct table **ret);

#endif
