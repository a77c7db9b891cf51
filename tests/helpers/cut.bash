# Tools that are cut off at a call that changes a file (see cut_shim.c).

# What must be preloaded first: the library of a sanitizer, if there is one.
sanitizer_library() {
    ldd "$DPAKIT_BUILD/bin/mlxdpa" | sed -nE 's/.*lib[at]san.* => ([^ ]+).*/\1/p'
}

# Once: ldd is a script that starts more processes than a tool that is cut off does.
cut_preload="$(sanitizer_library) $DPAKIT_BUILD/obj/tests/helpers/cut_shim.so"

# cut MODE:N COMMAND...: sets code, fired.
cut() {
    [ ! -e mark ] || rm mark
    code=0
    LD_PRELOAD=$cut_preload CUT=$1 CUT_MARK=$PWD/mark "${@:2}" >said 2>err </dev/null || code=$?
    fired=false
    [ ! -e mark ] || fired=true
}
