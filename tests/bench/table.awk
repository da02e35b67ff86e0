# SPDX-License-Identifier: Apache-2.0
# Medians and ratios from the rows of bench.sh. Exits with 1 if a result was wrong.
BEGIN { FS = "," }

function median(list,    parts, n, i, j, t) {
	n = split(list, parts, " ")
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && parts[j - 1] + 0 > parts[j] + 0; j--) {
			t = parts[j]; parts[j] = parts[j - 1]; parts[j - 1] = t
		}
	return n ? (n % 2 ? parts[(n + 1) / 2] : (parts[n / 2] + parts[n / 2 + 1]) / 2) : 0
}

function rate(per_second) {
	return per_second >= 1e9 ? sprintf("%.2f G", per_second / 1e9) : sprintf("%.1f M", per_second / 1e6)
}

$1 == "R" {
	key = $2 "," $3 "," $5
	seconds[key] = seconds[key] " " $7
	if ($8 > 0) work[$3] = $8
	if ($11 > memory[key]) memory[key] = $11
	if ($10 != "OK") { wrong = 1; bad[key] = 1 }
}
$1 == "P" { process[$2 "," $3 "," $5] = process[$2 "," $3 "," $5] " " $6 / 1e9 }

END {
	kernel_count = split(kernels, kernel, " ")
	peer_count = split(peers, peer, " ")
	printf "%-10s %-7s %7s %12s %12s %12s %9s %9s %9s\n", "kernel", "who", "threads", "kernel s", \
		"process s", "instr/s", "vs pocl", "vs native", "peak MB"
	for (k = 1; k <= kernel_count; k++)
		for (t = 1; t <= 2; t++)
			for (p = 1; p <= peer_count; p++) {
				name = kernel[k]; key = peer[p] "," name "," t
				m = median(seconds[key])
				if (!m) continue
				speed[key] = work[name] / m
				pocl = median(seconds["pocl," name "," t]); native = median(seconds["native," name "," t])
				printf "%-10s %-7s %7d %12.6f %12.6f %12s %9s %9s %9.1f%s\n", name, peer[p], t, m, \
					median(process[key]), rate(speed[key]), pocl ? sprintf("%.3f", pocl / m) : "-", \
					native ? sprintf("%.3f", native / m) : "-", memory[key] / 1024, bad[key] ? " WRONG" : ""
				if (pocl) ratio[peer[p] "," t] += log(pocl / m)
				total[peer[p] "," t] += log(speed[key])
				lines = lines sprintf("%s\n  {\"kernel\": \"%s\", \"who\": \"%s\", \"threads\": %d, \"seconds\": %.6f, \"process_seconds\": %.6f, \"instructions_per_second\": %.0f, \"peak_kb\": %d, \"right\": %s}", \
					lines ? "," : "", name, peer[p], t, m, median(process[key]), speed[key], memory[key], bad[key] ? "false" : "true")
			}
	for (p = 1; p <= peer_count; p++)
		for (t = 1; t <= 2; t++) {
			mean = exp(total[peer[p] "," t] / kernel_count)
			printf "geometric mean: %-7s %d thread%s %10s", peer[p], t, t == 1 ? " " : "s", rate(mean)
			if ((peer[p] "," t) in ratio) printf "  %.3f of PoCL", exp(ratio[peer[p] "," t] / kernel_count)
			printf "\n"
		}
	for (k = 1; k <= kernel_count; k++)
		if (speed["ptxsim," kernel[k] ",1"])
			printf "two threads: %-10s %.2f times one\n", kernel[k], speed["ptxsim," kernel[k] ",2"] / speed["ptxsim," kernel[k] ",1"]
	if (json) printf "[%s\n]\n", lines > json
	if (wrong) print "WRONG results: see above"
	exit wrong
}
