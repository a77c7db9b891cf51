# mlxdpa: what can be signed, and with which options; signing elsewhere; taking signatures out.

source "$BATS_TEST_DIRNAME/../helpers/signing.bash"
source "$BATS_TEST_DIRNAME/../helpers/terminal.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    make_device_elf
    printf '.section .dpa_bin_%s,"",@progbits\n.incbin "dev.elf"\n' one two three >bare.s
    for p in one two three; do
        printf '.section .dpa_sig_%s,"",@progbits\n.zero 65536\n' $p
    done | cat bare.s - >reserved.s
    for p in one two three; do
        printf '.section .dpa_sig_name_%s,"",@progbits\n.zero 256\n' $p
    done | cat bare.s - >named.s
    printf 'int main(void) { return 7; }\n' >main.c
    for kind in reserved named bare; do gcc main.c $kind.s -Wl,-z,noexecstack -o $kind; done

    # root > intermediate > leaf, and an expired leaf
    cp "$test_keys"/{root,leaf}.pem .
    cp "$test_keys/intermediate.pem" inter.pem
    openssl req -x509 -key root.pem -out root.crt -subj /CN=Root -days 300
    printf 'basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign\n' >ca.ext
    openssl req -new -key inter.pem -subj /CN=Inter -out inter.csr
    openssl x509 -req -in inter.csr -CA root.crt -CAkey root.pem -set_serial 2 -days 300 -extfile ca.ext \
        -out inter.crt 2>>log
    openssl req -new -key leaf.pem -subj /CN=Leaf -out leaf.csr
    openssl x509 -req -in leaf.csr -CA inter.crt -CAkey inter.pem -set_serial 3 -days 300 -out leaf.crt 2>>log
    for c in root inter leaf; do openssl x509 -in $c.crt -outform der -out $c.der; done
    cat root.der inter.der leaf.der >chain.der
    expired_certificate leaf.csr root.crt root.pem old.crt
    for kind in reserved named bare; do
        mlxdpa -e $kind -c chain.der -p leaf.pem -o $kind.signed sign_dpa_apps
    done
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    f=$BATS_FILE_TMPDIR
}

sign() { mlxdpa -c "$f/chain.der" -p "$f/leaf.pem" "$@" sign_dpa_apps; }
attach() { mlxdpa -c "$f/chain.der" --signature t "$@" attach_signature; }
verified() { mlxdpa -e "$1" --ca "$f/root.crt" verify >checks || { cat checks; return 1; }; }

# ---- Which programs, which chain ------------------------------------------------------------------

@test "only the programs that are named are signed" {
    for kind in reserved named bare; do
        sign -e "$f/$kind" -o out --app three --app one
        [ "$(mlxdpa -e out --json list | jq -c '[.[] | .signed]')" = '[true,false,true]' ]
        sign -e out --app two
        verified out
        [ $kind != reserved ] || cmp out "$f/$kind.signed"
    done
    rm out
    fails 1 "no DPA program four; there are: one, two, three" sign -e "$f/bare" --app four -o out
}

@test "a chain may be DER or PEM, in any order" {
    cat "$f/leaf.der" "$f/root.der" "$f/inter.der" >mixed.der
    cat "$f/inter.crt" "$f/leaf.crt" "$f/root.crt" >mixed.pem
    for c in mixed.der mixed.pem; do
        mlxdpa -e "$f/reserved" -c $c -p "$f/leaf.pem" -o out sign_dpa_apps
        cmp out "$f/reserved.signed"
    done
}

@test "a chain with a gap, and one with a stranger, are refused" {
    cat "$f/root.der" "$f/leaf.der" >gap
    fails 1 "do not form one chain" mlxdpa -e "$f/bare" -c gap -p "$f/leaf.pem" -o out sign_dpa_apps
}

@test "an expired leaf is refused; --force signs all the same and warns" {
    cat "$f/root.crt" "$f/old.crt" >old
    fails 1 "certificate has expired: CN=Leaf" mlxdpa -e "$f/reserved" -c old -p "$f/leaf.pem" -o out sign_dpa_apps
    mlxdpa -e "$f/reserved" -c old -p "$f/leaf.pem" -o forced --force sign_dpa_apps 2>stderr
    grep -q '^-W- old: .*expired' stderr
    fails 17 "CERT_INVALID" mlxdpa -e forced --ca "$f/root.crt" verify
}

