/* SPDX-License-Identifier: Apache-2.0
 *
 * Launch scripts: what a file's `//@` lines say. docs/guide.md describes the language. Parsed
 * before anything runs; kernels are known by name only until then.
 */
#ifndef PTXSIM_SCRIPT_SCRIPT_H
#define PTXSIM_SCRIPT_SCRIPT_H

#include "ir/ir.h"
#include <stdio.h>

#include "base/lookup.h"
#include "script/buffer.h"
#include "script/expr.h"
#include "memory/tensormap.h"
#include "memory/texture.h"

enum { SCRIPT_INDICES = BUFFER_RANK };

/* One member of a struct argument. */
struct script_map;
struct script_texture;

/* A struct's member: a number, the address of a buffer, a tensor map, a texture's handle, or zeros to its end. */
struct script_member {
	enum element_type type;
	struct expr *value;
	struct buffer *buffer;
	struct script_map *map;
	struct script_texture *texture;
	bool placed; /* at byte `at`, else behind the last one as C places it */
	u64 at;
	bool zeros;
};

/* A tensor map of a buffer, whose address is not known yet. */
struct script_map {
	struct buffer *buffer;
	struct tensor_map map;
	bool has_strides;
};

/* A texture or surface over a buffer, whose address is not known yet. */
struct script_texture {
	struct buffer *buffer;
	struct texture texture;
};

enum script_arg_kind {
	SCRIPT_ARG_VALUE,
	SCRIPT_ARG_BUFFER,
	SCRIPT_ARG_STRUCT,
	SCRIPT_ARG_MAP,
	SCRIPT_ARG_TEXTURE,
	SCRIPT_ARG_MULTIMEM
};

struct script_arg {
	enum script_arg_kind kind;
	struct span span;
	struct expr *value; /* VALUE; BUFFER: bytes added to the address, or NULL */
	bool typed;         /* VALUE written as TYPE:value */
	enum element_type type;
	struct buffer *buffer;
	VEC_OF(struct script_member) members;
	struct script_map *map;
	struct script_texture *texture;
	VEC_OF(struct buffer *) places; /* MULTIMEM */
};

struct script_launch {
	const char *kernel;
	u32 grid[3], block[3], cluster[3];
	u64 shared_bytes;
	bool cooperative, any_order;
	VEC_OF(struct script_arg) args;
};

enum script_expect_kind {
	EXPECT_EACH,   /* buffer[indices] = expression */
	EXPECT_LIST,   /* buffer[low:high] = values */
	EXPECT_FILE,   /* buffer == file */
	EXPECT_BUFFER, /* buffer == buffer */
	EXPECT_FAULT,  /* the launch before it fails, with these words in its message */
	EXPECT_PRINT,  /* the launch before it printed exactly this */
	EXPECT_COUNT,  /* a counter of the launch before it compares so */
};

/* An index of EXPECT_EACH: a variable that runs over the dimension, or one value. */
struct script_index {
	bool is_variable;
	u32 variable;
	struct expr *value;
};

struct script_expect {
	enum script_expect_kind kind;
	struct buffer *buffer, *other;
	struct script_index indices[SCRIPT_INDICES];
	u32 index_count;
	u64 low, high;
	struct expr *value, *where; /* COUNT: value is the right-hand side */
	VEC_OF(struct expr *) values;
	struct script_file file; /* FILE */
	const char *text;        /* FAULT, PRINT: text; COUNT: the counter's name */
	char comparison[3];      /* COUNT */
	f64 tolerance, relative; /* accepted distance, and as a part of the wanted value */
	u64 ulps;                /* accepted distance in representable values */
};

enum script_kind {
	SCRIPT_BUFFER,
	SCRIPT_LAUNCH,
	SCRIPT_EXPECT,
	SCRIPT_SAVE,
	SCRIPT_BIND,
	SCRIPT_FILL,
	SCRIPT_FREE,
	SCRIPT_READ
};

