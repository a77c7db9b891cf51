# Sourced by fuzz/run: devices for fuzzers, and first inputs in $dir/seeds/NAME.
golden=${DPAKIT_GOLDEN:-tests/golden}
seeds=$dir/seeds
rm -rf "$seeds"
mkdir -p "$seeds"

# Four devices, one of them with an owner, one with a DPU's side; where a change is no wait for a disk.
DPAKIT_DEVICES=$(mktemp -d -p /dev/shm dpakit-fuzz.XXXXXX) || exit 2
trap 'rm -rf "$DPAKIT_DEVICES"' EXIT
export DPAKIT_DEVICES FUZZ_DEVICE=fuzz FUZZ_OWNED_DEVICE=owned FUZZ_PAIR=mlx5_0 FUZZ_CARD=card FUZZ_WIRED=wired
export FUZZ_KEY=$dir/nvidia.pem FUZZ_KEY_UUID=00000000-0000-1000-8000-000000000001
export FUZZ_OWNER=$dir/owner.pem FUZZ_OWNER_UUID=77dd4ef0-c633-11ed-9e20-001dd8b744ff

# Whose key signs what these make, and bring to a device.
play() { key=$1 uuid=$2; }
apply() {
    mlxconfig-lite -p "$key" -u "$uuid" create_conf "$2.xml" "$2.signed" &&
        mlxconfig-lite -d "$1" apply "$2.signed"
}
sign() {
    local of=(-c root.der)
    [ "$1" = add ] || of=(--cert_uuid "$2")
    mlxdpa --cert_container_type "$1" "${of[@]}" --life_cycle_priority Nvidia -o "$1.bin" create_cert_container &&
        mlxdpa --cert_container "$1.bin" -p "$key" --keypair_uuid "$uuid" --cert_uuid "$2" \
            --life_cycle_priority Nvidia -o "$1.signed" sign_cert_container
}
burn() { sign "$2" "$3" && flint-lite -d "$1" -i "$2.signed" -y b; }
make_devices() (
    source tests/helpers/provision.bash
    PATH=$PWD/build/bin:$PATH
    owner_uuid=$FUZZ_OWNER_UUID
    cd "$dir" && openssl genrsa -out nvidia.pem 4096 && openssl genrsa -out owner.pem 4096 &&
        openssl rsa -in nvidia.pem -pubout -out key.pem &&
        openssl req -x509 -new -key nvidia.pem -outform der -out root.der -subj /CN=Root -days 30 || exit
    dpadev create fuzz --nvidia-key key.pem --nvidia-key-uuid $FUZZ_KEY_UUID &&
        dpadev create owned --anti-rollback --nvidia-key key.pem --nvidia-key-uuid $FUZZ_KEY_UUID &&
        dpadev create full --pair --anti-rollback --life-cycle development || exit
    claim_xml >claim.xml

    # An owner and a certificate, and the container that takes it away.
    play nvidia.pem $FUZZ_KEY_UUID
    apply owned claim && burn owned add $FUZZ_OWNER_UUID && sign remove $FUZZ_OWNER_UUID &&
        mkdir seeds/provision && { printf '\014'; cat remove.signed; } >seeds/provision/remove || exit
    # As much as there can be, for archives.
    play "$DPAKIT_DEVICES/full/factory/nvidia.pem" "$(cat "$DPAKIT_DEVICES/full/factory/nvidia.uuid")"
    mlxconfig-lite -d full -y set DPA_AUTHENTICATION=1 && apply full claim &&
        burn full add $FUZZ_KEY_UUID && burn full remove $FUZZ_KEY_UUID && burn full add $FUZZ_OWNER_UUID || exit

    mkdir seeds/device_archive && dpadev export fuzz seeds/device_archive/plain &&
        dpadev export owned seeds/device_archive/owned &&
        dpadev export --with-factory-keys full seeds/device_archive/full && dpadev delete full &&
        dpadev create pair --pair && dpadev create card &&
        dpadev create wired && dpadev wire wired loop
)
make_devices >"$dir/devices.log" 2>&1 || { cat "$dir/devices.log" >&2; exit 2; }

