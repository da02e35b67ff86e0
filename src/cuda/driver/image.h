/* SPDX-License-Identifier: Apache-2.0
 *
 * Code images as programs hand them over: PTX text, fat binaries with their wrappers, what the driver's own linker made.
 * Reading one gives the texts to build; a cubin is a text, too, taken where no PTX fits.
 */
#ifndef PTXSIM_CUDA_DRIVER_IMAGE_H
#define PTXSIM_CUDA_DRIVER_IMAGE_H

#include "cuda/driver/texts.h"
#include "ptxsim.h"

struct device;

/* Takes the texts that fit the device. CU_OK or why not: an image is not PTX, holds none that fits. */
int image_read(const void *image, const struct device *d, struct image_texts *texts);
/* Is a text machine code, not PTX? */
bool image_is_machine_code(const char *text, size_t length);
/* Says once that nothing fits. */
void image_tell_unfit(const struct device *d);
/* Reads a file, from malloc, ending in a NUL. */
int image_read_file(const char *path, char **bytes);
/* Is there an entry of that name? */
bool image_texts_have(const struct image_texts *texts, const char *name);
bool image_texts_add(struct image_texts *texts, const char *name, const char *text, size_t length);
/* Gives the only text another name; false: no memory. */
bool image_texts_name(struct image_texts *texts, const char *name);
void image_texts_free(struct image_texts *texts);

/* The buffers that a caller gave for messages (CU_JIT_ERROR_LOG_BUFFER and its like). */
struct image_log {
	char *error, *info;
	size_t error_room, info_room;
	void **error_size, **info_size;
	char *text; /* from malloc */
};
struct image_log image_log_open(u32 n, const int *options, void **values);
/* Adds the module's messages. */
void image_log_module(struct image_log *log, ptxsim_module *m);
/* Fills the caller's buffers with the messages until now. */
void image_log_write(const struct image_log *log);
/* Leaves the caller's buffers alone, which may be gone. */
void image_log_free(struct image_log *log);
/* Both. */
void image_log_close(struct image_log *log);

/* What cuLinkComplete gives: an image that stands alone, from malloc. */
void *image_write(const struct image_texts *texts, size_t *size);

#endif
