# A network of the test, with the interfaces v0 and v1, the ends of one cable. "source" it in a bats file.

need_network() {
    unshare -rn ip link add v0 type veth peer name v1 2>/dev/null ||
        skip 'no network namespaces with veth pairs for this user'
}

# in_network FUNCTION [ARGUMENT...]: runs a function of this file, all of whose failures end it, in such a network.
in_network() {
    export BATS_TEST_DIRNAME BATS_FILE_TMPDIR BATS_TEST_TMPDIR
    run unshare -rn bash -c "$(declare -f)
        set -eu
        ip link add v0 type veth peer name v1
        ip link set v0 up
        ip link set v1 up
        \"\$@\"" in_network "$@"
    echo "$output"
    [ "$status" -eq 0 ]
}

# hex BYTES...: bytes, two hexadecimal digits each; spaces do not count.
hex() {
    printf '%b' "$(printf '%s' "$@" | tr -d ' ' | sed 's/../\\x&/g')"
}
