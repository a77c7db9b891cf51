# cases.awk FILE.bats: the tests of the bats file. If its first paragraph has a line "# cases: SOURCE[:PROGRAM]...", also
# one test for each CASE(name) of these sources of tests/host whose name the file does not have: `case_ok name [PROGRAM]`.
# `dir` is the folder of the file, as a word of the shell: such a file is written to another folder. Run this in the top
# folder.
BEGIN {
    while ((getline line <ARGV[1]) > 0 && line != "") {
        if (!sub(/^# cases: /, "", line)) continue
        n = split(line, sources, " ")
        for (i = 1; i <= n; i++) {
            split(sources[i], part, ":")
            ARGV[ARGC] = "tests/host/" part[1]
            program[ARGV[ARGC++]] = part[2] == "" ? "" : " " part[2]
        }
    }
    close(ARGV[1])
}
FNR == NR {
    if (FNR == 1 && ARGC > 2) printf "BATS_TEST_DIRNAME=%s; ", dir
    print
    n = split($0, words, /[^A-Za-z0-9_]+/)
    for (i = 1; i <= n; i++) named[words[i]] = 1
    next
}
{
    while (match($0, /CASE\([A-Za-z0-9_]+\)/)) {
        name = substr($0, RSTART + 5, RLENGTH - 6)
        $0 = substr($0, RSTART + RLENGTH)
        if (name in named) continue
        named[name] = 1
        title = name
        gsub(/_/, " ", title)
        printf "\n@test \"%s\" {\n    case_ok %s%s\n}\n", title, name, program[FILENAME]
    }
}
