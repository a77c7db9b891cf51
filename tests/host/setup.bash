# For host_flexio.bats, host_messages.bats and host_doca.bats: the test program, two devices, and a way to run a case.

. "${BASH_SOURCE[0]%/*}/../helpers/device.bash"

# Builds $BATS_FILE_TMPDIR/cases with the device program in it.
build_cases() { # flexio|messages|doca
    local here=$BATS_TEST_DIRNAME/../host top=$BATS_TEST_DIRNAME/../.. t=$BATS_FILE_TMPDIR
    "${DPA_CLANG:-clang}" --target=riscv64-unknown-elf -march=rv64imac_zbb_zbs -mabi=lp64 \
        -mcmodel=medany -ffreestanding -fno-pic -mno-relax -O2 -Wall -Wextra -Werror \
        -iquote "$top" -c "$here/device.c" -o "$t/device.o"
    "${DPA_LLD:-ld.lld}" -static -e _dpa_start -z norelro "$t/device.o" -o "$t/device.elf"
    # shellcheck disable=SC2086
    gcc -std=gnu11 -g -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} "-DDEVICE_ELF=\"$t/device.elf\"" \
        -I"$DPAKIT_BUILD/include" -I"$DPAKIT_BUILD/include/doca-2.2" \
        "$here/$1_cases.c" "$here/app.c" "$DPAKIT_BUILD/lib/libdoca_dpa.a" -o "$t/cases" \
        -L"$DPAKIT_BUILD/lib" -ldoca_common -lflexio -libverbs -lmlx5 -Wl,-rpath,"$DPAKIT_BUILD/lib"
}

# Builds $BATS_FILE_TMPDIR/cases with the device program of queues in it.
build_queues() { # CASES.c
    build_flexio queue "$1"
}

# Builds $BATS_FILE_TMPDIR/cases of libflexio with the device program NAME_dev.c in it, as NAME_app.
build_flexio() { # NAME CASES.c
    local here=$BATS_TEST_DIRNAME/../host t=$BATS_FILE_TMPDIR
    dpacc "$here/$1_dev.c" -o "$t/$1.a" -mcpu=nv-dpa-bf3 -hostcc=gcc \
        --devicecc-options="-Wall -Wextra -Werror" --app-name="$1_app" \
        -I"$DPAKIT_BUILD/include" -I"$here"
    # shellcheck disable=SC2086
    gcc -std=gnu11 -g -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} -I"$DPAKIT_BUILD/include" \
        "$here/$2" "$t/$1.a" -o "$t/cases" -L"$DPAKIT_BUILD/lib" -lflexio -libverbs -lmlx5 \
        -pthread -Wl,-rpath,"$DPAKIT_BUILD/lib"
}

# The program of tests/data/pcc/rp.c, as pcc_test_app.
pcc_program() { # OUTPUT
    local here=$BATS_TEST_DIRNAME/..
    dpacc "$here/data/pcc/rp.c" -o "$1" -app-name=pcc_test_app -device-libs=-ldoca_pcc_dev \
        -devicecc-options="-I$DPAKIT_BUILD/include/doca -I$here/.. -I$here/../runtime"
}

# A device that runs programs of congestion control.
let_run_pcc() { # DEVICE
    mlxconfig-lite -y -d "$1" set USER_PROGRAMMABLE_CC=1 >/dev/null
    dpadev reset "$1" >/dev/null
}

# Builds $BATS_FILE_TMPDIR/cases of tests/host/pcc_cases.c, with tests/data/pcc/rp.c in it.
build_pcc() {
    local here=$BATS_TEST_DIRNAME/.. t=$BATS_FILE_TMPDIR
    pcc_program "$t/rp.a"
    # shellcheck disable=SC2086
    gcc -std=gnu11 -g -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} -I"$DPAKIT_BUILD/include/doca" \
        -I"$DPAKIT_BUILD/include" "$here/host/pcc_cases.c" "$t/rp.a" -o "$t/cases" \
        -L"$DPAKIT_BUILD/lib" -ldoca_pcc -ldoca_common -lflexio -Wl,-rpath,"$DPAKIT_BUILD/lib"
}

make_pcc_device() { # DIRECTORY
    export DPAKIT_DEVICES=$1
    new_device mlx5_0 >/dev/null
    let_run_pcc mlx5_0
}

make_devices() { # DIRECTORY
    export DPAKIT_DEVICES=$1
    new_device mlx5_0
    new_device mlx5_1
}

