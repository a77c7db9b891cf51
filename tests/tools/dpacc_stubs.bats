# dpacc: arguments from host to DPA. Random signatures and values, 125 signatures for each test.

bats_require_minimum_version 1.5.0

setup() {
    load ../helpers/dpacc.bash
    dpacc_setup
}

# SEED HOST_SUFFIX: two sources, one program, one host; the DPA must receive what was sent.
received_as_sent() {
    local signatures=$DPAKIT_BUILD/obj/tests/helpers/signatures n
    "$signatures" "$1" types > types.h
    for n in 0 1 2 3 4; do
        "$signatures" "$1" device $n > part
        # Two sources hold the five parts: all include the types, and to compile a source takes most of the time.
        if [ $n = 0 ] || [ $n = 3 ]; then cp part part$n.c; else sed 1d part >> part$((n < 3 ? 0 : 3)).c; fi
    done
    "$signatures" "$1" host > "host.$2"
    dpacc part?.c -o random.a -app-name random_app -devicecc-options="-O1 -g0"
    link_host host -w -O0 "host.$2" random.a
    new_device mlx5_0
    ./host
}

@test "125 random signatures: the DPA receives what a C host sent (1)" { received_as_sent 1 c; }

@test "125 random signatures: the DPA receives what a C host sent (2)" { received_as_sent 2 c; }

@test "125 random signatures: the DPA receives what a C host sent (3)" { received_as_sent 3 c; }

@test "125 random signatures: the DPA receives what a C++ host sent" {
    HOSTCC=g++ received_as_sent 4 cc
}

@test "annotations before a definition, after the type of the name, and after the definition work" {
    cat > k.h <<'END'
#include <stdint.h>
__dpa_rpc__ uint64_t in_header(int a);
END
    cat > k.c <<'END'
#include "k.h"
uint64_t in_header(int a) { return (uint64_t)a; }
uint64_t __dpa_rpc__ in_the_middle(int a) { return (uint64_t)a; }
uint64_t after(int a) { return (uint64_t)a; }
__dpa_rpc__ uint64_t after(int a);
void kernel_after(void) {}
void __dpa_global__ kernel_after(void);
uint64_t not_at_all(int a) { return (uint64_t)a; }
END
    for options in -w -Werror "-Wno-ignored-attributes -Wall"; do
        dpacc -c k.c -devicecc-options="$options"
        [ "$(nm k.dpa.o | awk '$2 == "T" && $3 !~ /_dpacc/ {print $3}' | sort | tr '\n' ' ')" = \
            "after in_header in_the_middle kernel_after " ]
    done
}

@test "annotations after a definition count if a macro of the user expands to them" {
    cat > k.c <<'END'
#define CALL_OF(n) __dpa_rpc__ unsigned long n
#define KERNEL __dpa_global__
#define EXPORT KERNEL
#define USED __attribute__((used))
void kernel(void) {}
EXPORT void kernel(void);
unsigned long call(int a) { return (unsigned long)a; }
CALL_OF(call)(int a);
void neither(void) {}
USED void neither(void);
#define BOTH __attribute__((used)) __dpa_rpc__
unsigned long both(int a) { return (unsigned long)a; }
BOTH unsigned long both(int a);
END
    dpacc -c k.c -devicecc-options=-w
    [ "$(nm k.dpa.o | awk '$2 == "T" && $3 !~ /_dpacc/ {print $3}' | sort | tr '\n' ' ')" = "both call kernel " ]
}

@test "an error in a function that is annotated after its definition is reported" {
    refused 'bad.c:1: f: a __dpa_rpc__ function returns uint64_t; change its return type' <<'END'
int f(void) { return 1; }
__dpa_rpc__ int f(void);
END
}

@test "long tables of integers keep their types and do not hide what is beside them" {
    numbers=$(seq -s ', ' 2000)
    cat > k.c <<END
#include <stdint.h>
const unsigned char bytes[] = { $(seq -s ', ' 1 200), $(for i in $(seq 2000); do printf '0x%02x,\n' $((i % 256)); done) };
_Static_assert(sizeof bytes == 2200, "as long as it was");
static const int64_t flat[4][512] = { $numbers };
struct pair { int a, b; } __dpa_global__;
static const struct pair pairs[] = { $numbers };
_Static_assert(sizeof pairs == 1000 * sizeof *pairs, "as long as it was");
struct sized { uint8_t as_many[sizeof bytes / 100]; } __dpa_global__;
__dpa_rpc__ uint64_t f(struct sized s) { return s.as_many[21] + (uint64_t)flat[3][1] + (uint64_t)pairs[7].b; }
END
    dpacc -c k.c -keep-dir k
    grep -q 'sizeof(struct _dpacc_type_0) == 22' k/k.dpa.host.c
    { echo "const int table[] = { $numbers };"; echo '__dpa_global__ int f(void) { return table[0]; }'; } > bad.c
    run -1 dpacc bad.c -o out2.a
    [[ $output == "-E- bad.c:2: f: a __dpa_global__ function returns void; "* ]]
    { echo "const int table[2] = { $numbers };"; echo '__dpa_global__ void f(void) {}'; } > bad.c
    dpacc -c bad.c 2>/dev/null # more elements than the array has: the compiler warns only
    echo "const double table[] = { $numbers };__dpa_global__ void f(void) {}" > bad.c
    run -1 dpacc bad.c -o out2.a
    [[ $output == "-E- bad.c:1: floating point is not available on the DPA" ]]
}

@test "long tables in headers keep their types, however they are included" {
    numbers=$(seq -s ', ' 2000)
    mkdir src inc
    echo "static const short near[] = { $numbers };
_Static_assert(sizeof near == 4000, \"as long as it was\");" > src/near.h
    echo "static const short far[] = { $numbers };" > inc/far.h
    echo "TYPE NAME[] = { $numbers };" > src/twice.h
    seq -s ', ' 2000 > src/list.inc
    echo "static struct { int a, b; } pairs[] = { $numbers };" > src/pairs.h
    cat > src/k.c <<'END'
  #  include	"near.h" // as odd as the compiler accepts it
#if 0
#include "none.h"
#include "near.h
#endif
#include "far.h"
#define TYPE static const int
#define NAME one
#include "twice.h"
#undef NAME
#define NAME two
#include "twice.h"
static const int three[] = {
#include "list.inc"
};
__dpa_rpc__ unsigned long size(struct { char as_many[sizeof near / 100]; } __dpa_global__ s)
{
    return (unsigned long)s.as_many[0];
}
__dpa_rpc__ unsigned long f(int n) { return (unsigned long)(near[n] + far[1] + one[2] + two[3] + three[4]); }
END
    dpacc src/k.c -o out.a -I inc -keep-dir k
    grep -q 'sizeof(struct _dpacc_type_0) == 40' k/k.dpa.host.c
    new_device mlx5_0
    run -0 dparun -d mlx5_0 out.a --rpc f 9
    [ "${output%% (*}" = "result: 24" ] # 10 + 2 + 3 + 4 + 5
    echo '#include "pairs.h"
__dpa_global__ void f(void) { pairs[999].b = 1.5; }' > src/bad.c
    run -1 dpacc src/bad.c -o out2.a
    [ "$output" = "-E- src/bad.c:2: f: floating point is not available on the DPA" ]
}
