# mlxdpa: signing, verifying and listing programs.

source "$BATS_TEST_DIRNAME/../helpers/signing.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    # A host file with and a host file without a reserved place for signatures; both have two programs.
    printf '.section .dpa_bin_%s,"",@progbits\n.incbin "dev.elf"\n' one two >bare.s
    for p in one two; do
        printf '.section .dpa_sig_%s,"",@progbits\n.zero 65536\n' $p
    done | cat bare.s - >reserved.s
    make_device_elf
    printf 'int main(void) { return 7; }\n' >main.c
    gcc main.c reserved.s -o reserved
    gcc main.c bare.s -o bare
    gcc -c reserved.s -o reserved.o
    ar rc reserved.a reserved.o
    gcc -c bare.s -o bare.o
    ar rc bare.a bare.o

    cp "$test_keys"/{root,leaf}.pem .
    openssl req -x509 -key root.pem -outform der -out root.der -subj /CN=Root -days 300
    openssl x509 -inform der -in root.der -out root.crt
    openssl req -new -key leaf.pem -subj /CN=Leaf -out leaf.csr
    openssl x509 -req -in leaf.csr -CA root.crt -CAkey root.pem -set_serial 2 -days 300 \
        -outform der -out leaf.der 2>>log
    cat root.der leaf.der >chain.der
    openssl req -x509 -newkey rsa:2048 -nodes -keyout foreign.pem -out foreign.crt \
        -subj /CN=Foreign -days 300 2>>log
    openssl req -x509 -key leaf.pem -out stranger.crt -subj /CN=Stranger -days 300
    mlxdpa -e reserved -c chain.der -p leaf.pem -o signed sign_dpa_apps
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    f=$BATS_FILE_TMPDIR
}

sign() {
    mlxdpa -c "$f/chain.der" -p "$f/leaf.pem" "$@" sign_dpa_apps
}

@test "a signed executable still runs" {
    for host in reserved bare; do
        sign -e "$f/$host" -o out
        run ./out
        [ "$status" -eq 7 ]
    done
}

@test "signing says so" {
    run sign -e "$f/reserved" -o out
    [ "$output" = "DPA apps signed successfully!" ]
}

@test "a signed program verifies, and each check is printed" {
    run mlxdpa -e "$f/signed" --ca "$f/root.der" verify
    [ "$status" -eq 0 ]
    for check in 'crypto data' 'signature type' 'hash list' 'chain' 'certificates' 'leaf key' \
        'signature'; do
        [ "$(grep -cE "^  $check +OK" <<<"$output")" -eq 2 ]
    done
    [ "${lines[-1]}" = "2 DPA programs verified." ]
}

@test "a root certificate may be PEM, and one of several" {
    mlxdpa -e "$f/signed" --ca "$f/stranger.crt" --ca "$f/root.crt" verify
    cat "$f/stranger.crt" "$f/root.crt" >both
    mlxdpa -e "$f/signed" --ca both verify
}

@test "the command may come first" {
    mlxdpa verify -e "$f/signed" --ca "$f/root.der"
}

@test "without -o the file is signed in place and keeps its mode" {
    cp "$f/reserved" host
    chmod 750 host
    sign -e host
    cmp host "$f/signed"
    [ "$(stat -c %a host)" = 750 ]
    [ "$(ls -A | wc -l)" -eq 1 ]
}

