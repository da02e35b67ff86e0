/* SPDX-License-Identifier: Apache-2.0
 *
 * The index of rows by opcode, and matching of modifiers against form strings.
 *
 * Form strings are not compiled: a matcher walks the text and backtracks over groups, comparing
 * words in place, so that building the index touches each row's opcode only. The walk needs no
 * stack of open groups: an alternative that ends at '|' goes on behind its group's close.
 */
#include "isa/isa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- The index -------------------------------------------------------------------------- */

static size_t opcode_length(const char *form) { return strcspn(form, ".[( "); }

/* Is `c` part of a form's word? */
static bool in_word(char c)
{
	return c != '.' && c != '|' && c != '[' && c != ']' && c != '(' && c != ')' && c != ' ' && c != '\0';
}
static size_t word_length(const char *word)
{
	size_t length = 0;

	while (in_word(word[length]))
		length++;
	return length;
}

/* Is `word` what stands at `p`? */
static bool is_word(const char *word, const char *p)
{
	for (; *word && *word == *p; word++)
		p++;
	return !*word && !in_word(*p);
}

static int compare_part(const char *name, const char *form)
{
	const size_t length = opcode_length(form);
	const int order = strncmp(name, form, length);
	return order ? order : name[length] ? 1 : 0;
}

static int compare_opcodes(const void *a, const void *b)
{
	const struct isa_opcode *x = a, *y = b;
	return strcmp(x->name, y->name);
}

/* The opcodes seen so far, by hash of the name. */
struct opcode_set {
	struct isa_opcode *opcodes;
	u32 *slots; /* index + 1 */
	u32 slot_count, count;
};

/* The opcode of a form, entered if it is new. The table has at least twice as many slots as rows, so probing ends. */
static struct isa_opcode *set_find(struct opcode_set *set, struct arena *arena, const char *form)
{
	const size_t length = opcode_length(form);
	u32 hash = 2166136261u;

	for (size_t k = 0; k < length; k++)
		hash = (hash ^ (u8)form[k]) * 16777619u;
	for (u32 at = hash & (set->slot_count - 1);; at = (at + 1) & (set->slot_count - 1)) {
		if (!set->slots[at]) {
			struct isa_opcode *opcode = &set->opcodes[set->count++];
			set->slots[at] = set->count;
			opcode->name = arena_copy_text(arena, form, length);
			opcode->id = opcode_find(form, (u32)length);
			return opcode;
		}
		struct isa_opcode *opcode = &set->opcodes[set->slots[at] - 1];
		if (!compare_part(opcode->name, form))
			return opcode;
	}
}

/* One of 64 bits for a word: most rows of an opcode lack some modifier's bit and are skipped. */
static u64 word_bit(const char *word, size_t length)
{
	return 1ull << (((u8)word[0] * 7u + (u8)word[length - 1] * 3u + (u8)word[length / 2] * 5u + length * 11u) & 63);
}

static u64 form_words(const char *form)
{
	u64 bits = 0;

	for (const char *p = form; *p;) {
		if (*p++ != '.')
			continue;
		const size_t length = word_length(p);
		bits |= word_bit(p, length);
		p += length;
	}
	return bits;
}

/* Built once for each session: a few thousand rows, in under a millisecond, with no copies of their strings. */
struct isa *isa_build(struct arena *arena, const struct isa_family *const *families)
{
	struct isa *isa = ARENA_NEW(arena, struct isa);
	u32 total = 0;

	for (u32 f = 0; families[f]; f++)
		total += families[f]->count;
	struct opcode_set set = {.slot_count = 16};
	while (set.slot_count < total * 2)
		set.slot_count *= 2;
	set.slots = ARENA_ARRAY(arena, set.slot_count, u32);
	set.opcodes = ARENA_ARRAY(arena, total, struct isa_opcode);

