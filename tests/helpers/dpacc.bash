# What the tests of dpacc share. Loaded by setup().

. "${BASH_SOURCE[0]%/*}/device.bash"

dpacc_setup() {
    cd "$BATS_TEST_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices TMPDIR=$PWD/tmp
    mkdir tmp
    data=$BATS_TEST_DIRNAME/../data/dpacc
    cat > kernel.c <<'END'
#include "doca_dpa_dev.h"
__dpa_global__ void hello_world_kernel(void) { doca_dpa_dev_printf("Hello World\n"); }
END
}

# What a failed run leaves: nothing new but what the test made itself.
no_output() {
    [ ! -e out.a ]
    [ -z "$(ls -A tmp)" ]
}

# Compiles the source on standard input; it must be refused with code 1 and this message, no word more.
refused() {
    cat > bad.c
    run -1 dpacc bad.c -o out.a
    echo "$output"
    [ "$output" = "-E- $1" ]
    no_output
}

# wrong MESSAGE: keeps the source on standard input; all_refused sees it refused with this message, where it is bad.c.
# all_refused: one dpacc reads all of them, as to start one takes longer than to read a source.
wrong() {
    local name
    name=$(printf 'bad%02d.c' "$(grep -c '' wanted 2>/dev/null)")
    cat > "$name"
    echo "-E- ${1//bad.c/$name}" >> wanted
}
all_refused() {
    run -1 dpacc bad??.c -o out.a
    diff wanted - <<<"$output"
    no_output
}

# link_host OUT SOURCE... ARCHIVE: a host program over libflexio.
link_host() {
    local out=$1
    shift
    ${HOSTCC:-gcc} $TEST_HOST_CFLAGS -I"$DPAKIT_BUILD/include" "$@" -o "$out" -L"$DPAKIT_BUILD/lib" \
        -lflexio -libverbs -lmlx5 -Wl,-rpath,"$DPAKIT_BUILD/lib"
}
