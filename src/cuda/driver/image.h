/* SPDX-License-Identifier: Apache-2.0
 *
 * Code images as programs hand them over: PTX text, fat binaries with their wrappers, what the driver's own linker made.
 * Reading one gives the texts to build; a cubin is a text, too, taken where no PTX fits.
 */
#ifndef PTXSIM_CUDA_DRIVER_IMAGE_H
#define PTXSIM_CUDA_DRIVER_IMAGE_H

#include "cuda/driver/texts.h"
#include "ptxsim.h"

struct arch;
struct device;

/* Takes the texts that fit the device. CU_OK or why not: an image is not PTX, holds none that fits. */
int image_read(const void *image, const struct device *d, struct image_texts *texts);
/* The same of an input of the linker, whose size is known: a cubin, fat binary, object or archive of objects for the GPU.
 * Nothing of it is trusted, but where it stands in memory and is the wrapper of a fat binary; PTX is preferred. On failure
 * the texts are as before. */
int image_read_input(const void *bytes, size_t size, bool in_place, const struct arch *gpu, struct image_texts *texts);
/* Is a text machine code, not PTX? */
bool image_is_machine_code(const char *text, size_t length);
/* Says once that nothing fits. */
void image_tell_unfit(const struct device *d);
/* Reads a file, from malloc, ending in a NUL behind its `size` bytes. */
int image_read_file(const char *path, char **bytes, size_t *size);
/* Is there an entry of that name? */
bool image_texts_have(const struct image_texts *texts, const char *name);
bool image_texts_add(struct image_texts *texts, const char *name, const char *text, size_t length);
/* Gives the only text another name; false: no memory. */
bool image_texts_name(struct image_texts *texts, const char *name);
/* Gives limits to the texts from a number on that have none yet. */
void image_texts_limit(struct image_texts *texts, u32 from, const struct text_limits *limits);
/* Drops all texts but the first `count`. */
void image_texts_cut(struct image_texts *texts, u32 count);
void image_texts_free(struct image_texts *texts);

/* The buffers that a caller gave for messages (CU_JIT_ERROR_LOG_BUFFER and its like). */
struct image_log {
	char *error, *info;
	size_t error_room, info_room;
	void **error_size, **info_size;
	void **wall_time; /* gets milliseconds, as a float */
	double began;
	char *text; /* from malloc */
};
struct image_log image_log_open(u32 n, const int *options, void **values);
/* Adds the module's messages. */
void image_log_module(struct image_log *log, ptxsim_module *m);
/* Adds a line of the linker's. */
void image_log_line(struct image_log *log, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Fills the caller's buffers with the messages until now. */
void image_log_write(const struct image_log *log);
/* Leaves the caller's buffers alone, which may be gone. */
void image_log_free(struct image_log *log);
/* Both. */
void image_log_close(struct image_log *log);

/* What cuLinkComplete gives: an image that stands alone, for the target, from malloc. */
void *image_write(const struct image_texts *texts, const struct arch *target, size_t *size);

#endif
