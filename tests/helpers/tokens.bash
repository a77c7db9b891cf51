# What tests with PKCS#11 tokens (SoftHSM2) share. "source" it in a bats file.

softhsm=/usr/lib/softhsm/libsofthsm2.so

# make_tokens: an empty store of tokens in this folder; SOFTHSM2_CONF names it.
make_tokens() {
    mkdir tokens
    printf 'directories.tokendir = %s\nobjectstore.backend = file\nlog.level = ERROR\n' \
        "$PWD/tokens" >softhsm2.conf
    export SOFTHSM2_CONF=$PWD/softhsm2.conf
}

# is_installed provider|engine: has OpenSSL its way to tokens?
is_installed() {
    local folder=${OPENSSL_MODULES-} flag=-m
    [ "$1" = provider ] || { folder=${OPENSSL_ENGINES-} flag=-e; }
    [ -n "$folder" ] || folder=$(openssl version $flag | sed 's/^[A-Z]*: "\(.*\)"$/\1/')
    [ -e "$folder/pkcs11.so" ]
}

# can_use provider|engine: it is installed, and it goes with how the tools are built.
can_use() {
    is_installed "$1" || { why="OpenSSL's $1 pkcs11 is not installed"; return 1; }
    # The provider loads modules with RTLD_DEEPBIND, where AddressSanitizer gives up.
    [[ $1/$DPAKIT_BUILD != provider/*/sanitize ]] || { why="not with AddressSanitizer"; return 1; }
}

# with provider|engine: tokens are reached so; skips the test where that is not installed.
with() {
    can_use "$1" || skip "$why"
    export DPAKIT_PKCS11=$1
}

# with_any: by the engine, or by the provider where there is no engine; skips the test where SoftHSM2 or both ways
# are missing.
with_any() {
    command -v softhsm2-util >/dev/null || skip "no SoftHSM2 here"
    if is_installed engine; then with engine; else with provider; fi
}

# put_certificate TOKEN PIN LABEL FILE.der [private] [bare]: stores a certificate, after a login only, or without its
# subject. PKCS11_MODULE_PATH names the module.
put_certificate() {
    "$DPAKIT_BUILD/obj/tests/helpers/token_put" "$@"
}
