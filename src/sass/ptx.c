/* SPDX-License-Identifier: Apache-2.0
 *
 * The PTX text of a cubin: module, kernels, registers, operands.
 */
#include "sass/ptx.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sass/translate.h"

/* sm_90: shared memory begins behind the system's 1,024 bytes; below the parameters stand the driver's words. */
enum { SYSTEM_SHARED_BYTES = 1024, STACK_LEAST = 1024, TEMPORARIES = 24 };

translate_fn *const translate_table[SASS_OP_COUNT] = {
	[SASS_OP_FADD] = translate_fadd,
	[SASS_OP_FMUL] = translate_fmul,
	[SASS_OP_FFMA] = translate_ffma,
	[SASS_OP_FSEL] = translate_fsel,
	[SASS_OP_FMNMX] = translate_fmnmx,
	[SASS_OP_FSET] = translate_fset,
	[SASS_OP_FSETP] = translate_fsetp,
	[SASS_OP_FCHK] = translate_fchk,
	[SASS_OP_DADD] = translate_dadd,
	[SASS_OP_DMUL] = translate_dmul,
	[SASS_OP_DFMA] = translate_dfma,
	[SASS_OP_DSETP] = translate_dsetp,
	[SASS_OP_MUFU] = translate_mufu,
	[SASS_OP_I2F] = translate_i2f,
	[SASS_OP_I2FP] = translate_i2f,
	[SASS_OP_F2I] = translate_f2i,
	[SASS_OP_F2F] = translate_f2f,
	[SASS_OP_FRND] = translate_frnd,
	[SASS_OP_MOV] = translate_mov,
	[SASS_OP_UMOV] = translate_mov,
	[SASS_OP_SEL] = translate_sel,
	[SASS_OP_USEL] = translate_sel,
	[SASS_OP_PRMT] = translate_prmt,
	[SASS_OP_UPRMT] = translate_prmt,
	[SASS_OP_S2R] = translate_s2r,
	[SASS_OP_S2UR] = translate_s2r,
	[SASS_OP_CS2R] = translate_cs2r,
	[SASS_OP_R2UR] = translate_r2ur,
	[SASS_OP_PLOP3] = translate_plop3,
	[SASS_OP_UPLOP3] = translate_plop3,
	[SASS_OP_P2R] = translate_p2r,
	[SASS_OP_R2P] = translate_r2p,
	[SASS_OP_VOTE] = translate_vote,
	[SASS_OP_VOTEU] = translate_vote,
	[SASS_OP_SHFL] = translate_shfl,
	[SASS_OP_IADD3] = translate_iadd3,
	[SASS_OP_UIADD3] = translate_iadd3,
	[SASS_OP_VIADD] = translate_viadd,
	[SASS_OP_IMAD] = translate_imad,
	[SASS_OP_UIMAD] = translate_imad,
	[SASS_OP_LEA] = translate_lea,
	[SASS_OP_ULEA] = translate_lea,
	[SASS_OP_LOP3] = translate_lop3,
	[SASS_OP_ULOP3] = translate_lop3,
	[SASS_OP_SHF] = translate_shf,
	[SASS_OP_USHF] = translate_shf,
	[SASS_OP_ISETP] = translate_isetp,
	[SASS_OP_UISETP] = translate_isetp,
	[SASS_OP_IABS] = translate_iabs,
	[SASS_OP_POPC] = translate_popc,
	[SASS_OP_UPOPC] = translate_popc,
	[SASS_OP_FLO] = translate_flo,
	[SASS_OP_UFLO] = translate_flo,
	[SASS_OP_BREV] = translate_brev,
	[SASS_OP_SGXT] = translate_sgxt,
	[SASS_OP_USGXT] = translate_sgxt,
	[SASS_OP_BMSK] = translate_bmsk,
	[SASS_OP_IDP] = translate_idp,
	[SASS_OP_VIMNMX] = translate_vimnmx,
	[SASS_OP_HADD2] = translate_hadd2,
	[SASS_OP_HMUL2] = translate_hmul2,
	[SASS_OP_HFMA2] = translate_hfma2,
	[SASS_OP_HSETP2] = translate_hsetp2,
	[SASS_OP_HSET2] = translate_hset2,
	[SASS_OP_F2FP] = translate_f2fp,
	[SASS_OP_HMNMX2] = translate_hmnmx2,
	[SASS_OP_I2I] = translate_i2i,
	[SASS_OP_I2IP] = translate_i2ip,
	[SASS_OP_VABSDIFF] = translate_vabsdiff,
	[SASS_OP_VIADDMNMX] = translate_viaddmnmx,
	[SASS_OP_QSPC] = translate_qspc,
	[SASS_OP_LDG] = translate_load,
	[SASS_OP_ATOM] = translate_atom,
	[SASS_OP_ATOMG] = translate_atom,
	[SASS_OP_ATOMS] = translate_atom,
	[SASS_OP_REDG] = translate_atom,
	[SASS_OP_LD] = translate_load,
	[SASS_OP_LDS] = translate_load,
	[SASS_OP_LDL] = translate_load,
	[SASS_OP_STG] = translate_store,
	[SASS_OP_ST] = translate_store,
	[SASS_OP_STS] = translate_store,
	[SASS_OP_STL] = translate_store,
	[SASS_OP_LDC] = translate_ldc,
	[SASS_OP_ULDC] = translate_ldc,
	[SASS_OP_NOP] = translate_nothing,
	[SASS_OP_BSSY] = translate_nothing,
	[SASS_OP_BSYNC] = translate_nothing,
	[SASS_OP_YIELD] = translate_nothing,
	[SASS_OP_BREAK] = translate_nothing,
	[SASS_OP_MEMBAR] = translate_membar,
	[SASS_OP_ERRBAR] = translate_nothing,
	[SASS_OP_CGAERRBAR] = translate_nothing,
	[SASS_OP_B2R] = translate_b2r,
	[SASS_OP_UCGABAR_ARV] = translate_cluster_barrier,
	[SASS_OP_UCGABAR_WAIT] = translate_cluster_barrier,
	[SASS_OP_CCTL] = translate_nothing,
	[SASS_OP_BAR] = translate_bar,
	[SASS_OP_WARPSYNC] = translate_warpsync,
	[SASS_OP_EXIT] = translate_exit,
	[SASS_OP_BRA] = translate_bra,
	[SASS_OP_BRX] = translate_brx,
	[SASS_OP_CALL] = translate_call,
	[SASS_OP_RET] = translate_ret,
};