@test "programs that sign one file in place at once lose no signature" {
    names=(a b c d e f)
    for p in "${names[@]}"; do
        printf '.section .dpa_bin_%s,"",@progbits\n.incbin "%s/dev.elf"\n' $p "$f"
        printf '.section .dpa_sig_%s,"",@progbits\n.zero 65536\n' $p
    done >many.s
    gcc -c many.s -o many
    cp many one_by_one
    for p in "${names[@]}"; do
        sign -e one_by_one --app $p
    done
    for way in '-e many' 'many' '-e many -o ./many'; do
        gcc -c many.s -o many
        pids=()
        for p in "${names[@]}"; do
            if [ "$way" = many ]; then
                mlxdpa sign many -c "$f/chain.der" -p "$f/leaf.pem" --app $p >out.$p 2>&1 3>&- &
            else
                # shellcheck disable=SC2086
                sign $way --app $p >out.$p 2>&1 3>&- &
            fi
            pids+=($!)
        done
        for pid in "${pids[@]}"; do
            wait "$pid" || { cat out.*; false; }
        done
        cmp many one_by_one
    done
    # A command that writes to another file does not wait.
    flock many mlxdpa -e many -o elsewhere strip_signature
}

@test "a command that waits for a file says so" {
    cp "$f/reserved" host
    flock host sleep 1 &
    while flock -n host true; do sleep 0.05; done
    sign -e host >stdout 2>stderr
    wait
    diff stderr - <<<'-I- host: waiting for another program that changes it'
}

@test "a file with other names is replaced under its own, with a warning" {
    cp "$f/reserved" host
    ln host other
    sign -e host >stdout 2>stderr
    grep -q '^-W- host: the file has 2 names (hard links): ' stderr
    mlxdpa -e host --ca "$f/root.der" verify
    cmp other "$f/reserved"
    sign -e host >stdout 2>stderr
    [ ! -s stderr ]
}

@test "a symbolic link is followed, not replaced" {
    cp "$f/reserved" host
    ln -s host link
    sign -e link
    [ -L link ]
    cmp host "$f/signed"
}

@test "signing again gives the same file" {
    sign -e "$f/signed" -o out
    cmp out "$f/signed"
}

@test "an added section is seen by readelf and survives strip" {
    sign -e "$f/bare" -o out --section-type progbits
    readelf -SW out | grep -q ' .dpa_sig_one '
    strip out
    mlxdpa -e out --ca "$f/root.der" verify
    run ./out
    [ "$status" -eq 7 ]
}

@test "an added section has the guide's type by default" {
    sign -e "$f/bare" -o out
    [ "$(readelf -SW out | grep -c '\.dpa_sig_.*LOPROC+0x666')" -eq 2 ]
    mlxdpa -e out --ca "$f/root.der" verify
}

@test "relocatable objects and archives are signed, and link" {
    sign -e "$f/reserved.o" -o out.o
    sign -e "$f/reserved.a" -o out.a
    gcc "$f/main.c" out.o -o from_object
    gcc "$f/main.c" -Wl,--whole-archive out.a -Wl,--no-whole-archive -o from_archive
    mlxdpa -e from_object --ca "$f/root.der" verify
    mlxdpa -e from_archive --ca "$f/root.der" verify
    mlxdpa -e out.a --ca "$f/root.der" verify
}

@test "sections are added in an archive, whose symbol index and other members stay right" {
    printf 'int odd_function(void) { return 3; }\n' >odd.c
    printf 'int odd_function(void);\nint main(void) { return 4 + odd_function(); }\n' >uses.c
    gcc -c odd.c -o a_member_with_a_rather_long_name.o
    for name in one two; do
        printf '.section .dpa_bin_%s,"",@progbits\n.incbin "%s/dev.elf"\n' $name "$f" >m.s
        gcc -c m.s -o $name.o
    done
    ar rcs lib.a one.o two.o a_member_with_a_rather_long_name.o
    sign -e lib.a -o out.a --section-type progbits
    mlxdpa -e out.a --ca "$f/root.der" verify
    ar p out.a a_member_with_a_rather_long_name.o | cmp - a_member_with_a_rather_long_name.o
    gcc uses.c -Wl,--whole-archive out.a -Wl,--no-whole-archive -o whole
    mlxdpa -e whole --ca "$f/root.der" verify
    gcc uses.c out.a -o by_index # finds the function through the symbol index
    run ./by_index
    [ "$status" -eq 7 ]
    cp out.a again.a
    ar s again.a
    cmp <(ar t again.a) <(ar t lib.a)
}