struct script_statement {
	enum script_kind kind;
	struct span span;
	struct buffer *buffer;          /* BUFFER, SAVE, FILL, FREE */
	struct buffer *part;            /* FILL: the elements from `first` on, as a buffer of their own */
	u64 first;                      /* FILL: element; FREE: bytes behind the buffer's address */
	struct script_file file;        /* SAVE */
	const char *name;               /* BIND: a .texref, .samplerref or .surfref */
	struct script_texture *texture; /* BIND */
	struct script_launch launch;
	struct script_expect expect;
};

struct script_constant {
	const char *name;
	struct number value;
	bool fixed; /* given on the command line: `let` does not change it */
};

struct script {
	struct arena *arena;
	struct strings *strings;
	struct diags *diags;
	const char *folder; /* of the text now parsed: relative paths start here */
	bool own_words;     /* the text now parsed is the user's own (options): it may name any file */
	bool allow_paths;   /* so may all texts */
	bool overwrite;     /* a text's `save` may replace files */
	u64 file_most;      /* bytes of a file whose type and shape a line takes */
	const char *arch;   /* `//@ arch sm_XX`, or NULL */
	VEC_OF(struct script_statement) statements;
	VEC_OF(struct buffer *) buffers;
	VEC_OF(struct script_constant) constants;
	struct lookup buffer_of, constant_of; /* their numbers, by a hash of the name */
	u32 launch_count;
};

void script_init(struct script *s, struct arena *arena, struct strings *strings, struct diags *diags);
/* Sets a constant that `let` lines do not override. */
void script_fix_constant(struct script *s, const char *name, struct number value);
/* Adds the `//@` lines of text number `source`; with `plain`, every line is one. */
void script_read(struct script *s, u32 source, bool plain);
/* Reads the launches of a module: its own //@ lines, or of a cubin those of the file beside it (x.cubin.launch, whose lines
 * need no //@, or x.ptx). */
void script_read_module(struct script *s, const struct ir_module *m);
struct buffer *script_find_buffer(const struct script *s, const char *name);
/* Prints each buffer that has contents: name, type, the first `heads` elements, the range of all. */
void script_print_buffers(FILE *to, const struct script *s, u32 heads);

/* The scope that script expressions see, for the parsers of this folder. */
struct expr_scope script_scope(struct script *s);
/* TYPE[N,...] GENERATOR or load PATH, into *b. False after an error. */
bool script_parse_contents(struct script *s, struct lex *l, struct buffer *b);
/* The rest of tmap(BUFFER ...), behind the bracket; NULL after an error. */
struct script_map *script_parse_map(struct script *s, struct lex *l);
/* The rest of texture(BUFFER ...), behind the bracket; NULL after an error. */
struct script_texture *script_parse_texture(struct script *s, struct lex *l);
bool script_parse_expect(struct script *s, struct lex *l, struct script_expect *e);
/* A new buffer's name, into *b. False after an error, which shows the usage. */
bool script_parse_new_name(struct script *s, struct lex *l, struct buffer *b, const char *usage);
/* [N], [N,M] or [N,M,K] into *b; and a generator, which may be left out. False after an error. */
bool script_parse_shape(struct script *s, struct lex *l, struct buffer *b);
bool script_parse_generator(struct script *s, struct lex *l, struct buffer *b);
/* A whole number from `low` to `high`; false after an error. */
bool script_parse_count(struct script *s, struct lex *l, u64 low, u64 high, u64 *to);
/* alloc, fill and free, behind the word. */
void script_parse_alloc(struct script *s, struct lex *l, struct script_statement *st);
void script_parse_fill(struct script *s, struct lex *l, struct script_statement *st);
void script_parse_read(struct script *s, struct lex *l, struct script_statement *st);
void script_parse_free(struct script *s, struct lex *l, struct script_statement *st);
struct buffer *script_add_buffer(struct script *s, const char *name, struct span span);
/* The file that the text now parsed calls `path`. */
struct script_file script_file(const struct script *s, const char *path);
/* Its path for messages, in the arena. */
const char *script_file_shown(struct arena *arena, const struct script_file *file);
/* Its bytes as file_read_whole gives them, or why not: *message, in the arena or static. */
char *script_file_read(struct arena *arena, const struct script_file *file, size_t limit, size_t *length,
		       const char **message);

#endif
