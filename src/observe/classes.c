/* SPDX-License-Identifier: Apache-2.0
 *
 * Instruction classes by the table's families, and registers by the text's operands.
 */
#include "observe/classes.h"

#include "isa/matrix.h"
#include "isa/sass.h"

static const struct isa_family *family_of(const struct isa *isa, const struct isa_row *row)
{
	if (sass_is_row(row))
		isa = isa->sass;
	for (u32 k = 0; isa->families[k]; k++)
		if (row >= isa->families[k]->rows && row < isa->families[k]->rows + isa->families[k]->count)
			return isa->families[k];
	return NULL;
}

/* Arithmetic and comparison: by the first type; of set by what is compared. */
static enum instruction_class by_type(const struct form *f)
{
	const int type = form_type(f, f->opcode == OP_set ? f->type_count - 1 : 0);

	if (type == TOKEN_NONE || type_class(type) != 'f')
		return CLASS_INTEGER;
	/* Packed halves are 32 bits wide. */
	if (type == T_f32)
		return CLASS_FP32;
	return type == T_f64 ? CLASS_FP64 : CLASS_FP16;
}

/* SASS, whose rows have no types. */
static enum instruction_class by_flags(const struct isa_row *row)
{
	if (row->traits & TRAIT_DOUBLES)
		return CLASS_FP64;
	return row->flags & SASS_FLOAT ? CLASS_FP32 : CLASS_INTEGER;
}

static enum instruction_class class_of(const struct isa *isa, const struct form *f)
{
	const struct isa_family *family = family_of(isa, f->row);

	if (f->row->flags & ISA_MEMORY)
		return CLASS_MEMORY;
	if (family && family->class != CLASS_BY_TYPE)
		return family->class;
	return sass_is_row(f->row) ? by_flags(f->row) : by_type(f);
}

static enum instruction_kind kind_of(const struct form *f)
{
	const u32 traits = f->row->traits;

	if (traits & TRAIT_BARRIER)
		return KIND_BLOCK_BARRIER;
	if (traits & TRAIT_WARP_BARRIER)
		return KIND_WARP_BARRIER;
	if (traits & TRAIT_CLUSTER_BARRIER)
		return form_has(f, M_arrive) ? KIND_CLUSTER_BARRIER : KIND_OTHER;
	if (traits & TRAIT_SHUFFLES)
		return KIND_SHUFFLE;
	if (traits & TRAIT_VOTES)
		return KIND_VOTE;
	if (traits & TRAIT_MULTIPLIES)
		return KIND_MULTIPLY;
	if (traits & (TRAIT_FRAGMENT | TRAIT_MATRIX_ROWS))
		return f->row->flags & ISA_STORE ? KIND_FRAGMENT_STORE : KIND_FRAGMENT_LOAD;
	return KIND_OTHER;
}

/* --- Matrices ------------------------------------------------------------------------------- */

static enum matrix_type matrix_type_of(enum tensor_format format)
{
	switch (format) {
	case TENSOR_F16:
		return MATRIX_F16;
	case TENSOR_BF16:
		return MATRIX_BF16;
	case TENSOR_TF32:
		return MATRIX_TF32;
	case TENSOR_F64:
		return MATRIX_F64;
	case TENSOR_S8:
	case TENSOR_U8:
		return MATRIX_INT8;
	case TENSOR_S4:
	case TENSOR_U4:
		return MATRIX_INT4;
	case TENSOR_B1:
		return MATRIX_B1;
	default:
		return MATRIX_FP8;
	}
}

static void describe_product(struct instruction_facts *facts, const struct form *f)
{
	struct tensor_form t;

	if (!isa_tensor_form(f, &t))
		return;
	facts->matrix = (u8)matrix_type_of(t.a);
	facts->multiply_adds = (u32)t.m * t.n * t.k;
	/* Four products by eight lanes each; a quarter of the group's. */
	if (t.arith == TENSOR_FMA_F32)
		facts->multiply_adds *= 4;
	else if (t.family == TENSOR_WGMMA)
		facts->multiply_adds /= 4;
}

/* --- Registers ------------------------------------------------------------------------------ */

