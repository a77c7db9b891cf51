# FlexIO as the DPA subsystem guide 2.2.1 has it: its calls compile as they stand, link and run
# (tests/host/guide_flexio.c).

load ../host/setup

setup_file() {
    local here=$BATS_TEST_DIRNAME/../host t=$BATS_FILE_TMPDIR i=$DPAKIT_BUILD/include
    dpacc "$here/guide_flexio_dev.c" -o "$t/guide.a" -mcpu=nv-dpa-bf3 -hostcc=gcc \
        --devicecc-options="-Wall -Wextra -Werror" --app-name=application \
        -I"$i/flexio-2.2" -I"$i" -I"$here"
    build cases -I"$i/flexio-2.2" -I"$i"
    make_devices "$t/devices"
}

# The header folder, or FLEXIO_VER_USED, chooses the generation.
build() { # OUTPUT OPTION...
    local t=$BATS_FILE_TMPDIR
    # shellcheck disable=SC2086
    gcc -std=gnu11 -g -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} "${@:2}" \
        "$BATS_TEST_DIRNAME/../host/guide_flexio.c" "$t/guide.a" -o "$t/$1" \
        -L"$DPAKIT_BUILD/lib" -lflexio -libverbs -lmlx5 -Wl,-rpath,"$DPAKIT_BUILD/lib"
}

@test "1.3.2.1: event handler" {
    case_ok event_handler
}

@test "1.3.2.1: remote procedure call" {
    case_ok remote_procedure_call
}

@test "1.3.2.2: memory" {
    case_ok memory
}

@test "1.3.2.2: window" {
    case_ok window
}

@test "1.3.2.3: send and receive" {
    case_ok send_and_receive
}

@test "2.4.1: resource management" {
    case_ok resource_management
}

@test "2.5: memory is freed by its address" {
    case_ok memory_is_freed_by_its_address
}

@test "2.7.1: each activation begins with the default window and outbox" {
    case_ok default_window_and_outbox
}

@test "2.7.2: event handlers have an affinity" {
    case_ok event_handlers_have_an_affinity
}

@test "arguments travel as their values" {
    case_ok arguments_travel_as_their_values
}

@test "wrong arguments fail" {
    case_ok wrong_arguments_fail
}

@test "FLEXIO_VER_USED chooses the generation, too" {
    build by_version -I"$DPAKIT_BUILD/include" '-DFLEXIO_VER_USED=FLEXIO_VER(2, 2, 1)'
    nm -u "$BATS_FILE_TMPDIR/by_version" | grep -q 'flexio_process_create_v2_2'
    "$BATS_FILE_TMPDIR/by_version" memory
    nm -u "$BATS_FILE_TMPDIR/cases" >"$BATS_TEST_TMPDIR/a"
    nm -u "$BATS_FILE_TMPDIR/by_version" | diff "$BATS_TEST_TMPDIR/a" -
}

@test "an unknown or other generation is refused with a list of generations" {
    local i=$DPAKIT_BUILD/include
    t() { # OPTION...
        run gcc "$@" -fsyntax-only -x c - <<<'#include <libflexio/flexio.h>'
        echo "$output"
        [ "$status" -ne 0 ]
    }
    t -I"$i" '-DFLEXIO_VER_USED=FLEXIO_VER(23, 1, 0)'
    [[ $output == *'error "FLEXIO_VER_USED: there is FLEXIO_VER(2, 2, 1), and FLEXIO_VER(24, 1, 0)'* ]]
    t -I"$i/flexio-2.2" -I"$i" '-DFLEXIO_VER_USED=FLEXIO_VER(24, 1, 0)'
    [[ $output == *'take include/flexio-2.2 out of the search path'* ]]
    t -I"$i/flexio-2.2" -include "$i/libflexio/flexio.h"
    [[ $output == *'another generation of <libflexio/flexio.h> is included already'* ]]
}

@test "too many arguments are reported" {
    printf '%s\n' '#include <libflexio/flexio.h>' 'int t(struct flexio_process *p, flexio_func_t *f)' \
        '{ uint64_t r; return flexio_process_call(p, f, 1, 2, 3, 4, 5, 6, 7, 8, 9, &r); }' >"$BATS_TEST_TMPDIR/t.c"
    run gcc -Werror -Wall -I"$DPAKIT_BUILD/include/flexio-2.2" -fsyntax-only "$BATS_TEST_TMPDIR/t.c"
    [ "$status" -ne 0 ]
    [[ $output == *FLEXIO_2_2_at_most_8_arguments* ]]
}

# Declares the guide's prototypes after the headers: the compiler refuses a prototype that differs.
@test "every prototype of the guide is the headers'" {
    local h=$BATS_TEST_DIRNAME/../host/prototypes_flexio_2.2.inc
    {
        printf '#include <libflexio/flexio.h>\n'
        sed -n 's/^[a-z].*[ *](\([a-z0-9_]*\))(.*/enum { has_\1 = sizeof(\&\1) };/p' "$h"
        printf '#ifdef __cplusplus\nextern "C" {\n#endif\n'
        cat "$h"
        printf '#ifdef __cplusplus\n}\n#endif\n'
    } >"$BATS_TEST_TMPDIR/t.c"
    [ "$(grep -c has_ "$BATS_TEST_TMPDIR/t.c")" -eq 16 ]
    for cc in "gcc -std=c11 -Wpedantic" "g++ -x c++ -std=c++17" "clang -std=c11" "clang++ -x c++"; do
        $cc -Wall -Wextra -Werror -I"$DPAKIT_BUILD/include/flexio-2.2" -fsyntax-only "$BATS_TEST_TMPDIR/t.c"
    done
}

