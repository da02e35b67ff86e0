/* SPDX-License-Identifier: Apache-2.0
 *
 * ptxsim disasm: prints the machine code in cubins, fat binaries, executables, libraries and listings, as the vendor's
 * disassemblers do, with encodings beside the text. Nothing is executed.
 *
 * A file is looked through for images (sass/image.h): an executable or a library holds fat binaries, those hold cubins
 * and PTX, packed or not. A listing is read back into code, so that it can be decoded again. Files are mapped, not
 * read: libraries of CUDA have gigabytes.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cli.h"
#include "sass/images.h"
#include "sass/instruction.h"
#include "sass/scoreboard.h"
#include "sass/listing.h"

/* Column of the vendor's tool where opcodes begin; encodings stand two behind the longest line. */
enum { TEXT_COLUMN = 35, CONTROL_COLUMNS = 22, OPTION_CHECK = 256 };

/* What was asked for, and what the files have come to so far. `arena` frees all that reading allocates; it jumps out of
 * the command if there is no memory. */
enum { DECODERS_MOST = 16 };

struct disasm {
	const char *kernel, *arch;
	bool list, control, plain, check;
	enum colour_choice colour;
	VEC_OF(char *) files;
	struct arena arena;
	const char *file; /* the current one */
	struct {
		u32 sm;
		struct sass_decoder *decoder;
	} decoders[DECODERS_MOST]; /* those that were needed: libraries have many images of few targets */
	u32 decoder_count;
	u64 functions, instructions, unknown, hazards;
	u32 widest; /* columns of the longest line of the current image, without its encoding */
};

