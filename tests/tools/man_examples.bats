# The EXAMPLES of every manual page, command by command, as a reader would type them. How they are
# written is described in tests/helpers/man_examples.awk.
#
# A page's examples run in one shell and one directory. The function prepare_PAGE below first makes the
# files that the page assumes (in its words: "These examples assume ...").

source "$BATS_TEST_DIRNAME/../helpers/device.bash"
source "$BATS_TEST_DIRNAME/../helpers/provision.bash"
source "$BATS_TEST_DIRNAME/../helpers/printed.bash"

setup_file() {
    command -v man >/dev/null || return 0
    make_world
    ready_build "$BATS_FILE_TMPDIR/build"
    mkdir "$BATS_FILE_TMPDIR/hello" && cd "$BATS_FILE_TMPDIR/hello"
    cp "$BATS_TEST_DIRNAME/../../examples/hello/"*.c .
    dpacc libdoca_dpa_dev.a kernel.c -o dpa_program.a --app-name=dpa_hello_world_app
    # shellcheck disable=SC2086  # a list of options, for the sanitizer build
    gcc ${TEST_HOST_CFLAGS:-} hello_world.c -o hello_world dpa_program.a \
        "$DPAKIT_BUILD/lib/libdoca_dpa.a" -I"$DPAKIT_BUILD/include/doca-2.2" -DDOCA_ALLOW_EXPERIMENTAL_API \
        -L"$DPAKIT_BUILD/lib" -ldoca_common -lflexio -lstdc++ -libverbs -lmlx5
}

setup() {
    command -v man >/dev/null || skip "no man here"
    export DPAKIT_DEVICES=$BATS_TEST_TMPDIR/devices
    mkdir "$BATS_TEST_TMPDIR/here" "$BATS_TEST_TMPDIR/steps" && cd "$BATS_TEST_TMPDIR/here"
    world=$BATS_FILE_TMPDIR/world
}

a_device() { cp -a "$world/devices" "$DPAKIT_DEVICES"; }
owner_files() {
    cp "$world/owner.pem" .
    echo 77dd4ef0-c633-11ed-9e20-001dd8b744ff >owner.uuid
}

