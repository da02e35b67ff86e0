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
#define ISA_TYPES(X)                                                                                   \
	X(pred, "pred", 1, 'p')                                                                        \
	X(b1, "b1", 1, 'b')                                                                            \
	X(b4, "b4", 4, 'b')                                                                            \
	X(b8, "b8", 8, 'b')                                                                            \
	X(b16, "b16", 16, 'b')                                                                         \
	X(b32, "b32", 32, 'b')                                                                         \
	X(b64, "b64", 64, 'b')                                                                         \
	X(b128, "b128", 128, 'b')                                                                      \
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
	X(proxy_tensormap_generic, "proxy::tensormap::generic") X(launch_dependents, "launch_dependents")

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

#endif
