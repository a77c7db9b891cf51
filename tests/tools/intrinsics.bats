# dpaintrin.h and the device's C library, on the DPA itself.

load ../helpers/device

setup() {
    cd "$BATS_TEST_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices LD_LIBRARY_PATH=$DPAKIT_BUILD/lib
    here=$BATS_TEST_DIRNAME/..
    new_device mlx5_0
}

# A million inputs for each function; under a sanitizer, where a call is slower, a tenth.
@test "fixed point: at most one unit in the last place off, a million inputs each" {
    count=1000000
    [ -z "${TEST_HOST_CFLAGS:-}" ] || count=100000
    dpacc "$here/data/dpacc/fxp.c" -o f.a --app-name=fxp_app
    # shellcheck disable=SC2086
    gcc -O2 -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} "$here/host/fxp_sweep.c" f.a -o sweep \
        -I"$DPAKIT_BUILD/include" -L"$DPAKIT_BUILD/lib" -lflexio -libverbs -lmlx5 -lm
    run ./sweep mlx5_0 $count
    echo "$output"
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 3 ]
}

@test "log2 of zero, and reciprocals beyond the range, have the documented values" {
    dpacc "$here/data/dpacc/fxp.c" -o f.a
    is() { [ "$(dparun f.a --rpc "$1" "$2")" = "result: $(printf '%u (0x%x)' "$3" "$3")" ]; }
    is log2_of 0 0xffffffff80000000
    is rcp_of 0 0x7fffffff
    is rcp_of 1 0x7fffffff
    is rcp_of -1 0xffffffff80000000
    is pow2_of 0x7fffffff 0x7fffffff
    is pow2_of -0x80000000 0
}

@test "an unknown version of dpaintrin.h is a compile-time error" {
    echo '#include <dpaintrin.h>
__dpa_rpc__ uint64_t f(void) { return 0; }' >k.c
    run dpacc k.c -o k.a -devicecc-options=-DDPA_INTRIN_VERSION_USED=2000
    [ "$status" -ne 0 ]
    [[ $output == *"this dpaintrin.h knows versions up to 1.3"* ]]
}

@test "cx8 has remote compare-exchange and the flush of the first cache; bf3 has not" {
    cat >k.c <<'END'
#include <dpaintrin.h>
__dpa_rpc__ uint64_t f(uint64_t desired)
{
    static uint64_t word = 7;
    uint64_t expected = 7;
    int done = __dpa_remote_atomic_compare_exchange(&word, &expected, desired, __ATOMIC_SEQ_CST,
                                                    __ATOMIC_RELAXED);
    __dpa_thread_l1_flush();
    return done ? word : 0;
}
END
    dpacc k.c -o k.a -mcpu=nv-dpa-cx8 -devicecc-options="-Wall -Werror"
    run dpacc k.c -o b.a -mcpu=nv-dpa-bf3 -devicecc-options=-Werror
    [ "$status" -ne 0 ]
    [ ! -e b.a ]
}

# The guide's list (DPA subsystem guide 2.2.1, 2.8.1.3), each with the output that C requires.
@test "printf: the documented formats, flags and padding" {
    cat >k.c <<'END'
#include <libflexio-dev/flexio_dev.h>
__dpa_rpc__ uint64_t show(void)
{
    flexio_dev_print("%c|%s|%d|%ld|%u|%lu|%i|%li\n", 'x', "text", -1, -2l, 3u, 4ul, -5, -6l);
    flexio_dev_print("%x|%hx|%lx|%X|%lX|%lo|%p|%%\n", 0xbeefu, (unsigned short)0xcafe, 0x123456789abul,
                     0xbeefu, 0xabcul, 0777ul, (void *)0x1234);
    flexio_dev_print("%05d|%5d|%-5d|%+d|%#x|%*d|%.3s|%8.3s|%-8s|\n", 42, 42, 42, 42, 255u, 6, 42,
                     "abcdef", "abcdef", "ab");
    return 0;
}
END
    dpacc k.c -o k.a
    dparun k.a --rpc show >out
    sed 's|^/ *[0-9]*/||; /^result/d' out >text
    printf '%s\n' 'x|text|-1|-2|3|4|-5|-6' 'beef|cafe|123456789ab|BEEF|ABC|777|0x1234|%' \
        '00042|   42|42   |+42|0xff|    42|abc|     abc|ab      |' | diff - text
}
