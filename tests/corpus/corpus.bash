# Programs that NVIDIA published, built as their README says and run on emulated devices. "source" it in a
# bats file. $DPAKIT_CORPUS is a folder with doca-samples-VERSION (of the DOCA samples repository) and
# flexio-samples-VERSION; tests of what is not there are skipped. Programs are never changed.

. "${BASH_SOURCE[0]%/*}/../helpers/device.bash"
. "${BASH_SOURCE[0]%/*}/../helpers/profiles.bash"

# Once per file: an installation at /opt/mellanox that only in_opt shows, and a device of each name.
make_corpus() {
    if [ -z "${DPAKIT_CORPUS-}" ]; then
        corpus_reason='no programs of others to build: DPAKIT_CORPUS=FOLDER'
    elif ! "$BATS_TEST_DIRNAME/in_opt" /opt true 2>/dev/null; then
        corpus_reason='no mount namespace for /opt: needs root or user namespaces'
    elif ! command -v meson >/dev/null; then
        corpus_reason='meson is not installed'
    fi
    export corpus_reason
    [ -z "$corpus_reason" ] || return 0
    "$BATS_TEST_DIRNAME/../../packaging/install-compat" "$DPAKIT_BUILD" "$BATS_FILE_TMPDIR/root" /opt/mellanox 3
    "$BATS_TEST_DIRNAME/../../packaging/system-compat" "$BATS_FILE_TMPDIR/root" /opt/mellanox
    export DPAKIT_DEVICES=$BATS_FILE_TMPDIR/devices
    new_device bf0 --pair >/dev/null # mlx5_0 on either side
    give_units
    source_profiles /opt/mellanox "$BATS_FILE_TMPDIR/root/etc/profile.d"
    # A sanitized library needs a program that is linked with the sanitizers too.
    export CFLAGS="${TEST_HOST_CFLAGS-}" LDFLAGS="${TEST_HOST_CFLAGS-}"
    # What pkg-config does not know, Meson asks CMake, which tries compilers for seconds; it finds nothing of ours.
    export CMAKE=none
    # No leaks of programs that are not ours; the library of stdbuf comes before that of the sanitizer.
    export ASAN_OPTIONS="${ASAN_OPTIONS-}${ASAN_OPTIONS:+:}detect_leaks=0:verify_asan_link_order=0"
}

# The host's execution units, which a reset of the device takes back.
give_units() {
    DPAKIT_SIDE=dpu dpaeumgmt partition create -d mlx5_0 -v 24 -r 1-200 -m 1 >/dev/null
}

in_opt() {
    "$BATS_TEST_DIRNAME/in_opt" "$BATS_FILE_TMPDIR/root/opt" "$@"
}

# need_source WHAT...: folders below the DOCA samples; leaves the first one's whole path in $source.
need_source() {
    [ -z "$corpus_reason" ] || skip "$corpus_reason"
    find_source "$1" || skip "no $1 in $DPAKIT_CORPUS"
}

find_source() { # WHAT
    local release
    for release in "$DPAKIT_CORPUS"/doca-samples-*/; do
        source=${release}$1
        [ ! -f "$source/meson.build" ] || return 0
    done
    return 1
}

name_of_sample() { # what the meson.build in $source says
    sed -n "s/^SAMPLE_NAME = '\(.*\)'.*/\1/p" "$source/meson.build"
}

# build_sample FOLDER [MESON OPTION...]: makes $program of samples/FOLDER, as its README says.
build_sample() {
    local folder=$1 name
    shift
    need_source "samples/$folder"
    name=$(name_of_sample)
    (cd "$source" && in_opt meson setup "$@" "$BATS_TEST_TMPDIR/$name") &&
        in_opt ninja -C "$BATS_TEST_TMPDIR/$name" || return 1
    program=$BATS_TEST_TMPDIR/$name/doca_$name
}

# make_samples FOLDER...: once per file, builds samples/FOLDER for each by one Meson project that has what their
# meson.build files say, device programs for the card that there is alone: Meson looks at compilers for longer than they
# compile. FOLDER:dpu is built for the DPU.
make_samples() {
    local sample folder release dpu from=$BATS_FILE_TMPDIR/from
    [ -z "$corpus_reason" ] || return 0
    mkdir "$from"
    cat >"$from/meson.build" <<'END'
project('samples', 'C', default_options: ['buildtype=debug', 'debug=false'])
add_project_arguments('-D DOCA_ALLOW_EXPERIMENTAL_API', language: 'c')
END
    for sample in "$@"; do
        folder=${sample%:dpu}
        find_source "samples/$folder" || continue
        release=$(basename "${source%/samples/*}")
        if [ ! -d "$from/$release" ]; then
            cp -r "${source%/samples/*}" "$from/"
            chmod -R u+w "$from/$release" # the corpus may be read-only
        fi
        dpu=
        [ "$folder" = "$sample" ] || dpu="sample_dependencies += declare_dependency(compile_args: '-DDOCA_ARCH_DPU')"
        awk -v dpu="$dpu" '
            /^project\(/ { skipped = 1 }
            !skipped && !/^add_project_arguments\(/ {
                if (/^executable\(/) print dpu
                if (/^dpacc_mcpu_flag = /) $0 = "dpacc_mcpu_flag = \047nv-dpa-bf3\047"
                gsub(/meson\.project_source_root\(\)/, "meson.current_source_dir()")
                print
            }
            /^\)/ { skipped = 0 }' "$source/meson.build" >"$from/$release/samples/$folder/meson.build"
        echo "subdir('$release/samples/$folder')" >>"$from/meson.build"
    done
    {
        in_opt meson setup "$from" "$BATS_FILE_TMPDIR/made" && in_opt ninja -k 0 -C "$BATS_FILE_TMPDIR/made"
    } >"$BATS_FILE_TMPDIR/made.log" 2>&1 || :
}

# use_sample FOLDER: $program is the sample's that make_samples built.
use_sample() {
    need_source "samples/$1"
    program=$BATS_FILE_TMPDIR/made/$(basename "${source%/samples/*}")/samples/$1/doca_$(name_of_sample)
    [ -x "$program" ] || program=${program}_dpu
    [ -x "$program" ] || { cat "$BATS_FILE_TMPDIR/made.log"; return 1; }
}

# run_sample ARGUMENT...: $program runs within 60 seconds and says that it succeeded.
run_sample() {
    run in_opt timeout 60 "$program" "$@"
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output == *'Sample finished successfully'* ]]
}

# says LINE...: the output has a line that ends so, for each.
says() {
    local line
    for line in "$@"; do
        grep -qF -- "$line" <<<"$output" || { echo "no line with: $line"; return 1; }
    done
}
