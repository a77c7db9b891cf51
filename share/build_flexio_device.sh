#!/bin/sh
# build_flexio_device.sh APP-NAME SOURCE BUILD-DIR: compiles SOURCE for the DPA into the program
# BUILD-DIR/APP-NAME.a, which a FlexIO program of the host is linked with and names as APP-NAME.
if [ $# -ne 3 ]; then
    echo "Usage: build_flexio_device.sh <app-name> <source-file> <build-dir>" >&2
    exit 1
fi
set -e
here=$(dirname "$(readlink -f "$0")")
mkdir -p -- "$3"
exec "$here/../../bin/dpacc" "$2" -o "$3/$1.a" --app-name="$1" -hostcc="${HOSTCC:-gcc}" \
    -hostcc-options="-Wno-deprecated-declarations" --devicecc-options="-O2"
