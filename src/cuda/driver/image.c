/* SPDX-License-Identifier: Apache-2.0
 *
 * See image.h. Images are told apart by their first four bytes (CUDA's fatbinary_section.h for the wrapper; the rest as
 * observed); what they hold is walked by sass/images.h.
 */
#include "cuda/driver/image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "arch/device.h"
#include "base/clock.h"
#include "base/file.h"
#include "cuda/driver/driver.h"
#include "sass/images.h"

enum { WRAPPER = 0x466243b1, FATBIN = (int)0xba55ed50, ELF = 0x464c457f, FATBIN_HEADER = 16, ELF_HEADER = 64 };
enum { WRAPPER_BYTES = 24 };

/* The linker's image: an ELF header, this mark, the number of texts and the target's capability (32 bits each); of each text
 * its length (64 bits), its limits, and itself with a NUL, padded to 8. */
static const char LINKED[8] = "PTXSIM02";
enum { LINKED_HEADER = ELF_HEADER + sizeof LINKED + 8, LINKED_TEXT = 8 + sizeof(struct text_limits) };

static u64 linked_bytes(u64 length) { return LINKED_TEXT + ((length + 8) & ~7ull); }

/* --- Texts --------------------------------------------------------------------------------------------- */

bool image_is_machine_code(const char *text, size_t length) { return length > 4 && !memcmp(text, "\177ELF", 4); }

void image_texts_free(struct image_texts *t)
{
	for (u32 k = 0; k < t->count; k++) {
		free(t->texts[k]);
		free(t->names[k]);
	}
	free(t->texts);
	free(t->names);
	free(t->lengths);
	free(t->limits);
	*t = (struct image_texts){0};
}

static bool texts_grow(struct image_texts *t)
{
	const u32 room = t->room ? t->room * 2 : 4;
	char **texts = realloc(t->texts, room * sizeof *texts);

	if (texts)
		t->texts = texts;
	char **names = realloc(t->names, room * sizeof *names);
	if (names)
		t->names = names;
	size_t *lengths = realloc(t->lengths, room * sizeof *lengths);
	if (lengths)
		t->lengths = lengths;
	struct text_limits *limits = realloc(t->limits, room * sizeof *limits);
	if (limits)
		t->limits = limits;
	if (!texts || !names || !lengths || !limits)
		return false;
	t->room = room;
	return true;
}

bool image_texts_name(struct image_texts *t, const char *name)
{
	char *copy = strdup(name);

	if (!copy)
		return false;
	free(t->names[0]);
	t->names[0] = copy;
	return true;
}

bool image_texts_add(struct image_texts *t, const char *name, const char *text, size_t length)
{
	if (t->count == t->room && !texts_grow(t))
		return false;
	while (length && !text[length - 1] && !image_is_machine_code(text, length))
		length--;
	char *copy = malloc(length + 1), *named = strdup(name ? name : "image.ptx");
	if (!copy || !named) {
		free(copy);
		free(named);
		return false;
	}
	memcpy(copy, text, length);
	copy[length] = 0;
	t->texts[t->count] = copy;
	t->names[t->count] = named;
	t->limits[t->count] = (struct text_limits){0};
	t->lengths[t->count++] = length;
	return true;
}

void image_texts_limit(struct image_texts *t, u32 from, const struct text_limits *limits)
{
	static const struct text_limits none;

	for (u32 k = from; k < t->count; k++)
		if (!memcmp(&t->limits[k], &none, sizeof none))
			t->limits[k] = *limits;
}

void image_texts_cut(struct image_texts *t, u32 count)
{
	while (t->count > count) {
		t->count--;
		free(t->texts[t->count]);
		free(t->names[t->count]);
	}
}

static bool is_name_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

static bool has_string(const char *bytes, size_t count, const char *name)
{
	const size_t length = strlen(name) + 1;
	const char *end = bytes + count;

	for (const char *at = bytes + 1; (at = memmem(at, (size_t)(end - at), name, length)); at++)
		if (!at[-1])
			return true;
	return false;
}

