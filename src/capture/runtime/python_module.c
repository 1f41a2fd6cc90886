/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Before 3.13, CPython files do not describe their structs, so there is a table of offsets per
 * version; they are valid for every release of it on 64-bit machines. From 3.13 on the file
 * contains them (_Py_DebugOffsets), also for builds without the global lock.
 *
 * A build may still differ (options that add fields, such as Py_TRACE_REFS). The BPF reader
 * therefore checks the type of each code object, and with another layout it finds no frames rather
 * than wrong ones.
 *
 * The version is not taken from the file name: in a virtual environment the copy is called python,
 * and programs that embed Python have any name. Releases before 3.11 do not have the version in a
 * symbol, but their module path ends in "python3.x".
 */
#include "capture/runtime/python_module.h"

#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "elf/image.h"
#include "elf/lookup.h"

#define LOOP_NAME "_PyEval_EvalFrameDefault"
#define RODATA_MAX_SZ (256UL << 20)
#define NO_OFF CS_PYTHON_NO_OFF
#define VERSION(minor) (3U << 8 | (minor))

/* 64-bit builds of 3.8 to 3.12, from the headers of the releases. */
#define STRINGS(ascii, compact)                                                                    \
	.str_len = 16, .str_state = 32, .str_ascii = (ascii), .str_compact = (compact),            \
	.bytes_len = 16, .bytes_data = 32, .code_ob_type = 8
#define FRAME_OBJECT                                                                               \
	.entry = CS_PYTHON_ENTRY_ALL, .thread_id = 176, .thread_frame = 24,                        \
	.cframe_frame = NO_OFF, .frame_globals = 48, .frame_back = 24, .frame_code = 32,           \
	.code_file = 104, .code_name = 112, .code_line = 40, .code_lines = 120

static const struct cs_python layouts[] = {
	{ .version = VERSION(8),
	  FRAME_OBJECT,
	  STRINGS(48, 72),
	  .instr = CS_PYTHON_INSTR_BYTES,
	  .frame_instr = 104 },
	{ .version = VERSION(9),
	  FRAME_OBJECT,
	  STRINGS(48, 72),
	  .instr = CS_PYTHON_INSTR_BYTES,
	  .frame_instr = 104 },
	{ .version = VERSION(10),
	  FRAME_OBJECT,
	  STRINGS(48, 72),
	  .instr = CS_PYTHON_INSTR_UNITS,
	  .frame_instr = 96 },
	{ .version = VERSION(11),
	  STRINGS(48, 72),
	  .entry = CS_PYTHON_ENTRY_MARK,
	  .instr = CS_PYTHON_INSTR_PTR,
	  .thread_id = 152,
	  .thread_frame = 56,
	  .cframe_frame = 8,
	  .frame_globals = 8,
	  .frame_back = 48,
	  .frame_code = 32,
	  .frame_instr = 56,
	  .frame_entry = 68,
	  .code_file = 112,
	  .code_name = 128,
	  .code_line = 72,
	  .code_lines = 136,
	  .code_instr = 184 },
	{ .version = VERSION(12),
	  STRINGS(40, 56),
	  .entry = CS_PYTHON_ENTRY_SHIM,
	  .instr = CS_PYTHON_INSTR_PTR,
	  .thread_id = 136,
	  .thread_frame = 56,
	  .cframe_frame = 0,
	  .frame_globals = 24,
	  .frame_back = 8,
	  .frame_code = 0,
	  .frame_instr = 56,
	  .frame_entry = 70,
	  .code_file = 112,
	  .code_name = 128,
	  .code_line = 68,
	  .code_lines = 136,
	  .code_instr = 192 },
};

/* Words of 3.13's _Py_DebugOffsets, which begins with the cookie. Later versions insert fields. */
enum debug_offset {
	DEBUG_VERSION = 1,
	DEBUG_THREAD_FRAME = 23,
	DEBUG_THREAD_ID = 24,
	DEBUG_FRAME_BACK = 29,
	DEBUG_FRAME_CODE = 30,
	DEBUG_FRAME_INSTR = 31,
	DEBUG_FRAME_OWNER = 33,
	DEBUG_CODE_FILE = 35,
	DEBUG_CODE_QUALNAME = 37,
	DEBUG_CODE_LINES = 38,
	DEBUG_CODE_LINE = 39,
	DEBUG_CODE_INSTR = 43,
	DEBUG_OB_TYPE = 45,
	DEBUG_BYTES_LEN = 65,
	DEBUG_BYTES_DATA = 66,
	DEBUG_STR_STATE = 68,
	DEBUG_STR_LEN = 69,
	DEBUG_STR_ASCII = 70,
	DEBUG_WORDS = 73,
};
#define DEBUG_COOKIE "xdebugpy"
/* Missing there; it only tells when a code object must be read again. */
#define FRAME_GLOBALS_313 24

