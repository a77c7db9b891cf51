# What a text shows of a command's output against what the command printed.

# printed SHOWN REAL: REAL is SHOWN, where "..." stands for any lines.
printed() {
    awk '
    NR == FNR { if ($0 == "...") gap[n + 1] = 1; else want[++n] = $0; next }
    at < n && $0 == want[at + 1] { at++; next }
    !gap[at + 1] { bad = 1; print "not shown on the page: " $0 }
    END { if (at < n) print "not printed: " want[at + 1]; exit bad || at < n }' "$1" "$2"
}
