# What dpacc puts into a host object: areas of NVIDIA's dpacc 1.10, bare ELFs of older releases, and names.

load ../helpers/device

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices
    new_device mlx5_0
    new_device --type cx8 other
    mkdir one two
    echo '__dpa_rpc__ unsigned long first(unsigned long a) { return a + 1; }' > one/k.c
    echo '__dpa_rpc__ unsigned long second(unsigned long a) { return a + 2; }' > two/k.c
    echo '__dpa_rpc__ unsigned long third(unsigned long a) { return a + 3; }' > 'a-b c.c'
    dpacc 'a-b c.c' one/k.c -o k.a --app-name=demo -mcpu=nv-dpa-bf3 -keep-dir kept
    ar p k.a hostStubs.o > k.o
    dpacc -c one/k.c -o one.dpa.o
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    f=$BATS_FILE_TMPDIR
    export DPAKIT_DEVICES=$f/devices
}

section() { # OBJECT NAME: its bytes
    objcopy -O binary --only-section="$2" --set-section-flags "$2=alloc" "$1" bytes
    cat bytes
}

words() { od -An -v -t"$1" -j"$2" -N"$3" "$4" | xargs; }

@test "a program for one target is an area of one program" {
    section "$f/k.o" .dpa_bin_demo > area
    [ "$(head -c 8 area)" = NVDPAFBF ]
    [ "$(words u4 8 8 area)" = "1 1" ]
    [ "$(words u4 24 8 area)" = "2 0" ] # bf3, a program
    [ "$(words u8 32 16 area)" = "56 $(wc -c < "$f/kept/device_exec.bf3")" ]
    tail -c +57 area | head -c "$(wc -c < "$f/kept/device_exec.bf3")" | cmp - "$f/kept/device_exec.bf3"
}

@test "its room is an area of one room of 65,544 bytes, all zero" {
    section "$f/k.o" .dpa_sig_demo > area
    [ "$(head -c 8 area)" = NVDPAFBF ]
    [ "$(words u4 24 8 area)" = "2 3" ]
    [ "$(words u8 32 16 area)" = "56 65544" ]
    [ "$(wc -c < area)" = 65600 ]
    [ -z "$(tail -c +57 area | tr -d '\0')" ]
}

@test "releases before 2.10 have a bare ELF and a room of 65,536 bytes" {
    for release in 2.5 2.9.1 2.10 3; do
        DPA_DOCA=$release dpacc "$f/one.dpa.o" -o k.a --app-name=demo -keep-dir kept
        ar p k.a hostStubs.o > k.o
        section k.o .dpa_bin_demo > program
        section k.o .dpa_sig_demo > room
        case $release in
        2.10 | 3) [ "$(head -c 8 program)" = NVDPAFBF ] && [ "$(wc -c < room)" = 65600 ] ;;
        *) cmp -n "$(wc -c < kept/device_exec.bf3)" program kept/device_exec.bf3 && [ "$(wc -c < room)" = 65536 ] ;;
        esac
        [ "$(dparun k.a -d mlx5_0 --rpc first 3)" = "result: 4 (0x4)" ]
        rm -r kept
    done
    DPA_DOCA=2.5 dpacc "$f/one/k.c" -o k.a --app-name=demo -mcpu=bf3,cx8
    ar p k.a hostStubs.o > k.o
    [ "$(section k.o .dpa_bin_demo | head -c 8)" = NVDPAFBF ]
}

@test "a device of another type refuses the program, unless it is a bare ELF" {
    run ! dparun "$f/k.a" -d other --rpc first 3
    [ "$output" = "-E- program demo: compiled for other targets, not for cx8" ]
    DPA_DOCA=2.9 dpacc "$f/one.dpa.o" -o k.a
    [ "$(dparun k.a -d other --rpc first 3)" = "result: 4 (0x4)" ]
}

@test "symbols of the host object have NVIDIA's names" {
    nm "$f/k.o" > symbols
    for name in _dpacc_demo_dev_bin _dpacc_demo_dev_bin_len _dpacc_demo_sig_data __dpacc_elf_attrs \
        __dpacc_demo_app_ptrs __dpacc_ver_info _dpacc_app_demo_register_all _dpacc_demo_deregister_all \
        _dpacc_register_k_first _dpacc_pack_k_first _dpacc_file_k_register_all \
        _dpacc_register_a_b_c_third _dpacc_pack_a_b_c_third _dpacc_file_a_b_c_register_all; do
        grep -q " $name\$" symbols
    done
    nm "$f/one.dpa.o" | grep -q ' _dpacc_k_dev_obj_len$'
    readelf -sW "$f/kept/device_exec.bf3" > symbols
    grep -q 'OBJECT .* __dpacc_obj_ver$' symbols
    ! grep -q '_dpacc_register_' symbols || false # only dpacc needs these marks
}

@test "sources of one name, in a program, an object and a library, are all registered" {
    dpacc -c "$f/two/k.c" -o two.dpa.o
    mkdir three
    sed 's/third/k_first/' "$f/a-b c.c" > three/k.c
    dpacc three/k.c -o libthree -gen-libs
    dpacc "$f/one/k.c" two.dpa.o -o k.a --app-name=demo -device-libs="-L. -l:libthree_device.a"
    nm k.a | grep -q ' U _dpacc_register_k_k_first$'
    cat > host.c <<'END'
#include <libflexio/flexio.h>
extern struct flexio_app *demo;
int main(void) { return demo == NULL; }
END
    # shellcheck disable=SC2086
    gcc ${TEST_HOST_CFLAGS:-} -I"$DPAKIT_BUILD/include" host.c k.a libthree_host.a -L"$DPAKIT_BUILD/lib" -lflexio \
        -Wl,-rpath,"$DPAKIT_BUILD/lib" -o host
    ./host
    [ "$(dparun host -d mlx5_0 --rpc first 3)" = "result: 4 (0x4)" ]
    [ "$(dparun host -d mlx5_0 --rpc second 3)" = "result: 5 (0x5)" ]
    [ "$(dparun host -d mlx5_0 --rpc k_first 3)" = "result: 6 (0x6)" ]
}

@test "functions of libraries that are bitcode are registered, too" {
    dpacc "$f/two/k.c" -o libtwo -gen-libs -flto
    dpacc "$f/one/k.c" -o k.a -flto -device-libs="-L. -l:libtwo_device.a"
    nm k.a | grep -q ' U _dpacc_register_k_second$'
    [ "$(dparun k.a -d mlx5_0 --rpc second 3)" = "result: 5 (0x5)" ]
}

@test "objects and libraries without registrars are refused by name" {
    objcopy --redefine-sym _dpacc_file_k_register_all=_dpacc_elsewhere "$f/one.dpa.o" old.dpa.o
    run -1 dpacc old.dpa.o -o out.a
    [ "$output" = "-E- old.dpa.o: made by another version of dpacc; make it again" ]
    dpacc "$f/two/k.c" -o libtwo -gen-libs -keep-dir kept
    llvm-objcopy --strip-symbol=_dpacc_register_k.second kept/k.bf3.o old.o
    llvm-ar cr libold.a old.o
    run -1 dpacc "$f/one/k.c" libold.a -o out.a
    [ "$output" = "-E- libold.a: made by another version of dpacc; make it again" ]
    [ ! -e out.a ]
}
