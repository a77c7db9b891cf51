# Single bytes of files, read and changed. Offsets are in bytes, values decimal or 0x.. .

# byte FILE OFFSET: its value.
byte() { echo $((0x$(xxd -p -s "$2" -l 1 "$1"))); }

# put FILE OFFSET VALUE...: writes bytes.
put() { printf "$(printf '\\x%02x' "${@:3}")" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }

# flip FILE OFFSET [BITS]: changes those bits (1 by default), so the byte is another one whatever it was.
flip() { put "$1" "$2" $(($(byte "$1" "$2") ^ ${3:-1})); }
