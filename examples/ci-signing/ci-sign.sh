#!/bin/bash
# A CI job: build a DPA program, sign it with a key in a PKCS#11 token, verify it, run it on a device
# that accepts nothing else, archive what may be released.
#
#   ci-sign.sh [SOURCES]     SOURCES: kernel.c and hello_world.c, default ../hello
#
# Environment (secrets of the CI system become variables or files; nothing secret is printed):
#   SIGN_KEY     PKCS#11 URI of the leaf's private key: pkcs11:token=dpa;object=leaf
#   SIGN_PIN     its PIN
#   SIGN_CHAIN   certificate chain, DER, root first
#   SIGN_ROOT    the root CA to verify against, DER
#   DEVICE       archive of a provisioned device (dpadev export)
#   POLICY       a policy that the signed program must pass (optional)
#   SOURCE_URI, SOURCE_REVISION  where the source is, and which commit (optional)
#   OUT          directory for what is released (default: ./out)
#   DPAKIT_BUILD dpakit's tree (default: the one that this script lies in)
# PKCS11_MODULE_PATH names the token's module where p11-kit does not know it.
#
# Exit code 0: OUT has release.tar.gz and release.tar.gz.sha256. Anything else: OUT is as it was.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
for name in SIGN_KEY SIGN_PIN SIGN_CHAIN SIGN_ROOT DEVICE; do
    [ -n "${!name:-}" ] || { echo "ci-sign: $name is not set" >&2; exit 2; }
done
export SIGN_PIN
tree=$(cd "${DPAKIT_BUILD:-$here/../../build}" && pwd)
sources=$(cd "${1:-$here/../hello}" && pwd)
chain=$(realpath "$SIGN_CHAIN") root=$(realpath "$SIGN_ROOT") device=$(realpath "$DEVICE")
policy=${POLICY:+$(realpath "$POLICY")}
mkdir -p "${OUT:-out}"
out=$(cd "${OUT:-out}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export PATH=$tree/bin:$PATH LD_LIBRARY_PATH=$tree/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export DPAKIT_DEVICES=$work/devices

echo "== Build"
cp "$sources/kernel.c" "$sources/hello_world.c" "$tree/lib/libdoca_dpa.a" .
dpacc libdoca_dpa_dev.a kernel.c -o dpa_program.a -hostcc=gcc \
    -hostcc-options="-Wno-deprecated-declarations" \
    --devicecc-options="-D__linux__ -Wno-deprecated-declarations" \
    --app-name=dpa_hello_world_app -I"$tree/include/doca-2.2/"
# shellcheck disable=SC2086  # TEST_HOST_CFLAGS: a list of options, empty but in dpakit's own tests
gcc ${TEST_HOST_CFLAGS:-} hello_world.c -o hello_world dpa_program.a libdoca_dpa.a \
    -I"$tree/include/doca-2.2/" -DDOCA_ALLOW_EXPERIMENTAL_API -L"$tree/lib" -ldoca_common \
    -L"$tree/lib" -lflexio -lstdc++ -libverbs -lmlx5

echo "== Sign"
cp hello_world hello_signed
mlxdpa release hello_signed -c "$chain" -p "$SIGN_KEY" --passin env:SIGN_PIN --ca "$root" -o release \
    ${SOURCE_URI:+--source-uri "$SOURCE_URI" --source-revision "$SOURCE_REVISION"}
cp release/hello_signed hello_signed

echo "== Verify"
mlxdpa -e hello_signed --ca "$root" ${policy:+--policy "$policy"} verify

echo "== Run, on a device that refuses what is not signed"
dpadev import mlx5_0 "$device"
dpadev show --json mlx5_0 | grep -qE '"current":[[:space:]]*"certified"' || {
    echo "ci-sign: the device of $DEVICE would load unsigned programs" >&2
    exit 1
}
if ./hello_world mlx5_0 >unsigned.log 2>&1; then
    echo "ci-sign: the device ran the unsigned program" >&2
    exit 1
fi
grep -F 'UNSIGNED' unsigned.log
./hello_signed mlx5_0 | tee run.log
grep -qF 'Hello World' run.log

echo "== Archive"
dpadev log --json mlx5_0 >device-log.json
cp run.log device-log.json release/
tar --sort=name --owner=0 --group=0 --numeric-owner -czf release.tar.gz release
sha256sum release.tar.gz >release.tar.gz.sha256
cp release.tar.gz release.tar.gz.sha256 "$out/"
echo "Released: $out/release.tar.gz"