@test "--force does not make another key the leaf's" {
    fails 1 "not the one of the leaf" \
        mlxdpa -e "$f/reserved" -c "$f/chain.der" -p "$f/root.pem" --force -o out sign_dpa_apps
}

@test "any number of threads gives the same file" {
    for j in 1 2 7; do
        sign -e "$f/bare" -j $j -o out
        cmp out "$f/bare.signed"
    done
    rm out
    fails 2 "option -j" sign -e "$f/bare" -j 0 -o out
    fails 2 "option -j" sign -e "$f/bare" -j 2x -o out
}

@test "place, time zone, language and umask do not change the signed file" {
    for kind in reserved bare named; do
        mkdir "$kind" && cp "$f/$kind" "$kind/in put" && cp "$f/chain.der" "$f/leaf.pem" "$kind"
        (cd "$kind" && umask 077 && TZ=Pacific/Kiritimati LC_ALL=C.UTF-8 HOME=/nonexistent \
            mlxdpa -e "in put" -c chain.der -p ./leaf.pem -o out -j 3 sign_dpa_apps)
        cmp "$kind/out" "$f/$kind.signed"
    done
}

@test "hosts of other machines are signed" {
    for machine in aarch64 riscv64; do
        clang --target=$machine-linux-gnu -c -x assembler "$f/reserved.s" -I"$f" -o $machine.o \
            -Wa,-I"$f"
        ld.lld -m "$([ $machine = aarch64 ] && echo aarch64elf || echo elf64lriscv)" -shared $machine.o -o $machine.so
        for x in $machine.o $machine.so; do
            sign -e $x -o out
            verified out
            rm out
        done
    done
}

@test "PIE, fixed address and shared libraries are signed, and run" {
    (cd "$f" && gcc -no-pie main.c bare.s -o "$BATS_TEST_TMPDIR/fixed" &&
        gcc -shared -fPIC -x c main.c -x assembler bare.s -Wl,-z,noexecstack -o "$BATS_TEST_TMPDIR/lib.so") 2>log
    sign -e fixed
    run ./fixed
    [ "$status" -eq 7 ]
    sign -e lib.so
    verified lib.so
    verified fixed
}

@test "sections are added to a file with extended section numbering" {
    awk 'BEGIN { for (i = 0; i < 65300; i++) printf ".section s%d,\"\",@progbits\n.byte 1\n", i }' >many.s
    gcc -c many.s -o many.o
    (cd "$f" && gcc -c bare.s -o "$BATS_TEST_TMPDIR/bare.o")
    ld -r many.o bare.o -o both.o
    readelf -h both.o | grep -q 'section headers: *0 (653'
    sign -e both.o -o out --section-type progbits
    verified out
    [ "$(readelf -SW out 2>stderr | grep -c 'dpa_sig_')" -eq 3 ]
    [ ! -s stderr ]
    mlxdpa -e out strip_signature
    [ "$(mlxdpa -e out --json list | jq -c '[.[] | .signed]')" = '[false,false,false]' ]
}

@test "a manifest is signed in the compact profile" {
    # An area of one member: 10 bytes for bf3.
    {
        cat "$f/reserved.s"
        printf '.section .dpa_proc_attr_two,"",@progbits\n.ascii "NVDPAFBF"\n.long 1, 1, 0, 0, 2, 0\n'
        printf '.quad 56, 26, 0\n.quad 0, 10\n.ascii "stack 4096"\n'
    } >m.s
    gcc -c -Wa,-I"$f" m.s -o host.o
    sign -e host.o -o out --profile compact
    verified out
    at=$(LC_ALL=C grep -obUa 'stack 4096' out | cut -d: -f1)
    printf X | dd of=out bs=1 seek="$at" conv=notrunc status=none
    ! mlxdpa -e out --ca "$f/root.crt" verify >checks 2>stderr || false
    grep -q 'two: DIGEST_MISMATCH (manifest)' stderr
    rm out
    objcopy --remove-section .dpa_proc_attr_two host.o without.o
    sign -e host.o -o with.o --profile compact
    objcopy --remove-section .dpa_proc_attr_two with.o without.o
    fails 12 "made for a program with a manifest" mlxdpa -e without.o --ca "$f/root.crt" verify
}

# ---- Signing elsewhere ----------------------------------------------------------------------------

