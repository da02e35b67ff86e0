/* SPDX-License-Identifier: Apache-2.0
 *
 * The grammar of PTX. It knows no instruction: an opcode is a name, modifiers and types are words
 * after dots, operands are expressions. All meaning is in the actions' functions (reader.h). Lists
 * are left-recursive, so the stack grows with nesting only, and YYMAXDEPTH bounds that. After an
 * error reading goes on behind the next `;` or `}`: yyerrok only where a token was shifted behind
 * the error, else the same token would fail again and again.
 *
 * Two parsers are made of it (sources.am). A text is read by ptx_quick_yyparse first, which does not look ahead past default
 * reductions (parse.lac): that took a tenth of the time of a large module. It leaves at its first syntax error, and
 * ptx_yyparse, which knows exactly what could have stood there, reads the text anew.
 */
%code requires {
#include "grammar/reader.h"
}
%code provides {
int ptx_yylex(struct token *value, struct span *at, void *scanner);
int ptx_quick_yyparse(struct reader *r, void *scanner);
}
%code {
enum { PARSER_DEPTH = 4000 };
#define ptx_quick_yylex ptx_yylex
#define YYINITDEPTH PARSER_DEPTH
#define YYMAXDEPTH PARSER_DEPTH
#define YYLLOC_DEFAULT(current, rhs, n)                                                                \
	do {                                                                                           \
		(current).file = YYRHSLOC(rhs, (n) ? 1 : 0).file;                                      \
		(current).begin = (n) ? YYRHSLOC(rhs, 1).begin : YYRHSLOC(rhs, 0).end;                 \
		(current).end = YYRHSLOC(rhs, n).end;                                                  \
	} while (0)
static void yyerror(struct span *at, struct reader *r, void *scanner, const char *message)
{
	(void)scanner;
	(void)message; /* bison calls this for an exhausted stack only: others are reported below */
	reader_leave_quick(r);
	reader_too_deep(r, *at);
}
}
%define api.pure full
%define api.prefix {ptx_yy}
%define api.value.type {struct token}
%define api.location.type {struct span}
%define parse.lac full
%define parse.error custom
%locations
%expect 0
%parse-param {struct reader *r} {void *scanner}
%lex-param {void *scanner}
%initial-action { @$ = (struct span){r->module->source, 0, 0}; }

%token NAME "a name" SINK "'_'" INTEGER "an integer" REAL "a decimal number" STRING "a string"
%token WORD "a word after a dot"
%token DOT_VERSION "'.version'" DOT_TARGET "'.target'" DOT_ADDRESS_SIZE "'.address_size'"
%token DOT_ENTRY "'.entry'" DOT_FUNC "'.func'" DOT_LINKAGE "a linkage directive" DOT_SPACE "a state space"
%token DOT_ALIGN "'.align'" DOT_PTR "'.ptr'" DOT_ATTRIBUTE "'.attribute'"
%token DOT_TUNING "a performance directive" DOT_PRAGMA "'.pragma'" DOT_LOC "'.loc'" DOT_FILE "'.file'"
%token DOT_SECTION "'.section'" DOT_ALIAS "'.alias'" DOT_BRANCHTARGETS "'.branchtargets'"
%token DOT_LANGUAGE "'.language'" DOT_CALLTARGETS "'.calltargets'" DOT_CALLPROTOTYPE "'.callprototype'"
%token CLOSE "'} '" SHIFT_LEFT "'<<'" SHIFT_RIGHT "'>>'" LESS_EQUAL "'<='" GREATER_EQUAL "'>='" EQUAL "'=='"
%token NOT_EQUAL "'!='" AND_AND "'&&'" OR_OR "'||'"

%precedence NO_SEMICOLON
%precedence DOT_PRAGMA
%right '?' ':'
%left OR_OR
%left AND_AND
%left '|'
%left '^'
%left '&'
%left EQUAL NOT_EQUAL
%left '<' '>' LESS_EQUAL GREATER_EQUAL
%left SHIFT_LEFT SHIFT_RIGHT
%left '+' '-'
%left '*' '/' '%'
%precedence UNARY
%%
module: items ;
items: %empty | items item ;

