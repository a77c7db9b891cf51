# Names of symbols: grep finds each exported name whole.
# Runs only on the plain build: the names do not depend on the build.

setup_file() {
    tree=$BATS_TEST_DIRNAME/../..
    words >"$BATS_FILE_TMPDIR/words"
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    tree=$BATS_TEST_DIRNAME/../..
    lib=$DPAKIT_BUILD/lib
}

exports() { nm -D --defined-only "$@" | awk 'NF == 3 && $2 ~ /^[TDBRVWi]$/ { sub(/@.*/, "", $3); print $3 }'; }

# The words of the sources that libraries are made of. A header of an older generation names a function of its own
# twice: its sources define doca_dpa_create, which the header makes doca_dpa_create_v2_2. Other names of public headers
# do not count: a prototype is not the place where a function is defined.
words() {
    {
        find "$tree"/{lib,runtime,tools} -name '*.[chS]' -exec cat {} +
        find "$tree"/{lib,runtime,tools} -name '*.ld' -exec cat {} +
        find "$tree/include" -name '*.h' -exec grep -hE '[a-z]_v2_[25]\b' {} +
    } | grep -aoE '[A-Za-z_][A-Za-z0-9_]*' | LC_ALL=C sort -u
}

@test "each exported name is whole in the sources, so that grep finds its definition" {
    find "$lib" -name '*.so*' -type f >libraries
    [ "$(wc -l <libraries)" -ge 10 ]
    exports $(cat libraries) | LC_ALL=C sort -u >names
    [ "$(wc -l <names)" -gt 1000 ]
    run env LC_ALL=C comm -23 names "$BATS_FILE_TMPDIR/words"
    echo "$output"
    [ -z "$output" ]
}

# Prints the objects of the sources of a tree. Objects of removed sources are left out.
objects_of() { # TREE OBJECTS
    (cd "$1" && find lib runtime tools -name '*.c') | sed 's/c$/o/' |
        while read -r object; do [ ! -e "$2/$object" ] || echo "$object"; done
}

# Prints external names, of functions or data, that two sources define: NAME OBJECT OBJECT...
defined_twice() { # TREE OBJECTS
    objects_of "$1" "$2" >looked_at
    (cd "$2" && xargs nm -A -g --defined-only) <looked_at |
        awk '{ file = $1; sub(/:.*/, "", file); where[$NF] = where[$NF] " " file; if (count[$NF]++ == 1) twice[$NF] = 1 }
            END { for (name in twice) print name where[name] }' | sort
}

@test "no external name is defined twice" {
    # Each tool is a program with a main. runtime/api/forward/find.c is compiled to objects of other names, one for each
    # library that is found before the system's: these objects are ignored. Each plugin of UROM exports the same two names.
    defined_twice "$tree" "$DPAKIT_BUILD/obj" | grep -vE '^(main|urom_plugin_get_iface|urom_plugin_get_version) ' >twice || true
    cat twice
    [ ! -s twice ]
    [ "$(wc -l <looked_at)" -ge 700 ]
}

@test "a name that is defined twice is found" {
    local file other
    for file in lib/a/one runtime/b/two tools/c/gone; do
        mkdir -p {here,objects}/${file%/*}
        other=counted_${file##*/}
        echo "int $other; static int kept(void) { return $other; } int shared_name(void) { return kept(); }" >here/$file.c
        gcc -c here/$file.c -o objects/$file.o
    done
    rm here/tools/c/gone.c
    [ "$(defined_twice here objects)" = "shared_name lib/a/one.o runtime/b/two.o" ]
}

# faults_of PAGE: prints missing paths of the page, and names with our prefixes that no source has. A step of a trip
# may name a file without its folder, after a path in this folder.
faults_of() {
    grep -oE '`(\.ci|lib|runtime|guest|tools|include|docs|tests|scripts|share|man)/[A-Za-z0-9_./-]*`' "$1" | tr -d '`' | sort -u |
        while read -r path; do [ -e "$tree/$path" ] || echo "absent: $path"; done
    # A step: its paths, and its files without a folder.
    sed -n '/^## Six trips/,/^## Tests/p' "$1" | awk '/^[0-9]+\. / && step { print step; step = "" } /^[0-9]+\. / || /^ / { step = step $0 }
        !/^[0-9]+\. / && !/^ / && step { print step; step = "" }' |
        while read -r step; do
            folders=$(grep -oE '`(lib|runtime|guest|tools)/[A-Za-z0-9_./-]*`' <<<"$step" | tr -d '`' | sed 's#/[^/]*\.[chS]$##')
            for file in $(grep -oE '`[A-Za-z0-9_]+\.[chS]`' <<<"$step" | tr -d '`'); do
                found=
                for folder in $folders; do [ ! -e "$tree/$folder/$file" ] || found=1; done
                [ "$found" ] || echo "absent: $file in $(tr '\n' ' ' <<<"$folders")"
            done
        done
    grep -oE '`(struct )?dpk_[a-z0-9_]+`' "$1" | grep -oE 'dpk_[a-z0-9_]+' | sort -u | LC_ALL=C comm -23 - "$BATS_FILE_TMPDIR/words" | sed 's/^/no source has /'
}