@test "signatures made elsewhere give the file that the key here gives" {
    for kind in reserved bare named; do
        mlxdpa -e "$f/$kind" -o t export_tbs >names
        [ "$(cat names)" = "$(printf 't.%s.tbs\n' one two three)" ]
        while read -r n; do
            openssl dgst -sha512 -sign "$f/leaf.pem" -out "${n%.tbs}.sig" "$n"
        done <names
        attach -e "$f/$kind" -o out
        cmp out "$f/$kind.signed"
    done
}

@test "digests are exported for those who sign digests" {
    mlxdpa -e "$f/reserved" -o t --digest --app two export_tbs
    [ "$(stat -c %s t.two.sha512)" -eq 64 ]
    openssl pkeyutl -sign -inkey "$f/leaf.pem" -pkeyopt digest:sha512 -in t.two.sha512 -out t.two.sig
    attach -e "$f/reserved" --app two -o out
    [ "$(mlxdpa -e out --json list | jq -c '[.[] | .signed]')" = '[false,true,false]' ]
}

@test "a signature that is not the leaf's of these bytes is refused" {
    mlxdpa -e "$f/reserved" -o t export_tbs
    for p in one two three; do
        openssl dgst -sha512 -sign "$f/leaf.pem" -out t.$p.sig t.$p.tbs
    done
    fails 1 "program one: the signature is not one of these bytes" attach -e "$f/reserved" --profile compact -o out
    openssl dgst -sha512 -sign "$f/root.pem" -out t.two.sig t.two.tbs
    fails 1 "program two: the signature is not one of these bytes" attach -e "$f/reserved" -o out
    head -c 100 /dev/zero >t.two.sig
    fails 1 "t.two.sig: 100 bytes, a signature has 512" attach -e "$f/reserved" -o out
    rm t.three.sig
    fails 1 "t.three.sig: No such file" attach -e "$f/reserved" --app three -o out
    fails 2 "needs --signature" mlxdpa -e "$f/reserved" -c "$f/chain.der" attach_signature
}

@test "names of programs become names of files that stay where they are" {
    (cd "$f" && sed 's,dpa_bin_one,"dpa_bin_../../a b;%",; s,\.section \.\("\),.section \1.,' bare.s) >odd.s
    gcc -c -Wa,-I"$f" odd.s -o odd.o
    mlxdpa -e odd.o -o t export_tbs >names
    grep -qx 't.%2E.%2F..%2Fa%20b%3B%25.tbs' names
    [ -f 't.%2E.%2F..%2Fa%20b%3B%25.tbs' ]
}

# ---- Stripping ------------------------------------------------------------------------------------

@test "a stripped file is the unsigned one" {
    for kind in reserved named bare; do
        mlxdpa -e "$f/$kind.signed" -o out strip_signature
        cmp out "$f/$kind"
    done
    sign -e "$f/reserved" --section-type cryptodata -o out
    mlxdpa -e out strip_signature
    cmp out "$f/reserved"
}

@test "signing again after stripping gives the same file" {
    mlxdpa -e "$f/bare.signed" -o out --app two strip_signature
    [ "$(mlxdpa -e out --json list | jq -c '[.[] | .signed]')" = '[true,false,true]' ]
    run ./out
    [ "$status" -eq 7 ]
    mlxdpa -e out strip_signature
    [ "$(mlxdpa -e out --json list | jq -c '[.[] | .signed]')" = '[false,false,false]' ]
    mv out stripped
    fails 1 "stripped: no program of it is signed" mlxdpa -e stripped -o out strip_signature
}

@test "signatures are stripped from an archive" {
    (cd "$f" && gcc -c bare.s -o "$BATS_TEST_TMPDIR/b.o")
    gcc -c "$f/main.c" -o m.o
    ar rcs lib.a b.o m.o
    sign -e lib.a -o out
    mlxdpa -e out strip_signature
    cmp out lib.a
}

