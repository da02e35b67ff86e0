/* SPDX-License-Identifier: Apache-2.0
 *
 * The vocabulary after an opcode: every word that may follow a dot, types first. One list gives
 * the enum, the texts, and the sizes. A word means the same token wherever it stands; the row
 * that accepts it gives it its sense (.and is a boolean operator of setp and an operation of atom).
 */
#ifndef PTXSIM_ISA_TOKENS_H
#define PTXSIM_ISA_TOKENS_H

#include "base/types.h"

/* X(name, text, bits, class): class is the letter of the fundamental kind: p predicate, b bits,
 * u unsigned, s signed, f float, r opaque reference. Packed types have the class of their elements. */
/* clang-format off */
#define ISA_TYPES(X)                                                                                   \
	X(pred, "pred", 1, 'p')                                                                        \
	X(b1, "b1", 1, 'b')                                                                            \
	X(b4, "b4", 4, 'b')                                                                            \
	X(b8, "b8", 8, 'b')                                                                            \
	X(b16, "b16", 16, 'b')                                                                         \
	X(b32, "b32", 32, 'b')                                                                         \
	X(b64, "b64", 64, 'b')                                                                         \
	X(b128, "b128", 128, 'b')                                                                      \
	X(u2, "u2", 2, 'u')                                                                            \
	X(s2, "s2", 2, 's')                                                                            \
	X(u4, "u4", 4, 'u')                                                                            \
	X(u8, "u8", 8, 'u')                                                                            \
	X(u16, "u16", 16, 'u')                                                                         \
	X(u24, "u24", 24, 'u')                                                                         \
	X(u32, "u32", 32, 'u')                                                                         \
	X(u64, "u64", 64, 'u')                                                                         \
	X(s4, "s4", 4, 's')                                                                            \
	X(s8, "s8", 8, 's')                                                                            \
	X(s16, "s16", 16, 's')                                                                         \
	X(s24, "s24", 24, 's')                                                                         \
	X(s32, "s32", 32, 's')                                                                         \
	X(s64, "s64", 64, 's')                                                                         \
	X(u16x2, "u16x2", 32, 'u')                                                                     \
	X(s16x2, "s16x2", 32, 's')                                                                     \
	X(u8x4, "u8x4", 32, 'u')                                                                       \
	X(s8x4, "s8x4", 32, 's')                                                                       \
	X(f16, "f16", 16, 'f')                                                                         \
	X(f16x2, "f16x2", 32, 'f')                                                                     \
	X(bf16, "bf16", 16, 'f')                                                                       \
	X(bf16x2, "bf16x2", 32, 'f')                                                                   \
	X(tf32, "tf32", 32, 'f')                                                                       \
	X(f32, "f32", 32, 'f')                                                                         \
	X(f32x2, "f32x2", 64, 'f')                                                                     \
	X(f64, "f64", 64, 'f')                                                                         \
	X(e4m3, "e4m3", 8, 'f')                                                                        \
	X(e5m2, "e5m2", 8, 'f')                                                                        \
	X(e3m2, "e3m2", 6, 'f')                                                                        \
	X(e2m3, "e2m3", 6, 'f')                                                                        \
	X(e2m1, "e2m1", 4, 'f')                                                                        \
	X(ue8m0, "ue8m0", 8, 'f')                                                                      \
	X(ue4m3, "ue4m3", 8, 'f')                                                                      \
	X(e4m3x2, "e4m3x2", 16, 'f')                                                                   \
	X(e5m2x2, "e5m2x2", 16, 'f')                                                                   \
	X(e3m2x2, "e3m2x2", 16, 'f')                                                                   \
	X(e2m3x2, "e2m3x2", 16, 'f')                                                                   \
	X(e2m1x2, "e2m1x2", 8, 'f')                                                                    \
	X(ue8m0x2, "ue8m0x2", 16, 'f')                                                                 \
	X(e4m3x4, "e4m3x4", 32, 'f')                                                                   \
	X(e5m2x4, "e5m2x4", 32, 'f')                                                                   \
	X(e3m2x4, "e3m2x4", 32, 'f')                                                                   \
	X(e2m3x4, "e2m3x4", 32, 'f')                                                                   \
	X(e2m1x4, "e2m1x4", 16, 'f')                                                                   \
	X(texref, "texref", 64, 'r')                                                                   \
	X(samplerref, "samplerref", 64, 'r')                                                           \
	X(surfref, "surfref", 64, 'r')

