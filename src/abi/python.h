/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only OR BSD-2-Clause */
#ifndef ABI_PYTHON_H
#define ABI_PYTHON_H

#include <linux/types.h>

#include "abi/event.h"

/*
 * What must be known of a CPython to read its frames. All of it is a fact about one file (the
 * libpython3.x.so, or a python3.x that holds it), so that it is looked for once for each file and
 * not for each process. Offsets are in bytes.
 */
#define CS_PYTHON_RANGES 4
/* Most bytes of one object that are read at once. */
#define CS_PYTHON_BUF_SZ 256
/* Since 3.11 frames lie in a row, callers before callees: so much is read for some of them. */
#define CS_PYTHON_WINDOW_SZ 1024
#define CS_PYTHON_NO_OFF 0xffff

/* How the frames that one call of the interpreter loop runs are told from those of its caller. */
enum cs_python_entry {
	CS_PYTHON_ENTRY_ALL = 0, /* to 3.10: it runs one */
	CS_PYTHON_ENTRY_MARK, /* 3.11: the byte at frame_entry is not 0 in the first that it runs */
	CS_PYTHON_ENTRY_SHIM, /* 3.12 on: below the first is one that is none; the byte is 3 */
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
	struct cs_python_range eval[CS_PYTHON_RANGES]; /* where the interpreter loop is */
	__u16 code_type; /* last 12 bits of the address of PyCode_Type */
	__u8 entry; /* enum cs_python_entry */
	__u8 instr; /* enum cs_python_instr */
	/* PyThreadState */
	__u16 thread_id;
	__u16 thread_frame; /* the frame that runs, or where that is found */
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
	/* How much of each is read, from its start to the last field above. */
	__u16 thread_sz;
	__u16 frame_sz;
	__u16 code_sz;
	__u16 pad[3];
};

/* A code object that was read on this CPU. */
struct python_known {
	__u64 image;
	__u64 code;
	__u64 globals; /* of the frame that it was met in */
	__u64 key;
	__u64 since_ns; /* it was always the same since then */
	__u64 ns; /* when it was read last */
};

#define CS_PYTHON_KNOWN 128

/* What the reader of frames keeps while a stack is walked. */
struct python_walk {
	__u32 module; /* that `facts` are of; 0: none yet */
	__u32 phase; /* enum python_phase */
	__u32 slot; /* of thread-local storage, that is looked at */
	__u32 scan; /* all slots are tried, one after the other */
	__u32 busy; /* in the middle of the frames of one interpreter loop */
	__u32 part; /* of a code object, that is read */
	__u32 last; /* the present frame is the first that its interpreter loop ran */
	__u32 pad;
	__u64 state; /* a PyThreadState */
	__u64 frame; /* the next one to read; 0: none */
	__u64 code; /* of the present one */
	__u64 instr;
	__u64 key; /* what tells the code object from others; see cs_pc_code() */
	__u64 file; /* its parts: objects, then the bytes of them */
	__u64 name;
	__u64 lines;
	struct cs_python facts;
	__u64 globals; /* of the present frame */
	__u64 window_addr; /* of window[0]; 0: there is nothing in it */
	__u32 window_len;
	__u32 window_at; /* where in it the present frame is */
	__u8 buf[CS_PYTHON_BUF_SZ];
	__u8 window[CS_PYTHON_WINDOW_SZ + CS_PYTHON_BUF_SZ]; /* the frame may begin at its end */
	struct python_known known[CS_PYTHON_KNOWN]; /* from walk to walk */
	struct cs_code_event event;
};

_Static_assert(sizeof(struct cs_python_range) == 16, "");
_Static_assert(sizeof(struct cs_python) == 8 + 16 * CS_PYTHON_RANGES + 56, "");

#endif
