/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stack of a Python program has, from the leaf:
 *
 *	sem_wait                        a C function that the program called
 *	PyThread_acquire_lock_timed     part of the interpreter, but says what is being done
 *	PyObject_Vectorcall             passes the call on: machinery
 *	queue.py:get                    interpreted frames, run by
 *	app.py:worker
 *	_PyEval_EvalFrameDefault        one turn of the interpreter's loop: machinery
 *	_PyFunction_Vectorcall          machinery
 *	thread_run                      a C function again
 *
 * The loop is hidden if an interpreted frame is on its leaf side: that is where the walk puts them.
 * A loop without one (a version whose frames cannot be read) stays, because nothing else represents
 * it. Functions that pass calls on are hidden between interpreted frames, and also before the first
 * and after the last of them, as far as the run of such functions goes. So C functions that the
 * program calls, and that call it back, stay visible.
 *
 * A name alone is not enough: any program may have a `call_function`. It counts only in the file
 * that contains the loop. Inlined functions are treated like the function that contains them.
 */
#include "analysis/name/machinery.h"

#include <errno.h>

#include "base/mem.h"

enum part {
	PART_OTHER = 0,
	PART_CODE, /* interpreted */
	PART_LOOP,
	PART_UNNAMED, /* on the root side of an interpreted frame it can only be the loop */
	PART_GLUE,
	PART_INLINED,
};

static const char *const loops[] = {
	"_PyEval_EvalFrameDefault",
	"_PyEval_EvalFrame",
	"PyEval_EvalFrameEx",
	"PyEval_EvalFrame",
};

/* Whole names; CPython 3.8 to 3.13. */
static const char *const glue[] = {
	"PyEval_EvalCode",
	"PyEval_EvalCodeEx",
	"_PyEval_EvalCode",
	"_PyEval_EvalCodeWithName",
	"_PyEval_Vector",
	"_PyFunction_Vectorcall",
	"_PyFunction_FastCallDict",
	"_PyFunction_FastCallKeywords",
	"function_code_fastcall",
	"call_function",
	"do_call_core",
	"trace_call_function",
	"_PyObject_MakeTpCall",
	"object_vacall",
	"callmethod",
	"type_call",
	"vectorcall_method",
	"vectorcall_maybe",
	"vectorcall_unbound",
	"call_unbound_noarg",
	"gen_iternext",
	"gen_send_ex",
	"gen_send_ex2",
	"run_eval_code_obj",
	"run_mod",
};

/* Families of functions, one for each way to pass arguments. */
static const char *const glue_prefixes[] = {
	"PyObject_Call",
	"PyObject_Vectorcall",
	"PyVectorcall_",
	"_PyObject_Call",
	"_PyObject_FastCall",
	"_PyObject_Vectorcall",
	"_PyVectorcall_",
	"_PyMethodDef_RawFastCall",
	"_PyMethodDescr_FastCall",
	"_PyMethodDescr_Vectorcall",
	"_PyCFunction_FastCall",
	"cfunction_call",
	"cfunction_vectorcall",
	"method_call",
	"method_vectorcall",
	"slot_am_",
	"slot_mp_",
	"slot_nb_",
	"slot_sq_",
	"slot_tp_",
};

/* `len`: without compiler suffixes after a dot (.cold, .part.0, .lto_priv.0). */
static bool is_one_of(const char *name, size_t len, const char *const *names, size_t cnt)
{
	size_t i;

	for (i = 0; i < cnt; i++) {
		if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0)
			return true;
	}
	return false;
}

static bool is_loop(const char *name)
{
	return is_one_of(name, strcspn(name, "."), loops, ARRAY_LEN(loops));
}

static bool is_glue(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(glue_prefixes); i++) {
		if (strncmp(name, glue_prefixes[i], strlen(glue_prefixes[i])) == 0)
			return true;
	}
	return is_one_of(name, strcspn(name, "."), glue, ARRAY_LEN(glue));
}

static bool is_native_user(const struct profile_frame *f)
{
	return !(f->flags & (FRAME_KERNEL | FRAME_TRUNCATED));
}