@test "an archive with a 64-bit symbol index grows" {
    (cd "$f" && gcc -c bare.s -o "$BATS_TEST_TMPDIR/b.o")
    echo 'int behind(void) { return 7; }' >m.c
    echo 'int behind(void); int main(void) { return behind(); }' >main.c
    gcc -c m.c
    SYM64_THRESHOLD=0 llvm-ar rcD lib.a b.o m.o
    [ "$(head -c 15 lib.a | tail -c 7)" = /SYM64/ ]
    sign -e lib.a -o out.a
    verified out.a
    [ "$(stat -c %s out.a)" -gt "$(stat -c %s lib.a)" ]
    gcc main.c out.a -o main
    code=0
    ./main || code=$?
    [ "$code" -eq 7 ]
    mlxdpa -e out.a strip_signature
    cmp out.a lib.a
    printf '\377' | dd of=lib.a bs=1 seek=68 conv=notrunc status=none
    fails 1 "damaged symbol index of the archive" sign -e lib.a -o out.a
}

# ---- Words ----------------------------------------------------------------------------------------

@test "strip_signature takes the host file as its argument, too" {
    mlxdpa -e "$f/bare.signed" -o out strip_signature
    cp "$f/bare.signed" word
    mlxdpa strip_signature word
    cmp out word
    fails 2 "strip_signature needs -e HOST_ELF or HOST_ELF" mlxdpa strip_signature
    fails 2 "strip_signature needs -e HOST_ELF or HOST_ELF, not both" mlxdpa -e out strip_signature word
}

@test "an option that does not belong to the command is refused" {
    fails 2 "sign_dpa_apps takes no --ca" sign -e "$f/bare" --ca "$f/root.crt" -o out
    fails 2 "list takes no -o" mlxdpa -e "$f/bare" -o out list
    fails 2 "verify takes no -c" mlxdpa -e "$f/bare" -c x --ca "$f/root.crt" verify
    fails 2 "strip_signature takes no -p" mlxdpa -e "$f/bare" -p x strip_signature
    fails 2 "export_tbs takes no --signature" mlxdpa -e "$f/bare" --signature x -o out export_tbs
}

@test "a bare device ELF is called one" {
    fails 1 "it is itself a RISC-V ELF" sign -e "$f/dev.elf" -o out
}

@test "no progress bar goes into a pipe; a terminal gets one after a second" {
    slow="sh -c 'sleep 1; exec openssl pkeyutl -sign -inkey $f/leaf.pem -pkeyopt digest:sha512'"
    mlxdpa -e "$f/reserved" -c "$f/chain.der" --sign-command "$slow" -o out sign_dpa_apps 2>stderr
    [ ! -s stderr ]
    need_terminal
    script -qec "$(printf '%q ' mlxdpa -e "$f/reserved" -c "$f/chain.der" --sign-command "$slow" -o out sign_dpa_apps)" \
        /dev/null >screen </dev/null
    grep -q 'signing \[#* *\] 2 of 3' screen
    cmp out "$f/reserved.signed"
}

@test "programs of a BSD archive are listed, verified, and signed where they have room" {
    command -v llvm-ar >/dev/null || skip "no llvm-ar here"
    mkdir bsd && cd bsd
    cp -r "$test_keys" keys
    make_device_elf
    make_host
    cp host a_member_with_a_very_long_name.o
    llvm-ar --format=bsd rcs lib.a a_member_with_a_very_long_name.o
    grep -q '#1/' lib.a
    mlxdpa -e lib.a list | grep -q one
    mlxdpa list lib.a --json | grep -q '"member":.*a_member_with_a_very_long_name.o"'
    mlxdpa -e lib.a -c keys/chain.der -p keys/leaf.pem -o signed.a sign_dpa_apps
    mlxdpa verify signed.a --ca keys/root.der | grep -q '2 DPA programs verified'
    llvm-ar x signed.a
    mlxdpa verify a_member_with_a_very_long_name.o --ca keys/root.der | grep -q '2 DPA programs verified'
    # Without room the members' sizes would change.
    printf '.section .dpa_bin_one,"",@progbits\n.incbin "dev.elf"\n' >bare.s
    gcc -c bare.s -o bare_member_with_a_very_long_name.o
    llvm-ar --format=bsd rcs bare.a bare_member_with_a_very_long_name.o
    fails 1 "make it again with llvm-ar --format=gnu" mlxdpa -e bare.a -c keys/chain.der -p keys/leaf.pem -o out sign_dpa_apps
    # A name that is longer than its member.
    sed 's|#1/36 |#1/99999|' bare.a >damaged.a
    fails 1 "damaged.a" mlxdpa -e damaged.a -c keys/chain.der -p keys/leaf.pem -o out sign_dpa_apps
}