/* --- Text ----------------------------------------------------------------------------------- */

static void append(struct translation *t, const char *format, va_list args)
{
	char line[512];
	const int n = vsnprintf(line, sizeof line, format, args);
	const size_t length = n < 0 ? 0 : n < (int)sizeof line ? (size_t)n : sizeof line - 1;

	if (t->length + length + 1 > t->capacity) {
		char *more = arena_alloc(t->arena, 2 * t->capacity + 4096);

		if (t->length)
			memcpy(more, t->out, t->length);
		t->out = more;
		t->capacity = 2 * t->capacity + 4096;
	}
	memcpy(t->out + t->length, line, length);
	t->length += length;
	t->out[t->length] = 0;
}

void translate_text(struct translation *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	append(t, format, args);
	va_end(args);
}

void emit_ptx(struct translation *t, const char *format, ...)
{
	va_list args;

	translate_text(t, t->i->guard == SASS_PT ? "\t" : "\t@%%g ");
	va_start(args, format);
	append(t, format, args);
	va_end(args);
	translate_text(t, ";\n");
}

struct text temporary(struct translation *t, char kind)
{
	struct text text;

	if (t->temporaries == TEMPORARIES - 1)
		fails(t);
	else
		t->temporaries++;
	snprintf(text.s, sizeof text.s, "%%%c%u", kind, t->temporaries);
	return text;
}

