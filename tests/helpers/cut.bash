# Tools that are cut off at a call that changes a file (see cut_shim.c).

# cut MODE:N COMMAND...: sets code, fired.
cut() {
    local shim=$DPAKIT_BUILD/obj/tests/helpers/cut_shim.so
    # The library of a sanitizer must come first.
    local preload="$(ldd "$DPAKIT_BUILD/bin/mlxdpa" | sed -nE 's/.*lib[at]san.* => ([^ ]+).*/\1/p') $shim"
    rm -f mark
    code=0
    env LD_PRELOAD="$preload" CUT="$1" CUT_MARK="$PWD/mark" "${@:2}" >said 2>err </dev/null || code=$?
    fired=false
    [ ! -e mark ] || fired=true
}
