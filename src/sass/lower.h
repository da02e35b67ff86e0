/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering of machine code to what the executor runs. Each instruction becomes one or several decoded instructions: handlers
 * of PTX rows, named by their text ("fma.rn.ftz.f32"), and of isa/machine.h, over rows that are the registers by number. One
 * arithmetic and one memory serve both instruction sets.
 *
 * What stands before `lower_table` is for sessions; the rest is private to sass/lower*.c.
 */
#ifndef PTXSIM_SASS_LOWER_H
#define PTXSIM_SASS_LOWER_H

#include "decode/lowering.h"
#include "isa/machine.h"
#include "sass/instruction.h"
#include "sass/module.h"

/* The code of a kernel that sass_module_read made: for lower_options.machine. What cannot be lowered faults where it is
 * reached, and is the code's refusal unless unmodelled instructions are allowed. NULL: an error was added. */
struct code *sass_lower_function(struct lowering *low, struct ir_function *f);

enum { LOWER_TEMPORARIES = 40, LOWER_QUADS = 3, LOWER_ROW = WARP_LANES * 4, LOWER_ARGS = 160 };

/* Rows of a frame: predicates first, then registers. */
enum { LOWER_PREDICATES = 0, LOWER_UPREDICATES = 32, LOWER_REGISTERS = 64 };

struct predicate {
	u32 row;
	bool negated;
};

/* A jump, whose target is known once all is emitted. */
struct lower_jump {
	u32 insn, address;
};

/* Where the lanes of a branch meet, as the text has it: the BSYNC of the innermost pair of BSSY and BSYNC around it. For gangs;
 * goes into the word `operand` of the lists, or NO_OPERAND: into insn.c. */
struct lower_meeting {
	u32 insn, address, operand;
};
/* Between BSSY and BSYNC, as addresses in the body. */
struct lower_region {
	u32 first, end;
};

struct lower {
	struct emitter e;
	const struct sass_kernel *kernel;
	const struct sass_module *m;
	const struct sass_section *section; /* of the instruction */
	struct sass_insn *i;
	u32 sm;
	u32 relocation;                   /* type of one that the instruction needs and that is not known, or 0 */
	u32 registers, uniform_registers; /* rows that there are */
	u32 uniform_rows, barrier_rows;
	u32 zero, sink; /* four rows each */
	u32 helper_rows; /* where helper lanes keep what they had: predicates, then registers; 0: no quads are filled up */
	u32 true_row, false_row, pred_sink, counted_row, agreed_row, collective_row, rpc_rows;
	u32 words[LOWER_TEMPORARIES], longs[LOWER_TEMPORARIES], truths[LOWER_TEMPORARIES], quads[LOWER_QUADS], zero64;
	u32 used_words, used_longs, used_truths, used_quads;
	u32 first_temporary, last_temporary;
	u32 guard_row, guard_copy;
	bool guard_negated, guarded, uniform,
		single; /* uniform: acts for the warp; single: its next insn runs for one lane */
	bool failed, shows_order, uses_local, has_helpers;
	u64 calls_system; /* a bit for each of the functions that the system supplies */
	bool *leads;
	u16 *barriers_read; /* for each instruction: see struct code */
	u8 *chosen;         /* how many branches name the instruction */
	u32 *loop_of;       /* the innermost of `loops` that it is in, or NO_OPERAND */
	u32 *counted;       /* its first insn, which may add up the run before it */
	u32 *bases;         /* for each instruction: where its section begins */
	u32 *start;
	u64 local_bytes;
	const struct isa_row *neutral; /* of instructions of no note */
	u8 *no_bits;
	const struct form *form; /* what observers see the instruction as; NULL: nothing of note */
	u32 form_insn;           /* which of its insns that is; NO_OPERAND: the last */
	u32 *form_insns;
	const struct machine_banks *banks;
	struct lookup prepared_of;
	VEC_OF(struct prepared *) prepared;
	VEC_OF(struct machine_step) steps; /* of the insns up to the last one that is anybody's */
	VEC_OF(struct lower_jump) jumps;
	VEC_OF(struct lower_meeting) meetings;
	VEC_OF(struct lower_region) regions, loops; /* loops: by instructions */
};

typedef void lower_fn(struct lower *l);
extern lower_fn *const lower_table[SASS_OP_COUNT];

static inline u32 modifier(const struct lower *l, enum sass_modifier_kind kind) { return sass_modifier(l->i, kind); }
/* The instruction cannot be lowered. */
static inline void lower_fails(struct lower *l) { l->failed = true; }

/* --- Rows: lower_operand.c -------------------------------------------------------------------- */

u32 lower_word(struct lower *l); /* temporary rows, of 32, 64 and 128 bits and of truths, for this instruction */
u32 lower_long(struct lower *l);
u32 lower_quad(struct lower *l);
u32 lower_truth(struct lower *l);
u32 lower_number(struct lower *l, u32 value); /* a row of a constant */
u32 lower_number64(struct lower *l, u64 value);
/* A word of a constant bank at a fixed place. */
u32 lower_bank_word(struct lower *l, u32 bank, u32 at);