static struct text __attribute__((format(printf, 1, 2))) textf(const char *format, ...)
{
	struct text text;
	va_list args;

	va_start(args, format);
	vsnprintf(text.s, sizeof text.s, format, args);
	va_end(args);
	return text;
}

/* --- Constants ------------------------------------------------------------------------------ */

/* A variable in the module's global memory. */
static bool is_variable(const struct cubin *c, const struct elf_symbol *s)
{
	enum { OBJECT = 1 };
	const char *name = s->section < c->elf.section_count ? c->elf.sections[s->section].name : "";

	return (s->info & 15) == OBJECT && !strncmp(name, ".nv.global", 10);
}

/* Half of an address of 64 bits: that at a multiple of 8, or the one behind it. */
static void half_of(struct translation *t, const char *move, const char *convert, u64 offset, const char *to)
{
	const struct text x = temporary(t, 'x');
	char line[96];

	snprintf(line, sizeof line, move, x.s);
	emit_ptx(t, "%s", line);
	if (convert) {
		snprintf(line, sizeof line, convert, x.s, x.s);
		emit_ptx(t, "%s", line);
	}
	emit_ptx(t, offset & 4 ? "mov.b64 {%%sink, %s}, %s" : "mov.b64 {%s, %%sink}, %s", to, x.s);
}

/* The driver's words of bank 0 that code reads: launch dimensions, the stack's top, a descriptor that says nothing. */
static bool driver_word(struct translation *t, u64 offset, const char *to)
{
	static const char *const words[] = {"%ntid.x", "%ntid.y", "%ntid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z"};

	if (offset % 4 == 0 && offset / 4 < COUNT_OF(words))
		emit_ptx(t, "mov.u32 %s, %s", to, words[offset / 4]);
	else if (offset == 0x28)
		emit_ptx(t, "mov.b32 %s, %%stack", to);
	else if (offset == 0x208 || offset == 0x20c)
		emit_ptx(t, "mov.b32 %s, 0", to);
	else if ((offset & ~4ull) == 0xd0 && t->cubin->bank_bytes[3])
		half_of(t, "mov.u64 %s, bank3", "cvta.const.u64 %s, %s", offset, to);
	else if ((offset & ~4ull) == 0x198 && t->function->param_count)
		half_of(t, "mov.u64 %s, p0", "cvta.param.u64 %s, %s", offset, to);
	else if ((offset & ~4ull) == 0x20)
		half_of(t, "mov.u64 %s, 0", "cvta.local.u64 %s, %s", offset, to);
	else if ((offset & ~4ull) == 0x18)
		half_of(t, "mov.u64 %s, 0", "cvta.shared.u64 %s, %s", offset, to);
	else
		return !fails(t);
	return true;
}

/* A word of bank 4, whose addresses relocations give: that of a variable of the module. */
static void address_word(struct translation *t, u64 offset, const char *to)
{
	const struct cubin *c = t->cubin;

	for (u32 k = 0; k < c->relocation_count; k++) {
		const struct cubin_relocation *r = &c->relocations[k];
		const struct elf_symbol *s = &c->elf.symbols[r->symbol];
		char move[64];

		if (strcmp(c->elf.sections[r->section].name, ".nv.constant4") || r->offset != (offset & ~7ull) ||
		    r->in_place || !is_variable(c, s))
			continue;
		snprintf(move, sizeof move, "mov.u64 %%s, variable%u", r->symbol);
		half_of(t, move, r->addend ? NULL : "cvta.global.u64 %s, %s", offset, to);
		if (r->addend)
			fails(t);
		return;
	}
	fails(t);
}

/* The parameter that holds `bytes` at `offset` of bank 0, or NULL. */
static const struct cubin_param *find_param(const struct cubin_function *f, u64 offset, u32 bytes)
{
	for (u32 k = 0; k < f->param_count; k++)
		if (offset >= f->param_base + f->params[k].offset &&
		    offset + bytes <= f->param_base + f->params[k].offset + f->params[k].size)
			return &f->params[k];
	return NULL;
}

