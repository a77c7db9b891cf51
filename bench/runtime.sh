#!/bin/bash
# The runtime as programs see it: calls, kernels, loading a signed program of 1 MiB, and how fast
# dparun runs code that dpacc compiled, next to the bare core (bench/rv64.sh) on the same algorithm.
set -euo pipefail
: "${DPAKIT_BUILD:?where the built tree is}"
here=$(cd "$(dirname "$0")" && pwd)
. "$here/verdict.bash"
work=$(mktemp -d)
memory=$(mktemp -d -p /dev/shm)
trap 'rm -rf "$work" "$memory"' EXIT
cd "$work"
export DPAKIT_DEVICES=$work/devices
device=mlx5_0

# ---- A device that wants signatures, and a signed program
dpadev create "$device" >log
openssl req -x509 -newkey rsa:4096 -nodes -keyout root.pem -outform der -out root.der \
    -subj /CN=root -days 30 2>>log
openssl req -newkey rsa:4096 -nodes -keyout leaf.pem -out leaf.csr -subj /CN=leaf 2>>log
openssl x509 -req -in leaf.csr -CA root.der -CAform der -CAkey root.pem -days 30 -set_serial 2 \
    -outform der -out leaf.der 2>>log
cat root.der leaf.der >chain.der
factory=$DPAKIT_DEVICES/$device/factory
{
    mlxdpa --cert_container_type add -c root.der -o root.bin --life_cycle_priority Nvidia \
        create_cert_container
    mlxdpa --cert_container root.bin -p "$factory/nvidia.pem" \
        --keypair_uuid "$(cat "$factory/nvidia.uuid")" --cert_uuid "$(uuidgen)" \
        --life_cycle_priority Nvidia -o root.signed sign_cert_container
    flint-lite -d "$device" -i root.signed -y b
    mlxconfig-lite -d "$device" -y set DPA_AUTHENTICATION=1
    dpadev reset "$device"
} >>log
dpacc "$here/runtime_device.c" -o bench.a -hostcc=gcc --app-name=bench -ldpa
gcc -O2 -I"$DPAKIT_BUILD/include" -I"$DPAKIT_BUILD/include/doca-2.2" "$here/runtime_host.c" bench.a \
    "$DPAKIT_BUILD/lib/libdoca_dpa.a" -o host -L"$DPAKIT_BUILD/lib" -ldoca_common -lflexio -lstdc++ \
    -libverbs -lmlx5 -Wl,-rpath,"$DPAKIT_BUILD/lib"
mlxdpa -e host -c chain.der -p leaf.pem -o signed sign_dpa_apps >>log
chmod +x signed

# ---- Calls and kernels
figure() { ./signed "$device" "$1"; }
pipe=$(perf bench --format=simple sched pipe -T -l 20000 2>/dev/null |
    awk '{printf "%.2f", $1 * 1e6 / 20000}') || pipe=
peer=${pipe:+"  (a pipe between two threads there and back, perf bench: $pipe us)"}
printf 'runtime: RPC there and back           %10.2f us%s\n' "$(figure call)" "$peer"
printf 'runtime: RPC while 256 threads poll   %10.2f us\n' \
    "$(figure crowded-call)"
printf 'runtime: kernel, launch to completion %10.2f us%s\n' "$(figure launch)" "$peer"
printf 'runtime: kernel of 256 threads        %10.2f us\n' "$(figure launch-256)"

# ---- Loading: next to what the signatures and the hashing alone must cost
create=$(figure create)
cp -a devices "$memory"
in_memory=$(DPAKIT_DEVICES=$memory/devices figure create)
cpu=$(figure create-cpu)
rsa=$(openssl speed -seconds 2 rsa4096 2>/dev/null | awk '/^rsa 4096/ {gsub("s", ""); print $5 * 1e6}')
sha=$(openssl speed -seconds 2 -bytes 1048576 -evp sha256 2>/dev/null |
    awk '/^(SHA256|sha256)/ {gsub("k", "", $2); print $2 / 1048.576}')
alone=$(awk -v r="$rsa" -v h="$sha" 'BEGIN {print (2 * r + 3 / h * 1e6) / 1000}')
beyond=$(awk -v p="$cpu" -v a="$alone" 'BEGIN {print p / 1000 - a}')
awk -v c="$create" -v m="$in_memory" -v alone="$alone" -v p="$cpu" -v b="$beyond" -v v="$(verdict "$beyond" 3)" 'BEGIN {
    format = "runtime: load a signed 1 MiB program  %10.2f ms  (%s; openssl speed: 2 verifications + sha256 of 3 MiB %.2f ms, ratio %.2f)\n"
    printf format, c / 1000, "event log on disk", alone, c / 1000 / alone
    printf format, m / 1000, "event log in memory", alone, m / 1000 / alone
    printf "runtime: the same, time on processors  %10.2f ms  (openssl speed: the same %.2f ms; beyond it %.2f ms, limit 3 ms: %s)\n", p / 1000, alone, b, v
}'

# ---- Speed of the whole path, by user CPU time
TIMEFORMAT=%U
mips() { # WHAT INSTRUCTIONS SECONDS
    within "the speed of $1 in MIPS" "$(awk -v n="$2" -v s="$3" 'BEGIN {if (s + 0 > 0) printf "%.0f", n / s / 1e6}')" 1 100000
}
read -r instructions seconds < <("$DPAKIT_BUILD/bench/rv64_bench" "$DPAKIT_BUILD/bench/rv64-sieve" 2>&1 >>log)
core=$(mips "bare core" "$instructions" "$seconds")
for run in "sieve 300" "hash 50000"; do
    # shellcheck disable=SC2086
    seconds=$({ time dparun -d "$device" --run-time-limit 600000 --stats signed --rpc $run >stats; } 2>&1)
    speed=$(mips "dparun ${run% *}" "$(awk '/^instructions/ {print $2}' stats)" "$seconds")
    printf 'runtime: dparun %-6s                %10d MIPS  (bare core, sieve: %d MIPS)\n' "${run% *}" "$speed" "$core"
done
