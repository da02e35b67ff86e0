/* SPDX-License-Identifier: Apache-2.0
 *
 * The grammar of listings. It knows no instruction: an opcode is a name, modifiers are words after
 * dots, operands are built on a stack of the reader (sass_reader.h). Directives that no
 * disassembler prints say what a listing leaves out: parameters, memory, constant banks. After an
 * error reading goes on behind the next `;`.
 */
%code requires {
#include "grammar/sass_reader.h"
}
%code provides {
int sass_yylex(struct sass_token *value, struct span *at, void *scanner);
}
%code {
enum { PARSER_DEPTH = 1000 };
#define YYINITDEPTH PARSER_DEPTH
#define YYMAXDEPTH PARSER_DEPTH
#define YYLLOC_DEFAULT(current, rhs, n)                                                                \
	do {                                                                                           \
		(current).file = YYRHSLOC(rhs, (n) ? 1 : 0).file;                                      \
		(current).begin = (n) ? YYRHSLOC(rhs, 1).begin : YYRHSLOC(rhs, 0).end;                 \
		(current).end = YYRHSLOC(rhs, n).end;                                                  \
	} while (0)
static void sass_yyerror(struct span *at, struct sass_reader *r, void *scanner, const char *message)
{
	(void)scanner;
	(void)message; /* bison calls this for an exhausted stack only: others are reported below */
	sass_too_deep(r, *at);
}
}
%define api.pure full
%define api.prefix {sass_yy}
%define api.value.type {struct sass_token}
%define api.location.type {struct span}
%define parse.lac full
%define parse.error custom
%locations
%expect 0
%parse-param {struct sass_reader *r} {void *scanner}
%lex-param {void *scanner}
%initial-action { @$ = (struct span){r->module->source, 0, 0}; }

%token NAME "a name" WORD "a word after a dot" INTEGER "an integer" REAL "a decimal number"
%token ADDRESS "an instruction's address" CODE_FOR "'code for'" FUNCTION "'Function :'"
%%
listing: items ;
items: %empty | items item ;
item:
	  CODE_FOR                                  { if (!sass_code_for(r, $1.text, @1)) YYABORT; }
	| FUNCTION                                  { sass_function(r, $1.text, @1); }
	| directive ';'
	| WORD ':'                                  { sass_label(r, $1.text, @1); }
	| address statement ';'                     { sass_statement(r, @2); }
	| error ';'                                 { sass_lost(r); if (sass_is_full(r)) YYABORT; yyerrok; }
	;
directive:
	  WORD INTEGER                              { sass_directive(r, $1.text, $2.bits, @1); }
	| WORD WORD NAME                            { sass_param(r, $1.text, $2.text, $3.text, @$, @2); }
	| bank '=' numbers
	;
bank: WORD INTEGER '[' INTEGER ']'                  { sass_bank(r, $1.text, $2.bits, $4.bits, @$); } ;
numbers:
	  number
	| numbers ',' number
	;
number:
	  INTEGER                                   { sass_bank_number(r, $1.bits, @1); }
	| '-' INTEGER                               { sass_bank_number(r, -$2.bits, @2); }
	;
address:
	  %empty                                    { sass_begin(r, false, 0, @$); }
	| ADDRESS                                   { sass_begin(r, true, $1.bits, @1); }
	;
statement: guard opcode operands ;
guard:
	  %empty
	| '@' NAME                                  { sass_guard(r, $2.text, false, @2); }
	| '@' '!' NAME                              { sass_guard(r, $3.text, true, @3); }
	;
opcode:
	  NAME                                      { sass_opcode(r, $1.text, @1); }
	| opcode WORD                               { sass_modifier(r, $2.text, @2); }
	;
operands: %empty | operand | operands ',' operand ;
operand:
	  magnitude
	| '-' operand                               { sass_sign(r, '-', @$); }
	| '+' operand                               { sass_sign(r, '+', @$); }
	| '~' operand                               { sass_sign(r, '~', @$); }
	| '!' operand                               { sass_sign(r, '!', @$); }
	;
magnitude:
	  value
	| '|' value '|'                             { sass_sign(r, '|', @$); }
	;
value:
	  name
	| INTEGER                                   { sass_integer_operand(r, $1.bits, @1); }
	| REAL                                      { sass_real_operand(r, $1.text, @1); }
	| '[' place ']'                             { sass_memory(r, @$); }
	| NAME '+' INTEGER                          { sass_place(r, $1.text, $3.bits, @$); sass_memory(r, @$); }
	| NAME '-' INTEGER                          { sass_place(r, $1.text, -$3.bits, @$); sass_memory(r, @$); }
	| NAME '[' INTEGER ']' '[' place ']'        { sass_constant(r, $1.text, $3.bits, @$, @1); }
	| '`' '(' WORD ')'                          { sass_target(r, $3.text, @$); }
	| '(' WORD ')'                              { sass_target(r, $2.text, @$); }
	;
name:
	  NAME                                      { sass_name(r, $1.text, @1); }
	| name WORD                                 { sass_suffix(r, $2.text, @$); }
	;
place:
	  INTEGER                                   { sass_place(r, NULL, $1.bits, @1); }
	| '-' INTEGER                               { sass_place(r, NULL, -$2.bits, @2); }
	| NAME                                      { sass_place(r, $1.text, 0, @1); }
	| NAME '+' INTEGER                          { sass_place(r, $1.text, $3.bits, @1); }
	| NAME '-' INTEGER                          { sass_place(r, $1.text, -$3.bits, @1); }
	| NAME '+' '-' INTEGER                      { sass_place(r, $1.text, -$4.bits, @1); }
	;
%%
enum { EXPECTED_MAX = 40 };

static int yyreport_syntax_error(const yypcontext_t *context, struct sass_reader *r, void *scanner)
{
	yysymbol_kind_t kinds[EXPECTED_MAX];
	const char *names[EXPECTED_MAX];
	const int count = yypcontext_expected_tokens(context, kinds, EXPECTED_MAX);

	(void)scanner;
	for (int i = 0; i < count; i++)
		names[i] = yysymbol_name(kinds[i]);
	sass_unexpected(r, *yypcontext_location(context), names, count > 0 ? (u32)count : 0);
	return 0;
}
