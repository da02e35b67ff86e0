/* SPDX-License-Identifier: Apache-2.0
 *
 * Fragments, metadata, 8x8 matrices and shared-memory layouts: known places from the ISA manual,
 * the agreement of the single-place functions with those that move whole fragments, and complete
 * recorded instructions of the warp-matrix and warp-wgmma packs, multiplied and compared bit for
 * bit.
 */
#include "number_pack.h"

#include "number/tensor.h"
#include "number/tensor_fragments.h"
#include "number/tensor_shared.h"
#include "main.h"

enum { REGISTERS = TENSOR_MAX_REGISTERS, MATRIX = 64 * 256 };

static const char *const format_names[] = {"f16", "bf16", "tf32", "e4m3", "e5m2", "f32", "f64",
					   "s8",  "u8",   "s4",   "u4",   "b1",   "s32"};

struct registers {
	u64 row[REGISTERS][WARP_LANES];
	void *rows[REGISTERS];
};

static struct registers registers[4];
static u64 matrix[MATRIX];

static struct tensor_form form_of(enum tensor_family family, u32 m, u32 n, u32 k, enum tensor_format ab,
				  enum tensor_format cd)
{
	struct tensor_form f = {
		.family = family, .m = (u16)m, .n = (u16)n, .k = (u16)k, .a = ab, .b = ab, .c = cd, .d = cd};
	ck_assert(tensor_form_resolve(&f));
	return f;
}

static void check_place(const struct tensor_form *f, enum tensor_role role, u32 reg, u32 lane, u32 element, u32 row,
			u32 column)
{
	struct tensor_place p = tensor_fragment_place(f, role, reg, lane, element);
	ck_assert_msg(p.row == row && p.column == column, "register %u, lane %u, element %u: (%u, %u), not (%u, %u)",
		      reg, lane, element, p.row, p.column, row, column);
}

/* The manual's figures for lane 13 (group 3, member 1), or as given. */
START_TEST(places_of_the_manual)
{
	struct tensor_form half = form_of(TENSOR_MMA, 16, 8, 16, TENSOR_F16, TENSOR_F32);
	check_place(&half, TENSOR_ROLE_A, 0, 13, 1, 3, 3);
	check_place(&half, TENSOR_ROLE_A, 1, 13, 0, 11, 2);
	check_place(&half, TENSOR_ROLE_A, 2, 13, 0, 3, 10);
	check_place(&half, TENSOR_ROLE_B, 1, 13, 1, 11, 3);
	check_place(&half, TENSOR_ROLE_D, 1, 13, 0, 3, 3);
	check_place(&half, TENSOR_ROLE_D, 2, 13, 0, 11, 2);
	struct tensor_form bytes = form_of(TENSOR_MMA, 16, 8, 32, TENSOR_S8, TENSOR_S32);
	check_place(&bytes, TENSOR_ROLE_A, 3, 13, 2, 11, 22);
	check_place(&bytes, TENSOR_ROLE_B, 1, 13, 3, 23, 3);
	struct tensor_form small = form_of(TENSOR_MMA, 8, 8, 32, TENSOR_S4, TENSOR_S32);
	check_place(&small, TENSOR_ROLE_A, 0, 13, 7, 3, 15);
	check_place(&small, TENSOR_ROLE_C, 1, 13, 0, 3, 3);
	struct tensor_form tf32 = form_of(TENSOR_MMA, 16, 8, 8, TENSOR_TF32, TENSOR_F32);
	check_place(&tf32, TENSOR_ROLE_A, 2, 13, 0, 3, 5);
	check_place(&tf32, TENSOR_ROLE_B, 1, 13, 0, 5, 3);
	struct tensor_form wide = form_of(TENSOR_MMA, 16, 8, 16, TENSOR_F64, TENSOR_F64);
	check_place(&wide, TENSOR_ROLE_A, 7, 13, 0, 11, 13);
	check_place(&wide, TENSOR_ROLE_B, 3, 13, 0, 13, 3);
	struct tensor_form group = form_of(TENSOR_WGMMA, 64, 256, 16, TENSOR_F16, TENSOR_F16);
	check_place(&group, TENSOR_ROLE_D, 63, 96 + 13, 1, 59, 251);
	check_place(&group, TENSOR_ROLE_A, 3, 32 + 13, 0, 27, 10);
}
END_TEST

