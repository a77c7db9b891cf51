# Keys in PKCS#11 tokens, through OpenSSL's provider and through its engine.

source "$BATS_TEST_DIRNAME/../helpers/signing.bash"
source "$BATS_TEST_DIRNAME/../helpers/terminal.bash"
source "$BATS_TEST_DIRNAME/../helpers/await.bash"
source "$BATS_TEST_DIRNAME/../helpers/tokens.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    make_leaf_world
    openssl req -x509 -newkey rsa:2048 -nodes -keyout short.pem -outform der -out short.der \
        -subj /CN=Short -days 300 2>>log
    openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out curve.pem 2>>log
    make_tokens
    softhsm2-util --init-token --free --label dpa --pin 1234 --so-pin 5678 >>log
    softhsm2-util --init-token --free --label long --pin "$long_pin" --so-pin 5678 >>log
    local id=0
    for key in leaf other short curve; do
        id=$((id + 1))
        softhsm2-util --import $key.pem --token dpa --label $key --id 0$id --pin 1234 >>log
    done
    softhsm2-util --import leaf.pem --token long --label leaf --id 01 --pin "$long_pin" >>log
}

long_pin=a-PIN-that-has-forty-characters-and-more-1234

setup() {
    cd "$BATS_TEST_TMPDIR"
    f=$BATS_FILE_TMPDIR
    export SOFTHSM2_CONF=$f/softhsm2.conf
    export PKCS11_MODULE_PATH=$softhsm
    uri='pkcs11:token=dpa;object=leaf'
    echo 1234 >pin
}

# No secret is printed.
refused() {
    fails "$@"
    ! grep -qE '1234|9999' stdout stderr || false
}

# ---- With provider and engine ---------------------------------------------------------------------

signs() {
    sign -p "$uri" --passin file:pin -o out
    cmp out "$f/signed"
    container -p "$uri;type=private" --passin file:pin -o out
    cmp out "$f/container.signed"
    container -p 'pkcs11:token=dpa;id=%01' --passin file:pin -o out
    cmp out "$f/container.signed"
}
@test "a key in a token signs what the same key in a file signs (provider)" { with provider; signs; }
@test "a key in a token signs what the same key in a file signs (engine)" { with engine; signs; }

takes_pins() {
    cp pin 'my pin'
    sign -p "$uri?pin-source=file:$PWD/my%20pin" -o a
    sign -p "$uri?pin-value=%31234&module-path=$PKCS11_MODULE_PATH" -o b
    PIN=1234 sign -p "$uri" --passin env:PIN -o c
    for x in a b c; do cmp $x "$f/signed"; done
}
@test "the PIN comes from the URI, a file it names, or the environment (provider)" { with provider; takes_pins; }
@test "the PIN comes from the URI, a file it names, or the environment (engine)" { with engine; takes_pins; }

asks() {
    typed 1234 mlxdpa -e "$f/host" -c "$f/chain.der" -p "$uri" -o out sign_dpa_apps
    cmp out "$f/signed"
    grep -qF "PIN of $uri" screen
    ! grep -q 1234 screen || false
}
@test "the PIN is asked on the terminal, without echo (provider)" { with provider; asks; }
@test "the PIN is asked on the terminal, without echo (engine)" { with engine; asks; }

tells_trouble() {
    refused 1 "wrong PIN" sign -p "$uri?pin-value=9999" -o out
    refused 1 "no terminal" sign -p "$uri" -o out
    refused 1 "no such private key" sign -p "pkcs11:token=dpa;object=none?pin-value=1234" -o out
    refused 1 "no such token" sign -p "pkcs11:token=none;object=leaf?pin-value=1234" -o out
    refused 1 "not the one of the leaf" sign -p "pkcs11:token=dpa;object=other?pin-value=1234" -o out
    refused 1 "pin-source: nowhere: No such file" sign -p "$uri?pin-source=nowhere" -o out
    refused 2 "percent sign" sign -p "$uri?pin-value=12%3" -o out
    refused 1 "module nowhere.so cannot be loaded" \
        sign -p "$uri?pin-value=1234&module-path=nowhere.so" -o out
    PKCS11_MODULE_PATH=nowhere.so refused 1 "module nowhere.so cannot be loaded" \
        sign -p "$uri?pin-value=1234" -o out
}
@test "trouble with a token is one line without the PIN (provider)" { with provider; tells_trouble; }
@test "trouble with a token is one line without the PIN (engine)" {
    with engine
    export ASAN_OPTIONS=detect_leaks=0 # OpenSSL's engine forgets memory when a login fails
    tells_trouble
}

wants_rsa_4096() {
    refused 1 "not RSA" sign -p "pkcs11:token=dpa;object=curve?pin-value=1234" -o out
    refused 1 "not RSA" container -p "pkcs11:token=dpa;object=curve?pin-value=1234" -o out
    refused 1 "2048 bits" container -p "pkcs11:token=dpa;object=short?pin-value=1234" -o out
    refused 1 "its key is RSA-2048" mlxdpa -e "$f/host" -c "$f/short.der" \
        -p "pkcs11:token=dpa;object=short?pin-value=1234" -o out sign_dpa_apps
}
@test "a key that is not RSA-4096 signs no program (provider)" { with provider; wants_rsa_4096; }
@test "a key that is not RSA-4096 signs no program (engine)" { with engine; wants_rsa_4096; }

