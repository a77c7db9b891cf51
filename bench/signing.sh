#!/bin/bash
# Signing and verifying host files, next to what `openssl speed` and `openssl dgst` say that the
# signatures and the hashing must cost on this machine. Both sides run in turn, the least of each
# counts, by the clock and by CPU time (the same ratio, for machines that others use too). Limits
# are those that the project holds itself to, by the clock. BENCH_DIR: where the files go (2.9 GiB;
# default: a temporary directory).
set -euo pipefail
work=$(mktemp -d ${BENCH_DIR:+-p "$BENCH_DIR"})
trap 'rm -rf "$work"' EXIT
cd "$work"
cores=$(nproc)

# One device program of random data, then hosts that hold N times as much in one piece or several.
echo 'void _start(void) { for (;;) ; }' >start.c
clang --target=riscv64-unknown-elf -march=rv64imac -mabi=lp64 -mno-relax -ffreestanding -c start.c
echo 'int main(void) { return 0; }' >main.c

device() { # MIB NAME
    head -c $(($1 << 20)) /dev/urandom >data.bin
    printf '.section .rodata\n.incbin "data.bin"\n' >data.s
    clang --target=riscv64-unknown-elf -march=rv64imac -mabi=lp64 -c data.s
    ld.lld start.o data.o -o "$2"
    rm data.bin data.o
}
host() { # PROGRAMS DEVICE NAME: the same program under many names
    for i in $(seq "$1"); do
        printf '.section .dpa_bin_p%d,""\n.incbin "%s"\n.section .dpa_sig_p%d,""\n.zero 65536\n' "$i" "$2" "$i"
    done >host.s
    gcc main.c host.s -Wl,-z,noexecstack -o "$3"
}
device 1 one.elf
device 64 large.elf
for n in 64 256; do host $n one.elf host$n; done
host 16 large.elf host1g
rm large.elf

openssl req -x509 -newkey rsa:4096 -nodes -keyout root.pem -out root.crt -subj /CN=root -days 30 2>/dev/null
openssl req -newkey rsa:4096 -nodes -keyout leaf.pem -out leaf.csr -subj /CN=leaf 2>/dev/null
openssl x509 -req -in leaf.csr -CA root.crt -CAkey root.pem -days 30 -set_serial 2 -out leaf.crt 2>/dev/null
cat root.crt leaf.crt >chain.pem

# Measurements: lines "WHAT by-the-clock CPU [peak]" in the file `runs`.
measure() { # WHAT COMMAND...
    local what=$1 cost
    shift
    cost=$("$DPAKIT_BUILD/bench/measure" "$@")
    echo "$what $cost" >>runs
}
# Milliseconds that OpenSSL needs for one signature, and to hash 1 MiB.
peers() {
    local option rsa=() sha=()
    for option in -elapsed ''; do # the default is CPU time
        rsa+=("$(openssl speed $option -seconds 1 rsa4096 2>/dev/null |
            awk '/^rsa 4096/ {gsub("s", ""); print $4 * 1000}')")
        sha+=("$(openssl speed $option -seconds 1 -bytes 1048576 -evp sha256 2>/dev/null |
            awk '/^(SHA256|sha256)/ {gsub("k", "", $2); print 1048576 / $2}')")
    done
    echo "rsa ${rsa[*]}" >>runs
    echo "sha ${sha[*]}" >>runs
}
least() { # WHAT FIELD: 2 by the clock, 3 CPU, 4 peak
    awk -v w="$1" -v f="$2" '$1 == w && (!n++ || $f < m) {m = $f} END {print m}' runs
}
line() { # WHAT FIGURE UNIT LIMIT PEER [CPU-FIGURE CPU-PEER]
    awk -v w="$1" -v f="$2" -v u="$3" -v l="$4" -v p="$5" -v cf="${6:-0}" -v cp="${7:-0}" 'BEGIN {
        printf "%-42s %8.1f %s  (peer %.1f, ratio %.2f, limit %s: %s", w, f, u, p, f / p, l,
            f / p <= l ? "held" : "MISSED"
        if (cp > 0)
            printf "; of CPU time %.2f", cf / cp
        print ")" }'
}
calc() { awk -v c="$cores" "BEGIN {print $1}"; }

for _ in 1 2 3 4; do
    for n in 64 256; do
        measure sign$n mlxdpa -e host$n -c chain.pem -p leaf.pem -o host$n.signed sign_dpa_apps
    done
    peers
done
# The full profile hashes file, segments and sections: nearly three times the bytes. By CPU time,
# hashing is shared among the cores too.
for n in 64 256; do
    line "sign $n programs of 1 MiB" "$(least sign$n 2)" ms "$([ $n = 64 ] && echo 1.3 || echo 1.15)" \
        "$(calc "$n * $(least rsa 2) / c + $n * 3 * $(least sha 2)")" \
        "$(least sign$n 3)" "$(calc "$n * $(least rsa 3) + $n * 3 * $(least sha 3)")"
done
line "peak memory of that, peer: file + 64 MiB" "$(calc "$(least sign256 4) / 1024")" MiB 1 \
    "$(calc "$(stat -c %s host256) / 1048576 + 64")"
rm host64* host256*

mlxdpa -e host1g -c chain.pem -p leaf.pem sign_dpa_apps >/dev/null
for _ in 1 2 3 4; do
    measure verify mlxdpa -e host1g --ca root.crt verify
    measure dgst openssl dgst -sha256 host1g
done
line "verify a host file of 1 GiB, 16 programs" "$(least verify 2)" ms 1.5 \
    "$(calc "$(least dgst 2) * 3 / c")" "$(least verify 3)" "$(calc "$(least dgst 3) * 3")"