/* ptxas gives wmma the registers of its two halves in turn; m8n32 is computed as a transpose. */
START_TEST(places_of_wmma)
{
	struct tensor_form square = form_of(TENSOR_WMMA, 16, 16, 16, TENSOR_F16, TENSOR_F32);
	ck_assert_uint_eq(tensor_fragment_registers(&square, TENSOR_ROLE_A), 8);
	check_place(&square, TENSOR_ROLE_A, 5, 13, 0, 11, 2); /* repeats register 1 */
	check_place(&square, TENSOR_ROLE_B, 3, 13, 0, 10, 11);
	check_place(&square, TENSOR_ROLE_D, 5, 13, 0, 3, 11);
	struct tensor_form tall = form_of(TENSOR_WMMA, 32, 8, 16, TENSOR_F16, TENSOR_F16);
	check_place(&tall, TENSOR_ROLE_A, 7, 13, 0, 27, 10);
	check_place(&tall, TENSOR_ROLE_D, 3, 13, 1, 27, 3);
	struct tensor_form wide = form_of(TENSOR_WMMA, 8, 32, 16, TENSOR_F16, TENSOR_F32);
	check_place(&wide, TENSOR_ROLE_A, 1, 13, 0, 3, 10);
	check_place(&wide, TENSOR_ROLE_B, 7, 13, 0, 10, 27);
	check_place(&wide, TENSOR_ROLE_D, 6, 13, 0, 2, 27);
}
END_TEST

START_TEST(places_of_octets)
{
	struct tensor_form f = form_of(TENSOR_MMA, 8, 8, 4, TENSOR_F16, TENSOR_F32);
	struct tensor_place p = tensor_octet_place(&f, TENSOR_ROLE_A, false, 1, 21, 0);
	ck_assert(p.row == 5 && p.column == 2);
	p = tensor_octet_place(&f, TENSOR_ROLE_A, true, 1, 21, 0);
	ck_assert(p.row == 6 && p.column == 1);
	p = tensor_octet_place(&f, TENSOR_ROLE_B, true, 1, 21, 1);
	ck_assert(p.row == 1 && p.column == 7);
	p = tensor_octet_place(&f, TENSOR_ROLE_D, false, 7, 22, 0);
	ck_assert(p.row == 6 && p.column == 7);
}
END_TEST

/* Index of a place in the arrays of tensor.h, for the element in the low bits of a word. */
static size_t index_of(const struct tensor_form *f, enum tensor_role role, struct tensor_place p, u32 elements)
{
	switch (role) {
	case TENSOR_ROLE_A:
		return p.column / elements * f->m + p.row;
	case TENSOR_ROLE_B:
		return p.row / elements * f->n + p.column;
	default:
		return (size_t)p.column * f->m + p.row;
	}
}

static void registers_fill(const struct tensor_form *f, struct registers *r, u32 warp)
{
	memset(r->row, 0, sizeof r->row);
	for (u32 i = 0; i < REGISTERS; i++) {
		u32 *words = (u32 *)r->row[i];
		r->rows[i] = r->row[i];
		for (u32 lane = 0; lane < WARP_LANES; lane++) {
			u32 id = 2 * ((warp * REGISTERS + i) * WARP_LANES + lane);
			if (f->a == TENSOR_F64)
				r->row[i][lane] = id;
			else
				words[lane] = id | (id + 1) << 16;
		}
	}
}

static u64 matrix_at(const struct tensor_form *f, size_t at)
{
	return f->a == TENSOR_F64 ? matrix[at] : ((u32 *)matrix)[at];
}

/* Whole fragments against the place of each element, both ways. */
static void check_role(const struct tensor_form *f, enum tensor_role role, u32 warps)
{
	u32 count = tensor_fragment_registers(f, role), elements = tensor_fragment_elements(f, role);
	bool factor = role == TENSOR_ROLE_A || role == TENSOR_ROLE_B;
	for (u32 w = 0; w < warps; w++) {
		registers_fill(f, &registers[w], w);
		tensor_fragment_gather(f, role, w, (const void *const *)registers[w].rows, matrix);
	}
	for (u32 lane = 0; lane < warps * WARP_LANES; lane++) {
		for (u32 i = 0; i < count * elements; i++) {
			u32 reg = i / elements, part = i % elements;
			struct tensor_place p = tensor_fragment_place(f, role, reg, lane, part);
			u64 value = matrix_at(f, index_of(f, role, p, factor ? elements : 1));
			if (f->family == TENSOR_WMMA && factor)
				value = matrix_at(f, index_of(f, role, p, elements)) & 0xffff;
			const struct registers *r = &registers[lane / WARP_LANES];
			u32 word = ((const u32 *)r->row[reg])[lane % WARP_LANES];
			if (f->a == TENSOR_F64)
				ck_assert_uint_eq(value, r->row[reg][lane % WARP_LANES]);
			else if (f->family == TENSOR_WMMA && factor)
				ck_assert_uint_eq(value / 2 % 32, word / 2 % 32); /* the lane; registers repeat */
			else
				ck_assert_uint_eq(value, factor || elements == 1 ? word : word >> (16 * part) & 0xffff);
		}
	}
	if (role != TENSOR_ROLE_D)
		return;
	for (u32 w = 0; w < warps; w++) {
		struct registers back = {0};
		for (u32 i = 0; i < REGISTERS; i++)
			back.rows[i] = back.row[i];
		tensor_fragment_scatter(f, w, matrix, back.rows);
		ck_assert_mem_eq(back.row, registers[w].row, count * sizeof back.row[0]);
		ck_assert(count == REGISTERS || back.row[count][0] == 0);
	}
}