static const struct argp_option options[] = {
	{"kernel", 'k', "NAME", 0, "Only the function of that name", 0},
	{"arch", 't', "sm_XX", 0, "Only code for that target", 0},
	{"list", 'l', NULL, 0, "List images and functions, without their code", 0},
	{"control", 'c', NULL, 0, "Show the control bits: stall, yield, barriers set, barriers waited for", 0},
	{"check", OPTION_CHECK, "WHAT", 0,
	 "Instead of code, print where WHAT is wrong: 'scoreboard', registers that are read or overwritten before the "
	 "barrier that was set for them has been waited for",
	 0},
	{"no-hex", 'n', NULL, 0, "Leave out the encodings", 0},
	{0},
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct disasm *d = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &d->colour;
		return 0;
	case 'k':
		d->kernel = text;
		return 0;
	case 't':
		d->arch = text;
		return 0;
	case 'l':
		d->list = true;
		return 0;
	case 'c':
		d->control = true;
		return 0;
	case OPTION_CHECK:
		if (strcmp(text, "scoreboard") != 0)
			argp_error(state, "--check=%s: only 'scoreboard' can be checked", text);
		d->check = true;
		return 0;
	case 'n':
		d->plain = true;
		return 0;
	case ARGP_KEY_ARG:
		VEC_PUSH(&d->arena, &d->files, text);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no file given");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Reports what is wrong with the current file. Other files are still printed; the worst status is the command's. */
static int complain(const struct disasm *d, const char *why)
{
	fprintf(stderr, "ptxsim disasm: %s: %s\n", file_name_shown(d->file), why);
	return CLI_WRONG;
}

/* --- Instructions --------------------------------------------------------------------------- */

/* W5 R- w:012 s04 y: write barrier, read barrier, barriers waited for, stall, yield. */
static void print_control(const struct sass_insn *i)
{
	const struct sass_control c = sass_control_of(i);

	printf("  W%c R%c w:", c.write_barrier == 7 ? '-' : '0' + c.write_barrier,
	       c.read_barrier == 7 ? '-' : '0' + c.read_barrier);
	for (u32 k = 0; k < 6; k++)
		putchar(c.wait >> k & 1 ? (int)('0' + k) : '-');
	printf(" s%02u %c ", c.stall, c.yield ? 'y' : '-');
}

/* An instruction that the warp need not wait behind has no blank before its semicolon. */
static const char *line_end(const struct sass_insn *i) { return sass_control_of(i).stall ? " ;" : ";"; }

/* The columns that a line takes, and the guard's length: it stands before the column in which opcodes begin. */
static u32 measure_line(const struct sass_insn *i, const char *text, u32 *guard)
{
	const char *opcode = *text == '@' ? strchr(text, ' ') + 1 : text;

	*guard = (u32)(opcode - text);
	return TEXT_COLUMN + (u32)strlen(opcode) + (u32)strlen(line_end(i));
}

static void print_instruction(const struct disasm *d, const struct sass_insn *i, const char *text)
{
	u32 guard;
	const u32 columns = measure_line(i, text, &guard);

	printf("        /*%04x*/", i->address);
	if (d->control)
		print_control(i);
	printf("%*.*s%s%s", TEXT_COLUMN - 16, (int)guard, text, text + guard, line_end(i));
	if (d->plain) {
		printf("\n");
		return;
	}
	printf("%*s/* 0x%016llx */\n%*s/* 0x%016llx */\n", (int)(d->widest - columns) + 2, "",
	       (unsigned long long)i->low, (int)d->widest + 2 + (d->control ? CONTROL_COLUMNS : 0), "",
	       (unsigned long long)i->high);
}

/* The text of the instruction at `at`; false: its encoding is not known. */
static bool read_instruction(const struct sass_decoder *decoder, const u8 *code, u64 at, struct sass_insn *i,
			     char text[SASS_TEXT])
{
	const u64 low = read_u64(code + at), high = read_u64(code + at + 8);

	if (sass_decode(decoder, low, high, (u32)at, i)) {
		sass_print(decoder, i, text);
		return true;
	}
	*i = (struct sass_insn){.low = low, .high = high, .address = (u32)at};
	snprintf(text, SASS_TEXT, "(unknown encoding, bits 0-11 are 0x%03x)", (u32)(low & 0xfff));
	return false;
}

/* The vendor's tool prints all functions of an image with encodings in one column, so measure_code goes over the code
 * first. */
static void print_code(struct disasm *d, const struct sass_decoder *decoder, const struct cubin_function *f)
{
	char text[SASS_TEXT];
	struct sass_insn i;

	for (u64 at = 0; at + SASS_INSN_BYTES <= f->code_bytes; at += SASS_INSN_BYTES) {
		d->instructions++;
		d->unknown += !read_instruction(decoder, f->code, at, &i, text);
		print_instruction(d, &i, text);
	}
}

static void measure_code(struct disasm *d, const struct sass_decoder *decoder, const struct cubin_function *f)
{
	char text[SASS_TEXT];
	struct sass_insn i;
	u32 guard;

	for (u64 at = 0; at + SASS_INSN_BYTES <= f->code_bytes; at += SASS_INSN_BYTES) {
		read_instruction(decoder, f->code, at, &i, text);
		d->widest = max_u32(d->widest, measure_line(&i, text, &guard));
	}
}

/* --- The scoreboard --------------------------------------------------------------------------- */

struct checked {
	const struct cubin_function *function;
	const struct sass_decoder *decoder;
};

/* Prints one finding of the scoreboard check: sass/scoreboard calls it for each. */
static void tell_hazard(void *context, const struct sass_hazard *h)
{
	static const char *const what[] = {[HAZARD_READ_EARLY] = "reads %s before the result of 0x%04x is there",
					   [HAZARD_WRITTEN_TWICE] = "writes %s, which 0x%04x still has to write",
					   [HAZARD_SOURCE_LOST] = "overwrites %s, which 0x%04x may not have read yet"};
	const struct checked *c = context;
	char text[SASS_TEXT], name[8];
	struct sass_insn i;

	read_instruction(c->decoder, c->function->code, h->address, &i, text);
	sass_register_name(h->reg, name);
	printf("%s+0x%04x: %s: ", c->function->name, h->address, text);
	printf(what[h->kind], name, h->setter);
	printf(": barrier %u is not waited for\n", h->barrier);
}

static void check_function(struct disasm *d, const struct sass_decoder *decoder, const struct cubin_function *f)
{
	struct arena *scratch = arena_child(&d->arena);
	struct checked c = {f, decoder};

	d->instructions += f->code_bytes / SASS_INSN_BYTES;
	d->hazards += sass_check_scoreboard(scratch, decoder, f->code, f->code_bytes, tell_hazard, &c);
	arena_free(scratch);
}

static void print_function(struct disasm *d, const struct sass_decoder *decoder, const struct cubin_function *f)
{
	d->functions++;
	if (d->check) {
		check_function(d, decoder, f);
		return;
	}
	if (!d->list) {
		printf("\n\t\tFunction : %s\n", f->name);
		print_code(d, decoder, f);
		printf("\t\t..........\n\n");
		return;
	}
	printf("  %s %s: %llu instructions", f->is_kernel ? "kernel" : "function", f->name,
	       (unsigned long long)(f->code_bytes / SASS_INSN_BYTES));
	if (f->registers)
		printf(", %u registers, %u bytes of parameters, %llu of shared memory, %u of stack", f->registers,
		       f->param_bytes, (unsigned long long)f->shared_bytes, f->stack_bytes);
	printf("\n");
}

/* --- Files ---------------------------------------------------------------------------------- */

static const struct sass_decoder *decoder_of(struct disasm *d, u32 sm)
{
	struct sass_decoder *decoder;

	for (u32 k = 0; k < d->decoder_count; k++)
		if (d->decoders[k].sm == sm)
			return d->decoders[k].decoder;
	decoder = sass_decoder_new(&d->arena, sm);
	if (decoder && d->decoder_count < DECODERS_MOST) {
		d->decoders[d->decoder_count].sm = sm;
		d->decoders[d->decoder_count++].decoder = decoder;
	}
	return decoder;
}

static bool has_kernel(const struct disasm *d, const struct cubin *c)
{
	for (u32 k = 0; k < c->function_count; k++)
		if (!strcmp(d->kernel, c->functions[k].name))
			return true;
	return false;
}

/* Prints the functions that were asked for. Lists need no decoder, so --list also works for targets that cannot be
 * decoded. */
static int print_cubin(struct disasm *d, const struct cubin *c)
{
	char target[32];
	const struct sass_decoder *decoder;

	snprintf(target, sizeof target, "sm_%u%s", c->sm, c->accelerated ? "a" : "");
	if (d->arch && strcmp(d->arch, target))
		return CLI_OK;
	if (d->kernel && !has_kernel(d, c))
		return CLI_OK;
	decoder = d->list ? NULL : decoder_of(d, c->sm);
	if (!d->list && !decoder)
		return complain(d, "machine code of this target cannot be decoded");
	d->widest = 0;
	for (u32 k = 0; k < c->function_count && !d->list && !d->plain; k++)
		measure_code(d, decoder, &c->functions[k]);
	printf("\n\tcode for %s\n", target);
	for (u32 k = 0; k < c->function_count; k++)
		if (!d->kernel || !strcmp(d->kernel, c->functions[k].name))
			print_function(d, decoder, &c->functions[k]);
	return CLI_OK;
}

/* Cubins only; PTX and intermediate code in the file have no machine code to print. Images whose target is not noted
 * (sm 0) are opened, to see. */
static bool is_chosen(const struct disasm *d, const struct image *i)
{
	char target[32];

	snprintf(target, sizeof target, "sm_%u%s", i->sm, i->accelerated ? "a" : "");
	return i->kind == IMAGE_CUBIN && (!d->arch || !i->sm || !strcmp(d->arch, target));
}

static void list_image(const struct image *i)
{
	static const char *const packings[] = {"", ", packed (LZ4)", ", packed (zstd)"};
	const char *kind = i->kind == IMAGE_PTX ? "PTX" : i->kind == IMAGE_CUBIN ? "cubin" : "intermediate code";

	printf("%s", kind);
	if (i->sm)
		printf(" for sm_%u%s", i->sm, i->accelerated ? "a" : "");
	printf(": %llu bytes%s\n", (unsigned long long)i->bytes_unpacked, packings[i->packing]);
}

static int print_image(struct disasm *d, const struct image *i)
{
	const u8 *bytes;
	const char *why;
	struct cubin c;
	u64 size;

	if (d->list)
		list_image(i);
	if (!is_chosen(d, i))
		return CLI_OK;
	if (!image_unpack(&d->arena, i, &bytes, &size, &why) || !cubin_read(&d->arena, bytes, size, &c, &why))
		return complain(d, why);
	return print_cubin(d, &c);
}

/* Reads a listing. PTX ends here as well, since it is text: the message says how machine code is made of it. */
static int print_listing(struct disasm *d, const u8 *bytes, u64 size)
{
	const char *why;
	struct cubin c;
	u32 line;

	if (sass_listing_read(&d->arena, (const char *)bytes, size, &c, &line, &why))
		return print_cubin(d, &c);
	if (memmem(bytes, size, ".version ", 9))
		return complain(d, "this is PTX, of which ptxas makes machine code: ptxas -arch=sm_90a -o FILE.cubin");
	fprintf(stderr, "ptxsim disasm: %s:%u: %s\n", d->file, line, why);
	return CLI_WRONG;
}

static int print_file(struct disasm *d, const u8 *bytes, u64 size)
{
	struct images found;
	const char *why = NULL;
	int worst = CLI_OK;

	if (!images_are(bytes, size) && sass_listing_is((const char *)bytes, size))
		return print_listing(d, bytes, size);
	if (!images_find(&d->arena, bytes, size, &found, &why))
		worst = complain(d, why);
	for (u64 k = 0; k < found.count; k++) {
		const int status = print_image(d, &found.items[k]);

		worst = status > worst ? status : worst;
	}
	return worst;
}

/* Maps the current file for as long as its contents are printed. */
static int map_and_print(struct disasm *d)
{
	const int fd = open(d->file, O_RDONLY | O_CLOEXEC);
	struct stat s;
	void *bytes;
	int status;

	if (fd < 0 || fstat(fd, &s) < 0)
		return complain(d, strerror(errno));
	if (!S_ISREG(s.st_mode) || s.st_size == 0) {
		close(fd);
		return complain(d, S_ISREG(s.st_mode) ? "the file is empty" : "not a file");
	}
	bytes = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED)
		return complain(d, strerror(errno));
	status = print_file(d, bytes, (u64)s.st_size);
	munmap(bytes, (size_t)s.st_size);
	return status;
}

