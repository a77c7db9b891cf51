#!/bin/bash
# One stage of a pipeline that builds, tests, signs, proves and packs a DPA program:
#
#   ci-sign.sh build      builds the program from SOURCES                     -> OUT/unsigned/PROGRAM
#   ci-sign.sh test       runs it on a new device that loads every program    -> OUT/test/run.log
#   ci-sign.sh sign       signs it, writes checksums, provenance and SBOM     -> OUT/release
#   ci-sign.sh prove      verifies the release, runs it on DEVICE, which must
#                         refuse the unsigned program                         -> OUT/proof
#   ci-sign.sh pack       packs release and proof                             -> OUT/release.tar.gz
#
# Each stage is a job of its own. Only `sign` may have the PIN, and it runs no code of the project: the
# PIN is in the environment of mlxdpa alone. The other stages refuse to start where they find a PIN.
#
# The program (the defaults are those of examples/hello):
#   SOURCES      folder with the sources; BUILD runs in a copy of it
#   BUILD        shell command that builds; it finds dpakit's tree in $DPAKIT_BUILD
#   PROGRAM      host program that BUILD leaves, a path within the copy
#   APP_NAME     name of the DPA program, for BUILD
#   TEST         shell command that runs the program, "$PROGRAM", on the device "$DEVICE_NAME", and fails
#                if the program's answer is wrong
# The signature:
#   SIGN_KEY     PKCS#11 URI of the leaf's private key: pkcs11:token=dpa;object=leaf
#   SIGN_PIN     its PIN (only for `sign`)
#   SIGN_CHAIN   certificate chain, DER, root first
#   SIGN_ROOT    root CA to verify against, DER
#   DEVICE       archive of a provisioned device (dpadev export), for `prove`
#   POLICY       policy that the signed program must pass (optional)
#   SOURCE_URI, SOURCE_REVISION  where the source is, and which commit (optional)
# Everything:
#   OUT          folder of the pipeline's files, which the jobs hand on (default: ./out)
#   DPAKIT_BUILD dpakit's tree (default: the tree that this script lies in, else that of the mlxdpa in PATH)
# PKCS11_MODULE_PATH names the token's module where p11-kit does not know it.
#
# Exit code 2: a variable is missing. A stage that fails leaves its part of OUT as it was.
set -euo pipefail

die() {
    echo "ci-sign: $1" >&2
    exit "${2:-1}"
}
need() {
    local variable
    for variable; do [ -n "${!variable:-}" ] || die "$stage: $variable is not set" 2; done
}
stage=${1:-} pin=${SIGN_PIN:-}
unset SIGN_PIN # out of the environment of all that this script runs
case $stage in
sign) ;;
build | test | prove | pack)
    [ -z "$pin" ] || die "$stage: SIGN_PIN is set, and this stage runs code that must not see it" 2
    ;;
*) die "usage: ci-sign.sh build | test | sign | prove | pack" 2 ;;
esac

here=$(cd "$(dirname "$0")" && pwd)
if [ -n "${DPAKIT_BUILD:-}" ] || [ -d "$here/../../build/bin" ]; then
    DPAKIT_BUILD=$(cd "${DPAKIT_BUILD:-$here/../../build}" && pwd)
    export PATH=$DPAKIT_BUILD/bin:$PATH
    export LD_LIBRARY_PATH=$DPAKIT_BUILD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
else
    tool=$(command -v mlxdpa) || die "mlxdpa is not in PATH; or set DPAKIT_BUILD" 2
    DPAKIT_BUILD=$(cd "$(dirname "$tool")/.." && pwd)