@test "an encrypted key takes its passphrase from a file or the environment" {
    openssl rsa -in "$f/leaf.pem" -aes256 -passout pass:sesame -out locked.pem 2>log
    printf 'sesame\n' >word
    mlxdpa -e "$f/reserved" -c "$f/chain.der" -p locked.pem --passin file:word -o a sign_dpa_apps
    cmp a "$f/signed"
    WORD=sesame mlxdpa -e "$f/reserved" -c "$f/chain.der" -p locked.pem --passin env:WORD -o b \
        sign_dpa_apps
    cmp b "$f/signed"
    fails 1 passphrase mlxdpa -e "$f/reserved" -c "$f/chain.der" -p locked.pem -o out sign_dpa_apps
    fails 1 passphrase mlxdpa -e "$f/reserved" -c "$f/chain.der" -p locked.pem --passin pass:x \
        -o out sign_dpa_apps
    ! grep -q sesame stderr || false
}

# ---- Refusing -------------------------------------------------------------------------------------

@test "an unsigned program is refused" {
    fails 11 "UNSIGNED" mlxdpa -e "$f/reserved" --ca "$f/root.der" verify
    grep -q '=> refused, UNSIGNED (1)' stdout
}

@test "a program under another CA is refused" {
    fails 16 "UNKNOWN_CA" mlxdpa -e "$f/signed" --ca "$f/stranger.crt" verify
}

@test "a changed program is refused, with the segment; the other one is verified" {
    cp "$f/signed" host
    at=$(mlxdpa -e host list | awk '$2 == "two" {print $3}')
    size=$(mlxdpa -e host list | awk '$2 == "two" {print $4}')
    code=$(LC_ALL=C grep -obUaP '\x13{64}' host | awk -F: -v a="$at" '$1 >= a {print $1; exit}')
    [ "$code" -lt $((at + size)) ]
    printf '\x14' | dd of=host bs=1 seek="$code" conv=notrunc status=none
    fails 14 "1 of 2 DPA programs refused; two: DIGEST_MISMATCH (segment" \
        mlxdpa -e host --ca "$f/root.der" verify
    grep -q '=> verified' stdout
}

@test "verify prints JSON" {
    mlxdpa -e "$f/signed" --ca "$f/root.der" --json verify >out.json
    [ "$(jq -r '"\(length) \(.[0].name) \(.[0].verdict) \(.[1].checks[2].name)"' out.json)" = \
        "2 one OK hash list" ]
}

@test "list prints index, name, offset, size and section" {
    run mlxdpa -e "$f/reserved" list
    [ "$status" -eq 0 ]
    [ "$(echo "${lines[0]}" | tr -s ' ')" = "Index Name Offset Size Crypto data section" ]
    size=$(stat -c %s "$f/dev.elf")
    read -r index name offset listed section <<<"${lines[2]}"
    [ "$index $name $listed $section" = "1 two $size .dpa_sig_two" ]
    cmp "$f/dev.elf" <(tail -c +$((offset + 1)) "$f/reserved" | head -c "$size")
}

@test "list prints JSON" {
    mlxdpa -e "$f/signed" --json list >out.json
    [ "$(jq -r '"\(.[0].placement) \(.[0].signed) \(.[1].index)"' out.json)" = \
        "reserved true 1" ]
}

# ---- Bad input ------------------------------------------------------------------------------------

@test "a missing option is named" {
    fails 2 "needs -c" mlxdpa sign_dpa_apps
    fails 2 "needs -e" mlxdpa -c "$f/chain.der" -p "$f/leaf.pem" sign_dpa_apps
    fails 2 "needs -c" mlxdpa -e "$f/bare" sign_dpa_apps
    fails 2 "needs -p" mlxdpa -e "$f/bare" -c "$f/chain.der" sign_dpa_apps
    fails 2 "needs --ca" mlxdpa -e "$f/bare" verify
    fails 2 "needs -e" mlxdpa list
    fails 1 "/bin/true: no DPA program in it" mlxdpa list /bin/true
    fails 1 "/bin/true: no DPA program in it" mlxdpa list /bin/true --json
    fails 2 "no command" mlxdpa -e "$f/bare"
}

