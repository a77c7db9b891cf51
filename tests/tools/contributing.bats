# CONTRIBUTING.md: its tables name all places of the examples, and no others.

setup() { tree=$(cd "$BATS_TEST_DIRNAME/../.." && pwd); cd "$BATS_TEST_TMPDIR"; }

# places HEADING: prints the places in the table below the heading.
places() {
    awk -v heading="### $1" '/^##/ { inside = $0 == heading } inside && /^\| `/' "$tree/CONTRIBUTING.md" |
        sed 's/^| `\([^`]*\)`.*/\1/' | LC_ALL=C sort
}

# same_places HEADING PATTERN: these places are exactly the files of the project with the pattern.
same_places() {
    places "$1" >named
    [ "$(wc -l <named)" -ge 5 ]
    (cd "$tree" && grep -RlE "$2" CHANGELOG.md docs/*.md guest include lib man runtime tests/unit tests/tools tests/host tools) |
        grep -v '^tests/tools/contributing' | LC_ALL=C sort >there
    diff named there
}

@test "a command of a tool" { same_places 'A command of a tool' 'dpadev_report\b|dpadev report\b'; }
@test "an instruction" { same_places 'An instruction' 'ORC_B|orc\.b'; }
@test "a function of DOCA" { same_places 'A function of DOCA' 'doca_dpa_get_core_num'; }

@test "a function of device code" { same_places 'A function of device code' 'doca_dpa_dev_hash_table_remove|DPA_DOCA_HASH_REMOVE'; }
@test "a kind of wire" { same_places 'A kind of wire' 'wire_udp|udp:'; }

@test "a place that the table has not is found" {
    mkdir other
    ln -s "$tree"/{CHANGELOG.md,docs,guest,include,lib,man,runtime,tests,tools} other/
    cp "$tree/CONTRIBUTING.md" other/
    tree=$PWD/other
    same_places 'A function of DOCA' 'doca_dpa_get_core_num'
    sed -i '/states_3/d' other/CONTRIBUTING.md
    ! same_places 'A function of DOCA' 'doca_dpa_get_core_num' || false
}
