# Keys that sign: PEM asked for on a terminal, PKCS#11 tokens, commands.

source "$BATS_TEST_DIRNAME/../helpers/signing.bash"
source "$BATS_TEST_DIRNAME/../helpers/terminal.bash"
source "$BATS_TEST_DIRNAME/../helpers/await.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    make_device_elf
    for p in one two; do
        printf '.section .dpa_bin_%s,"",@progbits\n.incbin "dev.elf"\n' $p
        printf '.section .dpa_sig_%s,"",@progbits\n.zero 65536\n' $p
    done >host.s
    gcc -c host.s -o host
    openssl req -x509 -newkey rsa:4096 -nodes -keyout leaf.pem -outform der -out chain.der \
        -subj /CN=Leaf -days 30 2>log
    openssl pkey -in leaf.pem -pubout -out leaf.pub
    openssl genrsa -out other.pem 4096 2>>log
    openssl rsa -in leaf.pem -aes256 -passout pass:sesame -out locked.pem 2>>log
    mlxdpa -e host -c chain.der -p leaf.pem -o signed sign_dpa_apps
    mlxdpa --cert_container_type add -c chain.der -o container --life_cycle_priority OEM \
        --cert_uuid $uuid --keypair_uuid $uuid create_cert_container
    container -p leaf.pem -o container.signed

    mkdir tokens
    printf 'directories.tokendir = %s\nobjectstore.backend = file\nlog.level = ERROR\n' \
        "$PWD/tokens" >softhsm2.conf
    export SOFTHSM2_CONF=$PWD/softhsm2.conf
    softhsm2-util --init-token --free --label dpa --pin 1234 --so-pin 5678 >>log
    softhsm2-util --import leaf.pem --token dpa --label leaf --id 01 --pin 1234 >>log
    softhsm2-util --import other.pem --token dpa --label other --id 02 --pin 1234 >>log
}

uuid=77dd4ef0-c633-11ed-9e20-001dd8b744ff

setup() {
    cd "$BATS_TEST_TMPDIR"
    f=$BATS_FILE_TMPDIR
    export SOFTHSM2_CONF=$f/softhsm2.conf
    export PKCS11_MODULE_PATH=/usr/lib/softhsm/libsofthsm2.so
    uri='pkcs11:token=dpa;object=leaf'
}

sign() {
    mlxdpa -e "$f/host" -c "$f/chain.der" "$@" sign_dpa_apps
}

container() {
    mlxdpa --cert_container "${f:-.}/container" --keypair_uuid $uuid --cert_uuid $uuid \
        --life_cycle_priority OEM "$@" sign_cert_container
}

# No secret is said.
refused() {
    fails "$@"
    ! grep -qE '1234|9999|sesame' stdout stderr || false
}

# ---- PEM ------------------------------------------------------------------------------------------

no_echo() { [ -s tty ] && stty -a -F "$(cat tty)" 2>/dev/null | grep -q -- ' -echo '; }

# typed TEXT COMMAND...: runs it on a terminal of its own where TEXT is typed once nothing is echoed.
typed() {
    local text=$1
    shift
    need_terminal
    (await no_echo; echo "$text") |
        script -qec "$(printf '%q ' sh -c 'tty >tty; exec "$@"' sh "$@")" /dev/null >screen
}

@test "the passphrase of an encrypted key is asked on the terminal, without echo" {
    typed sesame mlxdpa -e "$f/host" -c "$f/chain.der" -p "$f/locked.pem" -o out sign_dpa_apps
    cmp out "$f/signed"
    grep -q "Passphrase of $f/locked.pem" screen
    ! grep -q sesame screen || false
}

@test "a wrong passphrase that was typed is refused" {
    ! typed wrong mlxdpa -e "$f/host" -c "$f/chain.der" -p "$f/locked.pem" -o out sign_dpa_apps || false
    grep -q 'wrong passphrase' screen
    [ ! -e out ]
}

# ---- Tokens ---------------------------------------------------------------------------------------

@test "a key in a token signs what the same key in a file signs" {
    printf '1234\n' >pin
    sign -p "$uri" --passin file:pin -o out
    cmp out "$f/signed"
    container -p "$uri;type=private" --passin file:pin -o out
    cmp out "$f/container.signed"
}

@test "the PIN comes from the URI, a file it names, or the environment" {
    printf '1234\n' >'my pin'
    sign -p "$uri?pin-source=file:$PWD/my%20pin" -o a
    sign -p "$uri?pin-value=1234&module-path=$PKCS11_MODULE_PATH" -o b
    PIN=1234 sign -p "$uri" --passin env:PIN -o c
    for x in a b c; do cmp $x "$f/signed"; done
}