bool image_texts_have(const struct image_texts *t, const char *name)
{
	const size_t length = strlen(name);

	if (!length)
		return false;
	for (u32 k = 0; k < t->count; k++) {
		/* In a cubin, as a whole string of its tables. */
		if (image_is_machine_code(t->texts[k], t->lengths[k])) {
			if (has_string(t->texts[k], t->lengths[k], name))
				return true;
			continue;
		}
		for (const char *at = t->texts[k]; (at = strstr(at, name)); at += length) {
			if (is_name_byte(at[length]) || at - t->texts[k] < 6 || is_name_byte(at[-1]))
				continue;
			const char *before = at - 1;
			while (before > t->texts[k] && (*before == ' ' || *before == '\t' || *before == '\n'))
				before--;
			if (before - t->texts[k] >= 5 && !strncmp(before - 5, ".entry", 6))
				return true;
		}
	}
	return false;
}

/* --- Reading ------------------------------------------------------------------------------------------- */

/* PTX begins with comments and then .version. */
static bool is_ptx(const char *p)
{
	for (;;) {
		while (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')
			p++;
		if (p[0] == '/' && p[1] == '/') {
			while (*p && *p != '\n')
				p++;
		} else if (p[0] == '/' && p[1] == '*') {
			p = strstr(p + 2, "*/");
			if (!p)
				return false;
			p += 2;
		} else {
			return !strncmp(p, ".version", 8);
		}
	}
}

static u32 word_at(const void *p)
{
	u32 word;

	memcpy(&word, p, sizeof word);
	return word;
}

static u64 long_at(const void *p)
{
	u64 word;

	memcpy(&word, p, sizeof word);
	return word;
}

/* Is the entry for the device, and better than what was found before?
 * PTX: the newest that the device runs; accelerated targets (sm_90a) only for exactly that device. */
static bool is_better(const struct image *i, const struct image *best, u32 cc)
{
	if (i->kind != IMAGE_PTX || i->sm > cc || (i->accelerated && i->sm != cc))
		return false;
	return !best || i->sm > best->sm || (i->sm == best->sm && i->accelerated && !best->accelerated);
}

/* Machine code runs on its own generation's GPUs from its target on. */
static bool is_better_code(const struct image *i, const struct image *best, u32 cc)
{
	if (i->kind != IMAGE_CUBIN || i->sm / 10 != cc / 10 || i->sm > cc || (i->accelerated && i->sm != cc))
		return false;
	return !best || i->sm > best->sm;
}

/* What is taken of a fat binary. PTX comes first, since it has lines and all checks; PTXSIM_CODE=machine turns that round,
 * but where texts are to be linked: machine code is linked already. */
enum taking { TAKE_TEXT, TAKE_TEXT_FIRST, TAKE_ANY };

struct reading {
	enum taking takes;
	const struct arch *gpu;
	struct image_texts *texts;
	struct arena arena;
	jmp_buf out_of_memory;
	struct images images;
};

static const struct image *find_best(const struct reading *r, u32 binary,
				     bool (*better)(const struct image *i, const struct image *best, u32 cc))
{
	const struct image *best = NULL;

	for (u64 k = 0; k < r->images.count; k++)
		if (r->images.items[k].binary == binary && better(&r->images.items[k], best, r->gpu->cc))
			best = &r->images.items[k];
	return best;
}

/* Chooses between the images of a fat binary. */
static int take_best(struct reading *r, u32 binary)
{
	const bool prefers_code = driver.prefers_code && r->takes == TAKE_ANY;
	const struct image *best = NULL;
	const u8 *bytes;
	u64 size;
	const char *why = NULL;

	if (!prefers_code)
		best = find_best(r, binary, is_better);
	if (!best && r->takes != TAKE_TEXT)
		best = find_best(r, binary, is_better_code);
	if (!best && prefers_code)
		best = find_best(r, binary, is_better);
	if (!best)
		return CU_NO_BINARY;
	if (!image_unpack(&r->arena, best, &bytes, &size, &why)) {
		driver_tell("an image cannot be unpacked: %s", why ? why : "?");
		return CU_INVALID_IMAGE;
	}
	if (best->kind == IMAGE_CUBIN && !image_is_machine_code((const char *)bytes, size))
		return CU_NO_BINARY;
	return image_texts_add(r->texts, best->kind == IMAGE_PTX ? "embedded.ptx" : "embedded.cubin",
			       (const char *)bytes, size)
		       ? CU_OK
		       : CU_OUT_OF_MEMORY;
}

/* What follows one another in a file's sections is different code, which belongs together. */
static int take_all(struct reading *r)
{
	int result = r->images.binaries ? CU_OK : CU_NO_BINARY;

	for (u32 k = 0; k < r->images.binaries && !result; k++)
		result = take_best(r, k);
	return result;
}

static int read_fatbin(const u8 *image, const struct arch *gpu, enum taking takes, struct image_texts *texts)
{
	struct reading r = {.takes = takes, .gpu = gpu, .texts = texts};
	const char *why = NULL;
	volatile int result = CU_OUT_OF_MEMORY;

	const u64 size = long_at(image + 8);
	if (size > (u64)1 << 40)
		return CU_INVALID_IMAGE;
	arena_init(&r.arena, &r.out_of_memory);
	if (!setjmp(r.out_of_memory)) {
		images_find(&r.arena, image, FATBIN_HEADER + size, &r.images, &why);
		r.images.binaries = max_u32(r.images.binaries, r.images.count != 0);
		result = take_all(&r);
	}
	arena_free(&r.arena);
	return result;
}

/* A wrapper: version 2 has a list of the objects' own fat binaries beside the linked one. Their PTX is linked together;
 * machine code has been already, to the one. */
static int read_wrapper(const u8 *image, const struct arch *gpu, enum taking takes, struct image_texts *texts)
{
	const u8 *data, *const *list;

	memcpy(&data, image + 8, sizeof data);
	memcpy(&list, image + 16, sizeof list);
	if (driver.prefers_code && takes == TAKE_ANY && data && (int)word_at(data) == FATBIN &&
	    !read_fatbin(data, gpu, takes, texts))
		return CU_OK;
	if (word_at(image + 4) >= 2 && list) {
		for (; *list; list++) {
			const int result = (int)word_at(*list) == FATBIN ? read_fatbin(*list, gpu, TAKE_TEXT, texts)
									 : CU_INVALID_IMAGE;
			if (result && result != CU_NO_BINARY)
				return result;
		}
		if (texts->count)
			return CU_OK;
	}
	return data && (int)word_at(data) == FATBIN ? read_fatbin(data, gpu, takes, texts) : CU_INVALID_IMAGE;
}

/* What cuLinkComplete has made (image_write): texts in an ELF header that no real cubin has. size: of the image, at most;
 * modules are loaded without one. */
static int read_linked(const u8 *image, u64 size, const struct arch *gpu, struct image_texts *texts)
{
	if (size < LINKED_HEADER)
		return CU_INVALID_IMAGE;
	const u8 *p = image + ELF_HEADER + sizeof LINKED;
	const u32 count = word_at(p), cc = word_at(p + 4);
	u64 left = size - LINKED_HEADER;

	if (cc / 10 != gpu->cc / 10 || cc > gpu->cc)
		return CU_NO_BINARY;
	p += 8;
	for (u32 k = 0; k < count; k++) {
		struct text_limits limits;
		const u64 length = left < LINKED_TEXT ? UINT64_MAX : long_at(p);
		if (length > (u64)1 << 32 || linked_bytes(length) > left)
			return CU_INVALID_IMAGE;
		memcpy(&limits, p + 8, sizeof limits);
		if (!image_texts_add(texts, "linked.ptx", (const char *)p + LINKED_TEXT, length))
			return CU_OUT_OF_MEMORY;
		image_texts_limit(texts, texts->count - 1, &limits);
		p += linked_bytes(length);
		left -= linked_bytes(length);
	}
	return CU_OK;
}

/* A cubin's length: its tables of sections and segments stand last. */
static u64 elf_bytes(const u8 *image)
{
	u16 segment, segments, section, sections;

	memcpy(&segment, image + 54, sizeof segment);
	memcpy(&segments, image + 56, sizeof segments);
	memcpy(&section, image + 58, sizeof section);
	memcpy(&sections, image + 60, sizeof sections);
	const u64 end = long_at(image + 40) + (u64)section * sections;
	return max_u64(end, long_at(image + 32) + (u64)segment * segments);
}

static bool is_linked(const u8 *image) { return !memcmp(image + ELF_HEADER, LINKED, sizeof LINKED); }

static bool is_elf_header(const u8 *image)
{
	return image[4] == 2 && image[5] == 1 && image[16] && word_at(image + 16) >> 16 == 190;
}

static int read_image(const void *image, const struct arch *gpu, struct image_texts *texts)
{
	const u8 *bytes = image;

	/* A text may be shorter than four bytes. */
	if (!bytes[0] || !bytes[1] || !bytes[2] || !bytes[3])
		return CU_INVALID_IMAGE;
	switch ((int)word_at(bytes)) {
	case WRAPPER:
		return read_wrapper(bytes, gpu, TAKE_ANY, texts);
	case FATBIN:
		return read_fatbin(bytes, gpu, TAKE_ANY, texts);
	case ELF:
		if (!is_elf_header(bytes))
			return CU_INVALID_IMAGE;
		if (is_linked(bytes))
			return read_linked(bytes, UINT64_MAX, gpu, texts);
		if (elf_bytes(bytes) < ELF_HEADER || elf_bytes(bytes) > (u64)1 << 30)
			return CU_INVALID_IMAGE;
		return image_texts_add(texts, "image.cubin", image, elf_bytes(bytes)) ? CU_OK : CU_OUT_OF_MEMORY;
	default:
		if (!is_ptx(image))
			return CU_INVALID_IMAGE;
		return image_texts_add(texts, "ptx", image, strlen(image)) ? CU_OK : CU_OUT_OF_MEMORY;
	}
}

/* A file that holds images, as far as it says so. */
static int read_held(const u8 *bytes, u64 size, const struct arch *gpu, struct image_texts *texts)
{
	struct reading r = {.takes = TAKE_TEXT_FIRST, .gpu = gpu, .texts = texts};
	const char *why = NULL;
	volatile int result = CU_OUT_OF_MEMORY;

	arena_init(&r.arena, &r.out_of_memory);
	if (!setjmp(r.out_of_memory)) {
		const bool whole = images_find(&r.arena, bytes, size, &r.images, &why);
		result = whole ? take_all(&r) : CU_INVALID_IMAGE;
		if (!whole)
			driver_tell("an input of the linker cannot be read: %s", why ? why : "?");
	}
	arena_free(&r.arena);
	return result;
}

static int read_cubin(const u8 *bytes, u64 size, const struct arch *gpu, struct image_texts *texts)
{
	if (size < ELF_HEADER || !is_elf_header(bytes))
		return CU_INVALID_IMAGE;
	if (size >= LINKED_HEADER && is_linked(bytes))
		return read_linked(bytes, size, gpu, texts);
	return image_texts_add(texts, "input.cubin", (const char *)bytes, size) ? CU_OK : CU_OUT_OF_MEMORY;
}

static int read_input(const u8 *bytes, u64 size, bool in_place, const struct arch *gpu, struct image_texts *texts)
{
	if (size < WRAPPER_BYTES)
		return CU_INVALID_IMAGE;
	if ((int)word_at(bytes) == WRAPPER)
		return in_place ? read_wrapper(bytes, gpu, TAKE_TEXT_FIRST, texts) : CU_INVALID_IMAGE;
	if ((int)word_at(bytes) == ELF && size > 20 && is_elf_header(bytes))
		return read_cubin(bytes, size, gpu, texts);
	return read_held(bytes, size, gpu, texts);
}

int image_read_input(const void *bytes, size_t size, bool in_place, const struct arch *gpu, struct image_texts *texts)
{
	const u32 before = texts->count;
	const int result = read_input(bytes, size, in_place, gpu, texts);

	if (result)
		image_texts_cut(texts, before);
	if (result == CU_NO_BINARY)
		driver_tell("an input of the linker holds neither PTX nor machine code that %s runs", gpu->name);
	return result;
}

void image_tell_unfit(const struct device *d)
{
	driver_tell(
		"an image holds no PTX that %s runs, only machine code or PTX of later GPUs: build with PTX, as nvcc "
		"-arch=%s does; nvrtcGetPTX gives it, too",
		d->title, d->target);
}

/* CU_NO_BINARY: none of the images fits the device; that is explained on standard error. */
int image_read(const void *image, const struct device *d, struct image_texts *texts)
{
	const int result = read_image(image, device_arch(d), texts);

	if (result == CU_NO_BINARY)
		image_tell_unfit(d);
	return result;
}

int image_read_file(const char *path, char **bytes, size_t *size)
{
	const char *message;

	*bytes = file_read_whole(path, (size_t)1 << 31, size, &message);
	return *bytes ? CU_OK : CU_FILE_NOT_FOUND;
}

void *image_write(const struct image_texts *t, const struct arch *target, size_t *size)
{
	static const u8 ident[20] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0x41, 8, 0, 0, 0, 0, 0, 0, 0, 2, 0, 190, 0};
	const u32 cc = target->cc;
	size_t total = LINKED_HEADER;

	for (u32 k = 0; k < t->count; k++)
		total += linked_bytes(t->lengths[k]);
	u8 *image = calloc(1, total);
	if (!image)
		return NULL;
	memcpy(image, ident, sizeof ident);
	image[52] = ELF_HEADER;
	memcpy(image + ELF_HEADER, LINKED, sizeof LINKED);
	u8 *p = image + ELF_HEADER + sizeof LINKED;
	memcpy(p, &t->count, sizeof t->count);
	memcpy(p + 4, &cc, sizeof cc);
	p += 8;
	for (u32 k = 0; k < t->count; k++) {
		const u64 length = t->lengths[k];
		memcpy(p, &length, sizeof length);
		memcpy(p + 8, &t->limits[k], sizeof t->limits[k]);
		memcpy(p + LINKED_TEXT, t->texts[k], length);
		p += linked_bytes(length);
	}
	*size = total;
	return image;
}