/* Registers of 32 bits that an operand names, those within a vector or an address among them. */
static u32 registers_in(const struct ir_operand *o)
{
	u32 count = 0;

	if (o->kind == OPERAND_REGISTER && o->symbol && o->symbol->kind == SYM_REGISTER) {
		const u32 bits = type_bits(o->symbol->reg->type);
		const u32 elements = o->element == 0xff ? max_u32(1, o->symbol->reg->vector) : 1;
		return o->symbol->reg->type == T_pred ? 0 : max_u32(1, bits / 32) * elements;
	}
	for (u32 k = 0; k < o->item_count; k++)
		count += registers_in(&o->items[k]);
	return count;
}

/* A listing's operands are the machine's registers, pairs and quads of them named by their first. */
static void count_machine_registers(struct instruction_facts *facts, const struct ir_instruction *x,
				    const struct form *f)
{
	struct sass_spec specs[FORM_OPERANDS];
	const u32 count = sass_specs(f, specs);

	for (u32 k = 0; k < x->operand_count && k < count; k++) {
		const struct ir_operand *o = &x->operands[k];
		const bool has_base = (o->kind == OPERAND_ADDRESS || o->kind == OPERAND_BANK) && o->item_count;
		const struct ir_operand *r = has_base ? &o->items[0] : o;
		if (r->kind != OPERAND_REGISTER || r->symbol->reg->index >= SASS_REGISTER_ZERO)
			continue;
		if (specs[k].kind == 'D')
			facts->writes += specs[k].registers;
		else
			facts->reads += has_base && form_has_word(f, "E") ? 2 : specs[k].registers;
	}
}

static void count_registers(struct instruction_facts *facts, const struct ir_instruction *x, const struct form *f)
{
	struct operand_spec specs[FORM_OPERANDS];
	const u32 count = isa_operand_specs(f, specs);
	u32 reads = 0, writes = 0;

	for (u32 k = 0; k < x->operand_count && k < count; k++) {
		const u32 n = registers_in(&x->operands[k]);
		const bool is_value = specs[k].kind == 't' || specs[k].kind == '*';
		if (is_value && specs[k].written)
			writes += n;
		if (!is_value || specs[k].read)
			reads += n;
	}
	facts->reads = (u8)min_u32(reads, UINT8_MAX);
	facts->writes = (u8)min_u32(writes, UINT8_MAX);
}

struct instruction_facts instruction_describe(const struct isa *isa, const struct ir_instruction *x,
					      const struct form *form)
{
	struct instruction_facts facts = {.class = CLASS_MISC};

	if (!form->row)
		return facts;
	facts.class = (u8)class_of(isa, form);
	facts.kind = (u8)kind_of(form);
	if (facts.kind == KIND_MULTIPLY)
		describe_product(&facts, form);
	if (sass_is_row(form->row))
		count_machine_registers(&facts, x, form);
	else if (!(form->row->flags & ISA_CALL))
		count_registers(&facts, x, form);
	return facts;
}

static bool names_register(const struct ir_operand *o, const struct ir_register *reg)
{
	if (o->kind == OPERAND_REGISTER)
		return o->symbol && o->symbol->kind == SYM_REGISTER && o->symbol->reg == reg;
	for (u32 k = 0; k < o->item_count; k++)
		if (names_register(&o->items[k], reg))
			return true;
	return false;
}

bool instruction_reads(const struct ir_instruction *x, const struct form *form, const struct ir_register *reg)
{
	struct operand_spec specs[FORM_OPERANDS];
	const u32 count = form->row ? isa_operand_specs(form, specs) : 0;

	if (x->guard && x->guard->kind == SYM_REGISTER && x->guard->reg == reg)
		return true;
	for (u32 k = 0; k < x->operand_count; k++) {
		const bool only_written = k < count && specs[k].kind == 't' && specs[k].written && !specs[k].read;
		if (!only_written && names_register(&x->operands[k], reg))
			return true;
	}
	return false;
}

const char *instruction_class_name(enum instruction_class class)
{
	static const char *const names[] = {
#define X(enumerator, name, aliases, text) [CLASS_##enumerator] = name,
		INSTRUCTION_CLASSES(X)
#undef X
	};

	return names[class];
}
