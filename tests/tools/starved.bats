# Tools that read files, short of memory: one of many allocations of a run fails.

setup_file() {
    source "$BATS_TEST_DIRNAME/../helpers/signing.bash"
    cd "$BATS_FILE_TMPDIR"
    make_device_elf
    cp "$test_keys/leaf.pem" .
    openssl req -x509 -key leaf.pem -outform der -out leaf.der -subj /CN=Leaf -days 300
    for app in one two; do
        printf '.section .dpa_bin_%s,"",@progbits\n.incbin "dev.elf"\n.section .dpa_sig_%s,"",@progbits\n.zero 9000\n' $app $app
    done >host.s
    gcc -c host.s -o host
    mlxdpa -e host -c leaf.der -p leaf.pem sign_dpa_apps
    mlxdpa --cert_container_type add -c leaf.der --life_cycle_priority OEM -o container create_cert_container
}

setup() {
    cp "$BATS_FILE_TMPDIR"/{host,container,leaf.der} "$BATS_TEST_TMPDIR" && cd "$BATS_TEST_TMPDIR"
    [ -z "${GCOV_ERROR_FILE:-}" ] || skip "counting lines allocates, too"
    if ldd "$DPAKIT_BUILD/bin/mlxdpa" | grep -qE 'lib(a|t)san'; then
        skip "a sanitizer allocates by itself"
    fi
}

# Prints what verify has proven, without details.
verdicts() { LD_PRELOAD= jq 'map({name, verdict, checks: [.checks[].name]})' "$1"; }

# starve RUNS COMMAND...: runs the command RUNS times, with one failing allocation at a time. It ends with
# its normal output, with less but complete JSON, or with an error.
starve() {
    local runs=$1 calls n code failed=0
    shift
    export LD_PRELOAD=$DPAKIT_BUILD/obj/tests/helpers/starve_shim.so
    STARVE=1000000000 STARVE_CALLS=calls "$@" >out
    calls=$(<calls)
    [ "$calls" -gt "$runs" ]
    # The last allocations are the tool's own: those of OpenSSL's start come first.
    for ((i = 0; i < runs; i++)); do
        n=$((calls - (i * i * (calls - 1)) / (runs * runs)))
        code=0
        STARVE=$n "$@" >out 2>err || code=$?
        case $code in
        0) LD_PRELOAD= jq -e . out >/dev/null && [ ! -s err ] && { [ ! -e whole ] || verdicts out | cmp - whole; } ;;
        1 | 1[1-9] | 2[0-3]) [ "$(wc -l <err)" -eq 1 ] && grep -q '^-E- ' err && failed=$((failed + 1)) ;;
        *) false ;;
        esac || { echo "allocation $n of $calls: exit $code"; cat out err; return 1; }
    done
    unset LD_PRELOAD
    [ "$failed" -gt 0 ]
}

@test "show prints the programs of a host file, or that memory is short" {
    starve 50 mlxdpa --json show host
}

@test "show prints the content of a container, or that memory is short" {
    starve 40 mlxdpa --json show container
}

@test "list prints the programs of a host file, or that memory is short" {
    starve 25 mlxdpa --json list host
}

@test "verify never takes a lack of memory for a proof" {
    mlxdpa --json verify host --ca leaf.der >proof
    verdicts proof >whole
    starve 40 mlxdpa --json verify host --ca leaf.der
}
