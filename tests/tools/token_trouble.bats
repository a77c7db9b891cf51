# Logins to a PKCS#11 token, and their times: a spy in front of SoftHSM counts the logins.

source "$BATS_TEST_DIRNAME/../helpers/signing.bash"
source "$BATS_TEST_DIRNAME/../helpers/tokens.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    command -v softhsm2-util >/dev/null || return 0
    make_leaf_world
    make_tokens
    softhsm2-util --init-token --free --label dpa --pin 1234 --so-pin 5678 >>log
    softhsm2-util --import leaf.pem --token dpa --label leaf --id 01 --pin 1234 >>log
    softhsm2-util --import other.pem --token dpa --label other --id 02 --pin 1234 >>log
}

setup() {
    f=$BATS_FILE_TMPDIR
    cd "$BATS_TEST_TMPDIR"
    with_any
    export SOFTHSM2_CONF=$f/softhsm2.conf SPY_OF=$softhsm SPY_LOG=$PWD/log PKCS11_MODULE_PATH=$DPAKIT_BUILD/obj/tests/helpers/spy_shim.so
    export ASAN_OPTIONS=detect_leaks=0 # OpenSSL's engine forgets memory when a login fails
    uri='pkcs11:token=dpa;object=leaf'
    : >log
}

# unsent CODE TEXT COMMAND...: the command fails with code and text, and no PIN was sent.
unsent() {
    : >log
    fails "$@"
    [ ! -s log ]
}

# wrong CODE TEXT COMMAND...: the command fails with code and text, and the wrong PIN was sent once.
wrong() {
    : >log
    fails "$@"
    [ "$(grep -c C_Login log)" -eq 1 ]
}

@test "PIN files may have a byte order mark and end in CR LF, LF or nothing" {
    printf '1234\r\n' >crlf
    printf '1234\r\nsecond\r\n' >two
    printf '\xef\xbb\xbf1234\r\n' >marked
    printf '1234\n' >lf
    printf 1234 >bare
    for pin in crlf two marked lf bare; do
        sign -p "$uri" --passin file:$pin -o a
        sign -p "$uri?pin-source=$pin" -o b
        cmp a "$f/signed"
        cmp b "$f/signed"
    done
    ! grep -q refused log || false
    # Only the end of the line does not belong to the PIN.
    printf ' 1234 \n' >blanks
    wrong 1 "wrong PIN" sign -p "$uri" --passin file:blanks -o out
    printf '1\0002\0003\0004\000\r\000\n\000' >wide
    unsent 1 "its first line has a NUL" sign -p "$uri" --passin file:wide -o out
    printf '\xff\xfe1\0002\0003\0004\000' >wide
    unsent 1 "wide: the file is UTF-16: save it as UTF-8" sign -p "$uri?pin-source=wide" -o out
}

@test "passphrase files too" {
    openssl rsa -in "$f/leaf.pem" -aes256 -passout pass:secret -out locked.pem 2>/dev/null
    printf '\xef\xbb\xbfsecret\r\n' >pass
    sign -p locked.pem --passin file:pass -o out
    cmp out "$f/signed"
}

@test "the PIN is sent once, whatever signs" {
    sign -p "$uri?pin-value=1234" -o out
    cmp out "$f/signed"
    [ "$(grep -c 'in$' log)" -eq 1 ]
    ! grep -q refused log || false
}

@test "each trouble with a token has its own message" {
    wrong 1 "$uri: wrong PIN" sign -p "$uri?pin-value=99999" -o out
    SPY_SAYS=final wrong 1 "ONE try is left" sign -p "$uri?pin-value=99999" -o out
    SPY_SAYS=count wrong 1 "the token counts wrong ones" sign -p "$uri?pin-value=99999" -o out
    SPY_SAYS=locked unsent 1 "the PIN is locked after too many wrong ones" sign -p "$uri?pin-value=1234" -o out
    unsent 1 "no such token (there are: dpa)" sign -p "pkcs11:token=dap;object=leaf?pin-value=1234" -o out
    wrong 1 "no such private key in the token (there are: " sign -p "pkcs11:token=dpa;object=laef?pin-value=1234" -o out
    grep -qE 'there are: (leaf, other|other, leaf)\)' stderr
    unsent 1 "no such token (there are: dpa); ';' separates the attributes of a URI" sign -p "pkcs11:token=dpa,object=leaf?pin-value=1234" -o out
    unsent 1 "-E- token=dpa;object=leaf: No such file or directory; a PKCS#11 URI begins with pkcs11:" sign -p "token=dpa;object=leaf" -o out
    unsent 2 "not a URI of a key: it has an attribute that RFC 7512 lacks" sign -p "pkcs11:tokn=dpa;object=leaf?pin-value=1234" -o out
    unsent 2 "not a URI of a key" sign -p "pkcs11:dpa?pin-value=1234" -o out
    unsent 2 "not a URI of a key" sign -p "pkcs11:token=dpa;id=%1?pin-value=1234" -o out
    unsent 2 "not a URI of a key" sign -p "pkcs11:token=dpa;type=nothing?pin-value=1234" -o out
    unsent 1 "module nowhere.so cannot be loaded" sign -p "$uri?pin-value=1234&module-path=nowhere.so" -o out
    # The tool does not ask for a PIN that it cannot use: here it would fail without a terminal.
    unsent 1 "no such token" sign -p "pkcs11:token=dap;object=leaf" -o out
}

