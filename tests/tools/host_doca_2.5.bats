# A program of DOCA 2.5 (tests/host/doca2_5*.c), built as its samples are in the tree that
# `make install-compat DOCA=2.5` makes.

bats_require_minimum_version 1.5.0
load ../host/setup
load ../helpers/profiles

setup_file() {
    local here=$BATS_TEST_DIRNAME/../.. root=$BATS_FILE_TMPDIR/opt/mellanox
    make_devices "$BATS_FILE_TMPDIR/devices"
    "$here/packaging/install-compat" "$DPAKIT_BUILD" '' "$root" 2.5
    "$here/packaging/system-compat" '' "$root"
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    host=$BATS_TEST_DIRNAME/../host root=$BATS_FILE_TMPDIR/opt/mellanox
    tools=$root/doca/tools include=$root/doca/include
    source_profiles "$root"
}

@test "a program of DOCA 2.5 builds and runs in its tree" {
    "$tools/dpacc" "$host/doca2_5_dev.c" -o program.a -hostcc=gcc -flto -I"$include" \
        -hostcc-options="-Wno-deprecated-declarations -Werror -Wall -Wextra" \
        --devicecc-options="-D__linux__ -Wno-deprecated-declarations -Werror -Wall -Wextra -O2" \
        --app-name=dpa_sample_app \
        -device-libs="-L$include -ldoca_dpa_dev -ldoca_dpa_dev_comm"
    # shellcheck disable=SC2046,SC2086
    gcc -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} -D DOCA_ALLOW_EXPERIMENTAL_API "$host/doca2_5.c" program.a \
        -o program $(pkg-config --cflags --libs doca-common doca-dpa doca-rdma libflexio) -pthread
    run --separate-stderr ./program refusals
    echo "$output" "$stderr"
    [ "$status" -eq 0 ]
    [ "$output" = "DOCA 2.5.0, with 2.5.0" ]
    [[ $stderr == *"doca_dpa_start: the DPA context is started already, or extends another one (DOCA_ERROR_BAD_STATE)"* ]]
    [[ $stderr == *"doca_rdma_create_with_srq: the shared receive queue is not started"* ]]
    [[ $stderr == *"doca_ctx_stop: 2 RDMA contexts with the shared receive queue are running"* ]]
    run ./program full
    echo "$output"
    [ "$status" -ne 0 ]
    [[ $output == *"RDMA: the shared receive queue is full"* ]]
}

