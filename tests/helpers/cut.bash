# Tools that are cut off at a call that changes a file (see cut_shim.c).

# What must be preloaded first: the library of a sanitizer, if there is one.
sanitizer_library() {
    ldd "$DPAKIT_BUILD/bin/mlxdpa" | sed -nE 's/.*lib[at]san.* => ([^ ]+).*/\1/p'
}

# cut MODE:N COMMAND...: sets code, fired.
cut() {
    local shim=$DPAKIT_BUILD/obj/tests/helpers/cut_shim.so
    local preload
    preload="$(sanitizer_library) $shim"
    rm -f mark
    code=0
    env LD_PRELOAD="$preload" CUT="$1" CUT_MARK="$PWD/mark" "${@:2}" >said 2>err </dev/null || code=$?
    fired=false
    [ ! -e mark ] || fired=true
}
