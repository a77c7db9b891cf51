# A test file as a <testsuite> of JUnit, from what it said (TAP).
#   -v name= seconds= code=   of the file: its name, its time, its exit code
#   -v sums=FILE              what was skipped: lines "skipped TAB NAME TAB REASON"
#   -v flaky=TEXT first=FILE  what failed the first time, and what the file said then, if it was run again
function escaped(s) {
    gsub(/&/, "\\&amp;", s)
    gsub(/</, "\\&lt;", s)
    gsub(/"/, "\\&quot;", s)
    gsub(/[\001-\010\013\014\016-\037\177]/, "?", s)
    return s
}
function test_of(line) {
    sub(/^(not )?ok [0-9]+ (- )?/, "", line)
    return line
}
function add(test, body) {
    tests++
    cases = cases "  <testcase classname=\"" escaped(name) "\" name=\"" escaped(test) "\">" body "</testcase>\n"
}
function add_failure(test, text) {
    failures++
    add(test, "<failure message=\"failed\">" escaped(text) "</failure>")
}
# Before what comes next: a failed test has said why.
function over() {
    if (failed != "") add_failure(failed, why)
    failed = why = begun = ""
}
BEGIN {
    while ((getline line <sums) > 0) {
        split(line, field, "\t")
        if (field[1] == "skipped") reason[field[2]] = field[3]
    }
    while (first != "" && (getline line <first) > 0)
        if (line ~ /^not ok / && line !~ /# *(SKIP|skip)/) failed_first[test_of(line)]
}
/^# begin |^begin [0-9]/ { over(); begun = $0; sub(/^# begin |^begin [0-9]+ /, "", begun); next }
/^(not )?ok .*# *(SKIP|skip)/ { over(); next }
/^ok / {
    over()
    add(test_of($0), test_of($0) in failed_first ? "<flakyFailure message=\"failed, and passed alone\"/>" : "")
    next
}
/^not ok / { over(); failed = test_of($0); next }
{ why = why $0 "\n" }
END {
    if (code && failed == "" && begun != "") failed = begun
    over()
    for (test in reason) {
        skipped++
        add(test, "<skipped message=\"" escaped(reason[test]) "\"/>")
    }
    if (code && !failures) add_failure("all of it", "exit code " code)
    printf "<testsuite name=\"%s\" tests=\"%d\" failures=\"%d\" skipped=\"%d\" time=\"%d\">\n", escaped(name), tests,
        failures, skipped, seconds
    if (flaky != "") printf "  <properties><property name=\"flaky\" value=\"%s\"/></properties>\n", escaped(flaky)
    printf "%s</testsuite>\n", cases
}
