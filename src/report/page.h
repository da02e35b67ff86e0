/* SPDX-License-Identifier: Apache-2.0
 *
 * The text of the HTML report's page, which the build puts together from src/report/page/.
 */
#ifndef PTXSIM_REPORT_PAGE_H
#define PTXSIM_REPORT_PAGE_H

/* The frame, with <!--style-->, <!--data--> and <!--script--> where the others go. */
extern const char page_html[], page_css[], page_js[];

#endif