prepare_dpa_app_attributes2blob() { :; }
prepare_dpa_c() { a_device; }
prepare_dpacu() { :; }
prepare_dpacc() { a_device && cp "$BATS_FILE_TMPDIR/hello/hello_world.c" .; }
prepare_dpacc_extract() { cp "$BATS_FILE_TMPDIR/hello/hello_world" .; }
prepare_doca_dma() {
    cp "$BATS_TEST_DIRNAME/../../examples/dma_copy/dma_copy.c" .
    export LD_LIBRARY_PATH=$DPAKIT_BUILD/lib build=$DPAKIT_BUILD
}
prepare_doca_devemu() { export LD_LIBRARY_PATH=$DPAKIT_BUILD/lib build=$DPAKIT_BUILD; }
prepare_doca_urom() {
    [ -f "$DPAKIT_BUILD/lib/dpakit/urom/worker_rdmo.so" ] || skip "built without libucx-dev"
    [ "${DPAKIT_BUILD##*/}" = build ] || skip "plain build only: UCX carries no sanitizer"
    cp "$BATS_TEST_DIRNAME/../../examples/urom_rdmo/"*.[ch] .
    export LD_LIBRARY_PATH=$DPAKIT_BUILD/lib build=$DPAKIT_BUILD port=$((20000 + RANDOM % 20000))
}
prepare_urom_service() { :; }
prepare_urom_worker() { build=$DPAKIT_BUILD; }
prepare_doca_comch() {
    cp "$BATS_TEST_DIRNAME/../../examples/comch_echo/comch_echo.c" .
    export LD_LIBRARY_PATH=$DPAKIT_BUILD/lib build=$DPAKIT_BUILD
}
prepare_doca_eth() {
    cp "$BATS_TEST_DIRNAME/../../examples/eth_text/eth_text.c" .
    export LD_LIBRARY_PATH=$DPAKIT_BUILD/lib build=$DPAKIT_BUILD
}
prepare_doca_gpunetio() {
    [ "${DPAKIT_BUILD##*/}" = build ] || skip "plain build only, as dpacu"
    export LD_LIBRARY_PATH=$DPAKIT_BUILD/lib build=$DPAKIT_BUILD
}
prepare_doca_rdma() {
    cp "$BATS_TEST_DIRNAME/../../examples/rdma_say/rdma_say.c" .
    export LD_LIBRARY_PATH=$DPAKIT_BUILD/lib build=$DPAKIT_BUILD
}
prepare_dpa_network() {
    unshare -rn ip link add v0 type veth peer name v1 || skip "no network namespaces with veth pairs"
}
prepare_dpa_verbs() {
    [ "${DPAKIT_BUILD##*/}" = build ] || skip "plain build only: Debian's programs carry no sanitizer"
    command -v ibv_rc_pingpong >/dev/null && command -v ib_write_bw >/dev/null || skip "no ibverbs-utils or perftest"
    build=$DPAKIT_BUILD port=$((10000 + RANDOM % 20000))
}
prepare_dpadev() { :; }
prepare_dpaeumgmt() { :; }
prepare_dpa_resource_mgmt() { :; }
prepare_dpa_ps() { :; }
prepare_dpa_statistics() { :; }
prepare_doca_caps() { :; }
prepare_dpatop() { command -v jq >/dev/null || skip "no jq"; }
prepare_dpakit_compatibility() { cp "$BATS_FILE_TMPDIR/hello/hello_world" "$world/"{owner.pem,root.der,root.signed} .; }
prepare_dpa_provisioning() {
    cp "$BATS_FILE_TMPDIR/hello/hello_world" .
    export LD_LIBRARY_PATH=$DPAKIT_BUILD/lib
}
prepare_dparun() { a_device; }
prepare_dpaprof() { a_device; }
prepare_dpapcc() { cp "$BATS_TEST_DIRNAME/../../examples/pcc/device/aimd.c" .; }
prepare_dpa_gdbserver() {
    command -v gdb-multiarch >/dev/null || skip "no gdb-multiarch"
    export DPAKIT_RUNTIME=$BATS_TEST_TMPDIR/run HOME=$BATS_TEST_TMPDIR
    echo 'set remotetimeout 60' >"$HOME/.gdbinit" # a busy machine may take more than two seconds
    local example=$BATS_TEST_DIRNAME/../../examples/crash
    a_device && cp -r "$example/device" "$example/host" . &&
        dpacc device/crash_dev.c -o crash_app.a --app-name=crash_app
    # shellcheck disable=SC2086
    gcc ${TEST_HOST_CFLAGS:-} -DDEV_APP_NAME=crash_app host/crash.c -o crash crash_app.a \
        -I"$DPAKIT_BUILD/include" -L"$DPAKIT_BUILD/lib" -Wl,-rpath,"$DPAKIT_BUILD/lib" -lflexio \
        -libverbs -lmlx5
}
prepare_flint_lite() {
    a_device && mlxconfig-lite -d mlx5_0 apply "$world/claim.bin"
    owner_files && cp "$world/root.der" .
}
prepare_libdpkverify() {
    command -v python3 >/dev/null || skip "no Python here"
    [[ $DPAKIT_BUILD != */sanitize* ]] || skip "Python does not run with a sanitizer in a library"
    cp "$BATS_FILE_TMPDIR/hello/hello_world" .
    export DPAKIT=$DPAKIT_BUILD PYTHONDONTWRITEBYTECODE=1
}
prepare_mlxconfig_lite() { a_device; }
prepare_mlxdpa() { owner_files && cp "$BATS_FILE_TMPDIR/hello/hello_world" .; }

# extract PAGE: writes its examples into $BATS_TEST_TMPDIR/steps
extract() {
    LC_ALL=C.UTF-8 MANWIDTH=120 man -l "$DPAKIT_BUILD"/share/man/man?/"$1".? |
        awk -v dir="$BATS_TEST_TMPDIR/steps" -f "$BATS_TEST_DIRNAME/../helpers/man_examples.awk"
}