@test "ARCHITECTURE.md is a map of 2,500 words at most, whose paths and names are there" {
    [ "$(wc -w <"$tree/ARCHITECTURE.md")" -le 2500 ]
    [ "$(grep -oE '`(lib|runtime|guest|tools)/[A-Za-z0-9_./-]*`' "$tree/ARCHITECTURE.md" | sort -u | wc -l)" -ge 40 ]
    [ "$(grep -cE '^\*\*[1-6]\. ' "$tree/ARCHITECTURE.md")" -eq 6 ]
    faults_of "$tree/ARCHITECTURE.md" >faults
    cat faults
    [ ! -s faults ]
}

@test "a path, a file and a name that are not there are found in ARCHITECTURE.md" {
    sed 's#lib/hostfile/sign\.c#lib/hostfile/signs.c#; s#`passphrase\.c`#`passphrases.c`#; s#`dpk_rc_post`#`dpk_rc_posts`#' \
        "$tree/ARCHITECTURE.md" >page
    [ "$(faults_of page)" = "absent: lib/hostfile/signs.c
absent: passphrases.c in lib/signer 
no source has dpk_rc_posts" ]
}

# Prefixes of the external names of a room: `dpk_`, the last word of its path ("lib/elf": elf_), or these.
prefixes='
lib/hostfile hostfile
runtime/api/doca-2.2 generation
runtime/api/doca-2.5 generation
runtime/api/doca/telemetry_dpa telemetry
runtime/api/flexio libflexio
runtime/gpu/blocks block
runtime/gpu/fibers fiber
runtime/gpu/streams stream
tools/doca_caps caps
tools/dpa-app-attributes2blob attributes2blob
tools/dpa-gdbserver gdbserver
tools/dpa-ps ps
tools/dpa-resource-mgmt resource_mgmt
tools/dpa-statistics statistics
tools/dpacc-extract extract
tools/flint-lite flint
tools/mlxconfig-lite mlxconfig
tools/urom-service service
tools/urom-worker worker
'

# Lines "ROOM NAME" of the external names of the project's own objects.
externals() {
    objects_of "$tree" "$DPAKIT_BUILD/obj" >objects
    # Lines "OBJECT:ADDRESS KIND NAME".
    (cd "$DPAKIT_BUILD/obj" && xargs nm -A -g --defined-only) <objects |
        awk 'NF == 3 && $2 ~ /^[TDBRCW]$/ { sub(/\/[^\/]*$/, "", $1); print $1, $3 }' | LC_ALL=C sort -u
}

@test "each external name that no library exports begins with the name of its room" {
    exports $(find "$lib" -name '*.so*' -type f) | LC_ALL=C sort -u >public
    externals >names
    [ "$(wc -l <names)" -gt 2000 ]
    awk -v table="$prefixes" '
        BEGIN { n = split(table, word); for (i = 1; i < n; i += 2) prefix[word[i]] = word[i + 1] }
        FILENAME == "public" { exported[$1]; next }
        $2 in exported || $2 ~ /^dpk_/ || $2 == "main" { next }
        {
            first = $1
            sub(/.*\//, "", first)
            if ($1 in prefix) first = prefix[$1]
            sub(/s$/, "", first) # the room "queues" has queue_free and queues_start
            if ($2 !~ "^" first "s?(_|$)") print
        }' public names >strange
    cat strange
    [ ! -s strange ]
}

@test "each environment variable that a source reads is known to the warning about unknown variables" {
    grep -rohE 'getenv\("DPAKIT_[A-Z0-9_]+"\)' "$tree"/{lib,runtime,tools} | grep -oE 'DPAKIT_[A-Z0-9_]+' |
        LC_ALL=C sort -u >read
    [ "$(wc -l <read)" -gt 10 ]
    grep -oE '"DPAKIT_[A-Z0-9_]+"' "$tree/lib/base/environment.c" | tr -d '"' | LC_ALL=C sort -u >known
    run env LC_ALL=C comm -23 read known
    echo "$output"
    [ -z "$output" ]
}