fi
export DPAKIT_BUILD DEVICE_NAME=mlx5_0 APP_NAME=${APP_NAME:-dpa_hello_world_app}
sources=${SOURCES:-$here/../hello}
build=${BUILD:-$(printf 'bash %q' "$here/build-hello.sh")}
program=${PROGRAM:-hello_world}
# shellcheck disable=SC2016  # for the shell that runs the test
test=${TEST:-'"$PROGRAM" "$DEVICE_NAME" >answer && cat answer && grep -q "Hello World" answer'}
name=$(basename "$program")
mkdir -p "${OUT:-out}"
out=$(cd "${OUT:-out}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export DPAKIT_DEVICES=$work/devices

# keep FOLDER: the stage's result takes the place of OUT's folder of that name.
keep() {
    rm -rf "${out:?}/$1"
    mv "$work/$1" "$out/$1"
}
# runs PROGRAM LOG: as TEST says.
runs() {
    (cd "$work" && PROGRAM=$1 bash -c "set -o pipefail; $test") >"$2" 2>&1
}

stage_build() {
    cp -R "$sources" "$work/sources"
    (cd "$work/sources" && bash -c "$build")
    [ -f "$work/sources/$program" ] || die "build: '$build' made no $program"
    mkdir "$work/unsigned"
    cp "$work/sources/$program" "$work/unsigned/$name"
    keep unsigned
}

stage_test() {
    [ -f "$out/unsigned/$name" ] || die "test: no $out/unsigned/$name; build comes first"
    dpadev create "$DEVICE_NAME" >/dev/null
    mkdir "$work/test"
    runs "$out/unsigned/$name" "$work/test/run.log" || {
        cat "$work/test/run.log" >&2
        die "test: failed: $test"
    }
    cat "$work/test/run.log"
    keep test
}

stage_sign() {
    [ -n "$pin" ] || die "sign: SIGN_PIN is not set" 2
    need SIGN_KEY SIGN_CHAIN SIGN_ROOT
    local source=()
    [ -f "$out/unsigned/$name" ] || die "sign: no $out/unsigned/$name; build comes first"
    [ -z "${SOURCE_URI:-}" ] ||
        source=(--source-uri "$SOURCE_URI" --source-revision "${SOURCE_REVISION:-}")
    SIGN_PIN=$pin mlxdpa release "$out/unsigned/$name" -c "$SIGN_CHAIN" -p "$SIGN_KEY" \
        --passin env:SIGN_PIN --ca "$SIGN_ROOT" -o "$work/release" "${source[@]}" >/dev/null
    mlxdpa verify "$work/release/$name" --ca "$SIGN_ROOT" ${POLICY:+--policy "$POLICY"}
    keep release
    echo "Released: $out/release"
}

stage_prove() {
    need SIGN_ROOT DEVICE
    [ -f "$out/release/$name" ] || die "prove: no $out/release/$name; sign comes first"
    (cd "$out/release" && sha256sum --quiet --strict -c SHA256SUMS)
    mlxdpa verify "$out/release/$name" --ca "$SIGN_ROOT" ${POLICY:+--policy "$POLICY"}
    dpadev import "$DEVICE_NAME" "$DEVICE"
    dpadev show --json "$DEVICE_NAME" | grep -qE '"current":[[:space:]]*"certified"' ||
        die "prove: the device of $DEVICE would load unsigned programs"
    mkdir "$work/proof"
    ! runs "$out/unsigned/$name" "$work/unsigned.log" || die "prove: the device ran the unsigned program"
    grep -F UNSIGNED "$work/unsigned.log" || {
        cat "$work/unsigned.log" >&2
        die "prove: the unsigned program failed, but the device did not refuse it"
    }
    runs "$out/release/$name" "$work/proof/run.log" || {
        cat "$work/proof/run.log" >&2
        die "prove: the signed program failed: $test"
    }
    cat "$work/proof/run.log"
    dpadev log --json "$DEVICE_NAME" >"$work/proof/device-log.json"
    keep proof
}

stage_pack() {
    [ -d "$out/release" ] && [ -d "$out/proof" ] ||
        die "pack: no release and proof in $out; sign and prove come first"
    cd "$work"
    cp -R "$out/release" release
    cp "$out"/proof/* release/
    tar --sort=name --owner=0 --group=0 --numeric-owner -czf release.tar.gz release
    sha256sum release.tar.gz >release.tar.gz.sha256
    mv release.tar.gz release.tar.gz.sha256 "$out/"
    echo "Packed: $out/release.tar.gz"
}

echo "== $stage"
"stage_$stage"
