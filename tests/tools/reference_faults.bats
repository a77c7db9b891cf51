# Faults of the reference tool on host files, which our tool must not have.

source "$BATS_TEST_DIRNAME/../helpers/signing.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    make_device_elf
    openssl req -x509 -newkey rsa:4096 -nodes -keyout leaf.pem -outform der -out chain.der -subj /CN=Leaf -days 300 2>log
    openssl req -x509 -newkey rsa:2048 -nodes -keyout small.pem -outform der -out small.der -subj /CN=Small -days 300 2>>log
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    f=$BATS_FILE_TMPDIR
}

# object FILE: assembles an object from standard input; PROGRAM stands for the device ELF.
object() { sed "s,PROGRAM,.incbin \"$f/dev.elf\"," >x.s && gcc -c x.s -o "$1"; }
program() { printf '.section "%s","",@progbits\nPROGRAM\n' ".dpa_bin_$1"; }
reserved() { printf '.section "%s","",@progbits\n.zero %d\n' ".dpa_sig_$1" "${2:-65536}"; }

sign() { mlxdpa -c "$f/chain.der" -p "$f/leaf.pem" "$@" sign_dpa_apps; }
refused() {
    fails "$@"
    [ ! -s stdout ]
}

@test "names of programs never reach a shell" {
    (program 'a;touch x;#' && reserved 'a;touch x;#' && program '$(touch y)') | object host.o
    sign -e host.o -o out
    mlxdpa -e out --ca "$f/chain.der" verify | grep -qxF 'a;touch x;#:'
    mlxdpa -e out -o t export_tbs
    mlxdpa -e out strip_signature
    [ ! -e x ] && [ ! -e y ]
}

@test "names of files never reach a shell" {
    local d="a dir; touch x; #'\"\$(touch y)"
    mkdir "$d"
    (program one && reserved one) | object "$d/in"
    cp "$f/chain.der" "$d/chain" && cp "$f/leaf.pem" "$d/key"
    mlxdpa -e "$d/in" -c "$d/chain" -p "$d/key" -o "$d/out" sign_dpa_apps
    mlxdpa -e "$d/out" --ca "$d/chain" verify
    [ ! -e x ] && [ ! -e y ] && [ "$(ls -A "$d" | wc -l)" -eq 4 ]
}

@test "success is not claimed where nothing was written" {
    (program one && reserved one) | object host.o
    refused 1 "No such file" sign -e host.o -o nowhere/out
    [ -c /dev/full ] || skip "no /dev/full here"
    refused 1 "No space left" sign -e host.o -o /dev/full
}

@test "input from a pipe is not signed in place" {
    program one | object host.o
    refused 2 "not a regular file: give -o" sign -e <(cat host.o)
    refused 2 "not a regular file: give -o" mlxdpa -e <(cat host.o) strip_signature
    sign -e <(cat host.o) -o out
    sign -e host.o
    cmp out host.o
}

@test "an empty or random file is refused as a certificate" {
    (program one && reserved one) | object host.o
    : >empty
    head -c 1500 /dev/urandom >random
    refused 1 "empty: no certificate" mlxdpa -e host.o -c empty -p "$f/leaf.pem" -o out sign_dpa_apps
    refused 1 "random: " mlxdpa -e host.o -c random -p "$f/leaf.pem" -o out sign_dpa_apps
}

@test "a key of another size than the signature type says is refused" {
    (program one && reserved one) | object host.o
    refused 1 "its key is RSA-2048" mlxdpa -e host.o -c "$f/small.der" -p "$f/small.pem" -o out sign_dpa_apps
}

@test "counts do not wrap at 256" {
    for n in 240 260; do
        awk -v n=$n 'BEGIN { for (i = 0; i < n; i++) printf ".section s%d,\"\",@progbits\n.byte 1\n", i }' >many.s
        clang --target=riscv64 -c many.s -o many.o
        printf '.section .dpa_bin_one,""\n.incbin "many.o"\n' | object host$n.o
    done
    sign -e host240.o -o signed
    mlxdpa -e signed --ca "$f/chain.der" verify
    refused 1 "more than 255 sections" sign -e host260.o -o out
}

@test "without a program there is no success" {
    printf '.data\n.byte 1\n' | object host.o
    refused 1 "no DPA program" sign -e host.o -o out
    fails 12 "no DPA program" mlxdpa -e host.o --ca "$f/chain.der" verify
}

@test "a signature section without content, or too small, is refused" {
    (program one && printf '.section .dpa_sig_one,"",@nobits\n.zero 65536\n') | object nobits.o
    refused 1 ".dpa_sig_one has no plain content" sign -e nobits.o -o out
    (program one && reserved one 1000) | object small.o
    refused 1 ".dpa_sig_one has room for 1000 bytes" sign -e small.o -o out
    printf '.section .dpa_bin_one,"",@nobits\n.zero 4096\n' | object program.o
    refused 1 ".dpa_bin_one has no plain content" sign -e program.o -o out
}

@test "trouble with the last program leaves no half-signed file" {
    (program one && reserved one && program two && reserved two 1000) | object host.o
    cp host.o before
    refused 1 ".dpa_sig_two has room for 1000 bytes" sign -e host.o
    cmp host.o before
    [ "$(ls -A | grep -c dpk)" -eq 0 ]
}

@test "big-endian, 32-bit and header-only hosts are refused" {
    (program one && reserved one) | object host.o
    cp host.o big.o && printf '\x02' | dd of=big.o bs=1 seek=5 conv=notrunc status=none
    refused 1 "big-endian" sign -e big.o -o out
    gcc -m32 -c x.s -o narrow.o
    refused 1 "32-bit" sign -e narrow.o -o out
    head -c 64 host.o >header
    refused 1 "header: " sign -e header -o out
}

@test "an archive whose last member is longer than the file is refused" {
    (program one && reserved one) | object host.o
    ar rcS lib.a host.o
    printf '99999999' | dd of=lib.a bs=1 seek=$((8 + 48)) conv=notrunc status=none
    refused 1 "member host.o is longer than the archive" sign -e lib.a -o out
    ar rcS lib2.a host.o
    head -c -100 lib2.a >cut.a
    refused 1 "member host.o" sign -e cut.a -o out
}

# grows COMMAND... N: compares the command's processor time for 4000 programs with that for 500.
grows() {
    a=$(cost "$1" 500) b=$(cost "$1" 4000)
    awk -v a="$a" -v b="$b" 'BEGIN { print a, b; exit !(b < 20 * (a + 0.02)) }'
}
cost() { ( TIMEFORMAT=%U; time for _ in 1 2 3; do $1 $2 >/dev/null; done ) 2>&1; }

@test "time grows with the number of programs, not with its square" {
    # Listing and stripping make no signatures. So the crypto data need not be valid.
    for n in 500 4000; do
        for i in $(seq $n); do
            printf '.section .dpa_bin_p%d,"",@progbits\nPROGRAM\n.section .dpa_sig_p%d,"",@progbits\n.quad 8, 1\n' $i $i
        done | object reserved$n
        for i in $(seq $n); do
            printf '.section .dpa_bin_p%d,"",@progbits\nPROGRAM\n.section .dpa_sig_p%d,"",@progbits\n.zero 64\n.ascii "HASHLIST"\n' $i $i
        done | object added$n
    done
    list() { mlxdpa -e reserved$1 list; }
    strip() { mlxdpa -e $2$1 -o out strip_signature; }
    strip_reserved() { strip $1 reserved; }
    strip_added() { strip $1 added; }
    grows list
    grows strip_reserved
    grows strip_added
}
