# NVIDIA's mstconfig and mlxconfig-lite do the same: random operations on two devices, and several at once on
# one. MSTFLINT_OPERATIONS=300 tries more.
source "$BATS_TEST_DIRNAME/../helpers/provision.bash"

db=/usr/share/mstflint/mlxconfig_dbs/mlxconfig_host.db

setup() {
    command -v mstconfig >/dev/null || skip "no mstflint here"
    cd "$BATS_TEST_TMPDIR" && mkdir devices
    export DPAKIT_DEVICES=$PWD/devices
    unset LD_PRELOAD
}

make() { dpadev create "$1" --nvidia-key "$test_keys/owner.pub" --nvidia-key-uuid "$(<"$test_keys/owner.uuid")" >/dev/null; }

# views DEVICE: prints every TLV of the next boot, without its writer and flags, which mean nothing at USER priority.
# A device without TLVs has no backup: then it prints nothing.
views() {
    mlxconfig-lite -d "$1" -f "$1.raw" backup >/dev/null 2>&1 || : >"$1.raw"
    sed -n -E 's/^0x....(.*)/\1/p' "$1.raw" | sort
}

# A random operation: words for either tool.
operation() {
    local names=(MEMIC_BAR_SIZE MEMIC_SIZE_LIMIT MEMIC_ATOMIC USER_PROGRAMMABLE_CC LINK_TYPE_P1 LINK_TYPE_P2
        'HOST_CHAINING_DESCRIPTORS[1]' 'HOST_CHAINING_DESCRIPTORS[0..2]' FPGA_AUTO_RELOAD FLEX_IPV4_OVER_VXLAN_PORT
        NO_SUCH_NAME KEEP_ETH_LINK_UP_P1 KEEP_ETH_LINK_UP_P2)
    case $((RANDOM % 8)) in
    0) echo reset ;;
    1) echo "-f saved.raw set_raw" ;;
    *)
        local words='' i
        for ((i = RANDOM % 3; i >= 0; i--)); do
            words+=" ${names[RANDOM % ${#names[@]}]}=$((RANDOM % 5 ? RANDOM % 3 : RANDOM))"
        done
        echo "set$words"
        ;;
    esac
}

@test "random operations have the same results and leave the same state" {
    local i words theirs ours db_option
    RANDOM=${MSTFLINT_SEED:-29}
    make mlx5_0 && make mlx5_1
    printf 'MLNX_RAW_TLV_FILE\n0x02000004 0x00000006 0x00000000 0x00000003\n' >saved.raw
    for ((i = 0; i < ${MSTFLINT_OPERATIONS:-25}; i++)); do
        words=$(operation)
        theirs=0 ours=0
        db_option=(-b "$db")
        [[ $words != *set_raw ]] || db_option=()
        # shellcheck disable=SC2086
        dpadev exec mlx5_0 -- mstconfig -d 03:00.0 -y $words >theirs.out 2>&1 || theirs=1
        # shellcheck disable=SC2086
        mlxconfig-lite "${db_option[@]}" -d mlx5_1 -y $words >ours.out 2>&1 || ours=1
        [ "$theirs" = "$ours" ] && cmp <(views mlx5_0) <(views mlx5_1) || {
            echo "operation $i: $words; theirs $theirs, ours $ours"
            tail -n 5 theirs.out ours.out
            diff <(views mlx5_0) <(views mlx5_1)
            return 1
        }
    done
}

# value NAME: of the next boot.
value() { mlxconfig-lite -b "$db" -d mlx5_0 query "$1" | awk -v name="$1" '$1 == name { print $2 }'; }

@test "two tools at once, killed at any time, write nothing by halves" {
    local i tool
    make mlx5_0
    for ((i = 0; i < ${DPAKIT_KILLS:-6}; i++)); do
        # The two arrays are one TLV: one of the tools has written both halves of it.
        for tool in 1 2; do
            dpadev exec mlx5_0 -- mstconfig -d 03:00.0 -y set "HOST_CHAINING_DESCRIPTORS[0..7]=$tool" \
                "HOST_CHAINING_TOTAL_BUFFER_SIZE[0..7]=$tool" >/dev/null 2>&1 &
        done
        # One is killed at any point of its work.
        if ((i % 2)); then
            sleep "0.0$((RANDOM % 10))"
            kill -9 $! 2>/dev/null || true
        fi
        wait
        dpadev show mlx5_0 >/dev/null
        [ "$(value 'HOST_CHAINING_DESCRIPTORS[0]')" = "$(value 'HOST_CHAINING_TOTAL_BUFFER_SIZE[7]')" ]
    done
    # Nothing is locked.
    timeout 20 dpadev exec mlx5_0 -- mstconfig -d 03:00.0 -y set MEMIC_BAR_SIZE=3 >/dev/null
    [ "$(value MEMIC_BAR_SIZE)" = 3 ]
}
