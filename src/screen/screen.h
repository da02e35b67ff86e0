/* SPDX-License-Identifier: Apache-2.0
 *
 * The debugger's full screen: panes with the source, registers lane by lane, warps and memory above the
 * commands of `ptxsim debug`. Drawn anew after each command and each change of the terminal's size.
 */
#ifndef PTXSIM_SCREEN_SCREEN_H
#define PTXSIM_SCREEN_SCREEN_H

#include "front/debuggee.h"
#include "debug/console.h"

struct screen;
/* Text for the output pane goes to screen_out: commands' and kernels'. NULL: no memory left. */
struct screen *screen_new(void);
FILE *screen_out(struct screen *s);
/* Takes the terminal, and reads and executes commands until the user leaves. False: it is no terminal that can
 * be drawn on. */
bool screen_run(struct screen *s, struct debuggee *b, struct console *c, bool colour);
void screen_free(struct screen *s);

#endif