# Host functions that differ in these releases (doca2_5_tasks.c).
@test "tasks, events, queues and pipes of DOCA 2.5, 2.6 and 2.8 build and run" {
    local release tree
    cat >sizes.c <<'C'
#include <doca_flow.h>
#include <stdio.h>
int main(void)
{
    struct doca_flow_fwd fwd = {.type = DOCA_FLOW_FWD_DROP};
    struct doca_flow_pipe_entry *entry;
    printf("match %zu, actions %zu, monitor %zu\n", sizeof(struct doca_flow_match), sizeof(struct doca_flow_actions),
           sizeof(struct doca_flow_monitor));
    return doca_flow_pipe_add_entry(0, NULL, NULL, NULL, NULL, &fwd, 0, NULL, &entry) != DOCA_ERROR_INVALID_VALUE;
}
C
    for release in 2.5 2.6 2.8; do
        tree=$root
        if [ "$release" != 2.5 ]; then
            tree=$PWD/$release
            "$BATS_TEST_DIRNAME/../../packaging/install-compat" "$DPAKIT_BUILD" '' "$tree" "$release"
        fi
        PKG_CONFIG_PATH=$(echo "$tree"/doca/lib/*/pkgconfig | tr ' ' :)
        export PKG_CONFIG_PATH
        # shellcheck disable=SC2046,SC2086
        gcc -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} -D DOCA_ALLOW_EXPERIMENTAL_API "$host/doca2_5_tasks.c" -o tasks \
            $(pkg-config --cflags --libs doca-common doca-rdma doca-eth) -pthread
        LD_LIBRARY_PATH=$tree/dpakit/lib ./tasks >>said
        # The sizes of its structures, and a function that has another form since 3.2.
        # shellcheck disable=SC2046,SC2086
        gcc -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} sizes.c -o sizes $(pkg-config --cflags --libs doca-flow doca-common)
        LD_LIBRARY_PATH=$tree/dpakit/lib ./sizes >>said 2>/dev/null
    done
    diff - said <<'END'
DOCA 2.5.0: 6 tasks, 100 Gb/s
match 496, actions 924, monitor 56
DOCA 2.6.0: 6 tasks, 100 Gb/s
match 496, actions 928, monitor 56
DOCA 2.8.0: 5 tasks, 100 Gb/s
match 520, actions 1016, monitor 48
END
}

@test "pkg-config has the headers of DOCA 2.5 by name, and by that of the tree" {
    pkg-config --cflags doca-dpa-2.5 | grep -q 'include/doca-2\.5 '
    pkg-config --cflags doca-dpa | grep -qE "^-I$root/doca/include( |\$)"
    pkg-config --cflags doca-dpa-2.2 | grep -q 'include/doca-2\.2 '
}

@test "every header of later DOCA is there for DOCA 2.5 too" {
    local h
    for h in "$DPAKIT_BUILD"/include/doca/*.h; do
        case $h in */doca_dpa_dev_rdma_2_7.h) continue ;; esac
        echo "#include <${h##*/}>"
    done >all.c
    gcc -fsyntax-only -Wall -Wextra -Werror -I"$include" all.c
    g++ -fsyntax-only -Wall -Wextra -Werror -I"$include" -x c++ all.c
}

@test "releases from 2.7 on share the headers of DOCA 3" {
    local r
    for r in 2.7 2.9 2.10 3.2; do
        "$BATS_TEST_DIRNAME/../../packaging/install-compat" "$DPAKIT_BUILD" '' "$PWD/$r" "$r"
        [ "$(readlink "$r/doca/include")" = ../dpakit/include/doca ]
        [ "$(cat "$r/doca/applications/VERSION")" = "$r.0" ]
    done
}

