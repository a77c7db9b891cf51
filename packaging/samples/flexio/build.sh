#!/bin/bash
# build.sh [OPTION...]: builds the FlexIO samples of this folder into the folder build, with Meson.
set -euo pipefail
usage() {
    cat <<'END'
Usage: build.sh [OPTION...]

  --check-compatibility  look first whether all that is needed is there
  --rebuild              remove the build folder first
  --clean                only remove it
  --build-dir FOLDER     build there (default: build; build-CPU for --cpu other than bf3)
  --cpu CPU              bf3 (default), cx7 (the same), cx8 or cx9
  --clang                compile for the host with clang
  --allow-warnings       warnings are not errors
  -O LEVEL               0: debugging; 1: optimized, with debug information (default); 2: optimized
  -j JOBS                so many jobs at once
  -v                     show the commands
  -h, --help             this text
END
}
fail() {
    echo "-E- build.sh: $*" >&2
    exit 1
}

check='' remove='' only_clean='' folder='' cpu=bf3 werror=true level=1 jobs=()
while [ $# -gt 0 ]; do
    case $1 in
    --build-dir | --cpu | -O | -j) [ $# -gt 1 ] || fail "$1 needs a value" ;;
    esac
    case $1 in
    --check-compatibility) check=1 ;;
    --rebuild) remove=1 ;;
    --clean) remove=1 only_clean=1 ;;
    --build-dir) folder=$2 && shift ;;
    --cpu) cpu=$2 && shift ;;
    --clang) export CC=clang ;;
    --allow-warnings) werror=false ;;
    -O) level=$2 && shift ;;
    -j) [[ $2 =~ ^[1-9][0-9]*$ ]] || fail "-j: $2 is not a number of jobs"
        jobs+=(-j "$2") && shift ;;
    -v) jobs+=(-v) ;;
    -h | --help) usage; exit ;;
    *) fail "unknown option $1; see --help" ;;
    esac
    shift
done
case $cpu in
cx7) cpu=bf3 ;;
bf3 | cx8 | cx9) ;;
*) fail "--cpu: bf3, cx7, cx8 or cx9, and not $cpu" ;;
esac
case $level in
0) type=debug ;;
1) type=debugoptimized ;;
2) type=release ;;
*) fail "-O: 0, 1 or 2, and not $level" ;;
esac
[ -n "$folder" ] || { [ "$cpu" = bf3 ] && folder=build || folder=build-$cpu; }

# What the samples are built with, and a version of Meson that knows their build files.
check_compatibility() {
    local program package version
    for program in meson ninja pkg-config "${CC:-gcc}"; do
        command -v "$program" >/dev/null || fail "$program is not installed"
    done
    version=$(meson --version)
    [ "$(printf '%s\n' 0.60 "$version" | sort -V | head -n 1)" = 0.60 ] || fail "meson is $version; 0.60 or later is needed"
    for package in libibverbs libmlx5 libflexio; do
        pkg-config --exists "$package" ||
            fail "pkg-config does not find $package: a new login (/etc/profile.d) sets PKG_CONFIG_PATH"
    done
    program=$(pkg-config --variable=dpacc libflexio)
    "$program" --version >/dev/null || fail "$program does not run"
    echo "All that the samples need is there: $program, meson $version, FlexIO $(pkg-config --modversion libflexio)."
}
[ -z "$remove" ] || rm -rf -- "$folder"
[ -z "$only_clean" ] || exit 0
[ -z "$check" ] || check_compatibility
again=()
[ ! -d "$folder" ] || again=(--reconfigure)
meson setup "$folder" "${again[@]}" "--buildtype=$type" "-Dwerror=$werror" "-Dcpu=$cpu"
meson compile -C "$folder" "${jobs[@]}"
printf '\nThe samples are in %s:\n' "$folder"
find "$folder" -name 'flexio_*' -type f -perm -100 | sort
