# Tools that are interrupted: at each call that changes a file, the call fails, the disk becomes full,
# or the tool is killed. Afterwards the output is the whole old file or the whole new file.

load_world() {
    source "$BATS_TEST_DIRNAME/../helpers/provision.bash"
    source "$BATS_TEST_DIRNAME/../helpers/cut.bash"
}

setup_file() {
    source "$BATS_TEST_DIRNAME/../helpers/signing.bash"
    load_world
    make_world
    make_device_elf
    printf '.section .dpa_bin_one,"",@progbits\n.incbin "dev.elf"\n.section .dpa_sig_one,"",@progbits\n.zero 9000\n' >host.s
    gcc -c host.s -o host
    openssl req -x509 -new -key owner.pem -outform der -out leaf.der -subj /CN=Leaf -days 300
    printf '%s: 1\n' type dpa_app_subtype dpa_app_version dpa_os_api_version dpa_fw_api_version \
        dpa_app_description_string >meta.yaml
    mlxdpa -s dev.elf -m meta.yaml --dpa_app_uuid $owner_uuid --life_cycle_priority OEM -o app create_single_dpa_app
    mlxdpa -e host -c leaf.der -p owner.pem -o host.signed sign_dpa_apps
}

setup() {
    [ -z "${GCOV_ERROR_FILE:-}" ] || skip "counts of lines are files, too"
    load_world
    enter_world
    mkdir out
    shopt -s nullglob
}

is_old() { if [ -e before ]; then cmp -s before "$target"; else [ ! -e "$target" ]; fi; }
no_more_than_output() {
    local files=(out/* out/.[!.]*)
    [ ${#files[@]} -eq 0 ] || [ "${files[*]}" = "$target" ]
}

# Interrupts the tool once: the output is whole.
judge() {
    local mode=$1
    case $mode in
    kill | torn)
        [ $code -eq 137 ] || return 1
        is_old || cmp -s new "$target" || return 1
        return 0 ;;
    *)
        if [ $code -eq 0 ]; then
            cmp new "$target" || return 1
        else
            [ $code -eq 1 ] && [ ! -s said ] && is_old || return 1
            mapfile -t lines <err
            [ ${#lines[@]} -eq 1 ] && [[ ${lines[0]} == "-E- "*"$target"* ]] || return 1
        fi ;;
    esac
    no_more_than_output
}

# Files that a killed tool left, which may be secret, are removed by the next tool that writes there.
sweeps() {
    no_more_than_output && return
    [ ! -e before ] || cp before "$target"
    "$@" >said && no_more_than_output
}

# everywhere MODES COMMAND... (its output is "$target"): makes `new` without a cut, then cuts everywhere.
everywhere() {
    local mode n done modes=$1
    shift
    restore
    "$@" >/dev/null
    cp "$target" new
    ! is_old || return 1
    for mode in $modes; do
        done=false
        for ((n = 1; ; n++)); do
            restore
            cut $mode:$n "$@"
            $fired || break
            ! $done && judge $mode || { echo "$mode $n: exit $code"; cat said err; ls -A out; return 1; }
            case $mode in kill | torn) sweeps "$@" || { echo "$mode $n: left"; ls -A out; return 1; } ;; esac
            # After the rename only the sync of the directory remains, which may fail.
            [ $mode != fail ] || [ $code -ne 0 ] || done=true
        done
        [ $code -eq 0 ] && cmp new "$target"
        [ $n -gt 4 ] # opened, written, synced, named
    done
    restore
    cut read_only:1 "$@"
    [ $code -eq 1 ] && judge read_only && grep -q 'Read-only' err
}
restore() {
    rm -rf out && mkdir out
    [ ! -e before ] || cp before "$target"
}

# All commands write with one function of lib/base: one goes through all modes, for a new output and for one that
# exists already. Others show what they say of a failed call, and what they leave when they are killed.
all='fail full kill torn'
some=${CUT_ALL:+$all}
: "${some:=fail kill}"

@test "sign_dpa_apps in place" {
    target=out/host
    cp host before
    everywhere "$some" mlxdpa -e out/host -c leaf.der -p owner.pem sign_dpa_apps
}

@test "sign_dpa_apps into another file" {
    target=out/signed
    local sign=(mlxdpa -e host -c leaf.der -p owner.pem -o out/signed sign_dpa_apps)
    everywhere "$all" "${sign[@]}"
    echo old >before
    everywhere "$all" "${sign[@]}"
}

@test "strip_signature in place" {
    target=out/host
    cp host.signed before
    everywhere "$some" mlxdpa -e out/host strip_signature
}

@test "create_cert_container" {
    target=out/container
    everywhere "$some" mlxdpa --cert_container_type add -c root.der --life_cycle_priority OEM -o out/container \
        create_cert_container
}

@test "sign_cert_container" {
    target=out/container
    echo old >before
    everywhere "$some" mlxdpa --cert_container root.container -p owner.pem --keypair_uuid $owner_uuid \
        --cert_uuid $cert_uuid --life_cycle_priority OEM -o out/container sign_cert_container
}

@test "create_single_dpa_app" {
    target=out/app
    echo old >before
    everywhere "$some" mlxdpa -s dev.elf -m meta.yaml --dpa_app_uuid $owner_uuid --life_cycle_priority OEM \
        -o out/app create_single_dpa_app
}

@test "a UUID that is given needs no clock, which users may not open" {
    no_clock() { env LD_PRELOAD="$(sanitizer_library) $DPAKIT_BUILD/obj/tests/helpers/clock_shim.so" "$@"; }
    create() { no_clock mlxdpa -s dev.elf -m meta.yaml --life_cycle_priority OEM -o out/app "$@" create_single_dpa_app; }
    # This proves that the shim works: without a UUID the tool reads the clock.
    run create
    [ "$status" -eq 99 ]
    create --dpa_app_uuid $owner_uuid
    sign() {
        no_clock mlxdpa --cert_container root.container -p owner.pem --keypair_uuid $owner_uuid \
            --life_cycle_priority OEM -o out/container "$@" sign_cert_container
    }
    run sign
    [ "$status" -eq 99 ]
    sign --cert_uuid $cert_uuid
}

@test "sign_single_dpa_app in place" {
    target=out/app
    cp app before
    everywhere "$some" mlxdpa -s out/app -c leaf.der -p owner.pem --life_cycle_priority OEM sign_single_dpa_app
}

@test "create_conf, signed" {
    target=out/conf
    echo old >before
    everywhere "$some" mlxconfig-lite -p owner.pem -u $owner_uuid create_conf auth.xml out/conf
}
