# dpacc-extract: programs of several targets, and core files.

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    echo '__dpa_rpc__ unsigned long in_fat(void) { return __NV_DPA; }' > fat.c
    dpacc fat.c -o fat.a -app-name fat -mcpu=bf3,cx8 -keep-dir k_fat -hostcc-options=-fPIC
    echo '__dpa_rpc__ unsigned long in_one(void) { return 1; }' > one.c
    dpacc one.c -o one.a -app-name one -keep-dir k_one
    cat > host.c <<'END'
#include <signal.h>
#include <string.h>
int flexio_app_create(void *a, void **b) { return 1; }
int flexio_app_destroy(void *a) { return 0; }
int flexio_func_pup_register(void) { return 0; }
extern void *one, *fat;
int main(int argc, char **argv)
{
    if (one || fat)
        return 1;
    raise(SIGABRT);
    return 0;
}
END
    gcc -w host.c one.a fat.a -o host
}

setup() {
    here=$BATS_FILE_TMPDIR
    cd "$BATS_TEST_TMPDIR"
}

# Makes a core file of a host program (default: ./host) as `core`: by the kernel if it writes files, else by GDB.
make_core() { # FILTER
    [ -e host ] || cp "$here/host" .
    case $(cat /proc/sys/kernel/core_pattern) in
    core*) (ulimit -c unlimited; echo "$1" > /proc/self/coredump_filter; exec ./host) || true ;;
    esac
    [ -e core ] || mv core.* core 2>/dev/null ||
        (echo "$1" > /proc/self/coredump_filter
            exec gdb-multiarch -nx -batch -ex run -ex "generate-core-file core" ./host) || skip "no core files can be made here"
    [ -s core ]
}

@test "a fat program's target is chosen, and is the file that dpacc linked" {
    for t in bf3 cx8; do
        dpacc-extract "$here/fat.a" -mcpu=nv-dpa-$t -o out.elf
        cmp out.elf "$here/k_fat/device_exec.$t"
    done
}

@test "a fat program without -mcpu, or for another target, is an error that lists what there is" {
    run -2 dpacc-extract "$here/fat.a" -o out.elf
    [[ $output == "-E- $here/fat.a: program 'fat' is for several targets, choose one with -mcpu: nv-dpa-bf3, nv-dpa-cx8" ]]
    run -1 dpacc-extract "$here/fat.a" -mcpu cx9 -o out.elf
    [[ $output == "-E- $here/fat.a: program 'fat' is not for cx9, but for: nv-dpa-bf3, nv-dpa-cx8" ]]
    [ -z "$(ls)" ]
}

@test "--list shows the targets" {
    dpacc-extract "$here/host" --list > list
    grep -qE '^[01] +one +0x.* no +nv-dpa-bf3$' list
    grep -qE '^[01] +fat +0x.* no +nv-dpa-bf3,nv-dpa-cx8$' list
    # JSON has the place of each device executable.
    local t at
    for t in bf3 cx8; do
        at=$(dpacc-extract "$here/host" --list --json | jq ".[] | select(.name == \"fat\").targets[] | select(.target == \"$t\") | .offset")
        cmp "$here/k_fat/device_exec.$t" <(tail -c +$((at + 1)) "$here/host" | head -c "$(stat -c %s "$here/k_fat/device_exec.$t")")
    done
}

@test "a core file that holds the programs gives them back, without the host's file" {
    make_core 0x3f
    rm host
    dpacc-extract core -app-name one -o out.elf
    cmp out.elf "$here/k_one/device_exec.bf3"
    dpacc-extract core -app-name fat -mcpu cx8 -o out.elf
    cmp out.elf "$here/k_fat/device_exec.cx8"
    dpacc-extract core --list > list
    grep -qE '^[01] +one +0x.* no +nv-dpa-bf3$' list
}

@test "crypto data for one target comes out of a core file" {
    keys=$DPAKIT_GOLDEN/keys
    mlxdpa -e "$here/host" -c "$keys/chain3.der" -p "$keys/leaf.pem" --app fat -o host sign_dpa_apps
    make_core 0x3f
    for t in bf3 cx8; do
        dpacc-extract host -app-name fat -mcpu $t -o host.elf --signature host.crypto
        dpacc-extract core -app-name fat -mcpu $t -o core.elf --signature core.crypto
        cmp host.elf core.elf
        cmp host.crypto core.crypto
    done
    run -1 dpacc-extract core -app-name one -o no.elf --signature no.crypto
    [[ $output == "-E- core: program 'one' is not signed" ]]
    dpacc-extract core --list | grep -qE '^[01] +fat +0x.* yes +nv-dpa-bf3,nv-dpa-cx8$'
}