@test "the headers are valid C11 and C++17, alone and twice, without the later ones' folder" {
    for h in "$DPAKIT_BUILD"/include/flexio-2.2/libflexio/*.h; do
        [[ $h == */flexio_call.h ]] && continue # part of flexio.h
        printf '#include "%s"\n#include "%s"\nextern int some;\n' "$h" "$h" >"$BATS_TEST_TMPDIR/${h##*/}.c"
    done
    gcc -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only "$BATS_TEST_TMPDIR"/*.c
    g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c++ "$BATS_TEST_TMPDIR"/*.c
    # A program that finds this folder alone has every header.
    for d in libflexio libflexio-dev; do
        (cd "$DPAKIT_BUILD/include/$d" && ls) | while read -r h; do
            [ -f "$DPAKIT_BUILD/include/flexio-2.2/$d/$h" ] || { echo "no $d/$h"; false; }
        done
    done
}

@test "a C++ program makes the same calls" {
    cat >"$BATS_TEST_TMPDIR/t.cc" <<'C'
#include <libflexio/flexio.h>
#include "guide_flexio.h"
extern "C" struct flexio_app *application;
extern "C" flexio_func_t eight;
int main()
{
    struct ibv_device **list = ibv_get_device_list(nullptr);
    struct ibv_context *device = ibv_open_device(list[0]);
    struct flexio_process *process;
    uint64_t result = 0;
    flexio_process_create(device, application, &process);
    flexio_process_call(process, eight, 1, -2, (uint8_t)200, (pair{1000, 2000}), 30000000000ull, -4,
                        (uint16_t)5, 6u, &result);
    return result != 1 - 2 + 200 + 3000 + 30000000000ull - 4 + 5 + 6;
}
C
    # shellcheck disable=SC2086
    g++ -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} -I"$DPAKIT_BUILD/include/flexio-2.2" \
        -I"$BATS_TEST_DIRNAME/../host" "$BATS_TEST_TMPDIR/t.cc" "$BATS_FILE_TMPDIR/guide.a" \
        -o "$BATS_TEST_TMPDIR/t" -L"$DPAKIT_BUILD/lib" -lflexio -libverbs -lmlx5 \
        -Wl,-rpath,"$DPAKIT_BUILD/lib"
    ASAN_OPTIONS=detect_leaks=0 "$BATS_TEST_TMPDIR/t"
}

@test "every function of this generation has its symbol, and each symbol a function" {
    grep -oE '(FLEXIO_2_2\(|__asm__\("flexio_[a-z_]*_v2_2)[a-z0-9_]*' -r "$DPAKIT_BUILD/include/flexio-2.2" -h |
        sed -E 's/FLEXIO_2_2\((.*)/\1_v2_2/; s/.*"//' | grep -v '^name' | sort -u >"$BATS_TEST_TMPDIR/declared"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/declared")" -ge 12 ]
    nm -D --defined-only "$DPAKIT_BUILD/lib/libflexio.so" | awk '/_v2_2$/ {print $3}' | sort |
        diff "$BATS_TEST_TMPDIR/declared" -
}

@test "installed, the tree of DOCA 2.2 has this generation, and pkg-config finds it" {
    local here=$BATS_TEST_DIRNAME/../.. t=$BATS_TEST_TMPDIR
    "$here/packaging/install-compat" "$DPAKIT_BUILD" '' "$t/m" 2.2
    compiles() { gcc -Wall -Wextra -Werror "$@" -fsyntax-only "$BATS_TEST_DIRNAME/../host/guide_flexio.c"; }
    compiles -I"$t/m/flexio/include"
    ! compiles -I"$DPAKIT_BUILD/include" 2>/dev/null || false
    # shellcheck disable=SC2046
    compiles $(PKG_CONFIG_PATH=$t/m/dpakit/lib/pkgconfig pkg-config --cflags libflexio-2.2)
}

@test "with the default headers, the compiler names those of 2.2" {
    cd "$BATS_TEST_TMPDIR"
    cat >two.c <<'C'
#include <libflexio/flexio.h>
extern struct flexio_app *app;
int make(struct ibv_context *context);
int make(struct ibv_context *context)
{
    struct flexio_process *process;
    return flexio_process_create(context, app, &process);
}
C
    sed 's/app, &process/app, NULL, \&process/' two.c >later.c
    sed 's/app, &process/app, \&(struct flexio_process_attr){.pd = NULL, .en_pcc = 0}, \&process/' two.c >literal.c
    for compiler in gcc clang "g++ -x c++"; do
        run $compiler -fsyntax-only -I"$DPAKIT_BUILD/include" two.c
        [ "$status" -ne 0 ]
        [[ $output == *"this program is for FlexIO 2.2: use its headers (pkg-config libflexio-2.2, -I PREFIX/include/flexio-2.2"* ]]
        for options in "-I$DPAKIT_BUILD/include/flexio-2.2" "-DFLEXIO_VER_USED=FLEXIO_VER(2,2,1)"; do
            $compiler -fsyntax-only "$options" -I"$DPAKIT_BUILD/include" two.c
        done
        $compiler -fsyntax-only -Wall -Wextra -Werror -I"$DPAKIT_BUILD/include" later.c
    done
    gcc -fsyntax-only -Wall -Wextra -Werror -I"$DPAKIT_BUILD/include" literal.c
}
