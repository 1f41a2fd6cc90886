/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only OR BSD-2-Clause */
#ifndef ABI_PYTHON_H
#define ABI_PYTHON_H

#include <linux/types.h>

#include "abi/event.h"

/*
 * What is needed to read the frames of a CPython. All of it depends only on one file (the
 * libpython3.x.so, or a python3.x that contains it), so it is determined once per file, not per
 * process. Offsets are in bytes.
 */
#define CS_PYTHON_RANGES 4
/* Maximum size of one object that is read at once. */
#define CS_PYTHON_BUF_SZ 256
/*
 * Since 3.11 frames are contiguous, callers before callees: this many bytes are read for several.
 */
#define CS_PYTHON_WINDOW_SZ 2048
#define CS_PYTHON_NO_OFF 0xffff

/* How the frames of one call of the interpreter loop are separated from those of its caller. */
enum cs_python_entry {
	CS_PYTHON_ENTRY_ALL = 0, /* to 3.10: each call runs one */
	CS_PYTHON_ENTRY_MARK, /* 3.11: the byte at frame_entry is not 0 in its first frame */
	CS_PYTHON_ENTRY_SHIM, /* 3.12 on: a shim frame is below the first; its byte is 3 */
};

/* What is at frame_instr. */
enum cs_python_instr {
	CS_PYTHON_INSTR_BYTES = 0, /* to 3.9: an int, offset in bytes, or -1 */
	CS_PYTHON_INSTR_UNITS, /* 3.10: the same in units of 2 bytes */
	CS_PYTHON_INSTR_PTR, /* 3.11 on: a pointer; code_instr is where the code begins */
};

/* [start, end) of file offsets. */
struct cs_python_range {
	__u64 start;
	__u64 end;
};

struct cs_python {
	__u32 version; /* major << 8 | minor */
	__u32 ranges;
	struct cs_python_range eval[CS_PYTHON_RANGES]; /* the interpreter loop */
	__u16 code_type; /* last 12 bits of the address of PyCode_Type */
	__u8 entry; /* enum cs_python_entry */
	__u8 instr; /* enum cs_python_instr */
	/* PyThreadState */
	__u16 thread_id;
	__u16 thread_frame; /* the current frame, or where it is found */
	__u16 cframe_frame; /* offset in what thread_frame leads to; NO_OFF: that is the frame */
	/* PyFrameObject, _PyInterpreterFrame */
	__u16 frame_back;
	__u16 frame_code;
	__u16 frame_instr;
	__u16 frame_entry;
	__u16 frame_globals;
	/* PyCodeObject */
	__u16 code_ob_type;
	__u16 code_file;
	__u16 code_name;
	__u16 code_line;
	__u16 code_lines;
	__u16 code_instr;
	/* PyUnicodeObject, PyBytesObject */
	__u16 str_len;
	__u16 str_state;
	__u16 str_ascii; /* bytes of an ASCII string's head */
	__u16 str_compact; /* of another's */
	__u16 bytes_len;
	__u16 bytes_data;
	/* How much of each object is read, from its start to the last field above. */
	__u16 thread_sz;
	__u16 frame_sz;
	__u16 code_sz;
	__u16 pad[3];
};

/* A code object read on this CPU. */
struct python_known {
	__u64 image;
	__u64 code;
	__u64 globals; /* of the frame in which it was seen */
	__u64 key;
	__u64 since_ns; /* it has been the same since then */
	__u64 ns; /* when it was read last */
};

#define CS_PYTHON_KNOWN 256

/* What the reader of frames keeps during a walk. */
struct python_walk {
	__u32 module; /* module of `facts`; 0: none yet */
	__u32 phase; /* enum python_phase */
	__u32 slot; /* thread-local storage slot being checked */
	__u32 scan; /* try all slots, one after the other */
	__u32 busy; /* in the middle of the frames of one interpreter loop */
	__u32 part; /* part of a code object being read */
	__u32 last; /* the current frame is the first that its interpreter loop ran */
	__u32 met; /* the walk has met an interpreter loop */
	__u32 printing; /* frames are not added to the stack, but hashed */
	__u32 printed; /* frames that were */
	__u64 print; /* their hash; 0: it failed */
	__u64 state; /* a PyThreadState */
	__u64 frame; /* the next one to read; 0: none */
	__u64 code; /* of the current one */
	__u64 instr;
	__u64 key; /* identifies the code object; see cs_pc_code() */
	__u64 file; /* its parts: objects, then the bytes of them */
	__u64 name;
	__u64 lines;
	struct cs_python facts;
	__u64 globals; /* of the current frame */
	__u64 window_addr; /* address of window[0]; 0: it is empty */
	__u32 window_len;
	__u32 window_at; /* position of the current frame in it */
	__u8 buf[CS_PYTHON_BUF_SZ];
	__u8 window[CS_PYTHON_WINDOW_SZ + CS_PYTHON_BUF_SZ]; /* the frame may begin at its end */
	struct python_known known[CS_PYTHON_KNOWN]; /* kept from walk to walk */
	struct cs_code_event event;
};

_Static_assert(sizeof(struct cs_python_range) == 16, "");
_Static_assert(sizeof(struct cs_python) == 8 + 16 * CS_PYTHON_RANGES + 56, "");

#endif