START_TEST(whole_fragments_follow_places)
{
	const struct tensor_form forms[] = {
		form_of(TENSOR_MMA, 16, 8, 8, TENSOR_F16, TENSOR_F16),
		form_of(TENSOR_MMA, 16, 8, 16, TENSOR_BF16, TENSOR_F32),
		form_of(TENSOR_MMA, 16, 8, 4, TENSOR_TF32, TENSOR_F32),
		form_of(TENSOR_MMA, 16, 8, 32, TENSOR_E4M3, TENSOR_F16),
		form_of(TENSOR_MMA, 8, 8, 16, TENSOR_S8, TENSOR_S32),
		form_of(TENSOR_MMA, 16, 8, 64, TENSOR_U4, TENSOR_S32),
		form_of(TENSOR_MMA, 16, 8, 256, TENSOR_B1, TENSOR_S32),
		form_of(TENSOR_MMA, 8, 8, 4, TENSOR_F64, TENSOR_F64),
		form_of(TENSOR_MMA, 16, 8, 16, TENSOR_F64, TENSOR_F64),
		form_of(TENSOR_WMMA, 16, 16, 16, TENSOR_F16, TENSOR_F16),
		form_of(TENSOR_WMMA, 32, 8, 16, TENSOR_F16, TENSOR_F32),
		form_of(TENSOR_WMMA, 8, 32, 16, TENSOR_F16, TENSOR_F16),
		form_of(TENSOR_WMMA, 8, 32, 16, TENSOR_BF16, TENSOR_F32),
		form_of(TENSOR_WMMA, 16, 16, 8, TENSOR_TF32, TENSOR_F32),
		form_of(TENSOR_WGMMA, 64, 8, 16, TENSOR_F16, TENSOR_F16),
		form_of(TENSOR_WGMMA, 64, 24, 32, TENSOR_S8, TENSOR_S32),
	};
	for (u32 i = 0; i < COUNT_OF(forms); i++) {
		const struct tensor_form *f = &forms[i];
		u32 warps = f->family == TENSOR_WGMMA ? 4 : 1;
		check_role(f, TENSOR_ROLE_A, warps);
		if (warps == 1)
			check_role(f, TENSOR_ROLE_B, warps);
		check_role(f, TENSOR_ROLE_C, warps);
		check_role(f, TENSOR_ROLE_D, warps);
	}
}
END_TEST

START_TEST(matrices_of_eight_rows)
{
	u8 memory[8][16], back[8][16];
	const u8 *rows[8];
	u8 *to[8];
	u32 lanes[WARP_LANES], turned[WARP_LANES], again[WARP_LANES];
	for (u32 i = 0; i < 8; i++) {
		rows[i] = memory[i];
		to[i] = back[i];
		for (u32 j = 0; j < 8; j++) {
			memory[i][2 * j] = (u8)(16 * i + j);
			memory[i][2 * j + 1] = 0x80;
		}
	}
	tensor_matrix_to_lanes(rows, false, lanes);
	ck_assert_uint_eq(lanes[13], 0x80338032);
	tensor_matrix_to_lanes(rows, true, turned);
	ck_assert_uint_eq(turned[13], 0x80338023);
	tensor_matrix_transpose(lanes, again);
	ck_assert_mem_eq(again, turned, sizeof again);
	tensor_matrix_from_lanes(turned, true, to);
	ck_assert_mem_eq(back, memory, sizeof back);
	tensor_matrix_from_lanes(turned, false, to);
	ck_assert_uint_eq(back[3][4], 0x23);
}
END_TEST

/* A mnemonic's form; false for other instructions. */
static bool form_read(const struct form *text, struct tensor_form *f)
{
	enum tensor_format formats[4];
	u32 count = 0;
	*f = (struct tensor_form){.family = TENSOR_MMA};
	if (strcmp(text->word[0], "mma"))
		return false;
	f->sparse = !strncmp(text->word[1], "sp", 2);
	f->satfinite = form_has(text, "satfinite");
	f->bit_op = form_has(text, "and") ? TENSOR_AND_POPC : TENSOR_XOR_POPC;
	f->round = form_has(text, "rz")   ? ROUND_RZ
		   : form_has(text, "rm") ? ROUND_RM
		   : form_has(text, "rp") ? ROUND_RP
					  : ROUND_RN;
	for (int i = 1; i < text->count; i++) {
		u32 m, n, k;
		if (sscanf(text->word[i], "m%un%uk%u", &m, &n, &k) == 3) {
			f->m = (u16)m;
			f->n = (u16)n;
			f->k = (u16)k;
		}
		for (u32 t = 0; t < COUNT_OF(format_names) && count < 4; t++) {
			if (!strcmp(text->word[i], format_names[t]))
				formats[count++] = (enum tensor_format)t;
		}
	}
	ck_assert_uint_eq(count, 4);
	f->d = formats[0];
	f->a = formats[1];
	f->b = formats[2];
	f->c = formats[3];
	ck_assert_msg(tensor_form_resolve(f), "%s is refused", text->name);
	return true;
}

