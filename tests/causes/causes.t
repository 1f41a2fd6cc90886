#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Real servers, without work and held up. In brief, those that packages of Debian bring, once each.
brief=python-asyncio-idle,python-lock,node-idle,java-monitor,go-read,join,redis-idle,redis-fsync
brief=$brief,nginx-upstream,postgres-row-lock,mariadb-idle,row-lock-client,slow-upstream
exec python3 "$(dirname "$0")/run" ${COLDSPOT_BRIEF:+--only "$brief"} "$@"
