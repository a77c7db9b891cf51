# Of lines "ENGINE KERNEL SECONDS CHECKSUM": a table of the least seconds of each kernel, natively,
# and of the ratios of the other engines to it and to qemu; in the file `figures` a line
# "ENGINE PEER MEAN WORST SLOWER" for each column of ratios (SLOWER: how many are above 1).
# -v figures=FILE -v engines="native [qemu] TIER..."
least[$1, $2] == "" || $3 < least[$1, $2] {least[$1, $2] = $3}
!($2 in known) {known[$2]; kernels[++count] = $2}

END {
    n = split(engines, engine, " ")
    for (i = 2; i <= n; i++)
        for (j = 1; j < i && (j == 1 || engine[j] == "qemu"); j++) {
            columns++
            of[columns] = engine[i]
            to[columns] = engine[j]
        }
    row = sprintf("emulator: %-12s%9s", "kernel", "native s")
    for (c = 1; c <= columns; c++)
        row = row sprintf("%15s", of[c] ":" to[c])
    print row
    for (k = 1; k <= count; k++) {
        row = sprintf("emulator: %-12s%9.3f", kernels[k], least["native", kernels[k]])
        for (c = 1; c <= columns; c++) {
            r = least[of[c], kernels[k]] / least[to[c], kernels[k]]
            mean[c] += log(r) / count
            if (r > worst[c]) worst[c] = r
            slower[c] += r > 1
            row = row sprintf("%15.2f", r)
        }
        print row
    }
    means = sprintf("emulator: %-21s", "geometric mean")
    worsts = sprintf("emulator: %-21s", "worst")
    for (c = 1; c <= columns; c++) {
        means = means sprintf("%15.2f", exp(mean[c]))
        worsts = worsts sprintf("%15.2f", worst[c])
        printf "%s %s %.3f %.3f %d\n", of[c], to[c], exp(mean[c]), worst[c], slower[c] > figures
    }
    print means
    print worsts
}
