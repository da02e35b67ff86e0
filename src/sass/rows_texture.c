/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine code: texture.
 */
#include "sass/encoding.h"

/* clang-format off */
static const struct sass_row rows[] = {
};
/* clang-format on */

SASS_FAMILY(texture, rows);