struct found {
	u64 loop;
	u64 loop_sz;
	u64 runtime;
	u64 version;
	u64 code_type;
	struct cs_python *facts;
	const struct image *img;
};

static bool add_range(const struct image *img, u64 start, u64 end, struct cs_python *ret)
{
	const struct image_segment *seg = image__segment_at(img, start);
	u64 off;

	if (!seg || end <= start || ret->ranges == CS_PYTHON_RANGES)
		return false;
	off = start - seg->vaddr + seg->off;
	for (u32 i = 0; i < ret->ranges; i++) {
		if (ret->eval[i].start == off)
			return false;
	}
	ret->eval[ret->ranges++] = (struct cs_python_range){ off, off + (end - start) };
	return true;
}

static bool take_symbol(void *arg, const char *name, u64 vaddr, u64 sz)
{
	struct found *f = arg;

	if (strcmp(name, LOOP_NAME) == 0 && sz) {
		f->loop = vaddr;
		f->loop_sz = sz;
		add_range(f->img, vaddr, vaddr + sz, f->facts);
	} else if (strncmp(name, LOOP_NAME ".", sizeof(LOOP_NAME)) == 0) {
		/* ".cold", ".part.0", ".cold.0": parts that the compiler split off */
		add_range(f->img, vaddr, vaddr + sz, f->facts);
	} else if (strcmp(name, "_PyRuntime") == 0) {
		f->runtime = vaddr;
	} else if (strcmp(name, "Py_Version") == 0) {
		f->version = vaddr;
	} else if (strcmp(name, "PyCode_Type") == 0) {
		f->code_type = vaddr;
	}
	return true;
}

/* Only files that export the loop, or whose name says Python, are searched in full. */
static void find_symbols(const struct image *img, const char *path, struct found *f)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	struct lookup_piece cold;

	lookup_symbols(img, LOOKUP_DYNSYM, take_symbol, f);
	if (f->loop || strncmp(base, "python", 6) == 0 || strncmp(base, "libpython", 9) == 0)
		lookup_symbols(img, LOOKUP_SYMTAB, take_symbol, f);
	if (f->facts->ranges == 1 && lookup_cold_piece(img, f->loop, f->loop + f->loop_sz, &cold))
		add_range(img, cold.start, cold.end, f->facts);
}

/* "python3.N" at the end of a string; 0 if there is none, or more than one N. */
static u32 version_of_strings(const struct image *img)
{
	static const char word[] = "python3.";
	struct view rodata;
	u32 version = 0;
	const u8 *p;

	if (!image__section(img, ".rodata", RODATA_MAX_SZ, &rodata))
		return 0;
	while ((p = memmem(rodata.p, view__left(&rodata), word, sizeof(word) - 1))) {
		struct view v = { .p = p + sizeof(word) - 1, .end = rodata.end };
		u32 minor = (u32)view__dec(&v);

		rodata.p = p + 1;
		if (v.bad || view__u8(&v) || v.bad || minor > 99)
			continue;
		if (version && version != VERSION(minor))
			return 0;
		version = VERSION(minor);
	}
	return version;
}

/* Major << 8 | minor; 0: unknown. */
static u32 version_of(const struct image *img, const struct found *f)
{
	struct view v;

	if (f->version && lookup_bytes(img, f->version, 8, &v))
		return (u32)(view__u64(&v) >> 16);
	return version_of_strings(img);
}

/* The offsets that 3.13 provides itself. */
static bool take_debug_offsets(const struct image *img, const struct found *f,
			       struct cs_python *ret)
{
	u64 at[DEBUG_WORDS];
	struct view v;
	size_t i;