/* Each thread's operands follow each other in its input: A, B, C, metadata. */
static size_t operand_read(struct registers *r, u32 first, u32 count, const u8 *in, size_t thread_bytes, size_t at,
			   u32 bytes)
{
	for (u32 i = 0; i < count; i++, at += bytes) {
		r->rows[first + i] = r->row[first + i];
		for (u32 lane = 0; lane < WARP_LANES; lane++) {
			u64 value = bytes_at(in + lane * thread_bytes + at, bytes);
			if (bytes == 8)
				r->row[first + i][lane] = value;
			else
				((u32 *)r->row[first + i])[lane] = (u32)value;
		}
	}
	return at;
}

enum { FIRST_A = 0, FIRST_B = 8, FIRST_C = 16, FIRST_D = 24, FIRST_META = 32 };

static void mma_check(const struct recorded *rec, const struct tensor_form *f, u32 selector, size_t warp)
{
	struct registers *r = &registers[0];
	u32 bytes = f->a == TENSOR_F64 ? 8 : 4, d_count = tensor_fragment_registers(f, TENSOR_ROLE_D);
	const u8 *in = rec->in + warp * WARP_LANES * rec->in_size;
	const u8 *out = rec->out + warp * WARP_LANES * rec->out_size;
	size_t at = operand_read(r, FIRST_A, tensor_fragment_registers(f, TENSOR_ROLE_A), in, rec->in_size, 0, bytes);
	at = operand_read(r, FIRST_B, tensor_fragment_registers(f, TENSOR_ROLE_B), in, rec->in_size, at, bytes);
	at = operand_read(r, FIRST_C, tensor_fragment_registers(f, TENSOR_ROLE_C), in, rec->in_size, at, bytes);
	at = operand_read(r, FIRST_META, f->sparse ? 1 : 0, in, rec->in_size, at, 4);
	ck_assert_uint_eq(at, rec->in_size);
	ck_assert_uint_eq(d_count * bytes, rec->out_size);
	for (u32 i = 0; i < d_count; i++)
		r->rows[FIRST_D + i] = r->row[FIRST_D + i];
	struct tensor_registers operands = {
		.a = (const void *const *)&r->rows[FIRST_A],
		.b = (const void *const *)&r->rows[FIRST_B],
		.c = (const void *const *)&r->rows[FIRST_C],
		.meta = (const u32 *)r->row[FIRST_META],
		.d = &r->rows[FIRST_D],
		.selector = selector,
		.a_column_major = strstr(rec->form.name, ".m8n8k4.col") != NULL,
		.b_row_major = strstr(rec->form.name, ".row.f") != NULL,
	};
	tensor_warp_mma(f, tensor_mma_for_host(), &operands);
	for (u32 n = 0; n < d_count * WARP_LANES; n++) {
		u32 lane = n / d_count, i = n % d_count;
		u64 want = bytes_at(out + lane * rec->out_size + i * bytes, bytes);
		u64 got = bytes == 8 ? r->row[FIRST_D + i][lane] : ((u32 *)r->row[FIRST_D + i])[lane];
		ck_assert_msg(got == want, "%s, selector %u: lane %u, register %u: %llx, the H200 has %llx",
			      rec->form.name, selector, lane, i, (unsigned long long)got, (unsigned long long)want);
	}
}

static u32 selector_of(const char *line)
{
	const char *end = strchr(line + strlen("case "), ' ');
	const char *at = strstr(line, "_sel");
	return at && at < end ? (u32)(at[4] - '0') : 0;
}

/* Calls `visit` for each line of a manifest that describes a case. */
static void cases_each(const char *stem, void (*visit)(const char *line))
{
	char path[PACK_LINE], line[PACK_LINE];
	pack_path(path, stem, ".cases.gz");
	gzFile file = gzopen(path, "rb");
	ck_assert_msg(file != NULL, "cannot open %s", path);
	while (gzgets(file, line, sizeof line)) {
		if (!strncmp(line, "case ", 5))
			visit(line);
	}
	gzclose(file);
}

static u8 *pack_in, *pack_out;
static u32 visited;

static void mma_visit(const char *line)
{
	struct recorded rec;
	struct tensor_form f;
	size_t block, in, in_length, out, out_length;
	char form[FORM_NAME];
	if (!strstr(line, "module=warp-matrix-mma"))
		return;
	ck_assert_int_eq(sscanf(strstr(line, " block="), " block=%zu,1,1 smem=0 form=%95s", &block, form), 2);
	ck_assert_int_eq(
		sscanf(strstr(line, " args="), " args=in@%zu+%zu;out@%zu+%zu", &in, &in_length, &out, &out_length), 4);
	form_parse(&rec.form, form);
	if (!form_read(&rec.form, &f))
		return;
	rec.in = pack_in + in;
	rec.out = pack_out + out;
	rec.elements = block;
	rec.in_size = in_length / block;
	rec.out_size = out_length / block;
	for (size_t warp = 0; warp < block / WARP_LANES; warp++)
		mma_check(&rec, &f, selector_of(line), warp);
	visited++;
}

