# Sourced by tests that run examples/packet_swap.

# Builds the example in the current folder: the program packet_swap.
build_packet_swap() {
    cp -r "$BATS_TEST_DIRNAME/../../examples/packet_swap/"* .
    dpacc device/packet_swap_dev.c -o packet_swap_app.a -mcpu=nv-dpa-bf3 -hostcc=gcc \
        --app-name=packet_swap_app -I"$DPAKIT_BUILD/include"
    # shellcheck disable=SC2086
    gcc -Wall -Wextra ${TEST_HOST_CFLAGS:-} host/packet_swap.c -o packet_swap packet_swap_app.a \
        -I"$DPAKIT_BUILD/include" -L"$DPAKIT_BUILD/lib" -lflexio -libverbs -lmlx5
}