item:
	  DOT_VERSION REAL                          { reader_version(r, @2); }
	| DOT_VERSION INTEGER                       { reader_version(r, @2); }
	| target target_words                       { reader_target_end(r, @2); }
	| DOT_ADDRESS_SIZE INTEGER                  { reader_address_size(r, $2.bits, @2); }
	| DOT_FILE INTEGER STRING numbers_after     { reader_file(r, $2.bits, $3.text, (u32)$4.bits); }
	| section
	| DOT_PRAGMA pragma_texts ';'
	| DOT_ALIAS NAME ',' NAME ';'               { reader_alias(r, $2.text, $4.text, @2, @4); }
	| linkage qualifiers declarators ';'        { reader_need_header(r, @2); }
	| linkage qualifiers ';'                    { declare_nothing(r, @2); }
	| function
	| error ';'                                 { if (reader_is_full(r)) YYABORT; yyerrok; }
	| error '}'                                 { if (reader_is_full(r)) YYABORT; yyerrok; }
	| error '{' { reader_skip_block(r, scanner); } '}' { if (reader_is_full(r)) YYABORT; }
	;
target: DOT_TARGET                                  { reader_target(r, @1); } ;
target_words:
	  NAME                                      { reader_target_word(r, $1.text, @1); }
	| target_words ',' NAME                     { reader_target_word(r, $3.text, @3); }
	;
numbers_after:
	  %empty                                    { $$.bits = r->number_count = 0; }
	| ',' numbers                               { $$.bits = $2.bits; }
	;
numbers:
	  INTEGER                                   { r->number_count = 0; reader_number(r, $1.bits, @1); $$.bits = 1; }
	| numbers ',' INTEGER                       { reader_number(r, $3.bits, @3); $$.bits = $1.bits + 1; }
	;
pragma_texts:
	  STRING                                    { reader_pragma(r, $1.text); }
	| pragma_texts ',' STRING                   { reader_pragma(r, $3.text); }
	;

section:
	  section_name '{' section_items '}'        { reader_section_end(r, $1.text, @4); }
	| section_name '{' section_items error '}'  { reader_section_end(r, $1.text, @5); if (reader_is_full(r)) YYABORT; yyerrok; }
	;
section_name: DOT_SECTION WORD                      { $$ = $2; } ;
section_items: %empty                               { r->section_begin = @$.begin; r->braces = 0; }
	| section_items section_item
	;
section_item: NAME ':' | WORD section_values ;
section_values: section_value | section_values ',' section_value ;
section_value: section_term | section_value '+' section_term | section_value '-' section_term ;
section_term: INTEGER | '-' INTEGER | NAME | WORD ;

linkage:
	  %empty                                    { declare_begin(r, LINK_NONE, @$); }
	| DOT_LINKAGE                               { declare_begin(r, (enum ir_linkage)$1.bits, @1); }
	;
qualifiers: qualifier | qualifiers qualifier ;
qualifier:
	  DOT_SPACE                                 { declare_space(r, (enum ir_space)$1.bits, @1); }
	| DOT_SPACE '[' INTEGER ']'                 { declare_space(r, (enum ir_space)$1.bits, @1); declare_const_bank(r, $3.bits, @3); }
	| DOT_ALIGN INTEGER                         { declare_align(r, $2.bits, @2); }
	| WORD                                      { declare_word(r, $1.text, @1); }
	| DOT_PTR                                   { declare_pointer(r, @1); }
	| DOT_ATTRIBUTE '(' attributes ')'
	;
attributes: attribute | attributes ',' attribute ;
attribute:
	  WORD                                      { declare_attribute(r, $1.text, 0, @1); }
	| WORD '(' numbers ')'                      { declare_attribute(r, $1.text, (u32)$3.bits, @1); }
	;
