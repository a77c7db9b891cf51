# bash completion of the tools.

setup() {
    cd "$BATS_TEST_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices
    script=$DPAKIT_BUILD/share/bash-completion/completions/mlxdpa
}

# What TAB offers behind these words, one a line, sorted; "=" is a word of its own, as in bash.
offers() {
    bash --norc -c '
        source "$1"; shift
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _dpakit "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf "%s\n" "${COMPREPLY[@]}"' _ "$script" "$@" | sort
}

@test "there is a completion for every tool, and it is registered for it" {
    for t in "$DPAKIT_BUILD"/bin/*; do
        t=${t##*/}
        file=$DPAKIT_BUILD/share/bash-completion/completions/$t
        [ -f "$file" ]
        bash --norc -c 'source "$1" && complete -p "$2"' _ "$file" "$t" | grep -q -- '-F _dpakit'
    done
}

@test "every option of --help is offered" {
    for t in "$DPAKIT_BUILD"/bin/*; do
        t=${t##*/}
        offers "$t" - >offered
        "$t" --help | grep -oE '^ +-[^ ].*' | sed -E 's/^ +//; s/  .*//' | grep -oE -- '(^|, )--?[A-Za-z][A-Za-z_-]*' |
            sed 's/^, //' >wanted
        [ -s wanted ]
        while read -r option; do
            grep -qx -- "$option" offered || { echo "$t: $option"; false; }
        done <wanted
    done
}

@test "options are offered by what is typed of them" {
    [ "$(offers mlxdpa --cert_c | xargs)" = "--cert_chain_count --cert_container --cert_container_type" ]
}

@test "commands are offered until there is one" {
    touch verify-me
    [ "$(offers mlxdpa ver | xargs)" = "verify verify-me" ]
    [ "$(offers mlxdpa verify ver | xargs)" = "verify-me" ]
    [ "$(offers mlxconfig-lite creat)" = "create_conf" ]
    [ "$(offers flint-lite bu)" = "burn" ]
}

@test "arguments are offered by their kind" {
    touch root.der 'a file'
    mkdir certs
    [ "$(offers mlxdpa --ca ro)" = "root.der" ]
    [ "$(offers mlxdpa --ca 'a ')" = "a file" ]
    [ "$(offers mlxdpa --ca ce)" = "certs" ]
    [ "$(offers mlxdpa --life_cycle_priority '' | xargs)" = "Nvidia OEM User" ]
    [ "$(offers mlxdpa --cert_container_type = re)" = "remove" ]
    [ "$(offers mlxdpa --cert_container_type = | xargs)" = "add remove" ]
    [ -z "$(offers mlxdpa --cert_uuid '')" ]
}

@test "devices are offered by name" {
    openssl genrsa 2048 2>/dev/null | openssl rsa -pubout -out key 2>/dev/null
    dpadev create mlx5_7 --nvidia-key key --nvidia-key-uuid 77dd4ef0-c633-11ed-9e20-001dd8b744ff >/dev/null
    [ "$(offers mlxdpa -d ml)" = "mlx5_7" ]
    [ "$(offers dparun --device '')" = "mlx5_7" ]
}

@test "a hostile word is not run" {
    [ -z "$(offers mlxdpa --ca '$(touch pwned)')" ]
    [ -z "$(offers mlxdpa '`touch pwned`')" ]
    [ ! -e pwned ]
}
