/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensor memory and the matrix unit that works on it (PTX ISA 9.7.16): tcgen05, sm_100 and its relatives
 * only. Known, so that such programs are read, checked and listed; not modelled.
 */
#include "sem/pick.h"

#define GROUPS "(.cta_group::1|.cta_group::2)"
#define TC(FORM, OPERANDS, DOC)                                                                                      \
	ROW("tcgen05" FORM, OPERANDS, 86, 100, ISA_UNMODELLED | ISA_A_TARGET | ISA_FAMILY_ONLY | WITH(TRAIT_UNSEEN), \
	    NULL, DOC)

/* Registers of a lane: COUNT for .x1, twice as many for .x2, and so on, at most 128. */
#define MOVES(SHAPE, X, COUNT)                                                               \
	TC(".ld.sync.aligned." SHAPE "." X "[.pack::16b].b32", "={" COUNT "}b32 @",          \
	   "Loads tensor memory into registers."),                                           \
		TC(".st.sync.aligned." SHAPE "." X "[.unpack::16b].b32", "@ {" COUNT "}b32", \
		   "Stores registers to tensor memory.")
#define HALVES(X)                                                                             \
	TC(".ld.sync.aligned.16x32bx2.x" X "[.pack::16b].b32", "={" X "}b32 @ #u32",          \
	   "Loads tensor memory into registers."),                                            \
		TC(".st.sync.aligned.16x32bx2.x" X "[.unpack::16b].b32", "@ #u32 {" X "}b32", \
		   "Stores registers to tensor memory.")
#define FROM_1(SHAPE)                                                                                       \
	MOVES(SHAPE, "x1", "1"), MOVES(SHAPE, "x2", "2"), MOVES(SHAPE, "x4", "4"), MOVES(SHAPE, "x8", "8"), \
		MOVES(SHAPE, "x16", "16"), MOVES(SHAPE, "x32", "32"), MOVES(SHAPE, "x64", "64"),            \
		MOVES(SHAPE, "x128", "128")

#define A_USE "[.collector::a::fill|.collector::a::use|.collector::a::lastuse|.collector::a::discard]"
#define B_USE                                                                                       \
	"[.collector::b0::fill|.collector::b0::use|.collector::b0::lastuse|.collector::b0::discard" \
	"|.collector::b1::fill|.collector::b1::use|.collector::b1::lastuse|.collector::b1::discard" \
	"|.collector::b2::fill|.collector::b2::use|.collector::b2::lastuse|.collector::b2::discard" \
	"|.collector::b3::fill|.collector::b3::use|.collector::b3::lastuse|.collector::b3::discard]"
#define DOC_MMA "Product of matrices in shared and tensor memory, by one thread for its block or two."

/* D in tensor memory; A by a descriptor or in tensor memory; B's descriptor; SPARSE: the metadata's
 * address; what the product is; lanes not to write; whether D is added; SCALE: D's exponent. */
#define PRODUCT(NAME, KINDS, SPARSE, SCALE)                                                                           \
	TC(NAME GROUPS KINDS A_USE, "@ b64 b64" SPARSE " b32 pred" SCALE, DOC_MMA),                                   \
		TC(NAME GROUPS KINDS "[.ashift]" A_USE, "@ @ b64" SPARSE " b32 pred" SCALE, DOC_MMA),                 \
		TC(NAME ".cta_group::1" KINDS A_USE, "@ b64 b64" SPARSE " b32 {4}b32 pred" SCALE, DOC_MMA),           \
		TC(NAME ".cta_group::1" KINDS "[.ashift]" A_USE, "@ @ b64" SPARSE " b32 {4}b32 pred" SCALE, DOC_MMA), \
		TC(NAME ".cta_group::2" KINDS A_USE, "@ b64 b64" SPARSE " b32 {8}b32 pred" SCALE, DOC_MMA),           \
		TC(NAME ".cta_group::2" KINDS "[.ashift]" A_USE, "@ @ b64" SPARSE " b32 {8}b32 pred" SCALE, DOC_MMA)
#define SCALED(NAME, KINDS, SPARSE)                                               \
	TC(NAME GROUPS KINDS A_USE, "@ b64 b64" SPARSE " b32 @ @ pred", DOC_MMA), \
		TC(NAME GROUPS KINDS A_USE, "@ @ b64" SPARSE " b32 @ @ pred", DOC_MMA)