declarators: declarator | declarators ',' declarator ;
declarator:
	  sized                                     { declare_end(r, false, @1); }
	| sized '=' init_begin init_item            { declare_end(r, true, @1); }
	| NAME '<' INTEGER '>'                      { declare_range(r, $1.text, $3.bits, @1); }
	;
sized:
	  NAME                                      { declare_name(r, $1.text, @1); }
	| SINK                                      { declare_name(r, $1.text, @1); }
	| sized '[' ']'                             { declare_dimension(r, false, 0, @2); }
	| sized '[' INTEGER ']'                     { declare_dimension(r, true, $3.bits, @3); }
	;
init_begin: %empty                                  { init_begin(r, @$); } ;
init_item:
	  expr                                      { init_value(r); }
	| '{' init_open init_items CLOSE              { init_close(r, @4); }
	| '{' init_open CLOSE                         { init_close(r, @3); }
	| NAME '=' NAME                             { init_field(r, $1.text, $3.text, 0, @1); }
	| NAME '=' INTEGER                          { init_field(r, $1.text, NULL, $3.bits, @1); }
	| NAME '=' '-' INTEGER                      { init_field(r, $1.text, NULL, -$4.bits, @1); }
	;
init_open: %empty                                   { init_open(r, @$); } ;
init_items: init_item | init_items ',' init_item ;

function:
	  entry_head function_name parameters tunings function_end
	| func_head func_attributes returns function_name parameters tunings function_end
	| entry_head error head_lost head_end           { if (reader_is_full(r)) YYABORT; yyerrok; }
	| func_head error head_lost head_end           { if (reader_is_full(r)) YYABORT; yyerrok; }
	;
entry_head: linkage DOT_ENTRY                       { reader_need_header(r, @2); function_begin(r, true, @2); } ;
func_head: linkage DOT_FUNC                         { reader_need_header(r, @2); function_begin(r, false, @2); } ;
func_attributes: %empty | func_attributes DOT_ATTRIBUTE '(' func_attribute ')' ;
func_attribute:
	  WORD                                      { function_attribute(r, $1.text, 0, @1); }
	| WORD '(' numbers ')'                      { function_attribute(r, $1.text, (u32)$3.bits, @1); }
	;
function_name: NAME                                 { function_name(r, $1.text, @1); } ;
returns:
	  %empty
	| '(' returns_begin ')'                     { r->in_returns = false; }
	| '(' returns_begin parameter_list ')'      { r->in_returns = false; }
	;
returns_begin: %empty                               { r->in_returns = true; } ;
parameters: %empty | '(' ')' | '(' parameter_list ')' ;
parameter_list: parameter | parameter_list ',' parameter ;
parameter:
	  parameter_begin qualifiers sized          { declare_end(r, false, @3); }
	| error                                     { if (reader_is_full(r)) YYABORT; }
	;
parameter_begin: %empty                             { declare_begin(r, LINK_NONE, @$); } ;
tunings:
	  %empty
	| tunings DOT_TUNING                        { function_tuning(r, (enum tuning)$2.bits, 0, @2); }
	| tunings DOT_TUNING numbers                { function_tuning(r, (enum tuning)$2.bits, (u32)$3.bits, @2); }
	| tunings DOT_LANGUAGE NAME                 { r->function->language = $3.text; }
	| tunings DOT_PRAGMA pragma_texts ';'
	;
function_end:
	  %empty %prec NO_SEMICOLON                 { function_declare(r, @$); } /* as ptxas takes it */
	| head_end
	;
head_lost: %empty                                   { r->head_lost = true; } ;
head_end:
	  ';'                                       { function_declare(r, @1); }
	| body_open statements block_end            { function_close(r, @3); }
	;
body_open: '{'                                      { r->braces = 0; function_open(r, @1); } ;
block_end:
	  '}'
	| error '}'                                 { reader_statement_lost(r); if (reader_is_full(r)) YYABORT; yyerrok; }
	;

