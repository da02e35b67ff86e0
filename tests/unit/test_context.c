/* SPDX-License-Identifier: Apache-2.0
 *
 * Contexts as a driver uses them: modules that come and go, memory at the host's addresses, streams, faults by their parts,
 * attributes of functions.
 */
#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "main.h"
#include "ptxsim.h"

static const char TEXT[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
			   ".visible .global .align 4 .u32 factor = 3;\n"
			   ".visible .const .align 4 .b8 table[32];\n"
			   ".visible .entry k(.param .u64 p) .maxntid 256, 1, 1\n{\n"
			   "	.reg .b32 %v, %f; .reg .b64 %a; .shared .align 4 .b8 s[128];\n"
			   "	ld.param.u64 %a, [p]; ld.global.u32 %v, [%a]; ld.global.u32 %f, [factor];\n"
			   "	mul.lo.u32 %v, %v, %f; st.global.u32 [%a], %v; ret;\n}\n";

static ptxsim_module *load(ptxsim_context *c, int lazy)
{
	struct ptxsim_build b = PTXSIM_BUILD_INIT;
	ptxsim_module *m = ptxsim_module_create(c);

	b.lazy = lazy;
	ck_assert_int_eq(ptxsim_module_add_text(m, "k.ptx", TEXT, strlen(TEXT)), PTXSIM_OK);
	ck_assert_msg(ptxsim_module_build(m, &b) == PTXSIM_OK, "%s", ptxsim_module_diagnostics(m));
	return m;
}

static ptxsim_status run(ptxsim_context *c, ptxsim_module *m, uint64_t at)
{
	struct ptxsim_launch l = PTXSIM_LAUNCH_INIT;
	const void *args[] = {&at};

	l.args = args;
	l.arg_count = 1;
	return ptxsim_launch(c, ptxsim_find_function(m, "k"), &l);
}

START_TEST(modules_share_memory_and_come_and_go)
{
	ptxsim_context *c = ptxsim_context_create(ptxsim_device_find("h200"));
	uint64_t at, one, two;
	uint32_t value = 1, ten = 10;

	ck_assert_int_eq(ptxsim_alloc(c, 4, &at), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_write(c, at, &value, 4), PTXSIM_OK);
	ptxsim_module *a = load(c, 0), *b = load(c, 1);
	ck_assert_int_eq(ptxsim_variable(a, "factor", &one, NULL), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_variable(b, "factor", &two, NULL), PTXSIM_OK);
	ck_assert_uint_ne(one, two);
	ck_assert_int_eq(ptxsim_write(c, two, &ten, 4), PTXSIM_OK);
	ck_assert_int_eq(run(c, a, at), PTXSIM_OK);
	ck_assert_int_eq(run(c, b, at), PTXSIM_OK);
	ptxsim_module_free(a);
	ck_assert_int_eq(ptxsim_read(c, &value, one, 4), PTXSIM_ERROR_ADDRESS);
	ck_assert_ptr_eq(ptxsim_get_module(c, 0), b);
	ck_assert_int_eq(run(c, b, at), PTXSIM_OK);
	ptxsim_module *again = load(c, 1);
	ck_assert_int_eq(run(c, again, at), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_read(c, &value, at, 4), PTXSIM_OK);
	ck_assert_uint_eq(value, 3 * 10 * 10 * 3);
	ptxsim_context_free(c);
}
END_TEST

START_TEST(memory_lies_at_the_hosts_addresses)
{
	ptxsim_context *c = ptxsim_context_create(NULL);
	ptxsim_module *m = load(c, 0);
	uint32_t *words = calloc(64, 4);
	const uint64_t at = (uint64_t)(uintptr_t)words;

	words[1] = 5;
	ck_assert_int_eq(ptxsim_map_at(c, words, 256, at), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_map_at(c, words, 4, at + 8), PTXSIM_ERROR_ADDRESS);
	ck_assert_int_eq(ptxsim_map_at(c, words, 4, 0x120000000000), PTXSIM_ERROR_ADDRESS);
	ck_assert_int_eq(run(c, m, at + 4), PTXSIM_OK);
	ck_assert_uint_eq(words[1], 15);
	ck_assert_int_eq(run(c, m, at + 256), PTXSIM_ERROR_FAULT);
	ck_assert_int_eq(ptxsim_release(c, at), PTXSIM_OK);
	ck_assert_int_eq(run(c, m, at + 4), PTXSIM_ERROR_FAULT);
	ptxsim_context_free(c);
	free(words);
}
END_TEST

START_TEST(faults_have_parts)
{
	ptxsim_context *c = ptxsim_context_create(NULL);
	ptxsim_module *m = load(c, 1);
	struct ptxsim_fault f;

	ck_assert_int_eq(ptxsim_get_fault(c, &f), PTXSIM_ERROR_STATE);
	ck_assert_int_eq(run(c, m, 0x500000000000), PTXSIM_ERROR_FAULT);
	ptxsim_module_free(m);
	ck_assert_int_eq(ptxsim_get_fault(c, &f), PTXSIM_OK);
	ck_assert_str_eq(f.cuda_error, "CUDA_ERROR_ILLEGAL_ADDRESS");
	ck_assert_str_eq(f.function, "k");
	ck_assert_str_eq(f.file, "k.ptx");
	ck_assert_uint_eq(f.line, 9);
	ck_assert_uint_eq(f.address, 0x500000000000);
	ck_assert_uint_eq(f.size, 4);
	ck_assert_int_eq(f.is_store, 0);
	ptxsim_context_free(c);
}
END_TEST

/* Beyond an allocation's end, and in one that was released. */
START_TEST(faults_name_the_allocation)
{
	ptxsim_context *c = ptxsim_context_create(NULL);
	ptxsim_module *m = load(c, 1);
	struct ptxsim_fault f;
	uint64_t at;

	ck_assert_int_eq(ptxsim_alloc(c, 256, &at), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_name_memory(c, at + 1, "weights"), PTXSIM_ERROR_ADDRESS);
	ck_assert_int_eq(ptxsim_name_memory(c, at, NULL), PTXSIM_ERROR_ARGUMENT);
	ck_assert_int_eq(ptxsim_name_memory(c, at, "weights"), PTXSIM_OK);
	ck_assert_int_eq(run(c, m, at + 256 + 8), PTXSIM_ERROR_FAULT);
	ck_assert_int_eq(ptxsim_get_fault(c, &f), PTXSIM_OK);
	ck_assert_str_eq(f.allocation, "weights");
	ck_assert_uint_eq(f.allocation_base, at);
	ck_assert_uint_eq(f.allocation_size, 256);
	ck_assert_int_eq(f.allocation_distance, 8);
	ck_assert_int_eq(f.allocation_freed, 0);
	ck_assert_ptr_nonnull(strstr(ptxsim_message(c), "nearest allocation: weights"));
	ck_assert_int_eq(ptxsim_release(c, at), PTXSIM_OK);
	ck_assert_int_eq(run(c, m, at), PTXSIM_ERROR_FAULT);
	ck_assert_int_eq(ptxsim_get_fault(c, &f), PTXSIM_OK);
	ck_assert_str_eq(f.allocation, "weights");
	ck_assert_int_eq(f.allocation_distance, 0);
	ck_assert_int_eq(f.allocation_freed, 1);
	ck_assert_int_eq(run(c, m, 0), PTXSIM_ERROR_FAULT);
	ck_assert_int_eq(ptxsim_get_fault(c, &f), PTXSIM_OK);
	ck_assert_ptr_null(f.allocation);
	ptxsim_context_free(c);
}
END_TEST

START_TEST(functions_tell_their_attributes)
{
	ptxsim_context *c = ptxsim_context_create(ptxsim_device_find("h200"));
	struct ptxsim_attributes a;
	int32_t value;

	ck_assert_int_eq(ptxsim_function_attributes(ptxsim_find_function(load(c, 1), "k"), &a), PTXSIM_OK);
	ck_assert_uint_eq(a.shared_bytes, 128);
	ck_assert_uint_eq(a.constant_bytes, 32);
	ck_assert_uint_eq(a.max_threads, 256);
	ck_assert_uint_eq(a.ptx_target, 80);
	ck_assert_uint_eq(a.arch, 90);
	ck_assert_uint_eq(a.param_bytes, 8);
	ck_assert_int_eq(ptxsim_device_attribute(ptxsim_context_device(c), 16, &value), PTXSIM_OK);
	ck_assert_int_eq(value, 132);
	ck_assert_int_eq(ptxsim_device_attribute(ptxsim_context_device(c), 148, &value), PTXSIM_ERROR_NOT_FOUND);
	ck_assert_ptr_null(ptxsim_device_find("sm_1"));
	ptxsim_context_free(c);
}
END_TEST

START_TEST(streams_keep_their_order_and_wait_for_one_another)
{
	ptxsim_context *c = ptxsim_context_create(NULL);
	const ptxsim_function *k = ptxsim_find_function(load(c, 1), "k");
	ptxsim_stream *s = ptxsim_stream_create(c), *t = ptxsim_stream_create(c);
	struct ptxsim_launch l = PTXSIM_LAUNCH_INIT;
	uint32_t value = 1, wanted = 1;
	uint64_t at;
	const void *args[] = {&at};

	ck_assert_int_eq(ptxsim_alloc(c, 4, &at), PTXSIM_OK);
	l.args = args;
	l.arg_count = 1;
	ck_assert_int_eq(ptxsim_stream_write(s, at, &value, 4), PTXSIM_OK);
	for (int n = 0; n < 10; n++) {
		wanted *= 3;
		ck_assert_int_eq(ptxsim_stream_launch(n % 2 ? t : s, k, &l), PTXSIM_OK);
		ck_assert_int_eq(ptxsim_stream_wait(n % 2 ? s : t, n % 2 ? t : s), PTXSIM_OK);
	}
	ck_assert_int_eq(ptxsim_stream_read(s, &value, at, 4), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_stream_synchronize(s), PTXSIM_OK);
	ck_assert_uint_eq(value, wanted);
	at = 0x500000000000;
	ck_assert_int_eq(ptxsim_stream_launch(t, k, &l), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_stream_synchronize(t), PTXSIM_ERROR_FAULT);
	ck_assert_int_eq(ptxsim_stream_synchronize(t), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_stream_is_done(t), 1);
	ptxsim_stream_free(s);
	ptxsim_stream_free(t);
	ptxsim_context_free(c);
}
END_TEST

UNIT_TESTS("context", 0)
{
	UNIT_TEST(modules_share_memory_and_come_and_go);
	UNIT_TEST(memory_lies_at_the_hosts_addresses);
	UNIT_TEST(faults_have_parts);
	UNIT_TEST(faults_name_the_allocation);
	UNIT_TEST(functions_tell_their_attributes);
	UNIT_TEST(streams_keep_their_order_and_wait_for_one_another);
}