@test "a wrong word is named" {
    fails 2 "unknown command verfy; did you mean verify?" mlxdpa verfy
    fails 2 "--profile: 'fat' is not full or compact" sign -e "$f/bare" --profile fat -o out
    fails 2 "--section-type: 'x' is not progbits or cryptodata" sign -e "$f/bare" --section-type x -o out
    fails 2 "--cert_chain_count" sign -e "$f/bare" --cert_chain_count 0 -o out
    fails 2 "--cert_chain_count" sign -e "$f/bare" --cert_chain_count 3x -o out
    for n in 10 0x 0x10 x3 -1 0x100000003; do
        fails 2 "is not a hexadecimal number from 1 to f" sign -e "$f/bare" "--cert_chain_count=$n" -o out
    done
    fails 2 "extra" mlxdpa -e "$f/bare" list extra
    fails 2 "--passin" sign -e "$f/bare" --passin sesame -o out
}

@test "a count that is not the chain's is refused, or stored for compatibility" {
    sign -e "$f/reserved" --cert_chain_count 2 -o two
    sign -e "$f/reserved" --cert_chain_count 0x2 -o again
    cmp two again
    cmp two "$f/signed"
    fails 1 "2 certificates, but --cert_chain_count is 3" \
        sign -e "$f/reserved" --cert_chain_count 3 -o out
    sign -e "$f/reserved" --cert_chain_count 3 --mft-compat -o compat
    mlxdpa -e compat --ca "$f/root.der" verify | grep -q 'chain  *warning'
}

@test "a missing file is named" {
    fails 1 "nowhere: No such file" sign -e nowhere -o out
    fails 1 "nowhere: No such file" mlxdpa -e "$f/bare" -c nowhere -p "$f/leaf.pem" -o out sign_dpa_apps
    fails 1 "nowhere: No such file" mlxdpa -e "$f/bare" -c "$f/chain.der" -p nowhere -o out sign_dpa_apps
    fails 1 "nowhere: No such file" mlxdpa -e "$f/signed" --ca nowhere verify
    fails 1 "nowhere" sign -e "$f/bare" -o nowhere/out
    fails 1 "$f: Is a directory" sign -e "$f" -o out
}

@test "a file of the wrong kind is named" {
    echo hello >text
    : >empty
    fails 1 "text: neither an ELF file nor an archive" sign -e text -o out
    fails 1 "empty: empty file" sign -e empty -o out
    fails 1 "text: certificate 1" mlxdpa -e "$f/bare" -c text -p "$f/leaf.pem" -o out sign_dpa_apps
    fails 1 "empty: no certificate" mlxdpa -e "$f/bare" -c empty -p "$f/leaf.pem" -o out sign_dpa_apps
    fails 1 "text: not a PEM file; a DER key becomes one with openssl pkey -inform der" mlxdpa -e "$f/bare" -c "$f/chain.der" -p text -o out sign_dpa_apps
    fails 1 "root.crt: a certificate, where a private key is asked for" \
        mlxdpa -e "$f/bare" -c "$f/chain.der" -p "$f/root.crt" -o out sign_dpa_apps
    fails 1 "not self-signed" mlxdpa -e "$f/signed" --ca "$f/leaf.der" verify
    gcc "$f/main.c" -o plain
    fails 1 "plain: no DPA program" sign -e plain -o out
    fails 12 "no DPA program" mlxdpa -e plain --ca "$f/root.der" verify
}

