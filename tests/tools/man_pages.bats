# Manual pages in a terminal: at 80 columns no name is broken, and no command continues in the next line.

setup() {
    command -v groff >/dev/null || skip "no groff"
    man=$BATS_TEST_DIRNAME/../../man
    cd "$BATS_TEST_TMPDIR"
    (cd "$man" && ls ./*.1) | sed 's|./||; s/\.1$//' >tools
}

# page FILE COLUMNS: prints the page like a terminal, with \1 before each bold character.
page() {
    groff -man -Tutf8 -P-c -rLL="$2n" "$1" | sed -E $'s/_\b(.)/\\1/g; s/(.)\b\\1/\x01\\1/g'
}

# look_at FILE: adds to "names" the last words of lines that the same page with unlimited lines does not have, to
# "commands" bold commands of a tool that continue in the next line.
look_at() {
    page "$1" 3000 | tr -d '\1' | tr -s ' ' '\n' >whole
    page "$1" 80 >narrow
    tr -d '\1' <narrow | awk -v name="${1##*/}: " 'NR == FNR { there[$0] = 1; next } NF && !($NF in there) { print name $NF }' whole - >>names
    LC_ALL=C.UTF-8 awk -v name="${1##*/}: " '
        NR == FNR { tool[$0] = 1; next }
        command != "" && /^ *\001/ { print name command }
        {
            command = ""
            if (match($0, /(\001[^ \001]|  *\001[^ \001])+$/)) {
                command = substr($0, RSTART)
                gsub(/\001/, "", command)
                split(command, word, " ")
                if (!(word[1] in tool)) command = ""
            }
        }' tools narrow >>commands
}

@test "no name is cut at the end of a line, and no command goes on in the next" {
    local file
    for file in "$man"/*.[1-8]; do look_at "$file"; done
    cat names commands
    [ ! -s names ] && [ ! -s commands ]
}

@test "a name and a command that are cut are found" {
    local words
    words=$(printf 'word %.0s' {1..12})
    printf '.TH X 1\n.nh\n.SH NAME\nx \\- y\n.SH DESCRIPTION\n%s mlxconfig-lite\n' "$words" >name.1
    look_at name.1
    [ "$(cat names)" = "name.1: mlxconfig-
name.1: lite" ]
    printf '.TH X 1\n.SH NAME\nx \\- y\n.SH DESCRIPTION\n%s word\n.B dpadev create\nmore\n' "$words" >command.1
    look_at command.1
    [ "$(cat commands)" = "command.1:  dpadev" ]
}