statements: %empty | statements statement ;
statement:
	  NAME ':'                                  { scope_label(r, $1.text, @1); }
	| branch_targets target_names ';'
	| prototype_head returns prototype_name parameters tunings ';' { prototype_end(r); }
	| block_open statements block_end           { scope_close(r); }
	| parameter_begin qualifiers declarators ';'
	| parameter_begin qualifiers ';'            { declare_nothing(r, @2); }
	| DOT_LOC INTEGER INTEGER INTEGER           { reader_loc(r, $2.bits, $3.bits, $4.bits, @1); } loc_attributes
	| DOT_PRAGMA pragma_texts ';'
	| instruction ';'
	| error ';'                                 { reader_statement_lost(r); if (reader_is_full(r)) YYABORT; yyerrok; }
	;
block_open: '{'                                     { r->braces = 0; scope_open(r); } ;
branch_targets:
	  NAME ':' DOT_BRANCHTARGETS                { targets_begin(r, $1.text, false, @1); }
	| NAME ':' DOT_CALLTARGETS                  { targets_begin(r, $1.text, true, @1); }
	;
target_names:
	  target_name
	| target_names ',' target_name
	;
target_name:
	  NAME                                      { targets_add(r, $1.text, @1); }
	| NAME '<' INTEGER '>'                      { targets_add_range(r, $1.text, $3.bits, @1); }
	;
prototype_head: NAME ':' DOT_CALLPROTOTYPE          { prototype_begin(r, $1.text, @1); } ;
prototype_name: NAME | SINK ;
loc_attributes: %empty | loc_attributes ',' loc_attribute ;
loc_attribute:
	  NAME NAME                                 { reader_loc_attribute(r, $1.text, $2.text, 0, @1); }
	| NAME NAME '+' INTEGER                     { reader_loc_attribute(r, $1.text, $2.text, $4.bits, @1); }
	| NAME INTEGER INTEGER INTEGER              { reader_loc_inlined(r, $1.text, $2.bits, $3.bits, $4.bits, @1); }
	;

instruction: opcode modifiers operands              { instruction_end(r, (u32)$3.bits, @3); } ;
opcode:
	  NAME                                      { instruction_begin(r, $1.text, @1); }
	| guard NAME                                { instruction_begin(r, $2.text, @2); }
	;
guard:
	  '@' NAME                                  { instruction_guard(r, $2.text, false, @2); }
	| '@' '!' NAME                              { instruction_guard(r, $3.text, true, @3); }
	| guard WORD                                { instruction_guard_element(r, $2.text, @2); }
	;
modifiers: %empty | modifiers modifier              { instruction_modifier(r, $2.text, @2); } ;
modifier: WORD | DOT_VERSION | DOT_TARGET | DOT_ADDRESS_SIZE | DOT_ENTRY | DOT_FUNC | DOT_LINKAGE
	| DOT_SPACE | DOT_ALIGN | DOT_PTR | DOT_ATTRIBUTE | DOT_TUNING | DOT_PRAGMA | DOT_LOC | DOT_FILE
	| DOT_SECTION | DOT_ALIAS | DOT_LANGUAGE | DOT_BRANCHTARGETS | DOT_CALLTARGETS | DOT_CALLPROTOTYPE
	;
operands:
	  %empty                                    { $$.bits = 0; }
	| operand_list
	;
operand_list:
	  operand                                   { $$.bits = 1; }
	| operand_list ',' operand                  { $$.bits = $1.bits + 1; }
	;
operand:
	  expr                                      { operand_check(r); }
	| vector
	| vector '|' name                           { operand_gather(r, OPERAND_PAIR, 2, @$); }
	| vector '|' SINK                           { operand_sink(r, @3); operand_gather(r, OPERAND_PAIR, 2, @$); }
	| '[' operand_list ']'                      { operand_address(r, (u32)$2.bits, @$); }
	| '[' operand_list ']' WORD                 { operand_address(r, (u32)$2.bits, @$); operand_unified(r, $4.text, @4); }
	| '(' ')'                                   { operand_gather(r, OPERAND_LIST, 0, @$); }
	| '(' list_begin ',' list_rest ')'          { operand_gather(r, OPERAND_LIST, (u32)$4.bits + 1, @$); }
	;