/* --- Messages ------------------------------------------------------------------------------------------ */

enum { JIT_WALL_TIME = 2, JIT_INFO, JIT_INFO_SIZE, JIT_ERROR, JIT_ERROR_SIZE };

struct image_log image_log_open(u32 n, const int *options, void **values)
{
	struct image_log log = {.began = seconds_now()};

	for (u32 k = 0; options && values && k < n; k++)
		switch (options[k]) {
		case JIT_WALL_TIME:
			log.wall_time = &values[k];
			break;
		case JIT_INFO:
			log.info = values[k];
			break;
		case JIT_INFO_SIZE:
			log.info_size = &values[k];
			log.info_room = (u32)(uintptr_t)values[k];
			break;
		case JIT_ERROR:
			log.error = values[k];
			break;
		case JIT_ERROR_SIZE:
			log.error_size = &values[k];
			log.error_room = (u32)(uintptr_t)values[k];
			break;
		}
	return log;
}

/* Messages in the form that the assembler of the driver gives them, which programs search for lines. */
void image_log_module(struct image_log *log, ptxsim_module *m)
{
	const struct session *s = &m->session;
	char *text = NULL;
	size_t length;
	FILE *f = s->diags.error_count ? open_memstream(&text, &length) : NULL;

	if (!f)
		return;
	if (log->text)
		fprintf(f, "%s\n", log->text);
	for (size_t k = 0; k < s->diags.list.count; k++) {
		const struct diag *d = &s->diags.list.items[k];
		u32 line = 0, column;
		if (d->severity != DIAG_ERROR)
			continue;
		if (d->span.file < s->sources.files.count)
			source_place(s->sources.files.items[d->span.file], d->span.begin, &line, &column);
		const bool unknown = !strncmp(d->message, "unknown instruction ", 20);
		fprintf(f, "ptxas application ptx input, line %u; error   : %s%s\n", line,
			unknown ? "Not a name of any known instruction: " : "", d->message + (unknown ? 20 : 0));
	}
	fputs("ptxas fatal   : Ptx assembly aborted due to errors", f);
	fclose(f);
	free(log->text);
	log->text = text;
}

