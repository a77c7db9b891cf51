# A program of DOCA 2.5 (tests/host/doca2_5*.c), built as its samples are in the tree that
# `make install-compat DOCA=2.5` makes.

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
    run ./program
    echo "$output"
    [ "$status" -eq 0 ]
    [ "$output" = "DOCA 2.5.0, with 3.2.0" ]
    run ./program refused
    echo "$output"
    [ "$status" -eq 0 ]
    reported 'doca_buf_arr_create: an argument is NULL, or an object' \
        'doca_buf_arr_set_params: the array has 0 elements' \
        'doca_buf_arr_set_params: 4294967295 elements are not within 1 to 16777216' \
        'doca_buf_arr_set_params: the array is started, and must not be (DOCA_ERROR_BAD_STATE)' \
        'doca_rdma_export: the context is not started, or has failed (DOCA_ERROR_BAD_STATE)' \
        'doca_rdma_export: an argument is NULL' 'doca_rdma_connect: an argument is NULL' \
        'doca_rdma_connect: the context has no connection (doca_rdma_export makes it)' \
        'doca_rdma_connect: not the address of a queue pair (DOCA_ERROR_INVALID_VALUE)' \
        'doca_sync_event_get_dpa_handle: the event is not started, or was stopped' \
        'doca_sync_event_remote_net_get_dpa_handle: an argument is NULL'
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

# Which lines of DOCA=RELEASE VERSION: VERSION, and what pkg-config says of every library of DOCA.
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
}

@test "DOCA=RELEASE: VERSION and every pkg-config file say that version" {
    says_version 2.2 2.2.1 2.2.1
    says_version 2.5 2.5.0 23.10.0
    says_version 2.9 2.9.0 24.10.0
    # With headers of 2.2 there is no library that has none of them.
    [ ! -e of-2.2/flexio/lib/pkgconfig/doca-dma.pc ]
    run pkg-config --variable=includedir doca-dpa
    [ "$output" = "$root/doca/include" ]
    # Another release in the same place, and back to the newest.
    says_version 2.5 2.5.0 23.10.0
    "$BATS_TEST_DIRNAME/../../packaging/install-compat" "$DPAKIT_BUILD" '' "$PWD/of-2.5" 3
    [ "$(cat of-2.5/doca/applications/VERSION)" = "$(cat "$DPAKIT_BUILD/share/dpakit/VERSION")" ]
}