static int disasm_files(struct disasm *d)
{
	int worst = CLI_OK;

	for (size_t k = 0; k < d->files.count; k++) {
		int status;

		d->file = d->files.items[k];
		status = map_and_print(d);
		worst = status > worst ? status : worst;
	}
	if (worst == CLI_OK && !d->functions) {
		d->file = d->files.items[0];
		worst = complain(d, d->kernel ? "no function of that name for this target"
					      : "no functions for this target");
	}
	if (d->unknown)
		fprintf(stderr, "ptxsim disasm: %llu of %llu instructions have an encoding that is not known\n",
			(unsigned long long)d->unknown, (unsigned long long)d->instructions);
	if (d->check && worst == CLI_OK)
		printf("%llu function%s, %llu instructions: %llu register%s not waited for\n",
		       (unsigned long long)d->functions, d->functions == 1 ? "" : "s",
		       (unsigned long long)d->instructions, (unsigned long long)d->hazards, d->hazards == 1 ? "" : "s");
	return worst == CLI_OK && (d->unknown || d->hazards) ? CLI_FAILED : worst;
}

int cli_disasm(int count, char **words)
{
	static const struct argp_child children[] = {{&front_common_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {.options = options,
					 .parser = parse_option,
					 .children = children,
					 .args_doc = "FILE...",
					 .doc = "Prints the machine code of sm_75 and later that cubins, fat binaries, "
						"executables, libraries and listings "
						"hold.\vExit status: 0 all was printed; 1 some encodings are not "
						"known; 2 a file is broken or has no code."};
	struct disasm d = {.kernel = NULL};
	jmp_buf out_of_memory;
	int status;

	if (setjmp(out_of_memory)) {
		fprintf(stderr, "ptxsim disasm: out of memory\n");
		return CLI_WRONG;
	}
	arena_init(&d.arena, &out_of_memory);
	argp_parse(&argp, count, words, 0, NULL, &d);
	status = disasm_files(&d);
	arena_free(&d.arena);
	return status;
}
