#!/bin/bash
# doca_build_dpacc.sh --application | --dynamic | --library OPTION VALUE... ...: dpacc, as the build files of FlexIO's
# samples call it. Each option takes the words up to the next one.
set -eu
usage() {
    cat <<'END'
Usage: doca_build_dpacc.sh MODE OPTION VALUE... ...

  --application   DPA program with its host stubs: DPACC_BUILD_DIR/APP_NAME.a
  --dynamic       the same as shared library of the host: DPACC_BUILD_DIR/libAPP_NAME.so
    --app_name APP_NAME
    --dpacc_build_dir DPACC_BUILD_DIR
    --dynamic                                after --application: the shared library, too
  --library       archive of device code
    --archive_name FILE                      libNAME.a
    --host_archive_path none|remain|FOLDER   the archive for the host: removed (default), left beside
                                             FILE, or moved to FOLDER
  all
    --srcs FILE...
    --additional_ld_libs NAME...             libraries of device code, as -lNAME; not for --library, which
    --additional_lib_paths FOLDER...         takes them, but links nothing; and where they are
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
--application | --dynamic) own=' app_name ' ;;
--library) own=' archive_name host_archive_path ' ;;
--version) "$dpacc" --version | sed -n 's/^.*version //p'; exit ;;
--help) usage; exit ;;
'' | -h) usage; exit 1 ;;
*) fail "unknown mode $mode; see --help" ;;
esac
shift

app_name='' dpacc_build_dir='' archive_name='' host_archive_path=none
srcs=() device=(-I.) host=(-fPIC) links=() paths=() more=() option='' dynamic=''
both=' srcs external_cc_options hostcc_args additional_include_directories additional_dpacc_options '
both+='additional_ld_libs additional_lib_paths dpacc_build_dir '
for word; do
    case $word in
    --dynamic)
        dynamic=1 option=''
        continue
        ;;
    --*)
        option=${word#--}
        [[ $both$own == *" $option "* ]] || fail "$mode has no option $word; see --help"
        continue
        ;;
    esac
    case $option in
    srcs) if [ -e "$word" ]; then srcs+=("$word"); else
            read -ra words <<<"$word" # several in one word, as Meson gives a list that was joined
            srcs+=("${words[@]}")
        fi ;;
    external_cc_options) device+=("$word") ;;
    hostcc_args) host+=("$word") ;;
    additional_include_directories) device+=("-I$word") ;;
    additional_dpacc_options)
        read -ra words <<<"$word"
        more+=("${words[@]}")
        ;;
    additional_ld_libs) links+=("-l$word") ;;
    additional_lib_paths) paths+=("-L$word") ;;
    '') fail "'$word' belongs to no option" ;;
    *) printf -v "$option" %s "$word" ;;
    esac
done
[ ${#srcs[@]} -gt 0 ] || fail "$mode needs --srcs"
common=(-hostcc=gcc --devicecc-options="$(with_commas "${device[@]}")"
    -hostcc-options="$(with_commas "${host[@]}")" "${more[@]}")

# The program as file $1 of its folder, with what dpacc wants for that.
application() {
    local file=$1
    shift
    "$dpacc" "${srcs[@]}" -o "$dpacc_build_dir/$file" --app-name="$app_name" "${common[@]}" \
        --devicelink-options="$(with_commas "${links[@]}")" --device-libs="$(with_commas "${paths[@]}")" "$@"
}
if [ "$mode" != --library ]; then
    [ -n "$app_name" ] && [ -n "$dpacc_build_dir" ] || fail "$mode needs --app_name and --dpacc_build_dir"
    mkdir -p -- "$dpacc_build_dir"
    [ "$mode" = --dynamic ] || application "$app_name.a"
    [ "$mode$dynamic" = --application ] || application "lib$app_name.so" -shared
    exit
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
