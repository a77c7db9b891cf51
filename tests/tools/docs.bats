# The commands in docs/, pasted one by one as a reader would, and the output that the pages show.

source "$BATS_TEST_DIRNAME/../helpers/device.bash"
source "$BATS_TEST_DIRNAME/../helpers/network.bash"
source "$BATS_TEST_DIRNAME/../helpers/printed.bash"

# Keys take seconds, so these are made once; commands of the texts get a copy.
setup_file() {
    cd "$BATS_FILE_TMPDIR" && mlxdpa keygen keys >said
    ready_build "$PWD/build"
}

setup() {
    tree=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    cd "$BATS_TEST_TMPDIR"
    mkdir top steps tmp
    ln -s "$tree/examples" top/examples
    # `make install-compat` in a text uses the finished build.
    cat >top/Makefile <<END
install-compat:
	'$tree/packaging/install-compat' '$DPAKIT_BUILD' '\$(DESTDIR)' /opt/mellanox 3
END
}

# steps FILE: runs its commands in one shell; a step ends at its first failing command.
steps() {
    local step
    awk -v dir=steps -f "$tree/tests/helpers/markdown_steps.awk" "$1"
    [ -f steps/001.cmd ] || return 1
    if uses_the_pair "$1"; then ln -sfT "$DPAKIT_BUILD" top/build; else ln -sfT "$ready_build" top/build; fi
    # The host compiler with the options of the sanitizer build.
    sed -i -E "s|^( *)gcc |\1gcc ${TEST_HOST_CFLAGS:-} |" steps/*.cmd
    cat >run.bash <<'END'
set -e
steps=$1
made=$2
mlxdpa() {
    if [ "$*" = "keygen keys" ]; then cp -a "$made/keys" . && cat "$made/said"; else command mlxdpa "$@"; fi
}
cd top
for step in "$steps"/*.cmd; do
    . "$step" >"${step%.cmd}.real" 2>"${step%.cmd}.errors" </dev/null
    : >"${step%.cmd}.done"
done
END
    env -u DPAKIT_DEVICES TMPDIR="$PWD/tmp" bash run.bash "$PWD/steps" "$BATS_FILE_TMPDIR" || echo "exit code $?"
    for step in steps/*.cmd; do
        [ -f "${step%.cmd}.done" ] &&
            { [ ! -f "${step%.cmd}.out" ] || printed "${step%.cmd}.out" "${step%.cmd}.real"; } && continue
        sed '1s/^/$ /' "$step"
        cat "${step%.cmd}.real" "${step%.cmd}.errors"
        return 1
    done
}

@test "tutorial" { steps "$tree/docs/tutorial.md"; }
@test "flexio" { steps "$tree/docs/flexio.md"; }
@test "card" { steps "$tree/docs/card.md"; }
@test "ci" { steps "$tree/docs/ci.md"; }
@test "hsm" {
    command -v softhsm2-util >/dev/null || skip "no softhsm2"
    steps "$tree/docs/hsm.md"
}
@test "debugging" {
    command -v gdb-multiarch >/dev/null || skip "no gdb-multiarch"
    steps "$tree/docs/debugging.md"
}
@test "two-machines" {
    need_network
    unshare -rnm mount -t sysfs sysfs /sys || skip 'no sysfs for a network namespace of this user'
    /sbin/ldconfig -p | grep libucp.so.0 || skip "no UCX: package libucx0"
    steps "$tree/docs/two-machines.md"
}
@test "mpi" {
    [ "${DPAKIT_BUILD##*/}" = build ] || skip "plain build only: Debian's programs carry no sanitizer"
    command -v ucx_info >/dev/null && command -v mpicc >/dev/null || skip "no packages ucx-utils, openmpi-bin, libopenmpi-dev"
    steps "$tree/docs/mpi.md"
}
@test "nvidia-tools" {
    [[ $(mstconfig --version 2>/dev/null) == *'mstflint 4.21'* ]] || skip "no mstflint 4.21"
    command -v setpci >/dev/null || skip "no package pciutils"
    steps "$tree/docs/nvidia-tools.md"
}
@test "watching" { steps "$tree/docs/watching.md"; }
@test "finding-bugs" { steps "$tree/docs/finding-bugs.md"; }
@test "editor" { steps "$tree/docs/editor.md"; }
@test "packets" { steps "$tree/docs/packets.md"; }
@test "gpu" {
    [ "${DPAKIT_BUILD##*/}" = build ] || skip "plain build only: dpacu carries no sanitizer"
    steps "$tree/docs/gpu.md"
}
@test "congestion-control" { steps "$tree/docs/congestion-control.md"; }
@test "dma" { steps "$tree/docs/dma.md"; }

@test "every text with commands is tested here" {
    local file
    for file in "$tree"/docs/*.md; do
        grep -q '^```sh$' "$file" || continue
        grep -qF "@test \"$(basename "$file" .md)\"" "$BATS_TEST_FILENAME" || { echo "$file"; false; }
    done
}

@test "a failing command and a line that is not printed are found" {
    printf '%s\n' '```sh' 'false' 'true' '```' >wrong.md
    ! steps wrong.md || false
    rm steps/*
    printf '%s\n' '```sh' 'x=two; echo one' '```' 'text' '```sh' 'echo $x' 'echo three' '```' '```text' '...' 'three' '```' >right.md
    steps right.md
    sed -i 's/^three$/four/' right.md
    rm steps/*
    ! steps right.md || false
}
