/* SPDX-License-Identifier: Apache-2.0
 * Programs that offload say here whether they did and whether the device gave what the host gives. */
#include <stdio.h>
#include <stdlib.h>
#ifdef _OPENACC
#include <openacc.h>
#else
#include <omp.h>
#endif
static int failures;
#define CHECK(x) ((x) ? 0 : (failures++, printf("%s:%d: %s\n", __FILE__, __LINE__, #x)))

static int done(void)
{
	int device = 0;

#ifdef _OPENACC
#pragma acc parallel copyout(device)
	device = acc_on_device(acc_device_not_host);
#else
#pragma omp target map(from : device)
	device = !omp_is_initial_device();
#endif
	CHECK(device);
	puts(failures ? "FAILED" : "PASSED");
	return failures != 0;
}
#define DONE() return done()
