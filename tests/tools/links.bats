# Everything that the pages of the project refer to exists: files, pages and their sections, tests, golden files.

setup() {
    command -v man >/dev/null || skip "no man here"
    tree=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    man=$DPAKIT_BUILD/share/man
    cd "$BATS_TEST_TMPDIR" || return 1
}

# Pages of other projects that our pages name.
OTHERS='openssl|cmp|clang|llvm-[a-z]+|sh|fork|rping|ib_[a-z_]+|ibv_[a-z_]+'

markdown() { (cd "$tree" && ls ./*.md docs/*.md examples/*.md examples/*/*.md tests/golden/README.md); }

# text FILE: prints its visible text in one line.
text() {
    case $1 in
    *.md) cat "$1" ;;
    *) LC_ALL=C MANWIDTH=1000 man -l "$1" ;;
    esac | tr -s '\n ' ' ' | tr -d '`\\'
}

# broken_links FILE ROOT: prints broken links and missing paths of a markdown file.
broken_links() {
    local link dir=$2/$(dirname "$1")
    while read -r link; do
        case $link in http://* | https://* | mailto:* | '#'*) continue ;; esac
        [ -e "$dir/${link%%#*}" ] || echo "$1: $link"
    done < <(grep -oE '\]\([^) ]+\)' "$2/$1" | sed 's/^](//; s/)$//')
    while read -r link; do
        compgen -G "$2/$link" >globbed || echo "$1: $link"
    done < <(grep -oE '`((man|tests|examples|runtime|tools|scripts|fuzz|bench)|lib/[a-z]+)/[^ `]+`' "$2/$1" | tr -d '`' | sed 's/,$//')
}

# broken_pages FILE: prints missing pages, "Sections" of pages and tests that the file names.
broken_pages() {
    local page name section number test
    text "$1" >shown
    [ -s shown ] || echo "$1: empty"
    while IFS='()' read -r name number; do
        page=$man/man$number/$name.$number
        [[ $name =~ ^($OTHERS)$ ]] || [ -f "$page" ] || echo "$1: $name($number)"
    done < <(grep -oE '(^|[^A-Za-z0-9_.-])[a-z][a-z0-9_.-]*\([1-8]\)' shown | sed 's/^[^a-z]//' | sort -u)
    while IFS='|' read -r name number section; do
        page=$man/man$number/$name.$number
        sed 's/\\-/-/g; s/"//g' "$page" | grep -qixE "\\.S[HS] ${section%,}" || echo "$1: $name($number), \"$section\""
    done < <(grep -oE '[a-z0-9-]+\([1-8]\), "[^"]+"' shown | sed -E 's/\(([1-8])\), "(.*)"$/|\1|\2/')
    while read -r test; do
        compgen -G "$tree/$test" >globbed || echo "$1: $test"
    done < <(grep -oE 'tests/(unit|tools|golden)[A-Za-z0-9_./*-]*[A-Za-z0-9_*]' shown | sort -u)
}

@test "links and paths in the README and the other texts lead somewhere" {
    markdown >files
    grep -qx ./SECURITY.md files
    while read -r file; do broken_links "$file" "$tree"; done <files >broken
    cat broken
    [ ! -s broken ]
}

@test "pages, sections and tests that a text names are there" {
    for file in "$tree"/*.md "$tree"/docs/*.md "$man"/man[17]/*; do broken_pages "$file"; done >broken
    cat broken
    [ ! -s broken ]
}

@test "README, SECURITY.md and the manual lead to each other" {
    grep -q '](SECURITY.md)' "$tree/README.md"
    for page in dpakit-compatibility dpa-provisioning; do
        grep -q "man/$page.7" "$tree/README.md"
        grep -q "man/$page.7" "$tree/SECURITY.md"
    done
    text "$man/man7/dpa-provisioning.7" | grep -q 'SEE ALSO.*dpakit-compatibility(7)'
    for page in mlxdpa dpacc; do text "$man/man1/$page.1" | grep -q 'SEE ALSO.*dpakit-compatibility(7)'; done
}

@test "tests and golden files that dpakit-compatibility(7) names exist, and no folder is left out" {
    local word
    LC_ALL=C MANWIDTH=1000 man -l "$man/man7/dpakit-compatibility.7" >shown
    sed -nE 's/^ *(Tests|Golden files): (.*)\.$/\1 \2/p' shown | tr -d , >rows
    [ "$(wc -l <rows)" -ge 12 ]
    sed -n 's/^Tests //p' rows | tr ' ' '\n' | sort -u >tests
    sed -n 's/^Golden files //p' rows | tr ' ' '\n' | LC_ALL=C sort -u >golden
    while read -r word; do
        [ -f "$tree/tests/tools/$word.bats" ] || [ -f "$tree/tests/corpus/$word.bats" ] ||
            [ -f "$tree/tests/unit/$word.c" ] || { echo "$word"; false; }
    done <tests
    (cd "$DPAKIT_GOLDEN" && ls -d -- */) | tr -d / | grep -vx keys | LC_ALL=C sort | diff golden -
}

@test "a link, a page, a section and a test that are not there are found" {
    mkdir tree && echo x >tree/there.md
    echo '[a](there.md) [b](gone.md) [c](https://example.org/x) `tests/gone` `man/gone.1`' >tree/README.md
    broken_links README.md tree >broken
    [ "$(cut -d' ' -f2 broken | tr '\n' ' ')" = "gone.md tests/gone man/gone.1 " ]
    printf '%s\n' 'mlxdpa(1), openssl(1), nothing(7), signing(7), "CRYPTO DATA", signing(7), "THIN' \
        'PROGRAMS", tests/tools/links.bats, tests/unit/test_nothing.c.' >names.md
    broken_pages names.md >broken
    cat broken
    [ "$(cut -d' ' -f2- broken | tr '\n' '|')" = 'nothing(7)|signing(7), "THIN PROGRAMS"|tests/unit/test_nothing.c|' ]
}