/* Shapes of wgmma.mma_async: N in steps of 8 up to 256, K by the width of the elements. */
#define ISA_WGMMA_N(X, n)                                                                              \
	X(m64n##n##k8, "m64n" #n "k8") X(m64n##n##k16, "m64n" #n "k16") X(m64n##n##k32, "m64n" #n "k32") \
	X(m64n##n##k64, "m64n" #n "k64") X(m64n##n##k256, "m64n" #n "k256")
#define ISA_WGMMA_SHAPES(X)                                                                            \
	ISA_WGMMA_N(X, 8) ISA_WGMMA_N(X, 16) ISA_WGMMA_N(X, 24) ISA_WGMMA_N(X, 32)             \
	ISA_WGMMA_N(X, 40) ISA_WGMMA_N(X, 48) ISA_WGMMA_N(X, 56) ISA_WGMMA_N(X, 64)            \
	ISA_WGMMA_N(X, 72) ISA_WGMMA_N(X, 80) ISA_WGMMA_N(X, 88) ISA_WGMMA_N(X, 96)            \
	ISA_WGMMA_N(X, 104) ISA_WGMMA_N(X, 112) ISA_WGMMA_N(X, 120) ISA_WGMMA_N(X, 128)        \
	ISA_WGMMA_N(X, 136) ISA_WGMMA_N(X, 144) ISA_WGMMA_N(X, 152) ISA_WGMMA_N(X, 160)        \
	ISA_WGMMA_N(X, 168) ISA_WGMMA_N(X, 176) ISA_WGMMA_N(X, 184) ISA_WGMMA_N(X, 192)        \
	ISA_WGMMA_N(X, 200) ISA_WGMMA_N(X, 208) ISA_WGMMA_N(X, 216) ISA_WGMMA_N(X, 224)        \
	ISA_WGMMA_N(X, 232) ISA_WGMMA_N(X, 240) ISA_WGMMA_N(X, 248) ISA_WGMMA_N(X, 256)

/* X(name, text). Words of one kind stand together: form_pick() takes a range. */
#define ISA_WORDS(X)                                                                                   \
	/* rounding */                                                                                 \
	X(rn, "rn") X(rz, "rz") X(rm, "rm") X(rp, "rp") X(rna, "rna") X(rs, "rs")                      \
	X(rni, "rni") X(rzi, "rzi") X(rmi, "rmi") X(rpi, "rpi")                                        \
	/* comparisons */                                                                              \
	X(eq, "eq") X(ne, "ne") X(lt, "lt") X(le, "le") X(gt, "gt") X(ge, "ge")                        \
	X(lo, "lo") X(ls, "ls") X(hi, "hi") X(hs, "hs")                                                \
	X(equ, "equ") X(neu, "neu") X(ltu, "ltu") X(leu, "leu") X(gtu, "gtu") X(geu, "geu")            \
	X(num, "num") X(nan, "nan")                                                                    \
	/* boolean operators and atomic operations */                                                  \
	X(and, "and") X(or, "or") X(xor, "xor")                                                        \
	X(add, "add") X(inc, "inc") X(dec, "dec") X(min, "min") X(max, "max")                          \
	X(exch, "exch") X(cas, "cas") X(popc, "popc")                                                  \
	/* arithmetic modifiers */                                                                     \
	X(ftz, "ftz") X(noftz, "noftz") X(sat, "sat") X(satfinite, "satfinite") X(relu, "relu")        \
	X(NaN, "NaN") X(xorsign, "xorsign") X(abs, "abs") X(oob, "oob") X(approx, "approx")            \
	X(full, "full") X(cc, "cc") X(wide, "wide") X(clamp, "clamp") X(wrap, "wrap") X(shiftamt, "shiftamt") \
	X(l, "l") X(r, "r") X(mode_bytes, "bytes")                                                     \
	X(f4e, "f4e") X(b4e, "b4e") X(rc8, "rc8") X(rc16, "rc16") X(ecl, "ecl") X(ecr, "ecr")          \
	X(finite, "finite") X(infinite, "infinite") X(number, "number") X(notanumber, "notanumber")    \
	X(normal, "normal") X(subnormal, "subnormal")                                                  \
	X(po, "po") X(shr7, "shr7") X(shr15, "shr15") X(pack, "pack") X(unpack, "unpack")              \
	/* state spaces */                                                                             \
	X(const, "const") X(global, "global") X(local, "local") X(param, "param")                      \
	X(param_entry, "param::entry") X(param_func, "param::func")                                    \
	X(shared, "shared") X(shared_cta, "shared::cta") X(shared_cluster, "shared::cluster")          \
	X(generic, "generic") X(to, "to")                                                              \
	/* memory order, scope, caching */                                                             \
	X(weak, "weak") X(volatile, "volatile") X(relaxed, "relaxed") X(acquire, "acquire")            \
	X(release, "release") X(acq_rel, "acq_rel") X(sc, "sc") X(mmio, "mmio") X(sync_restrict_shared_cta, "sync_restrict::shared::cta") \
	X(sync_restrict_shared_cluster, "sync_restrict::shared::cluster")                              \
	X(cta, "cta") X(cluster, "cluster") X(gpu, "gpu") X(sys, "sys") X(gl, "gl")                    \
	X(ca, "ca") X(cg, "cg") X(cs, "cs") X(lu, "lu") X(cv, "cv") X(wb, "wb") X(wt, "wt") X(nc, "nc") \
	X(L1_evict_normal, "L1::evict_normal") X(L1_evict_unchanged, "L1::evict_unchanged")            \
	X(L1_evict_first, "L1::evict_first") X(L1_evict_last, "L1::evict_last")                        \
	X(L1_no_allocate, "L1::no_allocate") X(L2_evict_normal, "L2::evict_normal")                    \
	X(L2_evict_first, "L2::evict_first") X(L2_evict_last, "L2::evict_last")                        \
	X(L2_evict_unchanged, "L2::evict_unchanged") X(L2_cache_hint, "L2::cache_hint")                \
	X(L2_64B, "L2::64B") X(L2_128B, "L2::128B") X(L2_256B, "L2::256B")                             \
	X(L1, "L1") X(L2, "L2") X(tensormap, "tensormap") X(fractional, "fractional") X(range, "range") \
	X(v2, "v2") X(v4, "v4") X(v8, "v8") X(unified, "unified")                                      \
	/* control, synchronisation, warp */                                                           \
	X(uni, "uni") X(sync, "sync") X(arrive, "arrive") X(red, "red") X(all, "all") X(any, "any")    \
	X(ballot, "ballot") X(up, "up") X(down, "down") X(bfly, "bfly") X(idx, "idx")                  \
	X(aligned, "aligned") X(warp, "warp") X(wait, "wait") X(full_wait, "wait_all") X(group, "group") \
	X(level_cta, "level::cta") X(mbarrier_init, "mbarrier_init") X(alias, "alias") X(async, "async") \
	X(proxy, "proxy") X(proxy_alias, "proxy::alias") X(proxy_async, "proxy::async")                \
	X(proxy_tensormap_generic, "proxy::tensormap::generic") X(launch_dependents, "launch_dependents") \
	/* matrices: parts, layouts, kinds */                                                  \
	X(a, "a") X(b, "b") X(c, "c") X(d, "d") X(load, "load") X(store, "store")              \
	X(mma, "mma") X(row, "row") X(col, "col") X(sp, "sp") X(spo, "sp::ordered_metadata")   \
	X(trans, "trans") X(kind_tf32, "kind::tf32") X(kind_f16, "kind::f16")                  \
	X(kind_i8, "kind::i8") X(kind_f8f6f4, "kind::f8f6f4") X(kind_mxf4, "kind::mxf4")       \
	X(kind_mxf8f6f4, "kind::mxf8f6f4") X(kind_mxf4nvf4, "kind::mxf4nvf4")                  \
	X(block_scale, "block_scale") X(block16, "block16") X(block32, "block32")              \
	X(scale_vec_1X, "scale_vec::1X") X(scale_vec_2X, "scale_vec::2X")                      \
	X(scale_vec_4X, "scale_vec::4X") X(x1, "x1") X(x2, "x2") X(x4, "x4") X(x8, "x8")       \
	X(x16, "x16") X(x32, "x32") X(x64, "x64") X(x128, "x128") X(b8x16, "b8x16")            \
	X(b6x16_p32, "b6x16_p32") X(b4x16_p64, "b4x16_p64") X(mma_async, "mma_async")          \
	X(commit_group, "commit_group") X(wait_group, "wait_group") X(fence, "fence")          \
	X(acc_f16, "acc::f16") X(acc_f32, "acc::f32") X(ws, "ws") X(ashift, "ashift")          \
	/* matrix shapes */                                                                    \
	X(m8n8, "m8n8") X(m8n16, "m8n16") X(m16n8, "m16n8") X(m16n16, "m16n16")                \
	X(m8n8k4, "m8n8k4") X(m8n8k16, "m8n8k16") X(m8n8k32, "m8n8k32")                        \
	X(m8n8k128, "m8n8k128") X(m16n8k4, "m16n8k4") X(m16n8k8, "m16n8k8")                    \
	X(m16n8k16, "m16n8k16") X(m16n8k32, "m16n8k32") X(m16n8k64, "m16n8k64")                \
	X(m16n8k128, "m16n8k128") X(m16n8k256, "m16n8k256") X(m16n16k8, "m16n16k8")            \
	X(m16n16k16, "m16n16k16") X(m32n8k16, "m32n8k16") X(m8n32k16, "m8n32k16")              \
	/* tensor memory (tcgen05) */                                                          \
	X(alloc, "alloc") X(dealloc, "dealloc")                                                \
	X(relinquish_alloc_permit, "relinquish_alloc_permit") X(ld, "ld") X(st, "st")          \
	X(cp, "cp") X(shift, "shift") X(commit, "commit") X(wait_ld, "wait::ld")               \
	X(wait_st, "wait::st") X(before_thread_sync, "fence::before_thread_sync")              \
	X(after_thread_sync, "fence::after_thread_sync") X(cta_group_1, "cta_group::1")        \
	X(cta_group_2, "cta_group::2") X(s16x64b, "16x64b") X(s16x128b, "16x128b")             \
	X(s16x256b, "16x256b") X(s32x32b, "32x32b") X(s16x32bx2, "16x32bx2")                   \
	X(s128x256b, "128x256b") X(s4x256b, "4x256b") X(s128x128b, "128x128b")                 \
	X(s64x128b, "64x128b") X(s32x128b, "32x128b") X(warpx2_02_13, "warpx2::02_13")         \
	X(warpx2_01_23, "warpx2::01_23") X(warpx4, "warpx4") X(pack_16b, "pack::16b")          \
	X(unpack_16b, "unpack::16b") X(mbarrier_arrive_one, "mbarrier::arrive::one")           \
	/* asynchronous copies and barriers in memory */                                       \
	X(bulk, "bulk") X(tensor, "tensor") X(reduce, "reduce") X(prefetch, "prefetch")        \
	X(multicast_cluster, "multicast::cluster")                                             \
	X(multicast_cluster_all, "multicast::cluster::all") X(mbarrier, "mbarrier")            \
	X(noinc, "noinc") X(complete_tx_bytes, "mbarrier::complete_tx::bytes")                 \
	X(bulk_group, "bulk_group") X(read, "read") X(cp_mask, "cp_mask") X(dim1, "1d")        \
	X(dim2, "2d") X(dim3, "3d") X(dim4, "4d") X(dim5, "5d") X(tile, "tile")                \
	X(gather4, "tile::gather4") X(scatter4, "tile::scatter4") X(im2col, "im2col")          \
	X(im2col_w, "im2col::w") X(im2col_w_128, "im2col::w::128")                             \
	X(im2col_no_offs, "im2col_no_offs") X(init, "init") X(inval, "inval")                  \
	X(expect_tx, "expect_tx") X(complete_tx, "complete_tx")                                \
	X(arrive_drop, "arrive_drop") X(test_wait, "test_wait") X(try_wait, "try_wait")        \
	X(pending_count, "pending_count") X(parity, "parity") X(noComplete, "noComplete")      \
	X(cp_fenceproxy, "cp_fenceproxy") X(replace, "replace") X(b1024, "b1024")              \
	X(global_address, "global_address") X(rank, "rank") X(box_dim, "box_dim")              \
	X(global_dim, "global_dim") X(global_stride, "global_stride")                          \
	X(element_stride, "element_stride") X(elemtype, "elemtype")                            \
	X(interleave_layout, "interleave_layout") X(swizzle_mode, "swizzle_mode")              \
	X(swizzle_atomicity, "swizzle_atomicity") X(fill_mode, "fill_mode")                    \
	X(async_generic, "async::generic") X(async_global, "async::global")                    \
	X(async_shared_cta, "async::shared::cta")                                              \
	X(async_shared_cluster, "async::shared::cluster")                                      \
	X(tensormap_generic, "tensormap::generic") X(ld_reduce, "ld_reduce")                   \
	X(try_cancel, "try_cancel") X(query_cancel, "query_cancel")                            \
	X(is_canceled, "is_canceled") X(get_first_ctaid, "get_first_ctaid")                    \
	X(get_first_ctaid_x, "get_first_ctaid::x")                                             \
	X(get_first_ctaid_y, "get_first_ctaid::y")                                             \
	X(get_first_ctaid_z, "get_first_ctaid::z")                                             \
	/* textures and surfaces */                                                            \
	X(a1d, "a1d") X(a2d, "a2d") X(cube, "cube") X(acube, "acube") X(dim2ms, "2dms")        \
	X(a2dms, "a2dms") X(level, "level") X(grad, "grad") X(base, "base") X(g, "g")          \
	X(p, "p") X(trap, "trap") X(zero, "zero") X(width, "width") X(height, "height")        \
	X(depth, "depth") X(channel_data_type, "channel_data_type")                            \
	X(channel_order, "channel_order") X(normalized_coords, "normalized_coords")            \
	X(force_unnormalized_coords, "force_unnormalized_coords")                              \
	X(filter_mode, "filter_mode") X(addr_mode_0, "addr_mode_0")                            \
	X(addr_mode_1, "addr_mode_1") X(addr_mode_2, "addr_mode_2")                            \
	X(array_size, "array_size") X(num_mipmap_levels, "num_mipmap_levels")                  \
	X(num_samples, "num_samples") X(memory_layout, "memory_layout")                        \
	/* the rest */                                                                         \
	X(mask, "mask") X(exit, "exit") X(cvt, "cvt")                                          \
	/* collector buffers of tcgen05.mma */                                                 \
	X(collector_a_fill, "collector::a::fill") X(collector_a_use, "collector::a::use")      \
	X(collector_a_lastuse, "collector::a::lastuse")                                        \
	X(collector_a_discard, "collector::a::discard")                                        \
	X(collector_b0_fill, "collector::b0::fill")                                            \
	X(collector_b0_use, "collector::b0::use")                                              \
	X(collector_b0_lastuse, "collector::b0::lastuse")                                      \
	X(collector_b0_discard, "collector::b0::discard")                                      \
	X(collector_b1_fill, "collector::b1::fill")                                            \
	X(collector_b1_use, "collector::b1::use")                                              \
	X(collector_b1_lastuse, "collector::b1::lastuse")                                      \
	X(collector_b1_discard, "collector::b1::discard")                                      \
	X(collector_b2_fill, "collector::b2::fill")                                            \
	X(collector_b2_use, "collector::b2::use")                                              \
	X(collector_b2_lastuse, "collector::b2::lastuse")                                      \
	X(collector_b2_discard, "collector::b2::discard")                                      \
	X(collector_b3_fill, "collector::b3::fill")                                            \
	X(collector_b3_use, "collector::b3::use")                                              \
	X(collector_b3_lastuse, "collector::b3::lastuse")                                      \
	X(collector_b3_discard, "collector::b3::discard")                                      \
	ISA_WGMMA_SHAPES(X)
/* clang-format on */

enum isa_token {
	TOKEN_NONE,
#define X(name, text, bits, kind) T_##name,
	ISA_TYPES(X)
#undef X
#define X(name, text) M_##name,
		ISA_WORDS(X)
#undef X
			TOKEN_COUNT
};

#define TYPE_COUNT ((int)T_surfref + 1)

static inline bool token_is_type(int token) { return token > TOKEN_NONE && token < TYPE_COUNT; }

/* Width in bits of a value of the type; 0 for no type. */
u32 type_bits(int type);
/* 'p' 'b' 'u' 's' 'f' 'r', or 0. */
char type_class(int type);
const char *token_text(int token);
/* The token of `text` (without the dot), or TOKEN_NONE. */
int token_find(const char *text);
int token_find_part(const char *text, size_t length);

#endif