START_TEST(mma_equals_hardware)
{
	visited = 0;
	pack_in = pack_load("warp-matrix", ".in.gz");
	pack_out = pack_load("warp-matrix", ".out.gz");
	cases_each("warp-matrix", mma_visit);
	ck_assert_uint_eq(visited, 392);
	free(pack_in);
	free(pack_out);
}
END_TEST

/*
 * The fields of a descriptor, and the chunk that the 128-byte swizzle puts line 11, k 8 of 16-bit
 * elements in: core 1, row 3, chunk 1 ^ 3.
 */
START_TEST(descriptors_and_swizzles)
{
	u32 offset;
	struct wgmma_descriptor d = wgmma_descriptor_decode(0x400a004000010040);
	ck_assert_uint_eq(d.start, 0x400);
	ck_assert_uint_eq(d.leading_stride, 16);
	ck_assert_uint_eq(d.stride, 0x400);
	ck_assert_uint_eq(d.base_offset, 5);
	ck_assert_uint_eq(d.swizzle, 128);
	d.base_offset = 0;
	ck_assert_uint_eq(wgmma_chunk_address(&d, 16, false, 11, 8 + 3, &offset), 0x400 + 0x400 + 3 * 128 + 2 * 16);
	ck_assert_uint_eq(offset, 6);
	d.swizzle = 16;
	ck_assert_uint_eq(wgmma_chunk_address(&d, 16, false, 11, 8, &offset), 0x400 + 0x400 + 3 * 16 + 16);
	ck_assert_uint_eq(wgmma_chunk_address(&d, 16, true, 11, 9, &offset), 0x400 + 16 + 0x400 + 16);
	ck_assert_uint_eq(offset, 6);
	d.swizzle = 32;
	ck_assert_uint_eq(wgmma_chunk_address(&d, 8, false, 4, 16, &offset), 0x400 + 128);
}
END_TEST

START_TEST(loads_outside_shared_memory_are_told)
{
	static u8 shared[4096];
	u32 fault = 0;
	struct tensor_form f = form_of(TENSOR_WGMMA, 64, 8, 16, TENSOR_F16, TENSOR_F32);
	struct wgmma_descriptor d = {.start = 0, .leading_stride = 128, .stride = 256, .swizzle = 16};
	ck_assert(wgmma_matrix_load(&f, TENSOR_ROLE_A, 0, &d, false, shared, 2048, (u32 *)matrix, &fault));
	ck_assert(!wgmma_matrix_load(&f, TENSOR_ROLE_A, 0, &d, false, shared, 2047, (u32 *)matrix, &fault));
	ck_assert_uint_eq(fault, 2032);
	ck_assert(!wgmma_matrix_load(&f, TENSOR_ROLE_A, 0, &d, true, shared, 1024, (u32 *)matrix, &fault));
}
END_TEST

/*
 * Recorded kernels of one wgmma m64nNkK on operands that were copied to shared memory as they stand
 * in the input: A from byte 0 to `SHARED_BASE`, B from byte 8192 to `b_start` behind it. C: the 16
 * bytes of each thread from byte 16384, for each four registers. The descriptors lack the start
 * address.
 */
struct recorded_wgmma {
	const char *name;
	u16 n, k;
	enum tensor_format a, b;
	u64 a_descriptor, b_descriptor;
	u32 b_start;
	bool a_transposed, b_transposed;
};

enum { SHARED_BASE = 1024, INPUT_B = 8192, INPUT_C = 16384, INPUT = 18944, GROUP_LANES = 128 };

