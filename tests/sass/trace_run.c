/* SPDX-License-Identifier: Apache-2.0
 *
 * trace-run CUBINS TRACE GOLDEN: runs the cases of a trace (packs in CUBINS go before those in GOLDEN) that the vendor's debugger took on an H200, stepping warp 0 of block 0
 * by machine instruction, and compares registers and predicates of the traced lanes at every step.
 *
 *     C PACK:CASE module= entry= registers=     a case
 *     S OFFSET TEXT                             the instruction that lane 0 executes next
 *     L0 OFFSET R1=... P=1000000                where a lane is, and what changed since the last step
 *
 * A lane whose offset is not lane 0's is parted from it, and how far it is there nothing defines: it is compared when it is
 * back. Where lanes are parted the debugger may go on by several instructions at once, and at a barrier it may stand for several
 * steps; so what is recorded must come in that order, with others between. Addresses are the driver's: values of its buffers
 * and stack are passed over, and counted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/session.h"
#include "exec/grid.h"
#include "sass/module.h"
#include "sass/registers.h"
#include "tests/golden/case.h"

enum { REGISTERS = 24, LANES = 3, WORDS = REGISTERS + 1 };

struct lane {
	u32 number, offset;
	u32 value[WORDS]; /* the registers, then the predicates, a bit each */
};

struct step {
	u32 offset;
	struct lane lanes[LANES];
};

struct traced {
	char pack[64], name[128], module[64];
	VEC_OF(struct step) steps;
};

struct runner {
	struct arena arena;
	const char *cubins, *golden;
	VEC_OF(struct traced) cases;
	u64 equal, addresses, between;
	u32 passed, failed, steps;
};

/* --- The trace ------------------------------------------------------------------------------- */

static void read_change(struct lane *to, const char *text)
{
	if (text[0] == 'R')
		to->value[strtoul(text + 1, NULL, 10) % REGISTERS] = (u32)strtoul(strchr(text, '=') + 1, NULL, 16);
	if (text[0] != 'P')
		return;
	to->value[REGISTERS] = 0;
	for (u32 k = 0; k < 7; k++)
		to->value[REGISTERS] |= (u32)(text[2 + k] == '1') << k;
}

static void read_lane(struct step *s, u32 lane, char *line)
{
	char *rest = NULL, *word = strtok_r(line, " ", &rest);

	s->lanes[lane].number = (u32)strtoul(word + 1, NULL, 10);
	word = strtok_r(NULL, " ", &rest);
	s->lanes[lane].offset = (u32)strtoul(word, NULL, 16);
	while ((word = strtok_r(NULL, " ", &rest)))
		read_change(&s->lanes[lane], word);
}

