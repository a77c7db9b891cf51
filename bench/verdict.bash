# What a bench says of a figure and its limit. bench/run fails when a line has MISSED.

# verdict FIGURE LIMIT [exactly]: "held" or "MISSED"; fails without a figure.
verdict() {
    [ -n "$1" ] && [ -n "$2" ] || return 1
    awk -v f="$1" -v l="$2" -v exactly="${3:-}" \
        'BEGIN {print (exactly == "" ? f + 0 <= l + 0 : f + 0 == l + 0) ? "held" : "MISSED"}'
}