# run_steps: runs every step in this shell, so that variables are kept. Called with errexit off.
run_steps() {
    local step code
    # The host compiler that the examples call, with the options of the sanitizer build.
    gcc() { command gcc ${TEST_HOST_CFLAGS:-} "$@"; }
    for step in "$BATS_TEST_TMPDIR"/steps/*.cmd; do
        sed '1s/^/$ /' "$step"
        . "$step" >"${step%.cmd}.real" 2>&1 </dev/null
        code=$?
        cat "${step%.cmd}.real"
        [ "$code" -eq 0 ] || { echo "exit code $code"; return 1; }
        [ ! -f "${step%.cmd}.out" ] || printed "${step%.cmd}.out" "${step%.cmd}.real" || return 1
    done
}

examples_of() {
    "prepare_${1//-/_}" >/dev/null
    extract "$1"
    [ -f "$BATS_TEST_TMPDIR/steps/001.cmd" ] || { echo "$1: no examples"; false; }
    uses_the_pair "$BATS_TEST_TMPDIR"/steps/*.cmd || PATH=$ready_build/bin:$PATH
    run run_steps
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "dpacu(1)" { examples_of dpacu; }
@test "dpa-app-attributes2blob(1)" { examples_of dpa-app-attributes2blob; }
@test "dpa-c(7)" { examples_of dpa-c; }
@test "dpa-verbs(7)" { examples_of dpa-verbs; }
@test "dpa-network(7)" { examples_of dpa-network; }
@test "dpacc(1)" { examples_of dpacc; }
@test "dpa-gdbserver(1)" { examples_of dpa-gdbserver; }
@test "dpa-ps(1)" { examples_of dpa-ps; }
@test "dpa-resource-mgmt(1)" { examples_of dpa-resource-mgmt; }
@test "dpa-statistics(1)" { examples_of dpa-statistics; }
@test "dpaeumgmt(1)" { examples_of dpaeumgmt; }
@test "dpacc-extract(1)" { examples_of dpacc-extract; }
@test "dpakit-compatibility(7)" { examples_of dpakit-compatibility; }
@test "dpa-provisioning(7)" { examples_of dpa-provisioning; }
@test "doca-comch(7)" { examples_of doca-comch; }
@test "doca-urom(7)" { examples_of doca-urom; }
@test "urom-service(1)" { examples_of urom-service; }
@test "urom-worker(1)" { examples_of urom-worker; }
@test "doca-devemu(7)" { examples_of doca-devemu; }
@test "doca-rdma(7)" { examples_of doca-rdma; }
@test "doca-dma(7)" { examples_of doca-dma; }
@test "doca-eth(7)" { examples_of doca-eth; }
@test "doca-gpunetio(7)" { examples_of doca-gpunetio; }
@test "dpadev(1)" { examples_of dpadev; }
@test "dparun(1)" { examples_of dparun; }
@test "doca_caps(1)" { examples_of doca_caps; }
@test "dpatop(1)" { examples_of dpatop; }
@test "dpapcc(1)" { examples_of dpapcc; }
@test "dpaprof(1)" { examples_of dpaprof; }
@test "flint-lite(1)" { examples_of flint-lite; }
@test "libdpkverify(3)" { examples_of libdpkverify; }
@test "mlxconfig-lite(1)" { examples_of mlxconfig-lite; }
@test "mlxdpa(1)" { examples_of mlxdpa; }

@test "every page is tested here" {
    local page
    for page in "$DPAKIT_BUILD"/share/man/man?/*.?; do
        page=$(basename "$page")
        grep -q "^.SH EXAMPLES" "$DPAKIT_BUILD/share/man/man${page##*.}/$page" || continue
        grep -qF "@test \"${page%.*}(${page##*.})\"" "$BATS_TEST_FILENAME" || { echo "$page"; false; }
    done
}

@test "a failing command and a line that is not printed are found" {
    mkdir -p "$BATS_TEST_TMPDIR/man"
    local page=$BATS_TEST_TMPDIR/man/x.1
    cat >"$page" <<'PAGE'
.TH X 1
.SH EXAMPLES
Text with a $ in it.
.PP
.RS 4
.EX
$ cat << END && x=two
one

$ three
END
one
\&...
$ echo $x \e
    three
two three
$ false
.EE
.RE
.SH SEE ALSO
PAGE
    LC_ALL=C.UTF-8 MANWIDTH=120 man -l "$page" |
        awk -v dir="$BATS_TEST_TMPDIR/steps" -f "$BATS_TEST_DIRNAME/../helpers/man_examples.awk"
    [ "$(ls "$BATS_TEST_TMPDIR/steps" | tr '\n' ' ')" = "001.cmd 001.out 002.cmd 002.out 003.cmd " ]
    run run_steps
    echo "$output"
    [ "$status" -eq 1 ]
    [ "${lines[-1]}" = "exit code 1" ]
    echo "two four" >"$BATS_TEST_TMPDIR/steps/002.out"
    run run_steps
    [ "$status" -eq 1 ]
    [ "${lines[-1]}" = "not printed: two four" ]
}