static bool read_trace(struct runner *r, const char *path)
{
	struct bytes text;
	char *rest = NULL;
	u32 lane = 0;
	bool ended = false;

	if (!pack_read_file(&r->arena, path, &text))
		return false;
	for (char *line = strtok_r((char *)text.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		struct traced fresh = {.steps = {0}},
			      *c = r->cases.count ? &r->cases.items[r->cases.count - 1] : &fresh;
		struct step *s = c->steps.count ? &c->steps.items[c->steps.count - 1] : NULL;
		if (sscanf(line, "C %63[^:]:%127s module=%63s", fresh.pack, fresh.name, fresh.module) == 3) {
			VEC_PUSH(&r->arena, &r->cases, fresh);
			ended = false;
		} else if (line[0] == 'S' && ended) {
			lane = LANES; /* of another warp, or launch */
		} else if (line[0] == 'S') {
			ended = strstr(line, " EXIT") && !strchr(line, '@');
			struct step next = {.offset = 0};
			if (s)
				next = *s;
			next.offset = (u32)strtoul(line + 2, NULL, 16);
			VEC_PUSH(&r->arena, &c->steps, next);
			lane = 0;
		} else if (line[0] == 'L' && s && lane < LANES) {
			read_lane(s, lane++, line);
		}
	}
	return r->cases.count > 0;
}

/* --- One case -------------------------------------------------------------------------------- */

struct replay {
	struct runner *r;
	const struct traced *c;
	size_t next; /* step */
	char wrong[256];
};

static bool wants(void *context, const struct code *code, u32 insn)
{
	(void)context;
	return code->origin[insn] != NO_OPERAND && code->starts && code->starts[code->origin[insn]] == insn;
}

static u32 offset_of(const struct code *code, u32 body)
{
	const struct sass_kernel *k = code->function->machine->kernel;

	return code->function->body.items[body].address - k->module->sections[k->section].base;
}

/* An instruction that does nothing has no insn, and nobody is told of it. */
static bool does_nothing(const struct code *code, u32 offset)
{
	const struct sass_kernel *k = code->function->machine->kernel;
	u32 index;

	return ir_find_address(code->function, k->module->sections[k->section].base + offset, &index) &&
	       index + 1 < code->function->body.count && code->starts[index] == code->starts[index + 1];
}

static bool is_address(u32 value) { return value >> 24 == 0xd3 || value == 0x7ffd || value >> 16 == 0xff; }

static u32 word_of(const struct code *code, const u8 *rows, u32 word, u32 lane)
{
	u32 predicates = 0;

	if (word < REGISTERS) {
		const struct row_place p = code->registers[SASS_INDEX_R + word];
		return p.bits ? ((const u32 *)(const void *)(rows + p.offset))[lane] : 0;
	}
	for (u32 k = 0; k < SASS_PT; k++) {
		const struct row_place p = code->registers[SASS_INDEX_P + k];
		predicates |= p.bits ? (*(const u32 *)(const void *)(rows + p.offset) >> lane & 1) << k : 0;
	}
	return predicates;
}

static void compare(struct replay *p, const struct code *code, const u8 *rows, const struct step *s)
{
	for (u32 n = 0; n < LANES; n++) {
		const struct lane *l = &s->lanes[n];
		if (l->offset != s->offset)
			continue;
		for (u32 w = 0; w < WORDS; w++) {
			const u32 have = word_of(code, rows, w, l->number);
			if (have == l->value[w])
				p->r->equal++;
			else if (w < REGISTERS && is_address(l->value[w]))
				p->r->addresses++;
			else if (!p->wrong[0])
				snprintf(p->wrong, sizeof p->wrong,
					 "step %zu at 0x%04x, lane %u: %s%u is 0x%x, recorded 0x%x", p->next + 1,
					 s->offset, l->number, w < REGISTERS ? "R" : "predicates ", w % REGISTERS, have,
					 l->value[w]);
		}
	}
}

static void before(void *context, struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	struct replay *p = context;
	const struct code *code = w->frame->code;
	const u32 offset = offset_of(code, code->origin[i - w->grid->insns[code->index]]);

	if (w->index || w->block->index || !(mask & 1) || p->wrong[0])
		return;
	const struct step *steps = p->c->steps.items;
	while (p->next < p->c->steps.count && steps[p->next].offset != offset &&
	       (does_nothing(code, steps[p->next].offset) ||
		(p->next && steps[p->next].offset == steps[p->next - 1].offset)))
		p->next++;
	if (p->next == p->c->steps.count)
		return;
	if (steps[p->next].offset == offset)
		compare(p, code, rows, &steps[p->next++]);
	else
		p->r->between++;
}

static const struct pack_case *find_case(const struct pack *p, const char *name)
{
	for (size_t k = 0; k < p->cases.count; k++)
		if (!strcmp(p->cases.items[k].name, name))
			return &p->cases.items[k];
	return NULL;
}

static bool build(struct session *s, const struct runner *r, const struct traced *c)
{
	const struct lower_options options = {.allow_unmodelled = true, .keep_registers = true};
	const int stem = (int)strcspn(c->module, ".");
	struct bytes text;

	if (!pack_read_file(&s->arena, arena_printf(&s->arena, "%s/%.*s.cubin", r->cubins, stem, c->module), &text))
		return false;
	session_add_text(s, c->module, (const char *)text.data, text.size);
	return session_build(s, &options);
}

static void replay(struct runner *r, const struct traced *c)
{
	struct replay p = {.r = r, .c = c};
	struct observer observer = {.context = &p, .wants = wants, .before = before}, *const observers[] = {&observer,
													    NULL};
	const struct case_options options = {.observers = observers};
	char message[CASE_MESSAGE] = "";
	struct session s;

	if (!session_open(&s) || SESSION_ENTER(&s)) {
		fprintf(stderr, "trace-run: no session\n");
		exit(3);
	}
	struct bytes own;
	const bool is_own = pack_read_file(&s.arena, arena_printf(&s.arena, "%s/%s.cases", r->cubins, c->pack), &own);
	const struct pack *pack =
		pack_read(&s.arena, arena_printf(&s.arena, "%s/%s", is_own ? r->cubins : r->golden, c->pack));
	const struct pack_case *k = pack ? find_case(pack, c->name) : NULL;
	if (!k)
		snprintf(p.wrong, sizeof p.wrong, "no such case");
	else if (!build(&s, r, c))
		snprintf(p.wrong, sizeof p.wrong, "%s cannot be built", c->module);
	else if (!case_run(&s, pack, k, &options, message) && !p.wrong[0])
		snprintf(p.wrong, sizeof p.wrong, "%.200s", message);
	if (!p.wrong[0] && p.next != c->steps.count)
		snprintf(p.wrong, sizeof p.wrong, "%zu of %zu steps came", p.next, c->steps.count);
	if (p.wrong[0])
		printf("FAIL %s %s: %s\n", c->pack, c->name, p.wrong);
	r->failed += p.wrong[0] != 0;
	r->passed += !p.wrong[0];
	r->steps += (u32)p.next;
	session_close(&s);
}

int main(int argc, char **argv)
{
	struct runner r = {.cubins = argc > 1 ? argv[1] : NULL, .golden = argc > 3 ? argv[3] : NULL};

	if (argc != 4) {
		fprintf(stderr, "usage: trace-run CUBINS TRACE GOLDEN\n");
		return 2;
	}
	arena_init(&r.arena, NULL);
	if (!read_trace(&r, argv[2])) {
		fprintf(stderr, "trace-run: %s cannot be read\n", argv[2]);
		return 2;
	}
	for (size_t k = 0; k < r.cases.count; k++)
		replay(&r, &r.cases.items[k]);
	printf("%u steps, %llu instructions between, %llu registers equal, %llu addresses passed over\n%u passed, %u "
	       "failed\n",
	       r.steps, (unsigned long long)r.between, (unsigned long long)r.equal, (unsigned long long)r.addresses,
	       r.passed, r.failed);
	arena_free(&r.arena);
	return r.failed != 0;
}
