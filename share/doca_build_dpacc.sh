#!/bin/bash
# doca_build_dpacc.sh --application | --library OPTION VALUE... ...: dpacc, as the build files of FlexIO's
# samples call it. Each option takes the words up to the next one.
set -eu
usage() {
    cat <<'END'
Usage: doca_build_dpacc.sh MODE OPTION VALUE... ...

  --application   DPA program with its host stubs: DPACC_BUILD_DIR/APP_NAME.a
    --app_name APP_NAME
    --dpacc_build_dir DPACC_BUILD_DIR
    --additional_ld_libs NAME...             libraries of device code, as -lNAME
    --additional_lib_paths FOLDER...         where they are
  --library       archive of device code
    --archive_name FILE                      libNAME.a
    --host_archive_path none|remain|FOLDER   the archive for the host: removed (default), left beside
                                             FILE, or moved to FOLDER
  both
    --srcs FILE...
    --external_cc_options OPTION...          for the device compiler
    --hostcc_args OPTION...                  for the host compiler
    --additional_include_directories FOLDER...
    --additional_dpacc_options OPTION...
  --version       version of dpacc
  --help          this text
END
}
fail() {
    echo "-E- doca_build_dpacc.sh: $*" >&2
    exit 1
}
# The words of an array, with a comma between two and none where a word has it already.
with_commas() {
    local IFS=,
    sed 's/,,*/,/g; s/^,//; s/,$//' <<<"$*"
}

dpacc=$(dirname "$(readlink -f "$0")")/../../bin/dpacc
mode=${1-}
case $mode in
--application) own=' app_name dpacc_build_dir additional_ld_libs additional_lib_paths ' ;;
--library) own=' archive_name host_archive_path ' ;;
--version) "$dpacc" --version | sed -n 's/^.*version //p'; exit ;;
--help) usage; exit ;;
'' | -h) usage; exit 1 ;;
*) fail "unknown mode $mode; --help tells more" ;;
esac
shift

app_name='' dpacc_build_dir='' archive_name='' host_archive_path=none
srcs=() device=(-I.) host=(-fPIC) links=() paths=() more=() option=''
both=' srcs external_cc_options hostcc_args additional_include_directories additional_dpacc_options '
for word; do
    case $word in
    --*)
        option=${word#--}
        [[ $both$own == *" $option "* ]] || fail "$mode has no option $word; --help tells more"
        continue
        ;;
    esac
    case $option in
    srcs) srcs+=("$word") ;;
    external_cc_options) device+=("$word") ;;
    hostcc_args) host+=("$word") ;;
    additional_include_directories) device+=("-I$word") ;;
    additional_dpacc_options) more+=("$word") ;;
    additional_ld_libs) links+=("-l$word") ;;
    additional_lib_paths) paths+=("-L$word") ;;
    '') fail "'$word' belongs to no option" ;;
    *) printf -v "$option" %s "$word" ;;
    esac
done
[ ${#srcs[@]} -gt 0 ] || fail "$mode needs --srcs"
common=(-hostcc=gcc --devicecc-options="$(with_commas "${device[@]}")"
    -hostcc-options="$(with_commas "${host[@]}")" "${more[@]}")

if [ "$mode" = --application ]; then
    [ -n "$app_name" ] && [ -n "$dpacc_build_dir" ] || fail "$mode needs --app_name and --dpacc_build_dir"
    mkdir -p -- "$dpacc_build_dir"
    exec "$dpacc" "${srcs[@]}" -o "$dpacc_build_dir/$app_name.a" --app-name="$app_name" "${common[@]}" \
        --devicelink-options="$(with_commas "${links[@]}")" --device-libs="$(with_commas "${paths[@]}")"
fi
name=$(basename -- "$archive_name" .a)
[[ $archive_name == *.a && $name == lib?* ]] || fail "$mode needs --archive_name, a file libNAME.a"
folder=$(dirname -- "$archive_name")
mkdir -p -- "$folder"
rm -f -- "$archive_name"
"$dpacc" "${srcs[@]}" --gen-libs -o "$folder/$name" "${common[@]}"
mv -- "$folder/${name}_device.a" "$archive_name"
case $host_archive_path in
none) rm -f -- "$folder/${name}_host.a" ;;
remain) ;;
*)
    mkdir -p -- "$host_archive_path"
    mv -- "$folder/${name}_host.a" "$host_archive_path/"
    ;;
esac