takes_any_module() {
    local folder=$'a b$x\\y"z#\'w;$(id)'
    mkdir "$folder"
    ln -s "$softhsm" "$folder/module.so"
    PKCS11_MODULE_PATH=$PWD/$folder/module.so sign -p "$uri" --passin file:pin -o out
    cmp out "$f/signed"
    PKCS11_MODULE_PATH=nowhere.so sign --passin file:pin -o out -p \
        "$uri?module-path=$PWD/a%20b%24x%5Cy%22z%23%27w%3b%24(id)/module.so"
    cmp out "$f/signed"
}
@test "a module may have any name (provider)" { with provider; takes_any_module; }
@test "a module may have any name (engine)" { with engine; takes_any_module; }

takes_no_file() {
    cp "$f/other.pem" "$uri"
    sign -p "$uri" --passin file:pin -o out
    cmp out "$f/signed"
    cp "$f/leaf.pem" "pkcs11:token=none"
    export ASAN_OPTIONS=detect_leaks=0 # as above
    refused 1 "no such token" sign -p "pkcs11:token=none?pin-value=1234" -o out
}
@test "a file that is called like the URI is not the key (provider)" { with provider; takes_no_file; }
@test "a file that is called like the URI is not the key (engine)" { with engine; takes_no_file; }

# ---- The choice between them ----------------------------------------------------------------------

@test "the provider is the default, the engine where there is none" {
    export PKCS11_PROVIDER_DEBUG=file:$PWD/debug
    mkdir none
    unset DPAKIT_PKCS11
    if can_use provider; then
        sign -p "$uri" --passin file:pin -o out
        cmp out "$f/signed"
        [ -s debug ]
        rm debug
    fi
    can_use engine || skip "$why"
    PKCS11_PROVIDER_MODULE=nowhere.so OPENSSL_MODULES=$PWD/none sign -p "$uri" --passin file:pin -o out
    cmp out "$f/signed"
    [ ! -e debug ]
}

@test "where neither is installed, the error names their packages" {
    mkdir none
    unset DPAKIT_PKCS11
    export OPENSSL_MODULES=$PWD/none OPENSSL_ENGINES=$PWD/none
    refused 1 "pkcs11-provider or libengine-pkcs11-openssl" sign -p "$uri?pin-value=1234" -o out
    DPAKIT_PKCS11=provider refused 1 "Debian package pkcs11-provider" sign -p "$uri?pin-value=1234" -o out
    DPAKIT_PKCS11=engine refused 1 "Debian package libengine-pkcs11-openssl" \
        sign -p "$uri?pin-value=1234" -o out
    DPAKIT_PKCS11=hsm refused 2 "DPAKIT_PKCS11: 'hsm' is neither provider nor engine" \
        sign -p "$uri?pin-value=1234" -o out
}

@test "control characters in a URI are refused" {
    refused 2 "control character" sign -p $'pkcs11:token=dpa\e[2J;object=leaf?pin-value=1234' -o out
    refused 2 "control character" sign -p "$uri?pin-value=1234&module-path=a%0apkcs11-module-token-pin=b" -o out
    refused 2 "control character" sign -p "$uri?pin-source=%1b[2J" -o out
    PKCS11_MODULE_PATH=$'a\nb' refused 2 "control character" sign -p "$uri?pin-value=1234" -o out
    ! grep -q $'\e' stderr || false
}

# ---- The provider alone ---------------------------------------------------------------------------

@test "the provider's log has no PIN, and a wrong PIN is tried once" {
    with provider
    export PKCS11_PROVIDER_DEBUG=file:$PWD/debug,level:2
    sign -p "$uri?pin-value=1234" -o out
    grep -q 'object=leaf' debug
    ! grep -q 1234 debug || false
    rm debug
    refused 1 "wrong PIN" sign -p "$uri?pin-value=9999" -o out
    ! grep -qs 9999 debug || false
    [ "$(cat debug 2>/dev/null | grep -c 'Calling C_Login')" -le 1 ]
}

# Debian 12's provider takes 32 bytes, Debian 13's more than that.
@test "a PIN that is too long for the provider is a clear error" {
    with provider
    echo "$long_pin" >pin
    if sign -p 'pkcs11:token=long;object=leaf' --passin file:pin -o out; then
        cmp out "$f/signed"
    else
        refused 1 "PIN has more than the" sign -p 'pkcs11:token=long;object=leaf' --passin file:pin -o out
    fi
}

@test "a PIN may be long (engine)" {
    with engine
    echo "$long_pin" >pin
    sign -p 'pkcs11:token=long;object=leaf' --passin file:pin -o out
    cmp out "$f/signed"
}

names_several() {
    export ASAN_OPTIONS=detect_leaks=0 # as above
    refused 1 "more than one private key" sign -p 'pkcs11:token=dpa?pin-value=1234' -o out
    grep -qE 'there are: .*(leaf|other|short)' stderr
    refused 2 "more than one token" sign -p 'pkcs11:object=leaf?pin-value=1234' -o out
    grep -q 'token=LABEL (there are: ' stderr
}
@test "a URI that names several keys or tokens is refused (provider)" { with provider; names_several; }
@test "a URI that names several keys or tokens is refused (engine)" { with engine; names_several; }

@test "the variable of the provider says which module, but not against the URI" {
    with provider
    PKCS11_MODULE_PATH=nowhere.so PKCS11_PROVIDER_MODULE=$softhsm sign -p "$uri" --passin file:pin -o out
    cmp out "$f/signed"
    PKCS11_PROVIDER_MODULE=nowhere.so refused 1 "PKCS11_PROVIDER_MODULE" \
        sign -p "$uri?pin-value=1234&module-path=$softhsm" -o out
}