@test "a key that does not fit is refused" {
    fails 1 "not the one of the leaf certificate CN=Leaf" \
        mlxdpa -e "$f/bare" -c "$f/chain.der" -p "$f/root.pem" -o out sign_dpa_apps
    fails 1 "RSA-2048" \
        mlxdpa -e "$f/bare" -c "$f/foreign.crt" -p "$f/foreign.pem" -o out sign_dpa_apps
}

@test "a device program for another machine is signed with --force alone" {
    printf 'int main(void) { return 0; }' | gcc -x c - -o x86
    printf '.section .dpa_bin_odd,"",@progbits\n.incbin "x86"\n' | gcc -c -x assembler - -o host
    fails 1 "host: program odd: its device ELF is not one for RISC-V" sign -e host -o out
    fails 1 "program odd: its device ELF is not one for RISC-V" \
        mlxdpa -e host -o out export_tbs
    sign -e host -o forced --force
    fails 12 "BAD_FORMAT (right, but the ELF is not for RISC-V)" mlxdpa -e forced --ca "$f/root.der" verify
    mlxdpa -e host -o forced --force export_tbs
    [ -s forced.odd.tbs ]
}

@test "a root that is damaged signs with --force alone" {
    head -c -1 "$f/root.der" >damaged.der
    tail -c 1 "$f/root.der" | tr '\000-\377' '\001-\377\000' >>damaged.der
    cat damaged.der "$f/leaf.der" >damaged.chain
    fails 1 "damaged.chain: certificate chain: the root certificate is damaged" \
        mlxdpa -e "$f/reserved" -c damaged.chain -p "$f/leaf.pem" -o out sign_dpa_apps
    mlxdpa -e "$f/reserved" -c damaged.chain -p "$f/leaf.pem" -o forced --force sign_dpa_apps 2>err
    grep -q '^-W- damaged.chain: certificate chain: the root certificate is damaged' err
    fails 16 UNKNOWN_CA mlxdpa -e forced --ca "$f/root.der" verify
}

@test "an output that cannot be written leaves the host file as it was" {
    mkdir full
    cp "$f/reserved" full/host
    # The file size limit takes the place of a full disk, also for root.
    fails 1 "full/host: File too large" bash -c 'trap "" XFSZ; ulimit -f 4; exec mlxdpa "$@"' _ \
        -e full/host -c "$f/chain.der" -p "$f/leaf.pem" sign_dpa_apps
    cmp full/host "$f/reserved"
    [ "$(ls -A full)" = host ]
}

@test "a truncated host file is refused" {
    for n in 1 63 64 1000 16000; do
        head -c $n "$f/signed" >cut
        fails 1 "cut: " sign -e cut -o out
        fails 12 "cut: " mlxdpa -e cut --ca "$f/root.der" verify
    done
}

# ---- The reference tool's files -------------------------------------------------------------------

@test "the named placement equals the reference tool's output" {
    g=$DPAKIT_GOLDEN
    mlxdpa -e "$g/hostelf/host-named.elf" -c "$g/keys/chain3.der" -p "$g/keys/leaf.pem" \
        --cert_chain_count 3 --mft-compat -o out sign_dpa_apps
    cmp out "$g/hostelf/host-named.signed"
}

@test "the reserved placement equals the reference tool's output" {
    g=$DPAKIT_GOLDEN
    mlxdpa -e "$g/hostelf/host-reserved.elf" -c "$g/keys/chain3.der" -p "$g/keys/leaf.pem" \
        --profile compact --mft-compat -o out sign_dpa_apps
    cmp out "$g/hostelf/host-reserved.signed"
    for p in one two; do
        objcopy -O binary --only-section=.dpa_sig_$p --set-section-flags .dpa_sig_$p=alloc out s
        cmp s "$g/hostelf/$p.compact.section"
    done
}

@test "the reference tool's signed files verify" {
    for h in named reserved; do
        mlxdpa -e "$DPAKIT_GOLDEN/hostelf/host-$h.signed" --ca "$DPAKIT_GOLDEN/keys/root.der" verify
    done
}