void image_log_line(struct image_log *log, const char *format, ...)
{
	char *text = NULL;
	size_t length;
	FILE *f = open_memstream(&text, &length);
	va_list args;

	if (!f)
		return;
	if (log->text)
		fprintf(f, "%s\n", log->text);
	va_start(args, format);
	vfprintf(f, format, args);
	va_end(args);
	fclose(f);
	free(log->text);
	log->text = text;
}

/* Fills a buffer of the program's, as far as there is room, and says how long the text is. */
static void put(char *buffer, size_t room, void **size, const char *text)
{
	size_t length = strlen(text);

	if (buffer && room) {
		length = length < room ? length : room - 1;
		memcpy(buffer, text, length);
		buffer[length] = 0;
	}
	if (size)
		*size = (void *)(uintptr_t)length;
}

void image_log_write(const struct image_log *log)
{
	put(log->error, log->error_room, log->error_size, log->text ? log->text : "");
	put(log->info, log->info_room, log->info_size, "");
	if (log->wall_time) {
		const float milliseconds = (float)(1e3 * (seconds_now() - log->began));
		memcpy(log->wall_time, &milliseconds, sizeof milliseconds);
	}
}

void image_log_free(struct image_log *log)
{
	free(log->text);
	log->text = NULL;
}

void image_log_close(struct image_log *log)
{
	image_log_write(log);
	image_log_free(log);
}