bool lower_is_rz(const struct lower *l, u32 k);
bool lower_is_pt(const struct lower *l, u32 k);
u32 lower_register(const struct lower *l, u32 number);
u32 lower_uniform(const struct lower *l, u32 number);
u32 lower_barrier(const struct lower *l, u32 number);
/* Operand k as it stands: word 0 or 1 of its 64 bits. */
u32 lower_plain(struct lower *l, u32 k, u32 word);
/* With the signs of an integer, of an f32; as 64 bits; the same with the signs of an f64. */
u32 lower_source(struct lower *l, u32 k);
u32 lower_float(struct lower *l, u32 k);
/* The comparison (1 less, 2 equal, 4 greater, 8 unordered) of a and b by setp of PTX, to predicate operand 0, combined with
 * operand 4; type: "u32", ".ftz.f32". False: nothing is emitted, PTX has none such. */
bool lower_plain_setp(struct lower *l, u32 comparison, const char *type, u32 a, u32 b);
/* A minimum or maximum of a PTX type: the lesser of operands 1 and 2, which `source` gives, where predicate 3 holds. */
void lower_lesser(struct lower *l, const char *type, u32 (*source)(struct lower *l, u32 k));
void lower_least_of_three(struct lower *l, const char *type, u32 (*source)(struct lower *l, u32 k));
u32 lower_wide(struct lower *l, u32 k);
u32 lower_double(struct lower *l, u32 k);
/* A word that is stored: RZ is zeros. */
u32 lower_stored(struct lower *l, u32 k, u32 word);
struct predicate lower_predicate(struct lower *l, u32 k);
/* Where operand k is written, word by word; the sink for RZ and PT. */
u32 lower_to(const struct lower *l, u32 k, u32 word);
u32 lower_to_predicate(const struct lower *l, u32 k);

/* The rows of the kernel's registers and temporaries: lower_rows.c. */
void lower_plan_rows(struct lower *l);
/* Decodes the instruction at an index of the body, and makes its section the current one. False: it is none. */
bool lower_decode_at(struct lower *l, u32 index, struct sass_insn *i);

/* --- Emission: lower.c ------------------------------------------------------------------------ */

/* An operand of a PTX row. */
struct lower_arg {
	u32 row;
	u8 bits;
	bool written, negated;
	bool is_offset;    /* row is the byte offset of the address whose base came before */
	bool is_immediate; /* row is the value */
};
#define ROW32(x)     ((struct lower_arg){.row = (x), .bits = 32})
#define ROW64(x)     ((struct lower_arg){.row = (x), .bits = 64})
#define ROW128(x)    ((struct lower_arg){.row = (x), .bits = 128})
#define ROW16(x)     ((struct lower_arg){.row = (x), .bits = 16})
#define TRUTH(p)     ((struct lower_arg){.row = (p).row, .bits = 1, .negated = (p).negated})
#define TO32(x)      ((struct lower_arg){.row = (x), .bits = 32, .written = true})
#define TO16(x)      ((struct lower_arg){.row = (x), .bits = 16, .written = true})
#define TO64(x)      ((struct lower_arg){.row = (x), .bits = 64, .written = true})
#define TO128(x)     ((struct lower_arg){.row = (x), .bits = 128, .written = true})
#define TO1(x)       ((struct lower_arg){.row = (x), .bits = 1, .written = true})
#define OFFSET(x)    ((struct lower_arg){.row = (u32)(x), .is_offset = true})
#define IMMEDIATE(x) ((struct lower_arg){.row = (u32)(x), .is_immediate = true})

/* Emits the PTX row of that text with these operands, in the text's order. */
void lower_ptx(struct lower *l, const char *text, const struct lower_arg *args, u32 count);
#define PTX(l, text, ...)                                           \
	lower_ptx(l, text, (const struct lower_arg[]){__VA_ARGS__}, \
		  sizeof((const struct lower_arg[]){__VA_ARGS__}) / sizeof(struct lower_arg))
