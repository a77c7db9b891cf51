# Takes the commands out of a manual page's EXAMPLES section, as a reader would copy them: from the
# page as man prints it. The convention of all pages:
#
# - what is typed and printed stands between .EX and .EE, in .RS 4: it is indented by 11 or more
#   columns, text is not;
# - "$ " begins a command; lines that the shell still waits for, after a backslash or in a here
#   document, belong to it, without a prompt;
# - other lines are what the command prints; "..." stands for lines left out. A command without such
#   lines may print anything, or nothing.
#
#     man -l page.1 | awk -v dir=DIR -f man_examples.awk
#
# writes DIR/N.cmd, and DIR/N.out where output is shown, for N = 001, 002, ...
function begin_command(text)
{
    close(file)
    file = sprintf("%s/%03d.cmd", dir, ++number)
    add_to_command(text)
}
function add_to_command(text)
{
    print text > file
    more = text ~ /\\$/
    if (end == "" && match(text, /<<-? *'?[A-Z]+'?/)) {
        end = substr(text, RSTART, RLENGTH)
        gsub(/[^A-Z]/, "", end)
    } else if (end != "" && text == end) {
        end = ""
    }
}
/^[A-Z]/ { inside = $0 == "EXAMPLES"; next }
!inside { next }
end != "" && /^ *$/ { add_to_command(""); next }
!/^           / { next }
{ text = substr($0, 12) }
more || end != "" { add_to_command(text); next }
text ~ /^\$ / { begin_command(substr(text, 3)); next }
number { print text > sprintf("%s/%03d.out", dir, number) }
