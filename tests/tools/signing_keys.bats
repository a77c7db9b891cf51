# Keys that sign: PEM asked for on a terminal, commands. (Tokens: signing_tokens.bats.)

source "$BATS_TEST_DIRNAME/../helpers/signing.bash"
source "$BATS_TEST_DIRNAME/../helpers/terminal.bash"
source "$BATS_TEST_DIRNAME/../helpers/await.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    make_leaf_world
    openssl rsa -in leaf.pem -aes256 -passout pass:sesame -out locked.pem 2>>log
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    f=$BATS_FILE_TMPDIR
}

# No secret is printed.
refused() {
    fails "$@"
    ! grep -q sesame stdout stderr || false
}

# ---- PEM ------------------------------------------------------------------------------------------

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
    refused 1 "a certificate, where a public key is asked for" container --sign-command true -p "$f/chain.der" -o out
}
