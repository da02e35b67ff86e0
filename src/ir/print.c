#include "ir/print.h"

void ir_print(const struct ir_module *m, FILE *to)
{
	fprintf(to, ".version %u.%u\n", m->version / 10, m->version % 10);
}