# A line table behind its address and size, and code behind registers, of a program of the tests.
elf=build/obj/tests/data/faults.elf
section() { llvm-objcopy -O binary --only-section="$1" --set-section-flags "$1=alloc" "$elf" "$seeds/part"; }
mkdir -p "$seeds/line" "$seeds/guest" "$seeds/image" "$seeds/loader" "$seeds/isa" "$seeds/dpaobject"
cp "$elf" "$seeds/dpaobject/faults"
section .debug_line && { printf '\x00\x12\xff\x1f'; cat "$seeds/part"; } >"$seeds/line/faults"
# Entries, abbreviations and strings, behind an address and their sizes.
mkdir -p "$seeds/inlined"
for x in info abbrev str; do section .debug_$x; mv "$seeds/part" "$seeds/part.$x"; done
le16() { printf "\\x$(printf %02x $(($1 & 255)))\\x$(printf %02x $(($1 >> 8 & 255)))"; }
{ printf '\x00\x12'; le16 "$(wc -c <"$seeds/part.info")"; le16 "$(wc -c <"$seeds/part.abbrev")"; cat "$seeds"/part.info "$seeds"/part.abbrev "$seeds"/part.str; } >"$seeds/inlined/faults"
rm -f "$seeds"/part.*
mkdir -p "$seeds/unwind"
section .debug_frame && { printf '\xb4\x12\x01\x00\x00\x10\x20\x12\x00\x00\xff\x03'; cat "$seeds/part"; } >"$seeds/unwind/faults"
section .text && { head -c 64 "$elf"; head -c 2000 "$seeds/part"; } >"$seeds/guest/faults"
mkdir -p "$seeds/programs" && head -c 4000 "$elf" >"$seeds/programs/elf" && tail -c 3000 "$elf" >"$seeds/programs/end"
section .riscv.attributes && mv "$seeds/part" "$seeds/isa/attributes"
cp "$elf" "$seeds/image" && cp "$elf" "$seeds/loader"

# A recording of a small program: a loop, and stores from outside.
mkdir -p "$seeds/replay"
cat >"$seeds/part" <<'C'
__asm__(".globl _dpa_start\n_dpa_start: jalr a2\n li a7, 1\n ecall\n");
typedef unsigned long word;
volatile word sum;
const word _dpacc_argsize_f = 8;
word _dpacc_unpack_f(const word *a, word (*g)(word)) { return g(a[0]); }
word f(word n) { while (n--) sum += n; return sum; }
C
clang --target=riscv64-unknown-elf -march=rv64imac -mabi=lp64 -mcmodel=medany -mno-relax -ffreestanding -Os \
    -nostdlib -static -fuse-ld=lld -Wl,-e,_dpa_start -x c "$seeds/part" -o "$seeds/part.elf" &&
    DPAKIT_RECORD=$seeds/replay/loop build/bin/dparun -d fuzz "$seeds/part.elf" --rpc f 100 >"$seeds/part"

# What a process says that uses a device.
mkdir -p "$seeds/ps"
printf '{"pid":1,"device":"fuzz","directory":"%s/fuzz","program":"p","state":"runs","instructions":2}\n' \
    "$DPAKIT_DEVICES" >"$seeds/ps/here"

# NAME FILE...: outputs of NVIDIA's tools.
golden() {
    local name=$1 file
    shift
    mkdir -p "$seeds/$name"
    for file; do cp "$golden/$file" "$seeds/$name/" || exit 2; done
}
golden hostfile hostelf/host-named.signed edge/host-empty-sections.elf hostelf-fat/{attr-one,fat-two}.signed.elf
golden container container/{add-OEM.signed,add-uuids.bin,remove-all.signed,remove-one.bin}
golden appcontainer singleapp/{plain.signed,xz.signed,plain.bin,removal.signed}
golden metadata singleapp/meta.yaml
golden nvconfig nvconfig/{auth-on,owner-key}{,.signed2048,.signed4096}.bin
golden nvxml nvconfig/{auth-on,owner-key,template}.xml
golden nvraw nvconfig/{auth-on,owner-key}.raw
golden certchain keys/{chain3.der,root.der,inter.pem}
golden image hostelf/dev1.elf edge/empty-sections.elf
golden library hostelf-area/libdevice.a
golden loader hostelf/dev1.elf
golden isa hostelf/dev1.elf
# Program and crypto data behind the program's size.
mkdir -p "$seeds/verify"
for part in full.blob compact.section; do
    program=$golden/hostelf/dev1.elf crypto=$golden/hostelf/one.$part
    { printf '%08x' "$(stat -c %s "$program")" | sed 's/\(..\)\(..\)\(..\)\(..\)/\4\3\2\1/' | xxd -r -p
      cat "$program" "$crypto"; } | head -c 30000 >"$seeds/verify/$part"
done
