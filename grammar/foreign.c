/* SPDX-License-Identifier: Apache-2.0
 *
 * Foreign files by their first bytes, or by what only they have.
 */
#include "grammar/foreign.h"

#include <string.h>

enum { ELF_MACHINE = 18, ELF_CUDA = 190, BINARY_SAMPLE = 4096 };

enum { CUBIN, PROGRAM, FATBIN, ARCHIVE, BITCODE, COMPRESSED, CUDA_SOURCE, LLVM_SOURCE, BINARY };

static const struct foreign kinds[] = {
	[CUBIN] = {"a cubin: machine code", "'ptxsim disasm %s' prints it; 'nvcc -ptx' makes PTX of the source"},
	[PROGRAM] = {"an ELF file: a program, a library or an object",
		     "'cuobjdump -ptx %s' gets the PTX out; 'nvcc -ptx' makes PTX of the source"},
	[FATBIN] = {"a fat binary", "'cuobjdump -ptx %s' gets the PTX out"},
	[ARCHIVE] = {"a static library", "'cuobjdump -ptx %s' gets the PTX out"},
	[BITCODE] = {"LLVM bitcode", "'llc -march=nvptx64 -o FILE.ptx %s' makes PTX of it"},
	[COMPRESSED] = {"compressed", "unpack it first"},
	[CUDA_SOURCE] = {"CUDA C++", "'nvcc -ptx -lineinfo %s' makes PTX of it"},
	[LLVM_SOURCE] = {"LLVM assembly", "'llc -march=nvptx64 -o FILE.ptx %s' makes PTX of it"},
	[BINARY] = {"no text", "'cuobjdump -ptx %s' gets PTX out of a program, a library or a cubin"},
};

static bool starts_with(const struct source *s, const char *bytes, size_t length)
{
	return s->length >= length && !memcmp(s->text, bytes, length);
}

static bool ends_in(const char *name, const char *ending)
{
	const size_t length = strlen(name), wanted = strlen(ending);

	return length > wanted && !strcmp(name + length - wanted, ending);
}

static bool is_binary(const struct source *s)
{
	const size_t length = s->length < BINARY_SAMPLE ? s->length : BINARY_SAMPLE;
	size_t strange = 0;

	for (size_t k = 0; k < length; k++)
		strange += (u8)s->text[k] < ' ' && !strchr("\t\n\v\f\r", s->text[k] ? s->text[k] : 1);
	return strange * 20 > length;
}

static const struct foreign *find_binary(const struct source *s)
{
	static const struct {
		const char *bytes;
		u32 length, kind;
	} magics[] = {{"\x50\xed\x55\xba", 4, FATBIN},
		      {"!<arch>\n", 8, ARCHIVE},
		      {"BC\xc0\xde", 4, BITCODE},
		      {"\x1f\x8b", 2, COMPRESSED},
		      {"\x28\xb5\x2f\xfd", 4, COMPRESSED},
		      {"PK\3\4", 4, COMPRESSED},
		      {"\xfd"
		       "7zXZ",
		       5, COMPRESSED}};

	if (starts_with(s, "\177ELF", 4)) {
		const bool cuda = s->length > ELF_MACHINE + 1 && (u8)s->text[ELF_MACHINE] == ELF_CUDA;
		return &kinds[cuda ? CUBIN : PROGRAM];
	}
	for (size_t k = 0; k < COUNT_OF(magics); k++)
		if (starts_with(s, magics[k].bytes, magics[k].length))
			return &kinds[magics[k].kind];
	return is_binary(s) ? &kinds[BINARY] : NULL;
}

/* PTX has .version, which neither C++ nor LLVM's assembly has at the start of a line. */
static bool has_version(const struct source *s)
{
	for (const char *at = s->text; (at = strstr(at, ".version")) != NULL; at++) {
		const char *before = at;
		while (before > s->text && (before[-1] == ' ' || before[-1] == '\t'))
			before--;
		if (before == s->text || before[-1] == '\n' || before[-1] == '\r' || before[-1] == '/')
			return true;
	}
	return false;
}

static bool names_cuda(const char *name)
{
	static const char *const endings[] = {".cu", ".cuh", ".cpp", ".cc", ".cxx", ".c", ".h", ".hpp"};

	for (size_t k = 0; k < COUNT_OF(endings); k++)
		if (ends_in(name, endings[k]))
			return true;
	return false;
}

const struct foreign *foreign_find(const struct source *s)
{
	const struct foreign *binary = find_binary(s);

	if (binary || !s->length || has_version(s))
		return binary;
	if (strstr(s->text, "__global__") || strstr(s->text, "#include") || names_cuda(s->name))
		return &kinds[CUDA_SOURCE];
	if (starts_with(s, "; ModuleID", 10) || strstr(s->text, "target triple = ") || ends_in(s->name, ".ll"))
		return &kinds[LLVM_SOURCE];
	return NULL;
}
