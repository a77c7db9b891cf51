#!/bin/bash
# Signing and verifying a host ELF with 64 programs of 1 MiB, next to what `openssl speed` says the
# signatures and the hashing alone must cost on one core of this machine, in the same run.
set -euo pipefail
programs=${PROGRAMS:-64}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Device programs that differ, of 1 MiB each, and a host that holds them all.
echo 'void _start(void) { for (;;) ; }' >start.c
clang --target=riscv64-unknown-elf -march=rv64imac -mabi=lp64 -mno-relax -ffreestanding -c start.c
cat >host.c <<'EOF'
int main(void) { return 0; }
EOF
for i in $(seq "$programs"); do
    head -c 1048576 /dev/urandom >data.bin
    printf '.section .rodata\n.incbin "data.bin"\n' >data.s
    clang --target=riscv64-unknown-elf -march=rv64imac -mabi=lp64 -c data.s
    ld.lld start.o data.o -o "dev$i.elf"
    cat >>host.c <<EOF
__asm__(".section .dpa_bin_p$i,\"a\"\n.incbin \"dev$i.elf\"\n.section .dpa_sig_p$i,\"a\"\n.zero 65536\n.text");
EOF
done
gcc host.c -o host

ca() { openssl req -x509 -newkey rsa:4096 -nodes -keyout root.pem -outform der -out root.der -subj /CN=root -days 30 2>/dev/null; }
ca
openssl req -newkey rsa:4096 -nodes -keyout leaf.pem -out leaf.csr -subj /CN=leaf 2>/dev/null
openssl x509 -req -in leaf.csr -CA root.der -CAform der -CAkey root.pem -days 30 -set_serial 2 -outform der -out leaf.der 2>/dev/null
cat root.der leaf.der >chain.der

# median_ms RUNS COMMAND...: wall milliseconds
median_ms() {
    local n=$1 t
    shift
    for _ in $(seq "$n"); do
        t=$(date +%s%N)
        "$@" >/dev/null
        echo $((($(date +%s%N) - t) / 1000))
    done | sort -n | awk '{a[NR] = $1} END {printf "%.1f", a[int((NR + 1) / 2)] / 1000}'
}
sign=$(median_ms 5 mlxdpa -e host -c chain.der -p leaf.pem -o signed sign_dpa_apps)
verify=$(median_ms 5 mlxdpa -e signed --ca root.der verify)
read -r rsa_sign rsa_verify < <(openssl speed -seconds 2 rsa4096 2>/dev/null |
    awk '/^rsa 4096/ {gsub("s", ""); print $4 * 1000, $5 * 1000}')
sha=$(openssl speed -seconds 2 -bytes 1048576 -evp sha256 2>/dev/null | awk '/^(SHA256|sha256)/ {gsub("k", "", $2); print $2 / 1048.576}')
# The format hashes every byte about three times: the file, its segments, its sections.
awk -v n="$programs" -v s="$sign" -v v="$verify" -v rs="$rsa_sign" -v rv="$rsa_verify" -v h="$sha" 'BEGIN {
    hash = n * 3 / h * 1000
    printf "sign   %d programs of 1 MiB  %8.1f ms  (openssl speed, one core: %d signatures %.1f ms + sha256 of %d MiB %.1f ms, ratio %.2f)\n", n, s, n, n * rs, n * 3, hash, s / (n * rs + hash)
    printf "verify %d programs of 1 MiB  %8.1f ms  (openssl speed, one core: %d verifications %.1f ms + sha256 of %d MiB %.1f ms, ratio %.2f)\n", n, v, n * 3, n * 3 * rv, n * 3, hash, v / (n * 3 * rv + hash)
}'