static const struct recorded_wgmma recorded_wgmma[] = {
	{"wgmma_kmajor_swizzle_none_none_exact", 16, 16, TENSOR_F16, TENSOR_F16, 0x1000080000, 0x1000080000, 2048,
	 false, false},
	{"wgmma_kmajor_swizzle_none_128B_exact", 16, 16, TENSOR_F16, TENSOR_F16, 0x1000080000, 0x4000004000010000, 2048,
	 false, false},
	{"wgmma_kmajor_swizzle_none_64B_exact", 16, 16, TENSOR_F16, TENSOR_F16, 0x1000080000, 0x8000002000010000, 2048,
	 false, false},
	{"wgmma_kmajor_swizzle_none_32B_exact", 16, 16, TENSOR_F16, TENSOR_F16, 0x1000080000, 0xc000001000010000, 2048,
	 false, false},
	{"wgmma_kmajor_swizzle_none_e4m3_exact", 16, 32, TENSOR_E4M3, TENSOR_E4M3, 0x1000080000, 0x1000080000, 2048,
	 false, false},
	{"wgmma_kmajor_swizzle_none_s8_exact", 16, 32, TENSOR_S8, TENSOR_S8, 0x1000080000, 0x1000080000, 2048, false,
	 false},
	{"wgmma_kmajor_swizzle_none_b1_exact", 16, 256, TENSOR_B1, TENSOR_B1, 0x1000080000, 0x1000080000, 2048, false,
	 false},
	{"wgmma_kmajor_swizzle_128B_none_exact", 16, 16, TENSOR_F16, TENSOR_F16, 0x4000004000010000, 0x1000080000, 8192,
	 false, false},
	{"wgmma_kmajor_swizzle_128B_128B_exact", 16, 16, TENSOR_F16, TENSOR_F16, 0x4000004000010000, 0x4000004000010000,
	 8192, false, false},
	{"wgmma_kmajor_swizzle_128B_64B_exact", 16, 16, TENSOR_F16, TENSOR_F16, 0x4000004000010000, 0x8000002000010000,
	 8192, false, false},
	{"wgmma_kmajor_swizzle_128B_32B_exact", 16, 16, TENSOR_F16, TENSOR_F16, 0x4000004000010000, 0xc000001000010000,
	 8192, false, false},
	{"wgmma_kmajor_swizzle_128B_tf32_exact", 16, 8, TENSOR_TF32, TENSOR_TF32, 0x4000004000010000,
	 0x4000004000010000, 8192, false, false},
	{"wgmma_kmajor_swizzle_128B_e4m3_exact", 16, 32, TENSOR_E4M3, TENSOR_E4M3, 0x4000004000010000,
	 0x4000004000010000, 8192, false, false},
	{"wgmma_kmajor_swizzle_128B_s8_exact", 16, 32, TENSOR_S8, TENSOR_S8, 0x4000004000010000, 0x4000004000010000,
	 8192, false, false},
	{"wgmma_kmajor_swizzle_64B_none_exact", 16, 16, TENSOR_F16, TENSOR_F16, 0x8000002000010000, 0x1000080000, 4096,
	 false, false},
	{"wgmma_kmajor_swizzle_64B_128B_exact", 16, 16, TENSOR_F16, TENSOR_F16, 0x8000002000010000, 0x4000004000010000,
	 4096, false, false},
	{"wgmma_kmajor_swizzle_64B_64B_exact", 16, 16, TENSOR_F16, TENSOR_F16, 0x8000002000010000, 0x8000002000010000,
	 4096, false, false},
	{"wgmma_kmajor_swizzle_64B_32B_exact", 16, 16, TENSOR_F16, TENSOR_F16, 0x8000002000010000, 0xc000001000010000,
	 4096, false, false},
	{"wgmma_kmajor_swizzle_64B_e4m3_exact", 16, 32, TENSOR_E4M3, TENSOR_E4M3, 0x8000002000010000,
	 0x8000002000010000, 4096, false, false},
	{"wgmma_kmajor_swizzle_64B_s8_exact", 16, 32, TENSOR_S8, TENSOR_S8, 0x8000002000010000, 0x8000002000010000,
	 4096, false, false},
	{"wgmma_kmajor_swizzle_64B_b1_exact", 16, 256, TENSOR_B1, TENSOR_B1, 0x8000002000010000, 0x8000002000010000,
	 4096, false, false},
	{"wgmma_kmajor_swizzle_32B_none_exact", 16, 16, TENSOR_F16, TENSOR_F16, 0xc000001000010000, 0x1000080000, 2048,
	 false, false},
	{"wgmma_kmajor_swizzle_32B_128B_exact", 16, 16, TENSOR_F16, TENSOR_F16, 0xc000001000010000, 0x4000004000010000,
	 2048, false, false},
	{"wgmma_kmajor_swizzle_32B_64B_exact", 16, 16, TENSOR_F16, TENSOR_F16, 0xc000001000010000, 0x8000002000010000,
	 2048, false, false},
	{"wgmma_kmajor_swizzle_32B_32B_exact", 16, 16, TENSOR_F16, TENSOR_F16, 0xc000001000010000, 0xc000001000010000,
	 2048, false, false},
	{"wgmma_kmajor_swizzle_32B_tf32_exact", 16, 8, TENSOR_TF32, TENSOR_TF32, 0xc000001000010000, 0xc000001000010000,
	 2048, false, false},
	{"wgmma_kmajor_swizzle_32B_s8_exact", 16, 32, TENSOR_S8, TENSOR_S8, 0xc000001000010000, 0xc000001000010000,
	 2048, false, false},
	{"wgmma_kmajor_none_loose_exact", 16, 16, TENSOR_F16, TENSOR_F16, 0x800400000, 0x800100000, 2048, false, false},
	{"wgmma_kmajor_offset_64B_32_exact", 16, 16, TENSOR_F16, TENSOR_F16, 0x8000002000010002, 0x8000002000010002,
	 4096, false, false},
	{"wgmma_kmajor_offset_s8_64B_32_exact", 16, 32, TENSOR_S8, TENSOR_U8, 0x8000002000010002, 0x8000002000010002,
	 4096, false, false},
	{"wgmma_kmajor_offset_128B_32_exact", 16, 16, TENSOR_F16, TENSOR_F16, 0x4000004000010002, 0x4000004000010002,
	 8192, false, false},
	{"wgmma_kmajor_offset_s8_128B_32_exact", 16, 32, TENSOR_S8, TENSOR_U8, 0x4000004000010002, 0x4000004000010002,
	 8192, false, false},
	{"wgmma_kmajor_offset_128B_64_exact", 16, 16, TENSOR_F16, TENSOR_F16, 0x4000004000010004, 0x4000004000010004,
	 8192, false, false},
	{"wgmma_kmajor_offset_s8_128B_64_exact", 16, 32, TENSOR_S8, TENSOR_U8, 0x4000004000010004, 0x4000004000010004,
	 8192, false, false},
	{"wgmma_kmajor_offset_128B_96_exact", 16, 16, TENSOR_F16, TENSOR_F16, 0x4000004000010006, 0x4000004000010006,
	 8192, false, false},
	{"wgmma_kmajor_offset_s8_128B_96_exact", 16, 32, TENSOR_S8, TENSOR_U8, 0x4000004000010006, 0x4000004000010006,
	 8192, false, false},
	{"wgmma_trans_01_swizzle_none_n32_f16_exact", 32, 16, TENSOR_F16, TENSOR_F16, 0x1000080000, 0x800200000, 2048,
	 false, true},
	{"wgmma_trans_10_swizzle_none_n32_f16_exact", 32, 16, TENSOR_F16, TENSOR_F16, 0x800400000, 0x1000080000, 2048,
	 true, false},
	{"wgmma_trans_11_swizzle_none_n32_f16_exact", 32, 16, TENSOR_F16, TENSOR_F16, 0x800400000, 0x800200000, 2048,
	 true, true},
	{"wgmma_trans_01_swizzle_128B_n32_f16_exact", 32, 16, TENSOR_F16, TENSOR_F16, 0x4000004000010000,
	 0x4000004000400000, 8192, false, true},
	{"wgmma_trans_10_swizzle_128B_n32_f16_exact", 32, 16, TENSOR_F16, TENSOR_F16, 0x4000004000400000,
	 0x4000004000010000, 2048, true, false},
	{"wgmma_trans_11_swizzle_128B_n16_f16_exact", 16, 16, TENSOR_F16, TENSOR_F16, 0x4000004000400000,
	 0x4000004000400000, 2048, true, true},
	{"wgmma_trans_11_swizzle_128B_loose_exact", 32, 16, TENSOR_F16, TENSOR_F16, 0x4000004000800000,
	 0x4000004000800000, 2048, true, true},
	{"wgmma_trans_01_swizzle_64B_n32_f16_exact", 32, 16, TENSOR_F16, TENSOR_F16, 0x8000002000010000,
	 0x8000002000200000, 4096, false, true},
	{"wgmma_trans_10_swizzle_64B_n32_f16_exact", 32, 16, TENSOR_F16, TENSOR_F16, 0x8000004000200000,
	 0x8000002000010000, 2048, true, false},
	{"wgmma_trans_11_swizzle_64B_n16_f16_exact", 16, 16, TENSOR_F16, TENSOR_F16, 0x8000004000200000,
	 0x8000002000200000, 2048, true, true},
	{"wgmma_trans_11_swizzle_64B_loose_exact", 32, 16, TENSOR_F16, TENSOR_F16, 0x8000002000400000,
	 0x8000002000400000, 2048, true, true},
	{"wgmma_trans_01_swizzle_32B_n32_f16_exact", 32, 16, TENSOR_F16, TENSOR_F16, 0xc000001000010000,
	 0xc000002000100000, 2048, false, true},
	{"wgmma_trans_10_swizzle_32B_n32_f16_exact", 32, 16, TENSOR_F16, TENSOR_F16, 0xc000004000100000,
	 0xc000001000010000, 2048, true, false},
	{"wgmma_trans_11_swizzle_32B_n16_f16_exact", 16, 16, TENSOR_F16, TENSOR_F16, 0xc000004000100000,
	 0xc000001000100000, 2048, true, true},
	{"wgmma_trans_11_swizzle_32B_n32_f16_exact", 32, 16, TENSOR_F16, TENSOR_F16, 0xc000004000100000,
	 0xc000002000100000, 2048, true, true},
	{"wgmma_trans_11_swizzle_32B_loose_exact", 32, 16, TENSOR_F16, TENSOR_F16, 0xc000001000200000,
	 0xc000001000200000, 2048, true, true},
};

