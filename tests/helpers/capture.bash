# Captures (pcap, Ethernet), made and read. "source" it in a bats file.

# The bytes of a number, least first.
_le32() {
    printf '%b' "$(printf '\\x%02x\\x%02x\\x%02x\\x%02x' $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) $(($1 >> 24)))"
}

capture_begin() {
    printf '\xd4\xc3\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0\0\0\1\0\1\0\0\0'
}

# capture_frame SIZE TEXT: a frame to toThem, from fromMe, of the type 0x88b5, with TEXT and blanks in it.
capture_frame() {
    printf '\0\0\0\0\0\0\0\0'
    _le32 "$1"
    _le32 "$1"
    printf 'toThemfromMe\x88\xb5%-*s' $(($1 - 14)) "$2"
}

# The sizes of the frames of a capture, a line each.
capture_sizes() { # FILE
    local at=24 size
    while [ "$at" -lt "$(stat -c %s "$1")" ]; do
        size=$(od -An -tu4 -j $((at + 8)) -N 4 "$1" | tr -d ' ')
        echo "$size"
        at=$((at + 16 + size))
    done
}