	/* First count each opcode's rows, then hand out one array in parts and fill it. */
	for (u32 f = 0; families[f]; f++)
		for (u32 k = 0; k < families[f]->count; k++)
			set_find(&set, arena, families[f]->rows[k].form)->count++;
	const struct isa_row **rows = ARENA_ARRAY(arena, total, const struct isa_row *);
	u64 *words = ARENA_ARRAY(arena, total, u64);
	for (u32 k = 0; k < set.count; k++) {
		set.opcodes[k].rows = rows;
		set.opcodes[k].words = words;
		rows += set.opcodes[k].count;
		words += set.opcodes[k].count;
		set.opcodes[k].count = 0;
	}
	for (u32 f = 0; families[f]; f++)
		for (u32 k = 0; k < families[f]->count; k++) {
			struct isa_opcode *opcode = set_find(&set, arena, families[f]->rows[k].form);
			opcode->words[opcode->count] = form_words(families[f]->rows[k].form);
			opcode->rows[opcode->count++] = &families[f]->rows[k];
		}
	qsort(set.opcodes, set.count, sizeof *set.opcodes, compare_opcodes);
	*isa = (struct isa){.arena = arena, .families = families, .opcodes = set.opcodes, .opcode_count = set.count};
	return isa;
}

/* By bisection over the sorted names. */
const struct isa_opcode *isa_find_opcode(const struct isa *isa, const char *name)
{
	u32 low = 0, high = isa->opcode_count;

	while (low < high) {
		const u32 middle = (low + high) / 2;
		const int order = strcmp(name, isa->opcodes[middle].name);
		if (!order)
			return &isa->opcodes[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

const struct meaning *isa_internal(const struct isa *isa, enum opcode opcode)
{
	const struct isa_opcode *o = isa_find_opcode(isa, opcode_text(opcode));
	const struct form form = {.row = o ? o->rows[0] : NULL, .opcode = (u16)opcode};

	return o ? o->rows[0]->meaning(&form) : NULL;
}

/* --- Walking a form string -------------------------------------------------------------- */

/* From inside a group (or at its opening) to its closing bracket. */
static const char *group_end(const char *p)
{
	for (u32 depth = *p == '[' || *p == '(' ? (p++, 1) : 1;; p++) {
		if (*p == '[' || *p == '(')
			depth++;
		else if ((*p == ']' || *p == ')') && --depth == 0)
			return p;
	}
}

/* The start of the next alternative after the one at `p`, or NULL. */
static const char *next_alternative(const char *p)
{
	for (u32 depth = 0;; p++) {
		if (*p == '[' || *p == '(')
			depth++;
		else if (*p == ']' || *p == ')') {
			if (depth-- == 0)
				return NULL;
		} else if (*p == '|' && depth == 0)
			return p + 1;
	}
}

/* Widths of operands that nobody knows yet. */
static const u8 no_bits[FORM_USES];

struct attempt {
	const char *const *modifiers;
	u32 count;
	u32 furthest; /* modifiers that were accepted on the best way */
};

/* Modifiers k and on against the form from p. Groups are tried way by way; an optional one may be left out. Depth is
 * that of the brackets in the form. */
static bool match_from(struct attempt *t, const char *p, u32 k)
{
	for (;;) {
		if (k > t->furthest)
			t->furthest = k;
		switch (*p) {
		case '\0':
			return k == t->count;
		case '.': {
			if (k == t->count)
				return false;
			const char *m = t->modifiers[k];
			for (p++; *m && *m == *p; m++)
				p++;
			if (*m || in_word(*p))
				return false;
			k++;
			break;
		}
		case '[':
		case '(':
			for (const char *way = p + 1; way; way = next_alternative(way))
				if ((*way != '.' || (k < t->count && way[1] == t->modifiers[k][0])) &&
				    match_from(t, way, k))
					return true;
			if (*p == '(')
				return false;
			p = group_end(p) + 1;
			break;
		case '|':
			p = group_end(p) + 1;
			break;
		default: /* a blank, or the close of a group */
			p++;
			break;
		}
	}
}

bool isa_match_words(const char *form, const char *const *modifiers, u32 count, u32 *furthest)
{
	struct attempt t = {modifiers, count, *furthest};
	const bool fits = match_from(&t, form + strcspn(form, ".[( "), 0);

	*furthest = t.furthest;
	return fits;
}

/* --- Modifiers in another order --------------------------------------------------------------- */

/* Words whose order among themselves says which operand they are about: types, state spaces, layouts,
 * the priorities of a cache policy. */
static u32 order_class(const char *word)
{
	const int token = token_find(word);

	if (token_is_type(token))
		return 1;
	if (token >= M_const && token <= M_shared_cluster)
		return 2;
	if (token >= M_L2_evict_normal && token <= M_L2_evict_unchanged)
		return 4;
	return token == M_row || token == M_col ? 3 : 0;
}

/* The assembler takes modifiers in any order. `order` collects the modifiers' numbers in the row's. */
struct shuffle {
	const char *const *modifiers;
	u32 count;
	u8 order[FORM_TOKENS];
	u8 classes[FORM_TOKENS];
};

/* The first modifier that is not used, is the word at `p`, and is not before one of its class. */
static u32 shuffle_take(const struct shuffle *s, const char *p, u32 used)
{
	u32 waiting = 0; /* classes of unused modifiers so far */

	for (u32 m = 0; m < s->count; m++) {
		if (used >> m & 1)
			continue;
		if (is_word(s->modifiers[m], p) && !(waiting >> s->classes[m] & 1))
			return m;
		if (s->classes[m])
			waiting |= 1u << s->classes[m];
	}
	return s->count;
}

/* Like match_from(), but each word takes any modifier that is left. */
static bool shuffle_from(struct shuffle *s, const char *p, u32 used, u32 k)
{
	for (;;) {
		switch (*p) {
		case '\0':
			return k == s->count;
		case '.': {
			const u32 m = shuffle_take(s, ++p, used);
			if (m == s->count)
				return false;
			used |= 1u << m;
			s->order[k++] = (u8)m;
			p += word_length(p);
			break;
		}
		case '[':
		case '(':
			for (const char *way = p + 1; way; way = next_alternative(way))
				if (shuffle_from(s, way, used, k))
					return true;
			if (*p == '(')
				return false;
			p = group_end(p) + 1;
			break;
		case '|':
			p = group_end(p) + 1;
			break;
		default:
			p++;
			break;
		}
	}
}

bool isa_row_has_word(const struct isa_row *row, const char *word)
{
	for (const char *p = row->form; *p; p++)
		if (*p == '.' && is_word(word, p + 1))
			return true;
	return false;
}

/* The same of an opcode's row, which mostly lacks the word's bit. */
static bool row_has(const struct isa_opcode *opcode, u32 row, const char *word)
{
	const size_t length = word_length(word);

	return length && opcode->words[row] & word_bit(word, length) && isa_row_has_word(opcode->rows[row], word);
}

static void form_add(struct form *form, int token)
{
	if (form->token_count < FORM_TOKENS)
		form->tokens[form->token_count++] = (u16)token;
	if (token_is_type(token) && form->type_count < FORM_TYPES)
		form->types[form->type_count++] = (u16)token;
}

/* isa_match_form for modifiers that stand in no row's order. */
static bool shuffle_rows(const struct isa_opcode *opcode, const char *const *modifiers, u32 count, u64 needed, u32 from,
			 struct form *form, u32 *row_index)
{
	struct shuffle s = {.modifiers = modifiers, .count = count};

	if (count > FORM_TOKENS)
		return false;
	for (u32 m = 0; m < count; m++)
		s.classes[m] = (u8)order_class(modifiers[m]);
	for (u32 k = from; k < opcode->count; k++) {
		const struct isa_row *row = opcode->rows[k];
		if (needed & ~opcode->words[k] || !shuffle_from(&s, row->form + opcode_length(row->form), 0, 0))
			continue;
		*form = (struct form){.row = row, .opcode = (u16)opcode->id};
		for (u32 m = 0; m < count; m++)
			form_add(form, token_find(modifiers[s.order[m]]));
		*row_index = k;
		return true;
	}
	return false;
}

/* In three steps, each only if the one before found nothing: modifiers as written, in another order, and then which one
 * is wrong. */
enum isa_match isa_match_form(const struct isa *isa, const char *opcode, const char *const *modifiers, u32 count,
			      u32 from, struct form *form, u32 *row_index, u32 *bad)
{
	const struct isa_opcode *found = isa_find_opcode(isa, opcode);
	struct attempt attempt = {modifiers, count, 0};

	*bad = 0;
	if (!found)
		return ISA_NO_OPCODE;
	u64 needed = 0;
	for (u32 m = 0; m < count; m++)
		if (modifiers[m][0])
			needed |= word_bit(modifiers[m], strlen(modifiers[m]));
	for (u32 k = from; k < found->count; k++) {
		const struct isa_row *row = found->rows[k];
		if (needed & ~found->words[k] || !match_from(&attempt, row->form + opcode_length(row->form), 0))
			continue;
		*form = (struct form){.row = row, .opcode = (u16)found->id, .operand_bits = no_bits};
		for (u32 m = 0; m < count; m++)
			form_add(form, token_find(modifiers[m]));
		*row_index = k;
		return ISA_MATCHED;
	}
	if (shuffle_rows(found, modifiers, count, needed, from, form, row_index))
		return ISA_MATCHED;
	/* For the place of the error all rows count. */
	for (u32 k = from; k < found->count; k++)
		match_from(&attempt, found->rows[k]->form + opcode_length(found->rows[k]->form), 0);
	*bad = attempt.furthest;
	if (*bad == count)
		return ISA_NO_FORM;
	for (u32 k = 0; k < found->count; k++)
		if (row_has(found, k, modifiers[*bad]))
			return ISA_NO_FORM;
	return ISA_NO_MODIFIER;
}

/* A word of the row that the text has, too, counts two; how far the walk came counts one for each modifier. */
const char *isa_nearest_form(const struct isa *isa, const char *opcode, const char *const *modifiers, u32 count)
{
	const struct isa_opcode *found = isa_find_opcode(isa, opcode);
	const char *nearest = NULL;
	u32 best = 0;

	for (u32 k = 0; found && k < found->count; k++) {
		const struct isa_row *row = found->rows[k];
		struct attempt attempt = {modifiers, count, 0};
		match_from(&attempt, row->form + opcode_length(row->form), 0);
		u32 score = 1 + attempt.furthest;
		for (u32 m = 0; m < count; m++)
			score += row_has(found, k, modifiers[m]) ? 2 : 0;
		if (score > best) {
			best = score;
			nearest = row->form;
		}
	}
	return nearest;
}

/* --- Expansion and text ----------------------------------------------------------------- */

struct expansion {
	void (*each)(void *context, const struct form *form);
	void *context;
};

/* Every way through the form's groups, as a form of its own: for tests and the instruction table, never while
 * lowering. */
static void expand_from(const struct expansion *x, const char *p, struct form form)
{
	for (;;) {
		switch (*p) {
		case '\0':
			if (!form.row->meaning || form.row->meaning(&form))
				x->each(x->context, &form);
			return;
		case '.': {
			const size_t length = word_length(++p);
			form_add(&form, token_find_part(p, length));
			p += length;
			break;
		}
		case '[':
		case '(':
			for (const char *way = p + 1; way; way = next_alternative(way))
				expand_from(x, way, form);
			if (*p == '(')
				return;
			p = group_end(p) + 1;
			break;
		case '|':
			p = group_end(p) + 1;
			break;
		default:
			p++;
			break;
		}
	}
}

void isa_expand_row(const struct isa_row *row, void (*each)(void *context, const struct form *form), void *context)
{
	const struct expansion x = {each, context};
	const size_t length = opcode_length(row->form);
	const enum opcode opcode = opcode_find(row->form, (u32)length);

	expand_from(&x, row->form + length, (struct form){.row = row, .opcode = (u16)opcode, .operand_bits = no_bits});
}

void isa_form_text(const struct form *form, char *text, size_t size)
{
	int used = snprintf(text, size, "%.*s", (int)opcode_length(form->row->form), form->row->form);

	for (u32 k = 0; k < form->token_count && used >= 0 && (size_t)used < size; k++)
		used += snprintf(text + used, size - (size_t)used, ".%s", token_text(form->tokens[k]));
}
