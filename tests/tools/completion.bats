# Completion of the tools in bash, zsh and fish. All three offer the same.

source "$BATS_TEST_DIRNAME/../helpers/device.bash"

# A program, which tests copy.
setup_file() {
    cd "$BATS_FILE_TMPDIR"
    printf '%s\n' '#include <stdint.h>' '__dpa_rpc__ uint64_t sum(uint64_t a) { return a; }' \
        '__dpa_global__ void idle(void) { }' >p.c
    dpacc p.c -o p.a
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices
    script=$DPAKIT_BUILD/share/bash-completion/completions/mlxdpa
}

# Prints what TAB offers after these words, one per line, sorted; "=" is a separate word, as in bash.
offers() {
    bash --norc -c '
        source "$1"; shift
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _dpakit "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf "%s\n" "${COMPREPLY[@]}"' _ "$script" "$@" | sort
}

@test "there is a completion for every tool, and it is registered for it" {
    bash --norc -c '
        for t in "$DPAKIT_BUILD"/bin/*; do
            t=${t##*/}
            complete -r
            source "$DPAKIT_BUILD/share/bash-completion/completions/$t" && [[ $(complete -p "$t") == *"-F _dpakit"* ]] ||
                { echo "$t"; exit 1; }
        done'
}

@test "every option of --help is offered" {
    (cd "$DPAKIT_BUILD/bin" && ls) >tools
    bash --norc -c '
        source "$1"
        while read -r t; do
            COMP_WORDS=("$t" -) COMP_CWORD=1
            _dpakit "$t" - "$t"
            printf "$t %s\n" "${COMPREPLY[@]}"
        done <tools' _ "$script" >offered
    while read -r t; do
        echo "of $t"
        "$t" --help
    done <tools | awk '
        /^of / { tool = $2; next }
        sub(/^ +-/, "-") {
            sub(/  .*/, "")
            n = split($0, part, ", ")
            for (i = 1; i <= n; i++)
                if (match(part[i], /^--?[A-Za-z][A-Za-z_-]*/)) print tool, substr(part[i], 1, RLENGTH)
        }' >wanted
    cut -d ' ' -f 1 wanted | uniq | diff tools -
    ! grep -vxFf offered wanted || false
}

@test "options are offered by their first letters" {
    [ "$(offers mlxdpa --cert_c | xargs)" = "--cert_chain_count --cert_container --cert_container_type" ]
}

@test "commands are offered until a command is given" {
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
    new_device mlx5_7
    [ "$(offers mlxdpa -d ml)" = "mlx5_7" ]
    [ "$(offers dparun --device '')" = "mlx5_7" ]
}

@test "a hostile word is not run" {
    [ -z "$(offers mlxdpa --ca '$(touch pwned)')" ]
    [ -z "$(offers mlxdpa '`touch pwned`')" ]
    [ ! -e pwned ]
}

@test "devices are offered where a command takes one" {
    new_device mlx5_7
    touch mlx5_file
    for c in show reset delete log export ps wire fabric stats; do
        [ "$(offers dpadev $c ml)" = "mlx5_7" ]
    done
    [ "$(offers dpadev ps -t ml)" = "mlx5_7" ]
    [ "$(offers dpadev export mlx5_7 ml)" = "mlx5_file" ]
    [ "$(offers dpa-gdbserver '')" = "mlx5_7" ]
}

@test "wires are offered by kind, and by interface, device or file" {
    new_device mlx5_7
    touch input.pcap
    [ "$(offers dpadev wire mlx5_7 ve)" = veth: ]
    # All kinds of input that the tool knows.
    diff <(offers dpadev wire mlx5_7 '') <(dpadev wire mlx5_7 nothing 2>&1 | sed 's/.*is not a wire: //; s/, /\n/g' |
        grep -oE '^[a-z]+:?' | sort)
    [ "$(offers dpadev wire mlx5_7 veth : l)" = lo ]
    [ "$(offers dpadev wire mlx5_7 dev :)" = mlx5_7 ]
    [ "$(offers dpadev wire mlx5_7 pcap : in)" = input.pcap ]
    [ -z "$(offers dpadev wire mlx5_7 udp :)" ]
    [ "$(offers dpadev fabric mlx5_7 o)" = off ]
}

@test "targets are offered, also several in a row" {
    [ "$(offers dpacc -mcpu = | xargs)" = "nv-dpa-bf3 nv-dpa-cx7 nv-dpa-cx8 nv-dpa-cx9" ]
    [ "$(offers dpacc --mcpu nv-dpa-b)" = "nv-dpa-bf3" ]
    [ "$(offers dpacc -mcpu = nv-dpa-bf3,nv-dpa-cx | xargs)" = \
        "nv-dpa-bf3,nv-dpa-cx7 nv-dpa-bf3,nv-dpa-cx8 nv-dpa-bf3,nv-dpa-cx9" ]
    [ "$(offers dpacc -mc)" = "-mcpu" ]
    [ "$(offers dpacc-extract --mcpu nv-dpa-b)" = "nv-dpa-bf3" ]
}

