# Promises that hold for every tool.

setup() {
    cd "$BATS_TEST_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices
    here=$BATS_TEST_DIRNAME/../..
    tools=$(cd "$DPAKIT_BUILD/bin" && echo *)
}

@test "every tool folder gives a program" {
    for d in "$here"/tools/*/; do
        [ "$d" != "$here/tools/common/" ] || continue
        [ -x "$DPAKIT_BUILD/bin/$(basename "$d")" ] || { echo "$d"; false; }
    done
}

@test "--help explains on standard output and succeeds" {
    for t in $tools; do
        "$t" --help >out 2>err || { echo "$t: exit $?"; false; }
        grep -qi '^usage' out || { echo "$t: no usage"; false; }
        [ ! -s err ] || { echo "$t: writes to stderr"; false; }
    done
}

@test "--version prints the version in the file VERSION" {
    local version
    version=$(<"$here/VERSION")
    for t in $tools; do
        [[ $("$t" --version) == *"$version"* ]] || { echo "$t"; false; }
    done
}

@test "an unknown option is one -E- line and the exit code of wrong usage" {
    for t in $tools; do
        code=0
        "$t" --no-such-option >out 2>err || code=$?
        [ "$code" -eq 2 ] || { echo "$t: exit $code"; false; }
        [ "$(grep -c '^-E- ' err)" -eq 1 ] || { echo "$t: $(cat err)"; false; }
        grep -q 'no-such-option' err || { echo "$t: $(cat err)"; false; }
        [ ! -s out ] || { echo "$t: writes to stdout"; false; }
    done
}

@test "help is a command of every tool with commands, describes each of them, and no line is wider than 100 columns" {
    local t c commands n=0 code
    for t in $tools; do
        "$t" --help >help
        commands=$(awk '/^[A-Z]/ { on = $0 == "Commands:" } on && /^  [a-z]/ { sub(/\|.*/, "", $1); print $1 }' help)
        if [ -n "$commands" ]; then
            n=$((n + 1))
            "$t" help | diff help -
            code=0
            "$t" help no-such-command >out 2>err || code=$?
            [ "$code" -eq 2 ] && grep -q '^-E- unknown command no-such-command' err
        fi
        for c in $commands; do
            page=$("$t" help "$c" 2>err) || { echo "$t $c"; cat err; false; }
            [ "$c" = help ] || [[ $'\n'$page == *$'\n'"Usage: $t $c"* ]] || { echo "$page"; false; }
            printf '%s\n' "$page" >>help
        done
        awk 'length > 100 { print; bad = 1 } /^  *-/ && !/^(  |      )-/ { print "an option?", $0; bad = 1 } END { exit bad }' help ||
            { echo "$t"; false; }
    done
    [ $n -ge 9 ]
    mlxdpa help sign_dpa_apps | grep -q -- '--section-type'
    ! mlxdpa help sign_dpa_apps | grep -q -- '--policy'
}

@test "no arguments at all is wrong usage, with a hint" {
    for t in $tools; do
        case $t in doca_caps | dpa-ps | dpatop | urom-service) continue ;; esac # these take all devices, or the only one
        code=0
        "$t" >out 2>err || code=$?
        [ "$code" -eq 2 ] || { echo "$t: exit $code"; false; }
        grep -q '^-E- ' err || { echo "$t: $(cat err)"; false; }
    done
}

@test "tools that need a device take the only one, and list those there are" {
    source "$BATS_TEST_DIRNAME/../helpers/device.bash"
    local -a commands=("dpa-ps" "dpatop --once" "dpa-statistics show" "dpaeumgmt eu_group query"
        "dpaeumgmt info chip" "dpa-resource-mgmt show -t resources" "flint-lite query"
        "flint-lite query_components" "mlxconfig-lite show_confs" "mlxconfig-lite query")
    local c code
    for c in "${commands[@]}" "mlxconfig-lite set DPA_AUTHENTICATION=0"; do
        [ "$c" != "mlxconfig-lite query" ] || continue # lists all there are
        code=0
        $c >out 2>err || code=$?
        [ "$code" -eq 1 ] && grep -q '^-E- .*dpadev create' err && [ "$(wc -l <err)" -eq 1 ] ||
            { echo "$c: exit $code" && cat err && false; }
    done
    new_device only
    for c in "${commands[@]}"; do
        case $c in dpa-statistics*) dpa-statistics collect --enable ;; esac
        $c >out 2>err </dev/null || { echo "$c: $(cat err)" && false; }
    done
    mlxconfig-lite -y set DPA_AUTHENTICATION=0
    code=0
    flint-lite burn >out 2>err || code=$?
    [ "$code" -eq 2 ] && grep -q '^-E- burn needs -i FILE' err
    new_device another
    for c in "${commands[@]}"; do
        [ "$c" != "mlxconfig-lite query" ] || continue
        code=0
        $c >out 2>err || code=$?
        [ "$code" -eq 2 ] && [ "$(cat err)" = "-E- there are 2 devices (another, only); choose one with -d" ] ||
            { echo "$c: exit $code" && cat err && false; }
    done
}