# DOCA=RELEASE VERSION: the version in each file, and the version that pkg-config gives for every library of DOCA.
says_version() {
    local root=$PWD/of-$1 f name
    "$BATS_TEST_DIRNAME/../../packaging/install-compat" "$DPAKIT_BUILD" '' "$root" "$1"
    [ "$(cat "$root/doca/applications/VERSION" "$root/doca/VERSION")" = "$2"$'\n'"$2" ]
    for f in "$root"/doca/lib/*/pkgconfig/doca*.pc "$root"/flexio/lib/pkgconfig/doca*.pc; do
        name=$(basename "$f" .pc)
        [ "$(PKG_CONFIG_PATH=${f%/*} pkg-config --modversion "$name")" = "$2" ] || { echo "$f"; return 1; }
        PKG_CONFIG_PATH=${f%/*} pkg-config --exists --print-errors "$name"
    done
    [ "$(PKG_CONFIG_PATH=$root/flexio/lib/pkgconfig pkg-config --modversion libflexio)" = "$3" ]
    says_macros "$root" "$2"
}

# The macros of doca_version.h say VERSION, under the names of all releases, and so does the library.
says_macros() {
    cat >says.c <<'C'
#include <doca_version.h>
#include <stdio.h>
#if DOCA_VERSION_MAJOR == 3 && DOCA_VERSION_MINOR < 2 || DOCA_VERSION_MAJOR < 2
#error neither
#endif
int main(void)
{
    const size_t exact = DOCA_VERSION_CALC_EXACT(DOCA_VER_MAJOR, DOCA_VER_MINOR, DOCA_VER_PATCH);
    printf("%d.%d.%d %s %s %s %s %d %d\n", DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR, DOCA_VERSION_PATCH,
           DOCA_VERSION_STRING, DOCA_VER_STRING, doca_version(), doca_version_runtime(), DOCA_VERSION_EXACT == exact,
           DOCA_VERSION_OFFICIAL == DOCA_VERSION_CALC(DOCA_VER_MAJOR, DOCA_VER_MINOR, DOCA_VER_PATCH));
    return 0;
}
C
    # shellcheck disable=SC2046,SC2086
    PKG_CONFIG_PATH=$(echo "$1"/doca/lib/*/pkgconfig | tr ' ' :) gcc -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} -DDOCA_ALLOW_EXPERIMENTAL_API says.c -o says \
        $(PKG_CONFIG_PATH=$(echo "$1"/doca/lib/*/pkgconfig | tr ' ' :) pkg-config --cflags --libs doca-common)
    [ "$(LD_LIBRARY_PATH=$1/dpakit/lib ./says)" = "$2 $2 $2 $2 $2 1 1" ]
}

@test "DOCA=RELEASE: VERSION and every pkg-config file say that version" {
    says_version 2.2 2.2.1 2.2.1
    says_version 2.5 2.5.0 23.10.0
    says_version 2.9 2.9.0 24.10.0
    # With headers of 2.2, every installed library has headers.
    [ ! -e of-2.2/flexio/lib/pkgconfig/doca-dma.pc ]
    run pkg-config --variable=includedir doca-dpa
    [ "$output" = "$root/doca/include" ]
    # Installs another release in the same place, and then the newest again.
    says_version 2.5 2.5.0 23.10.0
    "$BATS_TEST_DIRNAME/../../packaging/install-compat" "$DPAKIT_BUILD" '' "$PWD/of-2.5" 3
    [ "$(cat of-2.5/doca/applications/VERSION)" = "$(cat "$DPAKIT_BUILD/share/dpakit/VERSION")" ]
    says_macros "$PWD/of-2.5" "$(cat "$DPAKIT_BUILD/share/dpakit/VERSION")"
}

# Device code that says which headers it sees, and a library under the name that DOCA 2.5 and 2.6 have for it.
@test "dpacc includes the headers of its tree's release, or of the release in DPA_DOCA" {
    cat >sees.c <<'C'
#include <doca_dpa_dev_rdma.h>
#include <doca_version.h>
#if DOCA_VERSION_MAJOR != SEES_MAJOR || DOCA_VERSION_MINOR != SEES_MINOR
#error other headers
#endif
#ifdef DOCA_2_5
#define DESTINATION rdma, 0, 0, 0, 0, 8
#else
#define DESTINATION rdma, 0, 0, 0, 0, 0, 8, 0
#endif
__dpa_global__ void sees(doca_dpa_dev_rdma_t rdma)
{
#ifdef DOCA_2_5
    doca_dpa_dev_rdma_write(DESTINATION);
#else
    doca_dpa_dev_rdma_post_write(DESTINATION);
#endif
}
C
    sees() { # MAJOR MINOR TOOLS: builds a program that needs these headers
        "$3/dpacc" sees.c -o sees.a -hostcc=gcc -mcpu=nv-dpa-bf3 --app-name=sees_app \
            --devicecc-options="-DSEES_MAJOR=$1 -DSEES_MINOR=$2" -device-libs="-L$include -ldoca_dpa_dev -ldoca_dpa_comm_dev"
    }
    sees 2 5 "$tools"
    sees 3 2 "$DPAKIT_BUILD/bin"
    DPA_DOCA=2.5 sees 2 5 "$DPAKIT_BUILD/bin"
    DPA_DOCA=2.6 sees 2 6 "$DPAKIT_BUILD/bin"
    DPA_DOCA=2.10 sees 2 10 "$DPAKIT_BUILD/bin"
    DPA_DOCA=3.0 sees 3 0 "$tools"
    DPA_DOCA=3 sees 3 2 "$tools"
    DPA_DOCA=2.4 run -2 sees 2 4 "$tools"
    [ "$output" = "-E- DPA_DOCA: no headers of DOCA 2.4; there are those of 2.2, 2.5 to 2.10 and 3" ]
}
