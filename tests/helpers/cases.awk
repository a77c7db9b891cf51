# cases.awk FILE.bats SOURCE.c...: the tests of the bats file, and one test for each CASE(name) of the sources whose
# name the file does not have. `dir` is the folder of the file, as a word of the shell: the tests are written to
# another folder.
FNR == NR {
    print FNR == 1 ? "BATS_TEST_DIRNAME=" dir "; " $0 : $0
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
        printf "\n@test \"%s\" {\n    case_ok %s\n}\n", title, name
    }
}
