#!/bin/bash
# The default BUILD of ci-sign.sh: builds examples/hello in this folder.
set -euo pipefail
include=$DPAKIT_BUILD/include/doca-2.2
dpacc libdoca_dpa_dev.a kernel.c -o dpa_program.a --app-name="$APP_NAME" -I"$include" \
    -hostcc-options="-Wno-deprecated-declarations" \
    --devicecc-options="-D__linux__ -Wno-deprecated-declarations"
# shellcheck disable=SC2086  # TEST_HOST_CFLAGS: a list of options, empty but in dpakit's own tests
gcc ${TEST_HOST_CFLAGS:-} hello_world.c -o hello_world dpa_program.a -I"$include" \
    -DDOCA_ALLOW_EXPERIMENTAL_API -L"$DPAKIT_BUILD/lib" -ldoca_dpa -ldoca_common -lflexio
