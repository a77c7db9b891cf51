#!/bin/sh
# build_dpacc.sh DPACC DEVICE.c ATTRIBUTES.yaml DIRECTORY NAME INCLUDEDIR LIBDIR: makes
# DIRECTORY/libNAME.a of the DPA program, for meson.build.
set -eu
dpacc=$1 source=$2 attributes=$3 dir=$4 name=$5 include=$6 lib=$7

mkdir -p "$dir"
"$(dirname "$dpacc")/dpa-app-attributes2blob" "$attributes" "$dir/attributes.blob"
"$dpacc" "$source" -o "$dir/lib$name.a" \
    -mcpu=nv-dpa-bf3,nv-dpa-cx7,nv-dpa-cx8,nv-dpa-cx9 \
    -hostcc=gcc -hostcc-options="-Wall -Wextra -Werror" \
    --devicecc-options="-Wall -Wextra -Werror -O2" \
    --app-name="dpa_sample_app" -device-libs="-L$lib -ldoca_dpa_dev" \
    -flto -I"$include" --dpa-proc-attr="$dir/attributes.blob"