@test "the PIN is asked on the terminal, without echo" {
    typed 1234 mlxdpa -e "$f/host" -c "$f/chain.der" -p "$uri" -o out sign_dpa_apps
    cmp out "$f/signed"
    ! grep -q 1234 screen || false
}

@test "trouble with a token is one line that tells no PIN" {
    export ASAN_OPTIONS=detect_leaks=0 # OpenSSL's engine forgets memory when a login fails
    refused 1 "wrong PIN" sign -p "$uri?pin-value=9999" -o out
    refused 1 "no terminal" sign -p "$uri" -o out
    refused 1 "no such private key" sign -p "pkcs11:token=dpa;object=none?pin-value=1234" -o out
    refused 1 "no such private key" sign -p "pkcs11:token=none;object=leaf?pin-value=1234" -o out
    refused 1 "not the one of the leaf" sign -p "pkcs11:token=dpa;object=other?pin-value=1234" -o out
    refused 1 "pin-source: nowhere: No such file" sign -p "$uri?pin-source=nowhere" -o out
    refused 2 "percent sign" sign -p "$uri?pin-value=12%3" -o out
    refused 1 "module nowhere.so cannot be loaded" \
        sign -p "$uri?pin-value=1234&module-path=nowhere.so" -o out
}

# ---- Commands -------------------------------------------------------------------------------------

pkeyutl() { # KEY: the command that signs a SHA-512 digest with it
    echo "openssl pkeyutl -sign -inkey '$1' -pkeyopt digest:sha512"
}

@test "a command signs what the same key in a file signs" {
    sign --sign-command "$(pkeyutl "$f/leaf.pem")" -o out
    cmp out "$f/signed"
    container -p "$f/leaf.pub" --sign-command "$(pkeyutl "$f/leaf.pem")" -o out
    cmp out "$f/container.signed"
}

@test "a command's words are split without a shell" {
    cat >'sign it.sh' <<'END'
#!/bin/sh
printf '%s\n' "$@" >words
exec openssl pkeyutl -sign -inkey "$KEY" -pkeyopt digest:sha512
END
    chmod +x 'sign it.sh'
    KEY=$f/leaf.pem sign --sign-command "'./sign it.sh' a\\ b 'c \"d' \"e'f\\\"\" ; touch x \$HOME \`id\` ''" -o out
    cmp out "$f/signed"
    printf '%s\n' 'a b' 'c "d' "e'f\"" ';' touch x '$HOME' '`id`' '' >want
    cmp words want
    [ ! -e x ]
}

@test "a command that fails is a clear error" {
    refused 1 "sign command false: exit code 1" sign --sign-command false -o out
    refused 1 "sign command nowhere: No such file" sign --sign-command nowhere -o out
    refused 1 "ended by signal 9" sign --sign-command "sh -c 'kill -9 \$\$'" -o out
    refused 1 "0 bytes on its output, not the 512" sign --sign-command true -o out
    refused 1 "64 bytes on its output" sign --sign-command cat -o out
    refused 1 "more than the 512 bytes" sign --sign-command "head -c 513 /dev/zero" -o out
    refused 1 "more than the 512 bytes" sign --sign-command yes -o out
    refused 1 "wrong under the public key" sign --sign-command "head -c 512 /dev/zero" -o out
    refused 1 "wrong under the public key" sign --sign-command "$(pkeyutl "$f/other.pem")" -o out
}

@test "a command that takes too long is ended" {
    refused 1 "not done after 1 s" sign --sign-timeout 1 --sign-command "sleep 1000" -o out
    refused 1 "not done after 1 s" sign --sign-timeout 1 --sign-command "sh -c 'exec >&-; sleep 9'" -o out
}

@test "options that make no sense with a command are refused" {
    refused 2 "no command" sign --sign-command " " -o out
    refused 2 "quote is not closed" sign --sign-command "a 'b" -o out
    refused 2 "--sign-timeout" sign --sign-command true --sign-timeout 0 -o out
    refused 2 "--sign-timeout without" sign -p "$f/leaf.pem" --sign-timeout 5 -o out
    refused 2 "--passin does not go" sign --sign-command true --passin pass:x -o out
    refused 2 "needs -p with the public key" container --sign-command true -o out
    refused 1 "no public key in PEM" container --sign-command true -p "$f/chain.der" -o out
}