@test "keys that keygen makes in a token sign, and do nothing else" {
    softhsm2-util --init-token --free --label new --pin 1234 --so-pin 5678
    mlxdpa keygen keys --token 'pkcs11:token=new?pin-value=1234'
    [ "$(grep made log | sort | uniq -c)" = "      4 sign sensitive private made" ]
}

@test "no PIN is sent before input, chain, dates and output were found right" {
    pin='?pin-value=99999'
    echo text >text
    unsent 1 "text: " mlxdpa -e text -c "$f/chain.der" -p "$uri$pin" -o out sign_dpa_apps
    unsent 1 "No such file" mlxdpa -e nowhere -c "$f/chain.der" -p "$uri$pin" -o out sign_dpa_apps
    unsent 1 "no DPA program no-such-app" mlxdpa -e "$f/host" -c "$f/chain.der" -p "$uri$pin" -o out --app no-such-app sign_dpa_apps
    unsent 1 "text: " mlxdpa -e "$f/host" -c text -p "$uri$pin" -o out sign_dpa_apps
    unsent 1 "nowhere/out" sign -p "$uri$pin" -o nowhere/out
    unsent 1 "Is a directory" sign -p "$uri$pin" -o .
    openssl req -new -key "$f/leaf.pem" -subj /CN=Leaf -out csr
    openssl req -x509 -key "$f/leaf.pem" -subj /CN=Leaf -out top.pem -days 30
    expired_certificate csr top.pem "$f/leaf.pem" old.pem
    unsent 1 "expired" mlxdpa -e "$f/host" -c old.pem -p "$uri$pin" -o out sign_dpa_apps
    unsent 1 "text: " mlxdpa -s text -c "$f/chain.der" -p "$uri$pin" -o out --life_cycle_priority OEM sign_single_dpa_app
    unsent 1 "text" mlxdpa --cert_container text -p "$uri$pin" -o out --keypair_uuid $uuid --cert_uuid $uuid \
        --life_cycle_priority OEM sign_cert_container
    unsent 1 "priority" mlxdpa --cert_container "$f/container" -p "$uri$pin" -o out --keypair_uuid $uuid \
        --cert_uuid $uuid --life_cycle_priority User sign_cert_container
    unsent 1 "nowhere/out" container -p "$uri$pin" -o nowhere/out
    unsent 1 "no DPA program" mlxdpa release "$f/dev.o" -c "$f/chain.der" -p "$uri$pin" -o out
    unsent 1 "is there already" mlxdpa release "$f/host" -c "$f/chain.der" -p "$uri$pin" -o "$f"
    unsent 1 "is there already" mlxdpa keygen "$f" --token "pkcs11:token=dpa$pin"
    echo '<config' >bad.xml
    unsent 1 "bad.xml" mlxconfig-lite -p "$uri$pin" -u $uuid create_conf bad.xml out
}

@test "several host files are signed with one login" {
    mkdir signed
    cp "$f/host" a
    cp "$f/host" b
    sign -p "$uri?pin-value=1234" -o signed a b
    [ "$(grep -c 'in$' log)" -eq 1 ]
    for x in host a b; do cmp signed/$x "$f/signed"; done
    : >log
    mlxdpa sign_dpa_apps a b -c "$f/chain.der" -p "$uri?pin-value=1234"
    [ "$(grep -c 'in$' log)" -eq 1 ]
    cmp a "$f/signed"
    cmp b "$f/signed"
    # All files are examined before anything is sent or written.
    cp "$f/host" c
    echo text >text
    unsent 1 "text: " mlxdpa sign_dpa_apps c text -c "$f/chain.der" -p "$uri?pin-value=1234"
    cmp c "$f/host"
    unsent 2 "need a folder" mlxdpa sign_dpa_apps a c -c "$f/chain.der" -p "$uri?pin-value=1234" -o out
    mkdir d && cp c d
    unsent 2 "two of the files" mlxdpa sign_dpa_apps c d/c -c "$f/chain.der" -p "$uri?pin-value=1234" -o signed
    unsent 2 "needs -e" mlxdpa sign_dpa_apps -c "$f/chain.der" -p "$uri?pin-value=1234"
}