static u8 shared[32768];

static void wgmma_multiply(const struct recorded_wgmma *w, const struct tensor_form *f, const u8 *in)
{
	static u32 a[16 * 64], b[16 * 256];
	struct wgmma_descriptor ad = wgmma_descriptor_decode(w->a_descriptor + (SHARED_BASE >> 4));
	struct wgmma_descriptor bd = wgmma_descriptor_decode(w->b_descriptor + ((SHARED_BASE + w->b_start) >> 4));
	struct tensor_operands o = {.a = a, .b = b, .c = matrix, .d = matrix};
	u32 fault, count = tensor_fragment_registers(f, TENSOR_ROLE_C);
	memcpy(shared + SHARED_BASE, in, w->b_start);
	memcpy(shared + SHARED_BASE + w->b_start, in + INPUT_B, INPUT_C - INPUT_B);
	ck_assert(wgmma_matrix_load(f, TENSOR_ROLE_A, 0, &ad, w->a_transposed, shared, sizeof shared, a, &fault));
	ck_assert(wgmma_matrix_load(f, TENSOR_ROLE_B, 0, &bd, w->b_transposed, shared, sizeof shared, b, &fault));
	for (u32 n = 0; n < count * GROUP_LANES; n++) {
		u32 reg = n / GROUP_LANES, lane = n % GROUP_LANES;
		struct registers *r = &registers[lane / WARP_LANES];
		r->rows[reg] = r->row[reg];
		((u32 *)r->row[reg])[lane % WARP_LANES] = (u32)bytes_at(in + INPUT_C + lane * 16 + reg % 4 * 4, 4);
	}
	for (u32 warp = 0; warp < 4; warp++)
		tensor_fragment_gather(f, TENSOR_ROLE_C, warp, (const void *const *)registers[warp].rows, matrix);
	tensor_mma_for_host()(f, &o);
	for (u32 warp = 0; warp < 4; warp++)
		tensor_fragment_scatter(f, warp, matrix, registers[warp].rows);
}

