# Programs are found by section headers, which a running file does not use: the bytes that verify reads must
# be what the segments map.

load ../helpers/bytes
load ../helpers/device

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    source "$BATS_TEST_DIRNAME/../helpers/signing.bash"
    make_device_elf
    printf '.section .dpa_bin_one,"a"\n.incbin "dev.elf"\n.section .dpa_sig_one,"a"\n.zero 65536\n' >one.s
    echo 'int main(void) { return 0; }' >main.c
    gcc main.c one.s -Wl,-z,noexecstack -o host
    openssl req -x509 -newkey rsa:4096 -nodes -keyout root.pem -outform der -out root.der -subj /CN=Root \
        -days 300 2>/dev/null
    openssl genrsa -out leaf.pem 4096 2>/dev/null
    openssl req -new -key leaf.pem -subj /CN=Leaf -out leaf.csr
    openssl x509 -req -in leaf.csr -CA root.der -CAform der -CAkey root.pem -set_serial 2 -days 300 \
        -outform der -out leaf.der 2>/dev/null
    cat root.der leaf.der >chain.der
    mlxdpa -e host -c chain.der -p leaf.pem sign_dpa_apps
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    cp "$BATS_FILE_TMPDIR/host" host
    root=$BATS_FILE_TMPDIR/root.der
    export DPAKIT_DEVICES=$PWD/devices
    table=$((16#$(readelf -hW host | awk '/Start of section headers/ {printf "%x", $5}')))
}

# Prints of section NAME of the original file: number, then sh_addr, sh_offset, sh_size in decimal.
section() {
    readelf -SW "$BATS_FILE_TMPDIR/host" | sed 's/\[ */[/' | awk -v n="$1" '$2 == n {gsub(/[][]/, "", $1); print $1, $4, $5, $6}' |
        while read -r index address offset size; do
            echo "$index $((16#$address)) $((16#$offset)) $((16#$size))"
        done
}

# put64 OFFSET VALUE: writes the value little-endian into `host`.
put64() {
    local i bytes=()
    for ((i = 0; i < 8; i++)); do bytes+=($((($2 >> (8 * i)) & 255))); done
    put host "$1" "${bytes[@]}"
}

# Appends a copy of the section's content to the file, and changes its header to it.
move_section() { # NAME
    local index address offset size
    read -r index address offset size < <(section "$1")
    truncate -s %4096 host
    put64 $((table + 64 * index + 24)) "$(stat -c %s host)"
    tail -c +$((offset + 1)) "$BATS_FILE_TMPDIR/host" | head -c "$size" >>host
}

# The mapped program, which would run, is another program.
change_what_runs() {
    local offset
    read -r _ _ offset _ < <(section .dpa_bin_one)
    flip host $((offset + 300))
}

refuses() { # TEXT
    run -12 mlxdpa -e host --ca "$root" verify
    echo "$output"
    [[ $output == *"mapping"*"refused"*"$1"* ]]
    [[ $output == *"=> refused, BAD_FORMAT (2)"* ]]
    new_device mlx5_0
    run -12 dparun host --verify-only
    echo "$output"
    [[ $output == *"program one: "*"$1"* ]]
}

@test "a file whose sections are what it maps verifies, and says no word of it" {
    mlxdpa -e host --ca "$root" verify >out
    run ! grep mapping out
}

@test "section headers moved to a signed copy are refused by verify and dparun" {
    move_section .dpa_bin_one
    change_what_runs
    refuses '.dpa_bin_one: segment '
}

@test "crypto data that lies elsewhere than the running file has it is refused" {
    move_section .dpa_sig_one
    refuses '.dpa_sig_one: segment '
}

@test "a section at an address that nothing maps is refused" {
    read -r index _ _ _ < <(section .dpa_bin_one)
    put64 $((table + 64 * index + 16)) $((1 << 40))
    refuses '.dpa_bin_one: no segment has its address 0x10000000000'
    put64 $((table + 64 * index + 16)) -16
    run -12 mlxdpa -e host --ca "$root" verify
}

@test "a second segment over the program is refused" {
    read -r index address offset size < <(section .dpa_bin_one)
    # The note that names the stack becomes a segment over the program's last page.
    n=$(readelf -lW host | awk '/^  [A-Z]/ && $1 != "Type" {if ($1 == "GNU_STACK") print i + 0; i++}')
    at=$((64 + 56 * n))
    put host "$at" 1 0 0 0
    put64 $((at + 8)) 0
    put64 $((at + 16)) $(((address + size) / 4096 * 4096))
    put64 $((at + 32)) 64
    put64 $((at + 40)) 64
    refuses ".dpa_bin_one: segment $n has other bytes at its address"
}

@test "a program outside the running file's memory verifies with a warning" {
    move_section .dpa_bin_one
    change_what_runs
    read -r index _ _ _ < <(section .dpa_bin_one)
    put64 $((table + 64 * index + 8)) 0
    run -0 mlxdpa -e host --ca "$root" verify
    echo "$output"
    [[ $output == *"mapping "*"warning "*"not in the memory of the running file"* ]]
    mlxdpa -e host --ca "$root" --json verify |
        jq -e '.[0].checks[] | select(.name == "mapping") | .warning' || {
        mlxdpa -e host --ca "$root" --json verify
        false
    }
}

@test "programs that would not run are not signed" {
    move_section .dpa_bin_one
    run -1 mlxdpa -e host -c "$BATS_FILE_TMPDIR/chain.der" -p "$BATS_FILE_TMPDIR/leaf.pem" sign_dpa_apps
    [[ $output == *"program one: .dpa_bin_one: segment "* ]]
}

@test "objects and archives have no segments to agree with" {
    gcc -c "$BATS_FILE_TMPDIR/main.c"
    cp "$BATS_FILE_TMPDIR/dev.elf" .
    gcc -c "$BATS_FILE_TMPDIR/one.s"
    ar cr lib.a main.o one.o
    for file in one.o lib.a; do
        mlxdpa -e $file -c "$BATS_FILE_TMPDIR/chain.der" -p "$BATS_FILE_TMPDIR/leaf.pem" sign_dpa_apps
        mlxdpa -e $file --ca "$root" verify >out
        run ! grep mapping out
    done
}