static bool has_code(const struct profile *p)
{
	u32 i;

	for (i = 1; i < p->modules_len; i++) {
		if (p->modules[i].kind == MODULE_CODE)
			return true;
	}
	return false;
}

static enum part part_of(const struct profile *p, const struct profile_frame *f, bool interpreter)
{
	const char *name = profile__str(p, f->name);

	if (!is_native_user(f))
		return PART_OTHER;
	if (f->flags & FRAME_INLINED)
		return PART_INLINED;
	if (p->modules[f->module].kind == MODULE_CODE)
		return PART_CODE;
	if (!f->name)
		return PART_UNNAMED;
	if (is_loop(name))
		return PART_LOOP;
	return interpreter && is_glue(name) ? PART_GLUE : PART_OTHER;
}

int machinery__init(struct machinery *m, const struct profile *p, struct err *err)
{
	bool *has_loop;
	u32 i;

	memset(m, 0, sizeof(*m));
	if (!has_code(p))
		return 0;
	has_loop = mem_array(p->modules_len, sizeof(*has_loop));
	m->of_frame = mem_array(p->frames_len, sizeof(*m->of_frame));
	if (!has_loop || !m->of_frame) {
		mem_free(has_loop);
		return err__nomem(err);
	}
	m->frames_len = p->frames_len;
	for (i = 1; i < p->frames_len; i++) {
		const struct profile_frame *f = &p->frames[i];

		if (is_native_user(f) && f->name && is_loop(profile__str(p, f->name)))
			has_loop[f->module] = true;
	}
	for (i = 1; i < p->frames_len; i++)
		m->of_frame[i] = (u8)part_of(p, &p->frames[i], has_loop[p->frames[i].module]);
	mem_free(has_loop);
	return 0;
}

void machinery__done(struct machinery *m)
{
	if (!m)
		return;
	mem_free(m->of_frame);
	memset(m, 0, sizeof(*m));
}

static enum part part_at(const struct machinery *m, u32 frame)
{
	return frame < m->frames_len ? (enum part)m->of_frame[frame] : PART_OTHER;
}

/*
 * Marks functions that pass calls on, from interpreted frame `at` in steps of `step`, up to the
 * first other one.
 */
static void mark_run(const struct machinery *m, const u32 *frames, u32 len, u32 at, u32 step,
		     bool *hidden)
{
	for (at += step; at < len; at += step) {
		enum part part = part_at(m, frames[at]);

		if (part == PART_GLUE)
			hidden[at] = true;
		else if (part != PART_INLINED && !hidden[at])
			return;
	}
}

static void mark_glue(const struct machinery *m, const u32 *frames, u32 len, bool *hidden)
{
	u32 first = len, last = 0, i;

	for (i = 0; i < len; i++) {
		if (part_at(m, frames[i]) != PART_CODE)
			continue;
		first = i < first ? i : first;
		last = i;
	}
	if (first == len)
		return;
	for (i = first; i < last; i++)
		hidden[i] |= part_at(m, frames[i]) == PART_GLUE;
	mark_run(m, frames, len, first, (u32)-1, hidden);
	mark_run(m, frames, len, last, 1, hidden);
}

static void mark_loops(const struct machinery *m, const u32 *frames, u32 len, bool *hidden)
{
	enum part before = PART_OTHER;
	u32 i;

	for (i = 0; i < len; i++) {
		enum part part = part_at(m, frames[i]);

		if (part == PART_INLINED)
			continue;
		hidden[i] = before == PART_CODE && (part == PART_LOOP || part == PART_UNNAMED);
		before = part;
	}
}

u32 machinery__mark(const struct machinery *m, const u32 *frames, u32 len, bool *hidden)
{
	u32 i, n = 0;

	memset(hidden, 0, len * sizeof(*hidden));
	if (!m->of_frame)
		return 0;
	mark_loops(m, frames, len, hidden);
	mark_glue(m, frames, len, hidden);
	for (i = len; i-- > 0;) {
		if (part_at(m, frames[i]) == PART_INLINED)
			hidden[i] = i + 1 < len && hidden[i + 1];
		n += hidden[i];
	}
	return n;
}
