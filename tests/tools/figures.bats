# scripts/figures: counts of the tree, and of the last runs.

setup() {
    tree=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    cd "$BATS_TEST_TMPDIR"
    mkdir -p here/scripts here/fuzz here/tests/{golden,unit,tools,corpus,host,helpers}
    cp "$tree/scripts/figures" here/scripts/
    cp "$tree/tests/helpers/cases.awk" here/tests/helpers/
    touch here/fuzz/fuzz_{one,two}.c
    printf 'a  x\nb  y\n' >here/tests/golden/SHA256SUMS
    printf '@test "a" {\n}\n@test "b" {\n}\n' >here/tests/tools/t.bats
    printf '@test "c" {\n}\n' >here/tests/corpus/t.bats
    echo '{cmocka_unit_test(a), cmocka_unit_test_setup_teardown(b, c, d)}' >here/tests/unit/t.c
    printf '# why\n\na.c:f reason\n' >here/fuzz/unreached
}
figure() { awk -F ' [|] ' -v name="| $1" 'index($1, name) == 1 { sub(/ [|]$/, "", $2); print $2 }' out; }

@test "without runs, what the tree has, and that nothing was run" {
    here/scripts/figures >out
    cat out
    [ "$(figure 'golden files')" = 2 ]
    [ "$(figure 'tests of libraries')" = 2 ]
    [ "$(figure 'tests of tools')" = 3 ]
    [ "$(figure 'parsers')" = 2 ]
    [ "$(figure 'functions that read')" = 1 ]
    [ "$(grep -c '| not run |' out)" -eq 5 ]
}

@test "a file with a line of cases has a test for each case that it does not name" {
    printf 'int a = CASE(one_more), b = CASE(named), c = CASE(another);\n' >here/tests/host/first.c
    echo 'CASE(last)' >here/tests/host/second.c
    printf '# Of cases.\n# cases: first.c second.c:others\n\n@test "named" {\n}\n# cases: none.c\n' >here/tests/tools/made.bats
    here/scripts/figures >out
    [ "$(figure 'tests of tools')" = 7 ]
    cd here
    awk -v dir=/there -f tests/helpers/cases.awk tests/tools/made.bats >made
    [ "$(head -1 made)" = "BATS_TEST_DIRNAME=/there; # Of cases." ]
    [ "$(grep -A1 '^@test "one more"' made | tail -1)" = "    case_ok one_more" ]
    [ "$(grep -A1 '^@test "last"' made | tail -1)" = "    case_ok last others" ]
    awk -f tests/helpers/cases.awk tests/tools/t.bats | cmp - tests/tools/t.bats
}

@test "results of the last runs" {
    mkdir -p here/build/fuzz/{one,two} here/build/sanitize
    printf 'passed 20\nfailed 1\nskipped 3\nchanged 400\n' >here/build/tests.sum
    printf 'passed 18\nfailed 0\nskipped 5\nchanged 60\n' >here/build/sanitize/tests.sum
    echo 'stat::number_of_executed_units: 1000' | tee here/build/fuzz/one/log >here/build/fuzz/two/log
    echo two >here/build/fuzz/failed
    touch -d 2026-01-02T12:00Z here/build/tests.sum here/build/sanitize/tests.sum here/build/fuzz/one/log
    here/scripts/figures >out
    cat out
    [ "$(figure 'all tests, plain')" = "20 passed, 1 failed, 3 skipped (2026-01-02)" ]
    [ "$(figure 'all tests, Address')" = "18 passed, 0 failed, 5 skipped (2026-01-02)" ]
    [ "$(figure 'signed files')" = 400 ]
    [ "$(figure 'last fuzzing')" = "2000 inputs by 2 fuzzers, 1 findings (2026-01-02)" ]
}