@test "functions of the program are offered" {
    cp "$BATS_FILE_TMPDIR/p.a" .
    [ "$(offers dparun p.a --rpc '' | xargs)" = "idle sum" ]
    [ "$(offers dparun -d mlx5_0 --stats p.a --kernel = i)" = "idle" ]
    [ "$(offers dparun --app __dpa_a_out p.a --rpc s)" = "sum" ]
    [ -z "$(offers dparun --app other p.a --rpc s)" ]
    [ -z "$(offers dparun --rpc s)" ]
    [ -z "$(offers dparun missing --rpc s)" ]
}

@test "references, networks and parameters of an algorithm are offered" {
    dpacc "$BATS_TEST_DIRNAME/../../examples/pcc/device/aimd.c" -o aimd.a --app-name=aimd \
        -device-libs="-ldoca_pcc_dev"
    [ "$(offers dpapcc co)" = compare ]
    [ "$(offers dpapcc run d)" = dcqcn ]
    [ "$(offers dpapcc compare dcqcn a)" = aimd.a ]
    [ "$(offers dpapcc mix dcqcn a)" = aimd.a ]
    [ "$(offers dpapcc sweep dcqcn --ov)" = --over ]
    [ "$(offers dpapcc run dcqcn --topology fa)" = fat-tree ]
    [ "$(offers dpapcc run aimd.a --param T)" = TARGET_NS= ]
    [ -z "$(offers dpapcc run dcqcn --param T)" ]
}

@test "names in a hostile program are not run" {
    cp "$DPAKIT_BUILD/obj/tests/data/kernels.elf" a.elf
    "$(llvm-config --bindir)/llvm-objcopy" --redefine-sym '_dpacc_unpack_add=_dpacc_unpack_$(touch pwned)' a.elf
    dparun a.elf | grep -qF 'touch pwned'
    offers dparun a.elf --rpc '' >offered
    grep -q '^[a-z_]*$' offered
    ! grep 'pwned' offered || false
    [ ! -e pwned ]
}

