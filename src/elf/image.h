/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_IMAGE_H
#define ELF_IMAGE_H

#include "base/err.h"
#include "base/types.h"
#include "base/view.h"

/* Longest build ID kept, in bytes; SHA-1 has 20. */
#define IMAGE_BUILD_ID_MAX 64
/* Executable segments kept; programs have one, rarely two. */
#define IMAGE_SEGMENTS_MAX 32

enum image_type {
	IMAGE_EXEC = 2, /* ET_EXEC: linked to fixed addresses */
	IMAGE_DYN = 3, /* ET_DYN: shared object, PIE, vDSO */
};

/* A loadable segment that is executable. Addresses are those in the file, before relocation. */
struct image_segment {
	u64 vaddr;
	u64 off;
	u64 file_sz;
	u64 mem_sz;
};

/*
 * An ELF file: 64 or 32 bits, little endian, executable or shared object. The content is untrusted
 * and may be hostile; everything read from it is checked. Not thread-safe.
 */
struct image {
	struct Elf *elf;
	int fd; /* own duplicate, or -1 */
	enum image_type type;
	u32 machine; /* EM_* */
	u64 entry; /* address of the first instruction; 0: none */
	u64 load_vaddr; /* of the first loadable segment; 0 if there is none */
	struct image_segment segments[IMAGE_SEGMENTS_MAX]; /* the executable ones */
	size_t segments_len;
	char build_id[2 * IMAGE_BUILD_ID_MAX + 1]; /* lower-case hex, or "" */
	size_t names; /* index of the section with the names of sections; 0: none that is valid */
};

/*
 * Borrows `fd`: the image keeps a duplicate, so the caller may close it. `name` is for messages.
 * -EINVAL with a message for other files; -ENOMEM; or a read error.
 */
int image__open(int fd, const char *name, struct image **ret, struct err *err);
/* The same for a file in memory, which is borrowed until image__free(). */
int image__open_mem(const void *data, size_t sz, const char *name, struct image **ret,
		    struct err *err);
/* NULL is fine. */
void image__free(struct image *img);
/*
 * Releases the file and what was read from it. The fields of the struct stay, and so do
 * image__vaddr_of_offset() and image__segment_at(); no other function may be called after it.
 */
void image__release(struct image *img);

/* The address that the linker gave to a byte of an executable segment; false for other bytes. */
bool image__vaddr_of_offset(const struct image *img, u64 off, u64 *ret_vaddr);
/* The difference between that address and an offset in code, if it is the same for all code. */
bool image__bias(const struct image *img, u64 *ret_bias);
/*
 * The bytes of the first section with that name; they live as long as the image. False if there is
 * none, it has no bytes in the file, has more than `max_sz`, or cannot be read.
 */
bool image__section(const struct image *img, const char *name, size_t max_sz, struct view *ret);
/* The executable segment that contains an address, or NULL. */
const struct image_segment *image__segment_at(const struct image *img, u64 vaddr);

#endif
