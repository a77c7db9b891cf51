# What a bench says of a figure and its limit. bench/run fails when a line has MISSED.

# is_number WORD: whether it is one that can be measured: digits, finite, less than 10^15.
is_number() {
    [[ $1 =~ ^-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?$ ]] && awk -v f="$1" 'BEGIN {exit !(f + 0 < 1e15 && f + 0 > -1e15)}'
}

# verdict FIGURE LIMIT [exactly]: "held" or "MISSED"; of what is no figure, MISSED too.
verdict() {
    if ! is_number "${1:-}" || ! is_number "${2:-}"; then
        echo "MISSED, as '${1:-}' to '${2:-}' cannot be right"
        return 1
    fi
    awk -v f="$1" -v l="$2" -v exactly="${3:-}" \
        'BEGIN {print (exactly == "" ? f + 0 <= l + 0 : f + 0 == l + 0) ? "held" : "MISSED"}'
}

# within WHAT FIGURE LEAST MOST: prints a figure that has no limit, if it can be right; else fails, with a line.
within() {
    if is_number "$2" && awk -v f="$2" -v l="$3" -v m="$4" 'BEGIN {exit !(f + 0 >= l + 0 && f + 0 <= m + 0)}'; then
        echo "$2"
        return
    fi
    echo "$1 is '$2', which cannot be right: less than $3 or more than $4" >&2
    return 1
}