/* A word of a constant bank at a fixed place: `type` is u8, s8, u16, s16 or b32. */
static void read_word(struct translation *t, u32 bank, u64 offset, const char *type, u32 bytes, const char *to)
{
	const struct cubin_param *p;

	if (bank == 0 && offset < t->function->param_base) {
		driver_word(t, offset, to);
	} else if (bank == 0) {
		p = find_param(t->function, offset, bytes);
		if (p)
			emit_ptx(t, "ld.param.%s %s, [p%u + %llu]", type, to, p->ordinal,
				 (unsigned long long)(offset - t->function->param_base - p->offset));
		else
			emit_ptx(t, "mov.b32 %s, 0", to);
	} else if (bank == 3 && offset + bytes <= t->cubin->bank_bytes[3]) {
		emit_ptx(t, "ld.const.%s %s, [bank3 + %llu]", type, to, (unsigned long long)offset);
	} else if (bank == 2 && offset + bytes <= t->function->bank_bytes[2]) {
		emit_ptx(t, "ld.const.%s %s, [bank2_%u + %llu]", type, to, t->number, (unsigned long long)offset);
	} else if (bank == 4) {
		address_word(t, offset, to);
	} else {
		fails(t);
	}
}

/* At a computed place of a bank: of the parameters, of the function's own, of the variables. */
static void load_indexed(struct translation *t, const char *type, u32 words)
{
	const struct sass_operand *o = &t->i->operands[1];
	const struct cubin_function *f = t->function;
	const struct text address = temporary(t, 'x'), index = temporary(t, 'x');
	s64 offset = (s64)o->value;

	if (o->number == 0 && f->param_count && !f->params[0].offset) {
		offset -= f->param_base;
		emit_ptx(t, "mov.u64 %s, p0", address.s);
	} else if (o->number == 2 && f->bank_bytes[2]) {
		emit_ptx(t, "mov.u64 %s, bank2_%u", address.s, t->number);
	} else if (o->number == 3 && t->cubin->bank_bytes[3]) {
		emit_ptx(t, "mov.u64 %s, bank3", address.s);
	} else {
		fails(t);
	}
	emit_ptx(t, "cvt.s64.s32 %s, %%r%u", index.s, o->base);
	emit_ptx(t, "add.s64 %s, %s, %s", address.s, address.s, index.s);
	for (u32 k = 0; k < words; k++)
		emit_ptx(t, "ld.%s.%s %s, [%s + %lld]", o->number ? "const" : "param", type, register_at(t, 0, k).s,
			 address.s, (long long)offset + 4 * k);
}

void translate_ldc(struct translation *t)
{
	static const struct {
		const char *type;
		u32 bytes, words;
	} sizes[] = {{"u8", 1, 1}, {"s8", 1, 1}, {"u16", 2, 1}, {"s16", 2, 1}, {"b32", 4, 1}, {"b32", 4, 2}};
	const struct sass_operand *o = &t->i->operands[1];
	const u32 size = t->i->opcode == SASS_OP_LDC ? modifier(t, MOD_LDC_SIZE) : modifier(t, MOD_SIZE);

	if (o->arg != ARG_CONSTANT || size >= COUNT_OF(sizes) || o->uniform != SASS_NO_REGISTER) {
		fails(t);
		return;
	}
	if (o->base != SASS_RZ) {
		load_indexed(t, sizes[size].type, sizes[size].words);
		return;
	}
	for (u32 k = 0; k < sizes[size].words; k++)
		read_word(t, o->number, o->value + 4 * k, sizes[size].type, sizes[size].bytes, register_at(t, 0, k).s);
}

/* --- Operands ------------------------------------------------------------------------------- */

bool is_pt(const struct translation *t, u32 k)
{
	return t->i->operands[k].number == SASS_PT && !(t->i->operands[k].flags & SASS_NOT);
}