# Words as bash passes them: with their quotes, and split at ':'.
@test "earlier words may have quotes, and names may have colons" {
    cp "$BATS_FILE_TMPDIR/p.a" .
    cp p.a "it's a program"
    cp p.a a:b.a
    touch root:x.der
    [ "$(offers dparun "it\\'s\\ a\\ program" --rpc s)" = "sum" ]
    [ "$(offers dparun '"it'"'"'s a program"' --rpc = s)" = "sum" ]
    [ "$(offers dparun "'it'\\''s a 'program" --rpc s)" = "sum" ]
    [ "$(offers dparun a : b.a --rpc s)" = "sum" ]
    [ "$(HOME=$PWD offers "$DPAKIT_BUILD/bin/dparun" '~/p.a' --rpc s)" = "sum" ]
    # Each offer replaces the last part.
    [ "$(offers mlxdpa --ca root :)" = "x.der" ]
    [ "$(offers mlxdpa --ca = root : x)" = "x.der" ]
    [ "$(offers dparun a : b)" = "b.a" ]
    [ -z "$(offers mlxdpa --ca root : y)" ]
}

@test "nobody waits for a pipe, or for a slow command" {
    mkfifo pipe
    mkdir bin
    printf '#!/bin/sh\nexec sleep 1234\n' >bin/dpadev
    chmod +x bin/dpadev
    export -f offers
    export script
    run timeout 30 bash -c 'offers dparun pipe --rpc ""'
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    PATH=$PWD/bin:$PATH run timeout 30 bash -c 'offers dparun -d m'
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

@test "parameters of a device are offered, and their values" {
    new_device mlx5_7
    [ "$(offers mlxconfig-lite -d mlx5_7 query DPA_A)" = "DPA_AUTHENTICATION" ]
    [ "$(offers mlxconfig-lite q DPA_A)" = "DPA_AUTHENTICATION" ]
    [ "$(offers mlxconfig-lite -d mlx5_7 set DPA_A)" = "DPA_AUTHENTICATION=" ]
    [ "$(offers mlxconfig-lite -d mlx5_7 set DPA_AUTHENTICATION = | xargs)" = "False True" ]
    [ "$(offers mlxconfig-lite -d mlx5_7 set DPA_AUTHENTICATION = T)" = "True" ]
    offers mlxconfig-lite -d mlx5_7 query '' | grep -q 'LC_NV_PUB_KEY_UUID'
    [ "$(offers mlxconfig-lite que)" = "query" ]
}

@test "fish offers the same" {
    command -v fish >/dev/null || skip "no fish"
    new_device mlx5_7
    cp "$BATS_FILE_TMPDIR/p.a" .
    local dir=$DPAKIT_BUILD/share/fish/vendor_completions.d
    for t in "$DPAKIT_BUILD"/bin/*; do [ -f "$dir/${t##*/}.fish" ]; done
    of() { # TOOL LINE
        HOME=$PWD fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$dir/$1.fish" "$2" | xargs
    }
    [ "$(of dparun 'dparun -d ml')" = mlx5_7 ]
    [ "$(of dparun 'dparun p.a --rpc ')" = "idle sum" ]
    [ "$(of dparun 'dparun p.a --rpc=s')" = "--rpc=sum" ]
    [ "$(of dpacc 'dpacc -mcpu=nv-dpa-b')" = "-mcpu=nv-dpa-bf3" ]
    [ "$(of dparun 'dparun --verify')" = "--verify-only" ]
    cp p.a 'my program'
    touch 'root ca' root:x
    [ "$(of dparun 'dparun my\ program --rpc s')" = "sum" ]
    [ "$(of mlxdpa 'mlxdpa --ca root\ c')" = "root ca" ]
    [ "$(of mlxdpa 'mlxdpa --ca root:')" = "root:x" ]
    [ "$(of mlxconfig-lite 'mlxconfig-lite -d mlx5_7 set DPA_AUTHENTICATION=T')" = "DPA_AUTHENTICATION=True" ]
}

@test "zsh and fish know every tool" {
    diff <(head -n 1 "$DPAKIT_BUILD/share/zsh/site-functions/_dpakit" | tr ' ' '\n' | tail -n +2 | LC_ALL=C sort) \
        <(cd "$DPAKIT_BUILD/bin" && LC_ALL=C ls)
    diff <(cd "$DPAKIT_BUILD/share/fish/vendor_completions.d" && LC_ALL=C ls | sed 's/\.fish$//' | LC_ALL=C sort) \
        <(cd "$DPAKIT_BUILD/bin" && LC_ALL=C ls)
}

# Starts zsh in its own terminal, and presses TAB.
@test "zsh offers the same" {
    command -v zsh >/dev/null || skip "no zsh"
    zsh -f -c 'zmodload zsh/zpty && zpty z true' 2>/dev/null || skip "no pseudo-terminal for zsh"
    new_device mlx5_7
    cp "$BATS_FILE_TMPDIR/p.a" .
    cp p.a 'my program'
    touch 'root ca' root:x
    cat >press.zsh <<'Z'
zmodload zsh/zpty
zpty z "HOME=$PWD zsh -f -i"
zpty -w z "PS1= PS2= PROMPT_EOL_MARK=; unsetopt zle_bracketed_paste prompt_cr prompt_sp; stty columns 200"
zpty -w z "fpath=($DPAKIT_BUILD/share/zsh/site-functions \$fpath); autoload -Uz compinit && compinit -u -D"
zpty -w z 'show() { print -r -- "<$BUFFER>"; zle kill-whole-line; }; zle -N show; bindkey "^Xs" show; print rea""dy'
until [[ $seen == *ready* ]]; do zpty -r -t z part && seen+=$part || sleep 0.05; done
for line in "$@"; do
    seen=
    zpty -w -n z "$line"$'\t\C-xs'
    until [[ $seen == *"<"*">"* ]]; do zpty -r -t z part && seen+=$part || sleep 0.05; done
    print -r -- "${${seen##*<}%%>*}"
done
zpty -d z
Z
    timeout 60 zsh -f press.zsh 'dparun -d ml' 'dparun p.a --rpc s' 'dparun p.a --kernel=i' 'dpacc -mcpu=nv-dpa-b' \
        'dparun --verify' 'mlxconfig-lite -d mlx5_7 set DPA_A' 'mlxconfig-lite -d mlx5_7 set DPA_AUTHENTICATION=T' \
        'dparun my\ program --rpc s' 'mlxdpa --ca root\ c' 'mlxdpa --ca "root c' 'mlxdpa --ca root:' >out
    cat out
    diff - out <<'TEXT'
dparun -d mlx5_7 
dparun p.a --rpc sum 
dparun p.a --kernel=idle 
dpacc -mcpu=nv-dpa-bf3 
dparun --verify-only 
mlxconfig-lite -d mlx5_7 set DPA_AUTHENTICATION=
mlxconfig-lite -d mlx5_7 set DPA_AUTHENTICATION=True 
dparun my\ program --rpc sum 
mlxdpa --ca root\ ca 
mlxdpa --ca "root ca" 
mlxdpa --ca root:x 
TEXT
}
