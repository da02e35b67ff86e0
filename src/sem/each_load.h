/* SPDX-License-Identifier: Apache-2.0
 *
 * Includes the template that LOAD_TEMPLATE names once for each type in memory (MEMORY) and type that fills the register (REGISTER) that
 * loads have. The template ends both.
 */
#define MEMORY   u8
#define REGISTER u16
#include LOAD_TEMPLATE
#define MEMORY   u8
#define REGISTER u32
#include LOAD_TEMPLATE
#define MEMORY   u16
#define REGISTER u16
#include LOAD_TEMPLATE
#define MEMORY   u16
#define REGISTER u32
#include LOAD_TEMPLATE
#define MEMORY   u32
#define REGISTER u32
#include LOAD_TEMPLATE
#define MEMORY   u64
#define REGISTER u64
#include LOAD_TEMPLATE
#define MEMORY   s8
#define REGISTER u16
#include LOAD_TEMPLATE
#define MEMORY   s8
#define REGISTER u32
#include LOAD_TEMPLATE
#define MEMORY   s16
#define REGISTER u32
#include LOAD_TEMPLATE
#undef LOAD_TEMPLATE