static struct text register_text(u8 arg, u32 number)
{
	return number == SASS_RZ ? textf("0") : textf("%%%c%u", arg == ARG_UREGISTER ? 'u' : 'r', number);
}

struct text register_at(const struct translation *t, u32 k, u32 n)
{
	const struct sass_operand *o = &t->i->operands[k];

	return o->number == SASS_RZ ? textf("%%sink") : register_text(o->arg, o->number + n);
}

/* The 32 bits of an operand, without its signs. */
static struct text plain(struct translation *t, u32 k, u32 word)
{
	const struct sass_operand *o = &t->i->operands[k];
	struct text to;

	switch (o->arg) {
	case ARG_REGISTER:
	case ARG_UREGISTER:
		return o->number == SASS_RZ ? textf("0") : register_text(o->arg, o->number + word);
	case ARG_FLOAT:
		if (o->type == SASS_F64)
			return word ? textf("0x%x", (u32)o->value) : textf("0");
		return textf("0x%x", (u32)o->value);
	case ARG_INTEGER:
		return word ? textf("%s", (s64)o->value < 0 ? "-1" : "0") : textf("0x%x", (u32)o->value);
	case ARG_CONSTANT:
		to = temporary(t, 't');
		if (o->base != SASS_RZ || o->uniform != SASS_NO_REGISTER)
			fails(t);
		read_word(t, o->number, o->value + 4 * word, "b32", 4, to.s);
		return to;
	default:
		fails(t);
		return textf("0");
	}
}

struct text source(struct translation *t, u32 k)
{
	const struct sass_operand *o = &t->i->operands[k];
	const struct text from = plain(t, k, 0);
	struct text to;

	if (!(o->flags & (SASS_MINUS | SASS_BARS)))
		return from;
	to = temporary(t, 't');
	emit_ptx(t, o->flags & SASS_COMPLEMENT ? "not.b32 %s, %s" : "neg.s32 %s, %s", to.s, from.s);
	return to;
}

static struct text with_signs(struct translation *t, const struct sass_operand *o, struct text from, u32 sign)
{
	struct text to;

	if (!(o->flags & (SASS_MINUS | SASS_BARS)))
		return from;
	to = temporary(t, 't');
	emit_ptx(t, "mov.b32 %s, %s", to.s, from.s);
	if (o->flags & SASS_BARS)
		emit_ptx(t, "and.b32 %s, %s, 0x%x", to.s, to.s, ~sign);
	if (o->flags & SASS_MINUS)
		emit_ptx(t, "xor.b32 %s, %s, 0x%x", to.s, to.s, sign);
	return to;
}

/* PTX takes a float's bits as 0f3f800000; 0 is a register's RZ. */
struct text source_float(struct translation *t, u32 k)
{
	const struct sass_operand *o = &t->i->operands[k];
	struct text from = plain(t, k, 0), to;

	if (from.s[0] != '%') {
		to = temporary(t, 't');
		emit_ptx(t, "mov.b32 %s, %s", to.s, from.s);
		from = to;
	}
	return with_signs(t, o, from, 0x80000000);
}

static struct text wide(struct translation *t, u32 k, bool real)
{
	const struct sass_operand *o = &t->i->operands[k];
	const struct text to = temporary(t, 'x'), low = plain(t, k, 0);
	struct text high = plain(t, k, 1);

	/* The sign of what is not a number stays. */
	if (real && o->flags & (SASS_MINUS | SASS_BARS)) {
		const struct text nan = temporary(t, 'c'), changed = with_signs(t, o, high, 0x80000000);

		emit_ptx(t, "mov.b64 %s, {%s, %s}", to.s, low.s, high.s);
		emit_ptx(t, "setp.nan.f64 %s, %s, %s", nan.s, to.s, to.s);
		emit_ptx(t, "selp.b32 %s, %s, %s, %s", changed.s, high.s, changed.s, nan.s);
		high = changed;
	}
	emit_ptx(t, "mov.b64 %s, {%s, %s}", to.s, low.s, high.s);
	if (!real && o->flags & SASS_MINUS)
		emit_ptx(t, o->flags & SASS_COMPLEMENT ? "not.b64 %s, %s" : "neg.s64 %s, %s", to.s, to.s);
	return to;
}