#define VECTORS                                                                                                  \
	"(.kind::mxf8f6f4.block_scale[.scale_vec::1X|.block32]|.kind::mxf4.block_scale[.scale_vec::2X|.block32]" \
	"|.kind::mxf4nvf4.block_scale(.scale_vec::2X|.scale_vec::4X|.block16|.block32))"
#define WEIGHTS(NAME, SPARSE)                                                                  \
	TC(NAME ".cta_group::1(.kind::f16|.kind::tf32|.kind::f8f6f4|.kind::i8)" B_USE,         \
	   "@ b64 b64" SPARSE " b32 pred ?b64", DOC_MMA),                                      \
		TC(NAME ".cta_group::1(.kind::f16|.kind::tf32|.kind::f8f6f4|.kind::i8)" B_USE, \
		   "@ @ b64" SPARSE " b32 pred ?b64", DOC_MMA)

static const struct isa_row rows_tensor_memory[] = {
	TC(".alloc" GROUPS ".sync.aligned[.shared::cta].b32", "@ b32", "Takes columns of tensor memory."),
	TC(".dealloc" GROUPS ".sync.aligned.b32", "b32 b32", "Gives columns of tensor memory back."),
	TC(".relinquish_alloc_permit" GROUPS ".sync.aligned", "", "Takes no more tensor memory."),
	FROM_1("16x64b"),
	FROM_1("32x32b"),
	MOVES("16x128b", "x1", "2"),
	MOVES("16x128b", "x2", "4"),
	MOVES("16x128b", "x4", "8"),
	MOVES("16x128b", "x8", "16"),
	MOVES("16x128b", "x16", "32"),
	MOVES("16x128b", "x32", "64"),
	MOVES("16x128b", "x64", "128"),
	MOVES("16x256b", "x1", "4"),
	MOVES("16x256b", "x2", "8"),
	MOVES("16x256b", "x4", "16"),
	MOVES("16x256b", "x8", "32"),
	MOVES("16x256b", "x16", "64"),
	MOVES("16x256b", "x32", "128"),
	HALVES("1"),
	HALVES("2"),
	HALVES("4"),
	HALVES("8"),
	HALVES("16"),
	HALVES("32"),
	HALVES("64"),
	HALVES("128"),
	TC("(.wait::ld|.wait::st).sync.aligned", "", "Waits for the thread's loads from or stores to tensor memory."),
	TC(".cp" GROUPS "(.128x256b|.4x256b|.128x128b|.64x128b(.warpx2::02_13|.warpx2::01_23)|.32x128b.warpx4)"
	   "[.b8x16(.b6x16_p32|.b4x16_p64)]",
	   "@ b64", "Copies shared memory to tensor memory."),
	TC(".shift" GROUPS ".down", "@", "Shifts rows of tensor memory down."),
	PRODUCT(".mma", "(.kind::f16|.kind::tf32|.kind::i8)", "", " ?#u32"),
	PRODUCT(".mma", ".kind::f8f6f4", "", ""),
	PRODUCT(".mma.sp", "(.kind::f16|.kind::tf32|.kind::i8)", " @", " ?#u32"),
	PRODUCT(".mma.sp", ".kind::f8f6f4", " @", ""),
	SCALED(".mma", VECTORS, ""),
	SCALED(".mma.sp", VECTORS, " @"),
	WEIGHTS(".mma.ws", ""),
	WEIGHTS(".mma.ws.sp", " @"),
	TC(".commit" GROUPS ".mbarrier::arrive::one[.shared::cluster].b64", "@",
	   "Arrives at an mbarrier once earlier work is done."),
	TC(".commit" GROUPS ".mbarrier::arrive::one[.shared::cluster].multicast::cluster.b64", "@ b16",
	   "Arrives at mbarriers of several blocks once earlier work is done."),
	TC("(.fence::before_thread_sync|.fence::after_thread_sync)", "",
	   "Orders work on tensor memory with other threads'."),
};
FAMILY(family_tensor_memory, "Tensor memory", CLASS_BY_TYPE, rows_tensor_memory);