@test "a core file without file pages is completed from the host's file, if it is the same" {
    make_core 0x33
    dpacc-extract core -app-name one -o out.elf
    cmp out.elf "$here/k_one/device_exec.bf3"
    printf 'x' | dd of=host bs=1 seek=100 conv=notrunc 2>/dev/null
    run -1 dpacc-extract core -app-name one -o again.elf
    [[ $output == "-E- core: program '"*"' was left out of the core file, and $PWD/host is not the file any more that it came from" ]]
    rm host
    run -1 dpacc-extract core -app-name one -o again.elf
    [[ $output == "-E- core: program '"*"' was left out of the core file, and where it came from cannot be read: "*"host: No such file or directory" ]]
    [ ! -e again.elf ]
}

@test "several programs in a core file: the name chooses, else they are listed" {
    make_core 0x3f
    run -2 dpacc-extract core -o out.elf
    [[ $output == "-E- core: several DPA programs, name one of: "*one* ]]
    run -1 dpacc-extract core -app-name other -o out.elf
    [[ $output == "-E- core: no DPA program other; there are: "* ]]
    [ ! -e out.elf ]
}

@test "a core file cut anywhere is an error, or gives the right bytes" {
    make_core 0x33
    rm host
    size=$(stat -c %s core)
    for n in 18 40 63 64 100 1000 5000 $(seq 20000 49999 "$size"); do
        head -c "$n" core > cut
        run -1 dpacc-extract cut -app-name one -o out.elf
        [ "$(grep -c '^-E- cut' <<<"$output")" -eq 1 ]
        [ ! -e out.elf ]
    done
}

@test "a core file of a process without programs is an error" {
    cat > p.c <<< '#include <signal.h>
int main(void) { raise(SIGABRT); return 0; }'
    gcc p.c -o "$BATS_TEST_TMPDIR/p"
    here=$BATS_TEST_TMPDIR/made
    mkdir made && mv p made/host
    make_core 0x33
    run -1 dpacc-extract core --list
    [[ $output == "-E- core: no DPA program in this core file" ]]
}

# A core file with a segment of descriptors and a list of mapped files. Arguments of Python: PROGRAMS, a list
# of (address, size), and MAPPINGS, a list of (begin, end, page, path).
make_hostile_core() { # PROGRAMS MAPPINGS
    python3 - "$1" "$2" <<'END'
import ast, struct, sys
programs, mappings = ast.literal_eval(sys.argv[1]), ast.literal_eval(sys.argv[2])
u = lambda *n: struct.pack('<%dQ' % len(n), *n)
data = b''.join((b'DPKAPP1\0' + u(a, n, a, n, 1) + b'p%d' % i).ljust(256, b'\0') for i, (a, n) in enumerate(programs))
data = data.ljust(1 << 20, b'\0')
files = u(len(mappings), 4096) + b''.join(u(*m[:3]) for m in mappings) + b''.join(m[3].encode() + b'\0' for m in mappings)
files = files.ljust((len(files) + 3) // 4 * 4, b'\0')
note = struct.pack('<3I', 5, len(files), 0x46494c45) + b'CORE\0\0\0\0' + files
head = b'\x7fELF\2\1\1'.ljust(16, b'\0') + struct.pack('<2HI3QI6H', 4, 62, 1, 0, 64, 0, 0, 64, 56, 2, 0, 0, 0)
p = lambda kind, at, address, n: struct.pack('<2I6Q', kind, 4, at, address, 0, n, n, 1)
at = 64 + 2 * 56
open('core', 'wb').write(head + p(4, at, 0, len(note)) + p(1, at + len(note), 0x10000, len(data)) + note + data)
END
}

@test "a mapped file that is a FIFO now is an error, and nothing waits for it" {
    mkfifo pipe
    make_hostile_core '[(0x700000, 64)]' "[(0x700000, 0x701000, 0, '$PWD/pipe')]"
    run -1 timeout 20 dpacc-extract core -o out.elf
    [[ $output == "-E- core: program 'p0' was left out of the core file, and where it came from cannot be read: $PWD/pipe: not a regular file" ]]
}

@test "an offset in a mapped file that overflows is an error" {
    printf '%8192s' x >file
    make_hostile_core '[(0xfffffffffff00000, 64)]' "[(0x300000, 0xffffffffffffffff, 0x7ffffffffffff, '$PWD/file')]"
    run -1 dpacc-extract core -o out.elf
    [[ $output == "-E- core: program 'p0' was left out of the core file, and $PWD/file is not the file any more that it came from" ]]
}

@test "programs that overlap are refused when they are more than 1 GiB together" {
    make_hostile_core "$(python3 -c 'print([(0x10000 + i, 1000000) for i in range(600)])')" '[]'
    run -1 dpacc-extract core --list
    [[ $output == "-E- core: program 'p536': more than 1 GiB, together with the programs before it" ]]
}
