/* SPDX-License-Identifier: Apache-2.0
 *
 * The tree of entries in .debug_info: tags with attributes, whatever forms these were written in.
 */
#ifndef PTXSIM_DWARF_ENTRY_H
#define PTXSIM_DWARF_ENTRY_H

#include "base/lookup.h"
#include "dwarf/section.h"

/* Tags and attributes that are understood (DWARF 4, figures 18 and 20). */
enum dwarf_tag {
	TAG_ARRAY = 0x01,
	TAG_CLASS = 0x02,
	TAG_ENUMERATION = 0x04,
	TAG_PARAMETER = 0x05,
	TAG_BLOCK = 0x0b,
	TAG_MEMBER = 0x0d,
	TAG_POINTER = 0x0f,
	TAG_REFERENCE = 0x10,
	TAG_UNIT = 0x11,
	TAG_STRUCT = 0x13,
	TAG_FUNCTION_TYPE = 0x15,
	TAG_TYPEDEF = 0x16,
	TAG_UNION = 0x17,
	TAG_INHERITANCE = 0x1c,
	TAG_INLINED = 0x1d,
	TAG_SUBRANGE = 0x21,
	TAG_BASE = 0x24,
	TAG_CONST = 0x26,
	TAG_ENUMERATOR = 0x28,
	TAG_FUNCTION = 0x2e,
	TAG_VARIABLE = 0x34,
	TAG_VOLATILE = 0x35,
	TAG_RESTRICT = 0x37,
	TAG_NAMESPACE = 0x39,
	TAG_RVALUE_REFERENCE = 0x42
};

enum dwarf_attribute_name {
	AT_LOCATION = 0x02,
	AT_NAME = 0x03,
	AT_BYTE_SIZE = 0x0b,
	AT_BIT_OFFSET = 0x0c,
	AT_BIT_SIZE = 0x0d,
	AT_LOW_PC = 0x11,
	AT_HIGH_PC = 0x12,
	AT_CONST_VALUE = 0x1c,
	AT_UPPER_BOUND = 0x2f,
	AT_PRODUCER = 0x25,
	AT_ORIGIN = 0x31,
	AT_ADDRESS_CLASS = 0x33,
	AT_COUNT = 0x37,
	AT_MEMBER_LOCATION = 0x38,
	AT_DECL_LINE = 0x3b,
	AT_DECLARATION = 0x3c,
	AT_ENCODING = 0x3e,
	AT_FRAME_BASE = 0x40,
	AT_SPECIFICATION = 0x47,
	AT_TYPE = 0x49,
	AT_RANGES = 0x55,
	AT_DATA_BIT_OFFSET = 0x6b,
	AT_LINKAGE_NAME = 0x6e,
	AT_MIPS_LINKAGE_NAME = 0x2007
};

enum dwarf_value { VALUE_NUMBER, VALUE_ADDRESS, VALUE_TEXT, VALUE_BLOCK, VALUE_ENTRY };

struct dwarf_attribute {
	u16 name;
	enum dwarf_value kind;
	u64 number;       /* NUMBER; ADDRESS: what is added to the symbol; ENTRY: its place in the section */
	const char *text; /* TEXT; ADDRESS: the symbol, or NULL */
	struct dwarf_cursor block;
};

enum { NO_ENTRY = 0xffffffff };

struct dwarf_entry {
	u32 at; /* in the section */
	u32 tag;
	u32 parent, first, next; /* indices of entries, or NO_ENTRY */
	u32 attribute, attribute_count;
};

struct dwarf_entries {
	struct arena *arena;
	const struct dwarf_sections *sections;
	VEC_OF(struct dwarf_entry) list; /* by place */
	VEC_OF(struct dwarf_attribute) attributes;
	const char *problem;
};

void dwarf_read_entries(struct arena *a, const struct dwarf_sections *s, struct dwarf_entries *e);
/* NULL if the entry has no such attribute. */
const struct dwarf_attribute *dwarf_attribute(const struct dwarf_entries *e, u32 entry, u32 name);
/* Its number, else `otherwise`. */
u64 dwarf_attribute_number(const struct dwarf_entries *e, u32 entry, u32 name, u64 otherwise);
const char *dwarf_attribute_text(const struct dwarf_entries *e, u32 entry, u32 name); /* or NULL */
/* The entry that it refers to, or NO_ENTRY. */
u32 dwarf_attribute_entry(const struct dwarf_entries *e, u32 entry, u32 name);

#endif
