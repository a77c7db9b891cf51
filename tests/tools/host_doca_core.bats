# DOCA 3.x: what programs call of libdoca_common beside the samples' functions
# (tests/host/doca3_core_cases.c).
# cases: doca3_core_cases.c

load ../host/setup

setup_file() {
    build_doca3
    make_devices "$BATS_FILE_TMPDIR/devices"
}

@test "the dpu sees functions of the host" {
    export DPAKIT_DEVICES=$BATS_TEST_TMPDIR/pair
    new_device mlx5_0 --pair
    new_device mlx5_1 --pair
    DPAKIT_SIDE=dpu case_ok the_dpu_sees_functions_of_the_host
}

@test "commands have flags of their own" {
    case_ok commands_have_flags_of_their_own
}

@test "files give flags of commands" {
    case_ok files_give_flags_of_commands
}

@test "others get complaints and flags of dpdk" {
    case_ok others_get_complaints_and_flags_of_dpdk
}

@test "help is of the command" {
    case_ok help_is_of_the_command
    grep -q '^Usage: .* outer \[DOCA Flags\] \[Program Flags\] \[Command\]$' <<<"$output"
    grep -q '^  --number .*(mandatory)$' <<<"$output"
    grep -q '^  --text ' <<<"$output"
    grep -q '^  inner  *a command$' <<<"$output"
    ! grep -qE -- '--own|--flag|bare' <<<"$output"
}

# Buffers, memory maps, contexts, progress engines, devices, graphs, sync events, log, arguments and
# errors: what the reference of DOCA 3.0 has, and what samples of 3.2 call besides. What each returns
# is tried by host_doca_matrix.bats.
@test "every function of the API reference is declared and exported" {
    local list=$BATS_TEST_DIRNAME/../host/doca_core.txt t=$BATS_TEST_TMPDIR i=$DPAKIT_BUILD/include/doca
    sort -u "$list" | diff - "$list"
    nm -D --defined-only "$DPAKIT_BUILD"/lib/libdoca_common.so "$DPAKIT_BUILD"/lib/libdoca_argp.so |
        awk '$2 == "T" {print $3}' | sort -u >"$t/exported"
    run comm -13 "$t/exported" "$list"
    [ -z "$output" ]
    for h in argp buf_inventory buf_pool ctx dev error graph log mmap pe sync_event; do
        echo "#include <doca_$h.h>"
    done >"$t/names.c"
    sed 's/.*/void *const p_& = (void *)\&&;/' "$list" >>"$t/names.c"
    gcc -std=gnu11 -Wall -Werror -fsyntax-only -I"$i" "$t/names.c"
}

# Other names in libdoca_common.so, for the DPA: contexts, threads, completions, arrays of buffers, memory
# of other processes, clocks. Every other exported name is one that programs of older releases call.
@test "every function for the DPA is declared and exported" {
    local here=$BATS_TEST_DIRNAME/../host t=$BATS_TEST_TMPDIR h
    local list=$here/doca_dpa.txt
    LC_ALL=C sort -u "$list" | diff - "$list"
    nm -D --defined-only "$DPAKIT_BUILD/lib/libdoca_common.so" | awk '$2 == "T" && $3 ~ /^doca_/ {print $3}' |
        LC_ALL=C sort -u >"$t/exported"
    run env LC_ALL=C comm -13 "$t/exported" "$list"
    [ -z "$output" ]
    grep -vxFf <(cat "$list" "$here"/doca_{core,rdma}.txt) "$t/exported" >"$t/others"
    cut -d ' ' -f 1 "$here"/states_2.*.txt | sort -u >"$t/older"
    run grep -vxFf "$t/older" <(grep -vE '_v2_[0-9]+$|^doca_(get_error|dpa_ep|bufpool|log_backend_create_with_buffer)(_|$)' "$t/others")
    [ -z "$output" ]
    for h in buf_array clock dpa mmap_advise sync_event uar umem version; do
        echo "#include <doca_$h.h>"
    done >"$t/names.c"
    sed 's/.*/void *const p_& = (void *)\&&;/' "$list" >>"$t/names.c"
    gcc -std=gnu11 -Wall -Werror -fsyntax-only -I"$DPAKIT_BUILD/include/doca" "$t/names.c"
}