static void wgmma_visit(const char *line)
{
	size_t in, in_length, out, out_length;
	const struct recorded_wgmma *w = NULL;
	for (u32 i = 0; i < COUNT_OF(recorded_wgmma) && !w; i++) {
		size_t length = strlen(recorded_wgmma[i].name);
		if (!strncmp(line + 5, recorded_wgmma[i].name, length) && line[5 + length] == ' ')
			w = &recorded_wgmma[i];
	}
	if (!w)
		return;
	ck_assert_int_eq(
		sscanf(strstr(line, " args="), " args=in@%zu+%zu;out@%zu+%zu", &in, &in_length, &out, &out_length), 4);
	ck_assert_uint_eq(in_length, INPUT);
	bool integer = w->a == TENSOR_S8 || w->a == TENSOR_U8 || w->a == TENSOR_B1;
	struct tensor_form f = {.family = TENSOR_WGMMA, .m = 64, .n = w->n, .k = w->k, .a = w->a, .b = w->b};
	f.c = f.d = integer ? TENSOR_S32 : TENSOR_F32;
	f.bit_op = TENSOR_AND_POPC;
	ck_assert(tensor_form_resolve(&f));
	u32 count = tensor_fragment_registers(&f, TENSOR_ROLE_D);
	ck_assert_uint_eq(out_length, count * 4 * GROUP_LANES);
	wgmma_multiply(w, &f, pack_in + in);
	for (u32 n = 0; n < count * GROUP_LANES; n++) {
		u32 lane = n / count, reg = n % count;
		u32 want = (u32)bytes_at(pack_out + out + 4 * n, 4);
		u32 got = ((const u32 *)registers[lane / WARP_LANES].row[reg])[lane % WARP_LANES];
		ck_assert_msg(got == want, "%s: lane %u, register %u: %x, the H200 has %x", w->name, lane, reg, got,
			      want);
	}
	visited++;
}

START_TEST(wgmma_equals_hardware)
{
	visited = 0;
	pack_in = pack_load("warp-wgmma", ".in.gz");
	pack_out = pack_load("warp-wgmma", ".out.gz");
	cases_each("warp-wgmma", wgmma_visit);
	ck_assert_uint_eq(visited, COUNT_OF(recorded_wgmma));
	free(pack_in);
	free(pack_out);
}
END_TEST

UNIT_SUITE("tensor fragments")
{
	TCase *layouts = unit_case(suite, "layouts", 0);
	tcase_add_test(layouts, places_of_the_manual);
	tcase_add_test(layouts, places_of_wmma);
	tcase_add_test(layouts, places_of_octets);
	tcase_add_test(layouts, whole_fragments_follow_places);
	tcase_add_test(layouts, matrices_of_eight_rows);
	tcase_add_test(layouts, descriptors_and_swizzles);
	tcase_add_test(layouts, loads_outside_shared_memory_are_told);
	TCase *recorded = unit_case(suite, "recorded", 60);
	tcase_add_test(recorded, mma_equals_hardware);
	tcase_add_test(recorded, wgmma_equals_hardware);
}
