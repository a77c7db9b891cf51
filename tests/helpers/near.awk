# Reads names; says that none of them is -v name=, and which are most like it.
function distance(a, b,    i, j, row, above, corner) {
    for (j = 0; j <= length(b); j++) row[j] = j
    for (i = 1; i <= length(a); i++) {
        corner = row[0]
        row[0] = i
        for (j = 1; j <= length(b); j++) {
            above = row[j]
            row[j] = least(above + 1, row[j - 1] + 1, corner + (substr(a, i, 1) != substr(b, j, 1)))
            corner = above
        }
    }
    return row[length(b)]
}
function least(a, b, c) {
    if (b < a) a = b
    return c < a ? c : a
}
{
    d = index($0, name) || index(name, $0) ? 1 : distance(name, $0)
    if (d * 3 <= length(name)) near[d] = near[d] (near[d] == "" ? "" : ", ") $0
}
END {
    for (d = 0; d * 3 <= length(name) && near[d] == ""; d++) ;
    printf "tests/run: no such test: %s%s\n", name, near[d] == "" ? "" : " (is it " near[d] "?)"
}