@test "an option whose file name is empty is wrong usage that names the option" {
    local t option code
    for t in "mlxdpa -e" "mlxdpa --ca" "mlxdpa -p" "mlxconfig-lite -p" "flint-lite -i" \
        "dpadev --nvidia-key" "dpacc -o" "dpacc-extract -o" "dparun --signature" "dpapcc -o"; do
        option=${t#* } t=${t% *} code=0
        "$t" "$option" "" >out 2>err || code=$?
        [ "$code" -eq 2 ] || { echo "$t: exit $code"; false; }
        [ "$(cat err)" = "-E- option $option: the file name is empty" ] || { cat err; false; }
    done
}

@test "an invalid UUID is wrong usage, and the error names the option" {
    local t code
    openssl genrsa -out key.pem 2048 2>/dev/null
    for t in "mlxdpa --cert_container_type remove --life_cycle_priority OEM -o o create_cert_container --cert_uuid" \
        "mlxconfig-lite -p key.pem create_conf a.xml b.bin -u" \
        "dpadev create d --nvidia-key key.pem --nvidia-key-uuid"; do
        echo '<config/>' >a.xml
        code=0
        $t 77dd4ef0 >out 2>err || code=$?
        [ "$code" -eq 2 ] || { echo "$t: exit $code"; false; }
        grep -qx -- "-E- option ${t##* }: '77dd4ef0' is not a UUID" err || { cat err; false; }
        code=0
        $t 00000000-0000-0000-0000-000000000000 >out 2>err || code=$?
        [ "$code" -eq 2 ]
        grep -qx -- "-E- option ${t##* }: the UUID must not be zero" err || { cat err; false; }
    done
    [ ! -e o ] && [ ! -e b.bin ] && [ ! -e devices/d ]
}

@test "no tool writes over a file that it only reads" {
    local uuid=77dd4ef0-c633-11ed-9e20-001dd8b744ff command code
    echo '__dpa_global__ void f(void) { }' >f.c
    dpacc f.c -o f.a
    cp f.a key && cp f.a cert && cp f.a in && mkdir before && cp f.c f.a key cert in before
    ln key link
    for command in "dpacc f.c -o ./f.c" "dpacc-extract f.a -o f.a" "dpacc-extract f.a -o x --signature ./f.a" \
        "dpacc-extract f.a -o x --signature x" \
        "mlxdpa -e f.a -c cert -p key -o cert sign_dpa_apps" \
        "mlxdpa -e f.a -c cert -p key -o link sign_dpa_apps" \
        "mlxdpa --cert_container_type add -c cert --life_cycle_priority OEM -o cert create_cert_container" \
        "mlxdpa --cert_container in -p key --life_cycle_priority OEM -o key sign_cert_container" \
        "mlxconfig-lite create_conf in in" "mlxconfig-lite -p key -u $uuid create_conf in key" \
        "mlxconfig-lite gen_xml_template in in"; do
        code=0
        $command >out 2>err || code=$?
        [ "$code" -eq 2 ] || { echo "$command: exit $code"; cat err; false; }
        grep -qE -- '^-E- .*: (output and input are one file|given for two outputs)$' err || { cat err; false; }
        for file in f.c f.a key cert in; do cmp "$file" "before/$file"; done
        [ ! -e x ]
    done
}

@test "standard output has the file and nothing else" {
    source "$BATS_TEST_DIRNAME/../helpers/provision.bash"
    make_world
    enter_world
    claimed
    same() { # FILE COMMAND...: writes it to FILE, a pipe, and a file that is standard output
        local file=$1
        shift
        "$@" "$file"
        "$@" /dev/stdout 2>err | cmp - "$file"
        [ -s err ]
        "$@" /dev/stdout >file 2>err
        cmp file "$file"
    }
    same tlvs mlxconfig-lite gen_tlvs_file
    same raw mlxconfig-lite xml2raw auth.xml
    same backup mlxconfig-lite -d mlx5_0 backup
    same archive dpadev export mlx5_0
    same container mlxdpa --cert_container_type add -c root.der --life_cycle_priority OEM \
        create_cert_container -o
    same signed mlxdpa --cert_container root.container -p owner.pem --keypair_uuid "$owner_uuid" \
        --cert_uuid "$cert_uuid" --life_cycle_priority OEM sign_cert_container -o
    flint-lite -d mlx5_0 -i root.signed -y b
    same root flint-lite -d mlx5_0 --cert_uuid "$cert_uuid" query_components
}

@test "an unknown command says where the commands are" {
    for t in mlxdpa mlxconfig-lite flint-lite dpadev; do
        code=0
        "$t" xyzzy >out 2>err || code=$?
        [ "$code" -eq 2 ]
        [ "$(cat err)" = "-E- unknown command xyzzy; see $t --help" ] || { cat err; false; }
    done
}

@test "output that cannot be printed is an error, not success" {
    [ -c /dev/full ] || skip "no /dev/full here"
    for t in $tools; do
        for o in --help --version; do
            code=0
            "$t" $o >/dev/full 2>err || code=$?
            [ "$code" -ne 0 ] || { echo "$t $o: success"; false; }
            [ "$(cat err)" = "-E- standard output: No space left on device" ] || { cat err; false; }
        done
    done
}

@test "every tool has a manual page that formats without a warning" {
    for t in $tools; do
        page=$DPAKIT_BUILD/share/man/man1/$t.1
        [ -f "$page" ] || { echo "$t: no page"; false; }
    done
    for page in "$DPAKIT_BUILD"/share/man/man[17]/*; do
        LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l "$page" >out 2>err
        [ ! -s err ] || { echo "$page: $(cat err)"; false; }
        # groff 1.23 adjusts paragraphs by the string AD alone.
        [ "$(sed -n '/^\.ad l$/{n;p;}' "$page")" = ".ds AD l" ] || { echo "$page: no .ds AD l after .ad l"; false; }
    done
}

@test "every manual page has the same sections in the same order, and this version's footer" {
    local page sections want version
    version=$(cat "$here/VERSION")
    for page in "$DPAKIT_BUILD"/share/man/man1/*.1; do
        sections=$(sed -n 's/^\.SH //p' "$page" | grep -xE \
            'NAME|SYNOPSIS|DESCRIPTION|OPTIONS|EXIT STATUS|ENVIRONMENT|FILES|EXAMPLES|SEE ALSO')
        want="NAME SYNOPSIS DESCRIPTION OPTIONS EXIT STATUS ENVIRONMENT FILES EXAMPLES SEE ALSO"
        for optional in ENVIRONMENT FILES; do
            grep -qx $optional <<<"$sections" || want=${want/$optional /}
        done
        [ "$(tr '\n' ' ' <<<"$sections")" = "$want " ] || { echo "$page: $sections"; false; }
        grep -qE "^\.TH [A-Z0-9_\\-]+ 1 \"\" \"dpakit $version\" \"dpakit manual\"$" "$page" ||
            { echo "$page: footer"; head -1 "$page"; false; }
    done
}

@test "every page that SEE ALSO names is there" {
    local page name section man=$DPAKIT_BUILD/share/man
    for page in "$man"/man[17]/*; do
        while read -r name section; do
            [ "$name" = openssl ] || [ -f "$man/man$section/$name.$section" ] ||
                { echo "$page: $name($section)"; false; }
        done < <(sed -nE "/^\\.SH SEE ALSO/,\$s/^\\.BR ([^ ]+) \\(([1-9])\\).*/\\1 \\2/p" "$page" | tr -d "\\\\")
    done
}

@test "every option of --help is in the manual page" {
    local t o page
    for t in $tools; do
        page=$(sed 's/\\-/-/g; s/\\(hy/-/g' "$DPAKIT_BUILD/share/man/man1/$t.1")
        for o in $("$t" --help | grep -oE '(^|[ ,])--?[a-zA-Z][a-zA-Z0-9_-]*' | tr -d ' ,' |
            sed -E 's/^(-[a-zA-Z])[A-Z]{2,}$/\1/' | sort -u); do
            [[ $page =~ (^|[^a-zA-Z0-9-])${o#-}([^a-zA-Z0-9_-]|$)|[^a-zA-Z0-9]${o#--}([^a-zA-Z0-9_-]|$) ]] ||
                { echo "$t: $o is not in its page"; false; }
        done
    done
}

@test "every option that a manual page explains is in --help" {
    local t o help delimiter=$'[ ,=\n]'
    for t in $tools; do
        help=$("$t" --help)
        for o in $(sed -n '/^\.SH OPTIONS/,/^\.SH EXIT STATUS/p' "$DPAKIT_BUILD/share/man/man1/$t.1" |
            grep -A1 '^\.TP' | sed 's/\\-/-/g; s/\\f.//g' | grep -oE '(^|[ ",])--?[a-zA-Z][a-zA-Z0-9_-]*' |
            tr -d ' ",'); do
            [[ $help =~ (^|$delimiter)-?$o($delimiter|$) ]] || { echo "$t: $o is not in its help"; false; }
        done
    done
}

@test "the tree works where it is copied to" {
    mkdir moved
    for d in bin lib include share; do cp -a "$DPAKIT_BUILD/$d" moved/; done
    for t in $tools; do
        moved/bin/"$t" --version >/dev/null || { echo "$t"; false; }
    done
}

@test "includes go only downwards" {
    "$here/scripts/check-layers"
}

# layer_fault FILE INCLUDE WORDS: check-layers reports WORDS for a tree with this single include.
layer_fault() {
    rm -rf copy
    mkdir -p copy/scripts copy/tools
    mkdir copy/lib copy/runtime copy/guest
    cp "$here/scripts/check-layers" copy/scripts/
    mkdir -p "copy/$(dirname "$1")"
    echo "#include \"$2\"" >"copy/$1"
    run copy/scripts/check-layers
    [ "$status" -eq 1 ] && [ "$output" = "$1:1: $3" ] || { echo "$1: $output"; false; }
}

@test "an include that goes up is found in every room" {
    local folder up room
    layer_fault tools/mlxdpa/main.c api/flexio/flexio.h 'tools must not include api/flexio/flexio.h'
    # A tree with one include in each room.
    for folder in $(cd "$here" && find lib runtime -name '*.c' -printf '%h\n' | sort -u); do
        room=${folder#*/} up=api/doca/argp/argp.h
        [ "$room" != api/doca/argp ] || up=api/doca/dma/dma.h
        mkdir -p "copy/$folder"
        echo "#include \"$up\"" >"copy/$folder/part.c"
        echo "$folder/part.c:1: $room must not include $up" >>wanted
    done
    rm copy/tools/mlxdpa/main.c
    run copy/scripts/check-layers
    [ "$status" -eq 1 ]
    sort wanted | diff - <(sort <<<"$output")
    layer_fault runtime/api/doca/rdma/rdma.c engine/debug/debug.h 'api/doca/rdma must not include engine/debug/debug.h'
}

@test "an include of another room's private header, or by path, is found" {
    layer_fault tools/mlxdpa/main.c hostfile/edit.h 'hostfile/edit.h is private'
    layer_fault runtime/engine/loader/load.c device/state/private.h 'device/state/private.h is private'
    layer_fault lib/nvconfig/xml.c ../base/base.h 'include by path: #include "../base/base.h"'
}

# layer_table COMMAND: prints what check-layers reports for an empty tree, after sed has changed its tables.
layer_table() {
    rm -rf copy
    mkdir -p copy/scripts copy/tools copy/lib copy/runtime copy/guest
    sed "$1" "$here/scripts/check-layers" >copy/scripts/check-layers
    chmod +x copy/scripts/check-layers
    run copy/scripts/check-layers
    [ "$status" -eq 1 ] && [ "$output" = "$2" ] || { echo "$output"; false; }
}

@test "code that does itself what a function of lib/base does is found" {
    local line
    while IFS='|' read -r line use; do
        rm -rf copy
        mkdir -p copy/scripts copy/lib copy/runtime/bus/ring copy/guest copy/tools
        cp "$here/scripts/check-layers" copy/scripts/
        echo "$line" >copy/runtime/bus/ring/ring.c
        run copy/scripts/check-layers
        [ "$status" -eq 1 ]
        [ "$output" = "runtime/bus/ring/ring.c:1: lib/base has this: $use" ] || { echo "$output"; false; }
    done <<'END'
    clock_gettime(CLOCK_MONOTONIC, &now);|dpk_now_ns
        n = n * 10 + (unsigned)(*text - '0');|dpk_number or dpk_take_number
static bool write_all(int fd, const void *data, size_t size)|dpk_write_all
END
}

@test "a room that may include one of a higher wing is found in the table" {
    layer_table 's#^bus/ring: base$#bus/ring: base engine/proc#' 'scripts/check-layers: bus/ring is of wing bus, below engine/proc'
    layer_table 's#^bus/pci: .*#& device/state#' 'scripts/check-layers: bus/pci is of wing bus, below device/state'
}

@test "an include guard that does not follow the path is found" {
    mkdir -p copy/scripts copy/lib/base copy/runtime copy/guest copy/tools
    printf '#ifndef OLD_H\n#define OLD_H\n#endif\n' >copy/lib/base/new.h
    cp "$here/scripts/check-layers" copy/scripts/
    run copy/scripts/check-layers
    [ "$status" -eq 1 ] && [ "$output" = "lib/base/new.h:1: the include guard is not DPK_BASE_NEW_H" ]
}

@test "a folder that is not a room yet is found" {
    mkdir -p copy/scripts copy/lib/attic copy/runtime copy/guest copy/tools
    touch copy/lib/attic/old.c
    cp "$here/scripts/check-layers" copy/scripts/
    run copy/scripts/check-layers
    [ "$status" -eq 1 ] && [ "$output" = "lib/attic/: no room of scripts/check-layers" ]
}
