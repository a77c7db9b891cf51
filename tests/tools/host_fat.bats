# libflexio: what a host program asks of a program that is compiled for several targets.

load ../helpers/device

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    cat >fat.c <<'C'
#if __NV_DPA == __NV_DPA_CX8
__attribute__((used)) unsigned long padding(unsigned long x) { return x * 3 + (x >> 7) * (x | 5) + (x ^ 99) % 17; }
#endif
__dpa_rpc__ unsigned long which(void) { return __NV_DPA; }
C
    cat >host.c <<'C'
#include <libflexio/flexio.h>
#include <stdio.h>
extern struct flexio_app *fat;
extern flexio_func_t which;
int main(void)
{
    flexio_uintptr_t at = 1, unpack = 1;
    if (flexio_func_get_register_info(fat, &which, NULL, NULL, NULL, 0, NULL, NULL, &at, &unpack))
        return 1;
    printf("%lx %lx\n", at, unpack);
}
C
    dpacc fat.c -o fat.a -app-name fat -mcpu=bf3,cx8 -keep-dir kept -I"$DPAKIT_BUILD/include"
    # shellcheck disable=SC2086
    gcc -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} -I"$DPAKIT_BUILD/include" host.c fat.a -o host \
        -L"$DPAKIT_BUILD/lib" -lflexio -libverbs -lmlx5 -Wl,-rpath,"$DPAKIT_BUILD/lib"
}

addresses_in() { # ELF
    local function unpack
    function=$(llvm-nm "$1" | awk '$3 == "which" {print $1}')
    unpack=$(llvm-nm "$1" | awk '$3 == "_dpacc_unpack_which" {print $1}')
    printf '%x %x\n' $((16#$function)) $((16#$unpack))
}

@test "the addresses of a function are those for the device that is there" {
    export DPAKIT_DEVICES=$BATS_TEST_TMPDIR/devices
    new_device mlx5_0
    run -0 "$BATS_FILE_TMPDIR/host"
    [ "$output" = "$(addresses_in "$BATS_FILE_TMPDIR/kept/device_exec.bf3")" ]
    [ "$output" != "$(addresses_in "$BATS_FILE_TMPDIR/kept/device_exec.cx8")" ]
}

@test "without a device they are those of the first target" {
    DPAKIT_DEVICES=$BATS_TEST_TMPDIR/none run -0 "$BATS_FILE_TMPDIR/host"
    [ "$output" = "$(addresses_in "$BATS_FILE_TMPDIR/kept/device_exec.bf3")" ]
}
