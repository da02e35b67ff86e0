/* SPDX-License-Identifier: Apache-2.0
 * Teams and their threads know who they are. */
#include "offload.h"
int main(void)
{
	int team[64], thread[64], teams = 0, threads = 0;

	for (int i = 0; i < 64; i++)
		team[i] = thread[i] = -1;
#pragma omp target teams num_teams(4) thread_limit(16) map(from : team, thread) map(tofrom : teams, threads)
	{
		if (omp_get_team_num() == 0)
			teams = omp_get_num_teams();
#pragma omp parallel num_threads(16)
		{
			const int at = omp_get_team_num() * 16 + omp_get_thread_num();
			if (at < 64) {
				team[at] = omp_get_team_num();
				thread[at] = omp_get_thread_num();
			}
			if (at == 0)
				threads = omp_get_num_threads();
		}
	}
	CHECK(teams >= 1 && teams <= 4 && threads >= 1 && threads <= 16);
	for (int t = 0; t < teams; t++)
		for (int i = 0; i < threads; i++)
			CHECK(team[t * 16 + i] == t && thread[t * 16 + i] == i);
	DONE();
}