	if (!f->runtime || !lookup_bytes(img, f->runtime, sizeof(at), &v) ||
	    memcmp(v.p, DEBUG_COOKIE, 8) != 0)
		return false;
	for (i = 0; i < DEBUG_WORDS; i++) {
		at[i] = view__u64(&v);
		if (i >= DEBUG_THREAD_FRAME && at[i] >= NO_OFF)
			return false;
	}
	if (at[DEBUG_VERSION] >> 16 != VERSION(13))
		return false;
	ret->entry = CS_PYTHON_ENTRY_SHIM;
	ret->instr = CS_PYTHON_INSTR_PTR;
	ret->cframe_frame = NO_OFF;
	ret->thread_id = (u16)at[DEBUG_THREAD_ID];
	ret->thread_frame = (u16)at[DEBUG_THREAD_FRAME];
	ret->frame_globals = FRAME_GLOBALS_313;
	ret->frame_back = (u16)at[DEBUG_FRAME_BACK];
	ret->frame_code = (u16)at[DEBUG_FRAME_CODE];
	ret->frame_instr = (u16)at[DEBUG_FRAME_INSTR];
	ret->frame_entry = (u16)at[DEBUG_FRAME_OWNER];
	ret->code_ob_type = (u16)at[DEBUG_OB_TYPE];
	ret->code_file = (u16)at[DEBUG_CODE_FILE];
	ret->code_name = (u16)at[DEBUG_CODE_QUALNAME];
	ret->code_line = (u16)at[DEBUG_CODE_LINE];
	ret->code_lines = (u16)at[DEBUG_CODE_LINES];
	ret->code_instr = (u16)at[DEBUG_CODE_INSTR];
	ret->str_len = (u16)at[DEBUG_STR_LEN];
	ret->str_state = (u16)at[DEBUG_STR_STATE];
	ret->str_ascii = (u16)at[DEBUG_STR_ASCII];
	ret->str_compact = (u16)(at[DEBUG_STR_ASCII] + 16); /* length and pointer of UTF-8 */
	ret->bytes_len = (u16)at[DEBUG_BYTES_LEN];
	ret->bytes_data = (u16)at[DEBUG_BYTES_DATA];
	return true;
}

static u16 max3(u16 a, u16 b, u16 c)
{
	u16 ab = a > b ? a : b;

	return ab > c ? ab : c;
}

/* How much of each object to read; false if it is more than the limit. */
static bool take_sizes(struct cs_python *ret)
{
	u16 code = max3(ret->code_file, ret->code_name, ret->code_lines);

	ret->thread_sz = (u16)(max3(ret->thread_id, ret->thread_frame, 0) + 8);
	ret->frame_sz = (u16)(max3(ret->frame_back, ret->frame_code, ret->frame_instr) + 8);
	if (ret->frame_sz < ret->frame_globals + 8)
		ret->frame_sz = (u16)(ret->frame_globals + 8);
	if (ret->frame_sz <= ret->frame_entry)
		ret->frame_sz = (u16)(ret->frame_entry + 1);
	ret->code_sz = (u16)(max3(code, ret->code_line, ret->code_ob_type) + 8);
	return ret->thread_sz <= CS_PYTHON_BUF_SZ && ret->frame_sz <= CS_PYTHON_BUF_SZ &&
	       ret->code_sz <= CS_PYTHON_BUF_SZ && ret->str_state + 4 <= CS_PYTHON_BUF_SZ &&
	       ret->str_len + 8 <= ret->str_state + 4;
}

static bool take_layout(const struct image *img, const struct found *f, struct cs_python *ret)
{
	struct cs_python ranges = *ret;
	size_t i;

	if (ret->version == VERSION(13))
		return take_debug_offsets(img, f, ret) && take_sizes(ret);
	for (i = 0; i < ARRAY_LEN(layouts); i++) {
		if (layouts[i].version != ret->version)
			continue;
		*ret = layouts[i];
		ret->ranges = ranges.ranges;
		memcpy(ret->eval, ranges.eval, sizeof(ret->eval));
		return take_sizes(ret);
	}
	return false;
}

static int read_image(const struct image *img, const char *path, struct cs_python *ret,
		      struct err *err)
{
	struct found f = { .facts = ret, .img = img };

	find_symbols(img, path, &f);
	if (!f.loop || !ret->ranges)
		return -ENOENT;
	ret->version = version_of(img, &f);
	if (!ret->version)
		return err__set(err, -ENOTSUP,
				"cannot tell the version of the Python in '%s': its functions "
				"are not shown",
				path);
	if (ret->version < VERSION(8) || ret->version > VERSION(13))
		return err__set(err, -ENOTSUP,
				"'%s' is Python %u.%u: its functions are not shown, only those of "
				"" PYTHON_MODULE_VERSIONS " are",
				path, ret->version >> 8, ret->version & 0xff);
	if (!f.code_type || !take_layout(img, &f, ret))
		return err__set(err, -ENOTSUP,
				"'%s' is Python %u.%u of an unknown layout: its functions are not "
				"shown",
				path, ret->version >> 8, ret->version & 0xff);
	ret->code_type = (u16)(f.code_type & 0xfff);
	return 0;
}

int python_module__read(int fd, const char *path, struct cs_python *ret, struct err *err)
{
	struct image *img;
	int r = image__open(fd, path, &img, err);

	if (r)
		return r == -EINVAL ? -ENOENT : r;
	memset(ret, 0, sizeof(*ret));
	r = img->machine == EM_X86_64 || img->machine == EM_AARCH64 ?
		    read_image(img, path, ret, err) :
		    -ENOENT;
	image__free(img);
	return r;
}