# A device that wants signatures.
make_locked_device() { # DIRECTORY
    make_devices "$1"
    cat >"$1/lock.xml" <<'XML'
<?xml version="1.0" encoding="UTF-8"?>
<config xmlns="http://www.mellanox.com/config">
<file_applicable_to ovr_en='0' rd_en='1' writer_id='0'>
    <psid></psid><psid_branch></psid_branch>
</file_applicable_to>
<nv_file_id_mlnx ovr_en='0' rd_en='1' writer_id='0'>
    <disable_override>False</disable_override>
    <keep_same_priority>True</keep_same_priority>
    <per_tlv_priority>False</per_tlv_priority>
    <erase_lower_priority>False</erase_lower_priority>
    <file_version>0</file_version>
    <day>17</day><month>7</month><year>7e7</year>
    <seconds>1</seconds><minutes>e</minutes><hour>15</hour>
</nv_file_id_mlnx>
<nv_dpa_auth ovr_en='0' rd_en='1' writer_id='0'><dpa_auth_en>True</dpa_auth_en></nv_dpa_auth>
</config>
XML
    mlxconfig-lite -p "$nvidia_key.pem" -u "$(<"$nvidia_key.uuid")" \
        create_conf "$1/lock.xml" "$1/lock.bin"
    mlxconfig-lite -d mlx5_0 apply "$1/lock.bin"
    dpadev reset mlx5_0
}

# Shared memory of this user has nothing of ours, but what fuzzers of other runs have there.
nothing_in_shm() {
    find /dev/shm -maxdepth 1 -user "$(id -u)" -name '*dpakit*' ! -name 'dpakit-fuzz.*' >"$BATS_TEST_TMPDIR/shm"
    cat "$BATS_TEST_TMPDIR/shm"
    [ ! -s "$BATS_TEST_TMPDIR/shm" ]
}

# Runs a case, of the program "cases" or another one, that must succeed; its output is in $output.
case_ok() { # CASE [PROGRAM]
    run "$BATS_FILE_TMPDIR/${2:-cases}" "$1"
    echo "$output"
    [ "$status" -eq 0 ]
}

# Errors that the last command must have reported, each with one of these texts.
reported() { # TEXT...
    local text
    for text in "$@"; do
        echo "want: $text"
        grep -q -e "^-E- .*$text" <<<"$output"
    done
}

# Functions that a header declares and that its library must have.
declared() { # PREFIX HEADER...
    local prefix=$1
    shift
    cat "$@" | sed -e 's://.*::; /static inline/d' | awk '/\/\*/ {c = 1} !c {print} /\*\// {c = 0}' |
        grep -o "\b${prefix}[a-z0-9_]*(" | tr -d "(" | grep -v "_$" | sort -u
}

# Compiles a device program as the build scripts of NVIDIA's samples do: DIRECTORY/NAME_program.a
# They name four targets in $targets, and each costs as much as the first; host_doca_samples.bats has them all.
dpacc_sample() { # DEVICE.c DIRECTORY NAME APP
    local i=$DPAKIT_BUILD/include/doca
    printf ' Feature_list:\n' >"$2/$3.yaml"
    ! grep -q doca_dpa_dev_thread_notify "$1" || printf '  Generating_Empty_CQE: true\n' >>"$2/$3.yaml"
    dpa-app-attributes2blob "$2/$3.yaml" "$2/$3.blob"
    dpacc "$1" -o "$2/$3_program.a" -mcpu="${targets:-nv-dpa-bf3}" -hostcc=gcc \
        -hostcc-options="-Wno-deprecated-declarations -Werror -Wall -Wextra -DFLEXIO_ALLOW_EXPERIMENTAL_API" \
        --devicecc-options="-Wno-deprecated-declarations -Werror -Wall -Wextra -DFLEXIO_DEV_ALLOW_EXPERIMENTAL_API -O2" \
        --app-name="$4" \
        -device-libs="-L$DPAKIT_BUILD/lib -ldoca_dpa_dev -ldoca_dpa_dev_comm -ldoca_dpa_dev_verbs" \
        -flto -I"$i" --dpa-proc-attr="$2/$3.blob"
}

# Links a host program with it, as their meson.build does. Sources go last.
link_sample() { # OUTPUT NAME_program.a SOURCE...
    local out=$1 program=$2
    shift 2
    # shellcheck disable=SC2086
    gcc -std=gnu11 -g -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} -D DOCA_ALLOW_EXPERIMENTAL_API \
        -I"$DPAKIT_BUILD/include/doca" -I"$DPAKIT_BUILD/include" "$@" "$program" \
        -o "$out" -L"$DPAKIT_BUILD/lib" -ldoca_dpa -ldoca_argp -ldoca_rdma -ldoca_dma -ldoca_comch \
        -ldoca_eth -ldoca_flow -ldoca_verbs -ldoca_common -lflexio -lrdmacm -libverbs -pthread \
        -Wl,-rpath,"$DPAKIT_BUILD/lib"
}

# Builds $BATS_FILE_TMPDIR/cases of DOCA 3.x.
build_doca3() {
    local here=$BATS_TEST_DIRNAME/../host t=$BATS_FILE_TMPDIR
    dpacc_sample "$here/doca3_dev.c" "$t" cases dpa_test_app
    link_sample "$t/cases" "$t/cases_program.a" "$here"/doca3_main.c "$here"/doca3_*_cases.c
}