struct text source_wide(struct translation *t, u32 k) { return wide(t, k, false); }
struct text source_double(struct translation *t, u32 k) { return wide(t, k, true); }

struct text source_predicate(struct translation *t, u32 k)
{
	const struct sass_operand *o = &t->i->operands[k];
	const char kind = o->arg == ARG_UPREDICATE ? 'q' : 'p';
	struct text to = textf("%%%c%u", kind, o->number), not ;

	if (o->number == SASS_PT)
		return textf(o->flags & SASS_NOT ? "%%false" : "%%true");
	if (!(o->flags & SASS_NOT))
		return to;
	not = temporary(t, 'c');
	emit_ptx(t, "not.pred %s, %s", not .s, to.s);
	return not ;
}

struct text destination(struct translation *t, u32 k) { return register_at(t, k, 0); }

struct text destination_predicate(struct translation *t, u32 k)
{
	const struct sass_operand *o = &t->i->operands[k];

	return o->number == SASS_PT ? textf("%%nowhere")
				    : textf("%%%c%u", o->arg == ARG_UPREDICATE ? 'q' : 'p', o->number);
}

void write_wide(struct translation *t, u32 k, const char *value)
{
	const struct text low = register_at(t, k, 0),
			  high = t->i->operands[k].number == SASS_RZ ? textf("%%sink2") : register_at(t, k, 1);

	emit_ptx(t, "mov.b64 {%s, %s}, %s", low.s, high.s, value);
}

/* --- Kernels -------------------------------------------------------------------------------- */

static void translate_instruction(struct translation *t)
{
	const struct sass_insn *i = t->i;
	char text[SASS_TEXT];

	translate_text(t, "L%u:\n", i->address);
	if (i->guard == SASS_PT && i->guard_negated)
		return;
	if (i->guard != SASS_PT)
		translate_text(t, "\t%s.pred %%g, %%%c%u;\n", i->guard_negated ? "not" : "mov",
			       i->guard_uniform ? 'q' : 'p', i->guard);
	const size_t start = t->length;

	t->temporaries = 0;
	t->failed = i->invalid || !translate_table[i->opcode];
	if (!t->failed)
		translate_table[i->opcode](t);
	if (!t->failed)
		return;
	/* What cannot be translated stops the run where it is reached. */
	t->length = start;
	sass_print(t->decoder, i, text);
	translate_text(t, "\t// no translation: %s\n", text);
	emit_ptx(t, "trap");
}

static void translate_code(struct translation *t)
{
	const struct cubin_function *f = t->function;

	for (u64 at = 0; at + SASS_INSN_BYTES <= f->code_bytes; at += SASS_INSN_BYTES) {
		struct sass_insn i;

		t->i = &i;
		if (sass_decode(t->decoder, read_u64(f->code + at), read_u64(f->code + at + 8), (u32)at, &i))
			translate_instruction(t);
		else
			translate_text(t, "L%u:\n\ttrap; // encoding not known\n", (u32)at);
	}
}

static void write_params(struct translation *t)
{
	const struct cubin_function *f = t->function;

	for (u32 k = 0; k < f->param_count; k++) {
		const u32 size = f->params[k].size;
		const char *comma = k + 1 < f->param_count ? "," : "";

		if (size == 1 || size == 2 || size == 4 || size == 8)
			translate_text(t, "\t.param .b%u p%u%s\n", 8 * size, k, comma);
		else
			translate_text(t, "\t.param .align %u .b8 p%u[%u]%s\n", size % 8 ? 4 : 8, k, size ? size : 1,
				       comma);
	}
}

