# For tests of tools that are short of memory. "source" it in a bats file, after signing.bash or
# provision.bash.

needs_allocations_of_its_own() {
    [ -z "${GCOV_ERROR_FILE:-}" ] || skip "counting lines allocates, too"
    if ldd "$DPAKIT_BUILD/bin/mlxdpa" | grep -qE 'lib(a|t)san'; then
        skip "a sanitizer allocates by itself"
    fi
}

# OpenSSL 3.5 waits for itself, for ever, when one of the first two allocations of its start fails: the
# error that it notes needs what is being started.
openssl_waits() {
    local version
    version=$(openssl version) && [[ $version =~ ^OpenSSL\ 3\.([0-9]+) ]] && [ "${BASH_REMATCH[1]}" -ge 5 ]
}

# starve_once N COMMAND...: its N-th allocation fails. Sets code; what it says is in said and err.
starve_once() {
    code=0 changed=1
    timeout -s KILL 30 env STARVE="$1" STARVE_CALLS="$PWD/calls" LD_PRELOAD="$DPAKIT_BUILD/obj/tests/helpers/starve_shim.so" \
        "${@:2}" >said 2>err </dev/null || code=$?
}

# All that devices are, but their logs.
whole_state() {
    local name
    for name in $(dpadev list); do
        dpadev show --json "$name" && mlxconfig-lite -d "$name" --json --read_only q || return 1
    done
}

# A failure left nothing, and every device as it was.
nothing_happened() {
    diff -r before out >differences || return 1
    [ -d devices ] && ! diff -r "$pristine" devices >/dev/null || { changed='' && return; }
    whole_state 2>&1 | diff state - >differences
}

# What the last run left as it was needs no copy.
start_again() {
    [ -n "$changed" ] || return 0
    rm -rf out && cp -a before out || return 1
    [ ! -d devices ] || diff -r "$pristine" devices >/dev/null ||
        { rm -rf devices && cp -a "$pristine" devices; }
}

# One allocation fails: the tool ends well, or with one line of error and without any effect. What it
# writes is in out/ or in devices/. No signal ends it.
survives() {
    local lines
    start_again
    starve_once "$@"
    : >differences
    mapfile -t lines <err
    case $code in
    0) return 0 ;;
    137) [ $((waited += 1)) -le 2 ] && openssl_waits && nothing_happened ;;
    1 | 2 | 3 | 1[1-9] | 2[0-3]) # a refusal may be for want of memory, and says so
        [ ${#lines[@]} -le "${ERROR_LINES:-1}" ] && [[ $'\n'$(<err) == *$'\n-E- '* ]] && nothing_happened && refused=$((refused + 1)) ;;
    *) false ;;
    esac || { echo "allocation $1 of $calls: exit $code" && head -c 1000 err differences; return 1; }
}

# begin COMMAND...: what there is before it, and `calls`, the allocations that it makes.
begin() {
    refused=0 waited=0
    mkdir -p out && rm -rf before && cp -a out before
    pristine=$PWD/pristine
    [ ! -d devices ] || { [ -e state ] && diff -r "$pristine" devices >/dev/null; } ||
        { whole_state >state && rm -rf "$pristine" && cp -a devices "$pristine"; }
    starve_once 1000000000 "$@"
    [ "$code" -eq 0 ] || { cat err; return 1; }
    calls=$(<calls)
}

# starve COMMAND...: $STARVE_POINTS of its allocations, evenly spread, fail, one a run; with
# $STARVE_ALL each of them does.
starve() {
    local i points=${STARVE_POINTS:-6}
    begin "$@"
    [ -z "${STARVE_ALL:-}" ] && [ "$points" -lt "$calls" ] || points=$calls
    for ((i = 0; i < points; i++)); do
        survives $((points == 1 ? 1 : 1 + i * (calls - 1) / (points - 1))) "$@" || return 1
    done
    [ "$refused" -gt 0 ]
}

# starve_from FIRST LAST STEP COMMAND...: those of its allocations.
starve_from() {
    local n first=$1 last=$2 step=$3
    shift 3
    begin "$@"
    for ((n = first; n <= last && n <= calls; n += step)); do survives "$n" "$@" || return 1; done
    [ "$refused" -gt 0 ]
}