/* A text made of parts, in the arena of this lowering. */
const char *lower_text(struct lower *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Emits an insn under the instruction's guard; `writes`: the row that it changes, which needs none if it is temporary. */
void lower_emit(struct lower *l, struct insn i, u32 writes, struct machine_step step);
/* Words for insn.imm or insn.b: returns where they are. */
u32 lower_list(struct lower *l, const u32 *list, u32 count);
/* Emits a handler of machine code. */
void lower_machine(struct lower *l, enum machine_handler handler, struct insn i);
/* The same with a list at insn.imm. */
void lower_machine_list(struct lower *l, enum machine_handler handler, struct insn i, const u32 *list, u32 count);
/* The same of a control instruction, which takes guard and second predicate itself and ends a straight run. */
void lower_control(struct lower *l, enum machine_handler handler, struct insn i, struct predicate second);
/* The insn just emitted jumps to the instruction at `address`. */
void lower_jump_to(struct lower *l, u32 address);
/* The branch just emitted parts lanes: notes where they meet. operand: see lower_meeting. */
void lower_meets(struct lower *l, u32 operand);
/* Around the emission of a body (lower_ways.c): finds jumps and loops before, tells branches where lanes meet after. */
void lower_find_ways(struct lower *l);
void lower_resolve_meetings(struct lower *l);
void lower_keep_barriers(struct lower *l);
/* Whether it shows in counts which lanes go first at the branch that is being lowered. */
bool lower_parts_for_long(const struct lower *l, u64 target);
/* {low, high} of a pair as a temporary row of 64 bits, and back to operand k or to two rows. */
u32 lower_join(struct lower *l, u32 low, u32 high);
void lower_split(struct lower *l, u32 low, u32 high, u32 from);
void lower_write_wide(struct lower *l, u32 k, u32 from);
/* Before an instruction that may wait, under a guard: lanes that do not take part go on behind it. Returns what
 * lower_apart_end takes. */
u32 lower_apart(struct lower *l);
void lower_apart_end(struct lower *l, u32 apart);
/* The address within the section that lower code adds to it. */
static inline u32 lower_address(const struct lower *l) { return l->section->base + l->i->address; }

/* The code of a function that the system supplies, and of one that stops the run, as nothing supplies it: lower_system.c. */
void lower_system(struct lower *l, const char *name);
void lower_not_supplied(struct lower *l, const char *name);

/* That of a lookup with gradients: lower_texture.c. Such as it has no form for stops the run. */
void lower_texture_gradient(struct lower *l, const char *name);
/* The kernel's constant banks but the first, in the arena of what is lowered: lower_banks.c. */
const struct machine_banks *lower_banks(struct lower *l);
/* That of a copy to shared memory: lower_copy.c. */
void lower_system_copy(struct lower *l, const char *name);

/* Does the loop that a branch at `last` closes to `first`, addresses in the section, wait for other threads? The answer only
 * says where a warp lets others go on, and lanes that wait for this one's: a wrong one costs time, unless it hangs a program
 * that the hardware runs. spin.c. */
bool lower_loop_waits(struct lower *l, u32 first, u32 last);

/* Is this store how code for debugging initialises an mbarrier? Then it is lowered as that. lower_async.c. */
bool lower_initialises(struct lower *l);

/* --- Memory: lower_memory.c ------------------------------------------------------------------- */

struct lower_place {
	u32 base; /* row */
	bool wide;
	s32 offset;
};
/* "global", "shared", "local" or "". */
const char *lower_space(const struct lower *l);
struct lower_place lower_address_of(struct lower *l, const char *space);
/* The same of an operand. */
struct lower_place lower_place_of(struct lower *l, const struct sass_operand *o, const char *space);

/* --- Families --------------------------------------------------------------------------------- */

/* clang-format off */
#define LOWER_FAMILIES(X)                                                                                              \
	X(fadd) X(fhadd) X(fhfma) X(fadd2) X(fmul2) X(ffma2)                                                                                                        \
	X(fmul)                                                                                                        \
	X(ffma) X(fsel) X(fmnmx) X(fset) X(fsetp) X(fchk) X(dadd) X(dmul) X(dfma) X(dsetp) X(mufu) X(i2f) X(f2i) X(    \
		f2f) X(frnd) X(mov) X(sel) X(prmt) X(s2r) X(cs2r) X(r2ur) X(plop3) X(p2r) X(r2p) X(vote) X(shfl)       \
		X(match) X(redux) X(elect) X(iadd3) X(viadd) X(imad) X(lea) X(lop3) X(shf) X(isetp) X(iabs) X(popc)    \
			X(flo) X(brev) X(sgxt) X(bmsk) X(idp) X(vimnmx) X(hadd2) X(hmul2) X(hfma2) X(hsetp2) X(hset2)  \
				X(f2fp) X(hmnmx2) X(vhmnmx) X(i2i) X(i2ip) X(vabsdiff) X(viaddmnmx) X(qspc) X(load) X(store)     \
					X(ldc) X(nothing) X(membar) X(bar) X(b2r) X(warpsync) X(exit) X(bra) X(brx)    \
						X(call) X(ret) X(atom) X(cluster_barrier) X(bssy) X(bsync) X(leave)    \
							X(yield) X(bmov) X(lepc) X(bpt) X(nanosleep) X(up2ur) X(ur2up) \
								X(setmaxreg) X(f2ip) X(hmma) X(imma) X(bmma) X(dmma)   \
									X(movm) X(matrix_rows) X(gmma) X(warpgroup) X(syncs) X(fence) X(arrives) X(ldgsts) X(ldgdepbar) X(depbar) X(stas) X(redas) X(ublkcp) X(ublkred) \
	X(utmaldg) X(utmastg) X(utmaredg) X(utmacmdflush) X(vimnmx3) X(vabsdiff4) X(endcollective) X(rpcmov) X(credux) X(iadd) X(fmnmx3) X(qmma) X(omma) X(fswzadd) X(ldgmc) X(ustgr) X(uredgr) X(ugetnextworkid) X(tex) X(txd) X(txq) X(suld) X(sust) X(sured)
/* clang-format on */
#define X(name) lower_fn lower_##name;
LOWER_FAMILIES(X)
#undef X

#endif
