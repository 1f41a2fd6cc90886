/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Servers with the API of S3: AWS, MinIO, Ceph. The bucket is in the path, because the names of
 * buckets are no hosts everywhere. One PUT for each file: it is there whole or not at all, and the
 * same name again replaces it.
 *
 * No answer is about the file: an expired session has status 400, as a wrong region has. So a file
 * is tried until it is taken.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sha256.h"
#include "push/s3_keys.h"
#include "push/target.h"
#include "store/copy.h"

#define DEFAULT_REGION "us-east-1"

static int check(const struct push_url *url, struct err *err)
{
	const char *host = strstr(url->base, "://");
	const char *bucket = host ? strchr(host + 3, '/') : NULL;

	if (!bucket || !bucket[1] || bucket[1] == '/')
		return err__set(err, -EINVAL,
				"the bucket is missing: s3+https://HOST/BUCKET/PREFIX");
	if (*url->query)
		return err__set(err, -EINVAL,
				"s3 has the parameters region, credentials-file and header-file");
	for (const char *p = url->region; *p; p++) {
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.",
			    *p))
			return err__set(err, -EINVAL, "'%s' is no region", url->region);
	}
	return 0;
}

static int find_fault(const struct push_url *url, struct err *err)
{
	struct s3_keys keys;

	return s3_keys__find(&keys, url, err);
}

static const char *region_of(const struct push_url *url)
{
	const char *region = getenv("AWS_REGION");

	if (*url->region)
		return url->region;
	if (!region || !*region)
		region = getenv("AWS_DEFAULT_REGION");
	return region && *region && strlen(region) < 64 ? region : DEFAULT_REGION;
}

/* The text of an element of the answer, which is XML; "" if it has none. */
static void find_element(const char *body, const char *name, char *to, size_t sz)
{
	char open[32];
	const char *at;

	snprintf(open, sizeof(open), "<%s>", name);
	at = strstr(body, open);
	snprintf(to, sz, "%.*s", at ? (int)strcspn(at + strlen(open), "<\r\n") : 0,
		 at ? at + strlen(open) : "");
}

static enum push_verdict judge(const struct http_answer *answer, struct err *why)
{
	const char *body = answer->body.buf ? answer->body.buf : "";
	char code[64], message[128];

	if (!answer->status) {
		err__set(why, -EIO, "%s", answer->trouble);
		return PUSH_LATER;
	}
	if (answer->status >= 200 && answer->status < 300)
		return PUSH_TAKEN;
	find_element(body, "Code", code, sizeof(code));
	find_element(body, "Message", message, sizeof(message));
	err__set(why, -EPROTO, "status %u%s%s%s%s", answer->status, *code ? ": " : "", code,
		 *message ? ": " : "", message);
	return PUSH_LATER;
}

static int send_object(const struct push_url *url, struct http *http, struct http_object *object,
		       struct push_put *ret, struct err *why)
{
	struct http_answer answer;
	struct s3_keys keys;
	int r = s3_keys__find(&keys, url, why);

	ret->needs_user = r != 0;
	if (r)
		return r;
	object->region = region_of(url);
	object->key_id = keys.key_id;
	object->secret = keys.secret;
	object->token = keys.token;
	r = http__put_object(http, url, object, &answer, why);
	if (!r)
		ret->verdict = judge(&answer, why);
	ret->retry_after_s = answer.retry_after_s;
	ret->bytes = object->bytes;
	http_answer__done(&answer);
	return r;
}

static int send_file(const char *path, const char *name, const struct push_url *url,
		     struct http *http, struct push_put *ret, struct err *why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), r = 0;
	char sum[SHA256_HEX_SZ];
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		r = err__set(why, -errno, "cannot open '%s': %s", path, err_str(errno));
	if (!r)
		r = sha256_file(fd, path, sum, why);
	if (!r) {
		struct http_object object = {
			.fd = fd, .bytes = (u64)st.st_size, .path = name, .sha256 = sum
		};

		r = send_object(url, http, &object, ret, why);
	}
	if (fd >= 0)
		close(fd);
	return r;
}

static int put_day(const struct push_day *day, const struct push_url *url, struct http *http,
		   struct push_put *ret, struct err *why)
{
	bool copied = store_file_has_log(day->path);
	u64 bytes;
	int r = copied ? store_copy_file(day->path, day->scratch, &bytes, why) : 0;

	if (!r)
		r = send_file(copied ? day->scratch : day->path, day->name, url, http, ret, why);
	if (copied)
		unlink(day->scratch);
	if (!r || r == -ENOMEM || r == -E2BIG || r == -EBADMSG || access(day->path, F_OK))
		return r;
	ret->verdict = PUSH_LATER;
	return 0;
}

const struct push_target push_s3 = {
	.name = "s3",
	.path = "",
	.help = "S3 and servers with its API, for the files of days that are over",
	.put_day = put_day,
	.check = check,
	.find_fault = find_fault,
};