vector: '{' operand_list CLOSE                      { operand_gather(r, OPERAND_VECTOR, (u32)$2.bits, @$); } ;
list_begin: expr ;
list_rest:
	  expr                                      { operand_check(r); $$.bits = 1; }
	| list_rest ',' expr                        { operand_check(r); $$.bits = $1.bits + 1; }
	;

expr:
	  INTEGER                                   { operand_integer(r, &$1, @1); }
	| REAL                                      { operand_real(r, &$1, @1); }
	| SINK                                      { operand_sink(r, @1); }
	| name
	| name '[' expr ']'                         { operand_index(r, @$); }
	| '(' expr ')'                              { expr_parentheses(r, @$); }
	| '(' WORD ')' expr %prec UNARY             { expr_cast(r, $2.text, @$, @2); }
	| INTEGER '(' expr ')'                      { expr_mask(r, &$1, @$); }
	| NAME '(' expr ')'                         { expr_generic(r, $1.text, @$, @1); }
	| '-' expr %prec UNARY                      { expr_unary(r, '-', @$); }
	| '+' expr %prec UNARY                      { expr_unary(r, '+', @$); }
	| '!' expr %prec UNARY                      { expr_unary(r, '!', @$); }
	| '~' expr %prec UNARY                      { expr_unary(r, '~', @$); }
	| expr '*' expr                             { expr_binary(r, '*', @$); }
	| expr '/' expr                             { expr_binary(r, '/', @$); }
	| expr '%' expr                             { expr_binary(r, '%', @$); }
	| expr '+' expr                             { expr_binary(r, '+', @$); }
	| expr '-' expr                             { expr_binary(r, '-', @$); }
	| expr SHIFT_LEFT expr                      { expr_binary(r, OP_SHIFT_LEFT, @$); }
	| expr SHIFT_RIGHT expr                     { expr_binary(r, OP_SHIFT_RIGHT, @$); }
	| expr '<' expr                             { expr_binary(r, '<', @$); }
	| expr '>' expr                             { expr_binary(r, '>', @$); }
	| expr LESS_EQUAL expr                      { expr_binary(r, OP_LESS_EQUAL, @$); }
	| expr GREATER_EQUAL expr                   { expr_binary(r, OP_GREATER_EQUAL, @$); }
	| expr EQUAL expr                           { expr_binary(r, OP_EQUAL, @$); }
	| expr NOT_EQUAL expr                       { expr_binary(r, OP_NOT_EQUAL, @$); }
	| expr '&' expr                             { expr_binary(r, '&', @$); }
	| expr '^' expr                             { expr_binary(r, '^', @$); }
	| expr '|' expr                             { expr_binary(r, '|', @$); }
	| expr AND_AND expr                         { expr_binary(r, OP_AND, @$); }
	| expr OR_OR expr                           { expr_binary(r, OP_OR, @$); }
	| expr '?' expr ':' expr                    { expr_choose(r, @$); }
	;
name:
	  NAME                                      { operand_name(r, $1.text, @1); }
	| name WORD                                 { operand_suffix(r, $2.text, @2); }
	;
%%
enum { EXPECTED_MAX = 80 };

static int yyreport_syntax_error(const yypcontext_t *context, struct reader *r, void *scanner)
{
	yysymbol_kind_t kinds[EXPECTED_MAX];
	const char *names[EXPECTED_MAX];

	reader_leave_quick(r);
	const int count = yypcontext_expected_tokens(context, kinds, EXPECTED_MAX);

	(void)scanner;
	for (int i = 0; i < count; i++)
		names[i] = yysymbol_name(kinds[i]);
	reader_unexpected(r, *yypcontext_location(context), names, count > 0 ? (u32)count : 0);
	return 0;
}
