/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AGENT_SETTINGS_FAULT_H
#define AGENT_SETTINGS_FAULT_H

#include "agent/settings.h"

/*
 * What is missing around the settings, although they are valid: the directory of metrics_file or of
 * a target, or its file with keys. 0, or an error whose sentence names the setting. An agent that
 * runs says these itself and goes on.
 */
int agent_settings__find_fault(const struct agent_settings *s, struct err *err);

#endif