static void write_kernel(struct translation *t)
{
	const struct cubin_function *f = t->function;
	const u64 shared = f->shared_bytes > SYSTEM_SHARED_BYTES ? f->shared_bytes - SYSTEM_SHARED_BYTES : 0;

	t->stack_bytes = (f->stack_bytes + STACK_LEAST + 15) & ~15ull;
	translate_text(t, ".visible .entry %s(\n", f->name);
	write_params(t);
	translate_text(t, ")\n{\n\t.reg .b32 %%r<256>, %%u<256>, %%t<%u>, %%sink, %%sink2, %%stack, %%counted;\n",
		       TEMPORARIES);
	translate_text(t, "\t.reg .b64 %%x<%u>;\n\t.reg .b16 %%h<%u>;\n\t.reg .pred %%p<8>, %%q<8>, %%c<%u>;\n",
		       TEMPORARIES, TEMPORARIES, TEMPORARIES);
	translate_text(t,
		       "\t.reg .pred %%g, %%true, %%false, %%nowhere, %%agreed;\n\t.local .align 16 .b8 stack[%llu];\n",
		       (unsigned long long)t->stack_bytes);
	if (shared)
		translate_text(t, "\t.shared .align 128 .b8 block[%llu];\n", (unsigned long long)shared);
	/* So that shared memory begins behind the system's bytes, as addresses in the code say. */
	translate_text(t, "\tmov.u32 %%sink, %%reserved_smem_offset_begin;\n");
	translate_text(t, "\tsetp.eq.u32 %%true, 0, 0;\n\tsetp.ne.u32 %%false, 0, 0;\n\tmov.u32 %%stack, stack;\n");
	translate_text(t, "\tadd.s32 %%stack, %%stack, %llu;\n", (unsigned long long)t->stack_bytes);
	translate_code(t);
	translate_text(t, "\ttrap;\n}\n\n");
}

static void write_bank(struct translation *t, const char *name, const u8 *data, u64 bytes)
{
	if (!bytes || !data)
		return;
	translate_text(t, ".const .align 16 .b8 %s[%llu] = {", name, (unsigned long long)bytes);
	for (u64 k = 0; k < bytes; k++)
		translate_text(t, k ? ",%u" : "%u", data[k]);
	translate_text(t, "};\n");
}

static void write_variables(struct translation *t)
{
	const struct cubin *c = t->cubin;

	for (u32 k = 0; k < c->elf.symbol_count; k++) {
		const struct elf_symbol *s = &c->elf.symbols[k];
		const struct elf_section *section;

		if (!is_variable(c, s) || !s->size)
			continue;
		section = &c->elf.sections[s->section];
		if (s->value > section->size || s->size > section->size - s->value)
			continue;
		translate_text(t, ".global .align 16 .b8 variable%u[%llu]", k, (unsigned long long)s->size);
		for (u64 b = 0; section->bytes && b < s->size; b++)
			translate_text(t, b ? ",%u" : " = {%u", section->bytes[s->value + b]);
		translate_text(t, section->bytes ? "};\n" : ";\n");
	}
}

char *sass_to_ptx(struct arena *a, const struct cubin *c, const char **why)
{
	struct translation t = {.arena = a, .cubin = c};

	if (c->sm < 90 || c->sm >= 100) {
		*why = "only machine code of sm_90 can be translated";
		return NULL;
	}
	t.decoder = sass_decoder_new(a, c->sm);
	translate_text(&t, ".version 8.8\n.target sm_%u%s\n.address_size 64\n\n", c->sm, c->accelerated ? "a" : "");
	write_bank(&t, "bank3", c->banks[3], c->bank_bytes[3]);
	write_variables(&t);
	for (u32 k = 0; k < c->function_count; k++)
		if (c->functions[k].is_kernel) {
			const struct text name = textf("bank2_%u", k);

			t.number = k;
			t.function = &c->functions[k];
			write_bank(&t, name.s, t.function->banks[2], t.function->bank_bytes[2]);
			write_kernel(&t);
		}
	return t.out;
}
