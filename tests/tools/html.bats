# `make html`: every page of the site, its links, its pictures, and its layout on a small screen.

source "$BATS_TEST_DIRNAME/../helpers/browser.bash"

setup_file() {
    local tool
    for tool in lowdown mandoc xmllint; do command -v $tool >/dev/null || return 0; done
    # From a copy of the tree, without files that other tests make meanwhile, because the pages are made more than once.
    mkdir "$BATS_FILE_TMPDIR/tree"
    tar -C "$BATS_TEST_DIRNAME/../.." -cf - --exclude=./build --exclude=./.git . | tar -C "$BATS_FILE_TMPDIR/tree" -xf -
    "$BATS_FILE_TMPDIR/tree/docs/site/make" "$BATS_FILE_TMPDIR/html"
}

setup() {
    local tool
    for tool in lowdown mandoc xmllint; do command -v $tool >/dev/null || skip "no $tool"; done
    tree=$BATS_FILE_TMPDIR/tree
    html=$BATS_FILE_TMPDIR/html
    cd "$BATS_TEST_TMPDIR"
}

pages() { (cd "$1" && find . -name '*.html' | sed 's|^\./||' | sort); }

# in_pages FOLDER XPATH: what it finds in all pages of the folder. They are children of <page name="PAGE"> in one document.
in_pages() {
    {
        echo '<site xmlns:xi="http://www.w3.org/2001/XInclude">'
        pages "$1" | sed "s|.*|<page name=\"&\"><xi:include href=\"$(realpath "$1")/&\"/></page>|"
        echo '</site>'
    } >site.xml
    xmllint --nonet --xinclude --xpath "$2" site.xml
}

# attributes NAME FOLDER: prints "PAGE TAB VALUE" for each such attribute in its pages.
attributes() {
    in_pages "$2" "/site/page/@name | /site/page//*/@$1" | sed -E 's/^ *//; s/&amp;/\&/g' | awk -F '"' -v name="$1=" -v OFS='\t' '
        $1 == "name=" { page = $2; next }
        $1 == name { print page, $2 }'
}

# dead_links FOLDER: prints "PAGE: LINK" for each link to a missing file or a missing place in a file.
dead_links() {
    attributes id "$1" | tr '\t' '#' >places
    (cd "$1" && find . -type f | sed 's|^\./||') >>places
    attributes href "$1" | awk -F '\t' '
        NR == FNR { there[$0] = 1; next }
        $2 ~ /^(https?:|mailto:)/ { next }
        {
            path = $1
            if ($2 !~ /^#/) { sub(/[^\/]*$/, "", path); path = path $2 } else path = path $2
            while (sub(/[^\/]+\/\.\.\//, "", path)) ;
            if (!(path in there)) print $1 ": " $2
        }' places - | sort -u
}

@test "every text and every manual page is there, well-formed, with a title, and needs no network" {
    local page
    (cd "$tree" && ls ./*.md docs/*.md docs/design/*.md examples/*.md examples/*/*.md) | sed 's|^\./||; s/\.md$/.html/; s|^docs/index|index|' >wanted
    (cd "$tree" && ls man/*.[1-8]) | sed 's/$/.html/' >>wanted
    while read -r page; do [ -f "$html/$page" ] || { echo "no $page"; false; }; done <wanted
    [ "$(wc -l <wanted)" -gt 50 ]
    pages "$html" | sed "s|^|$html/|" | tr '\n' '\0' >all
    xargs -0 xmllint --noout --nonet <all
    in_pages "$html" 'concat(count(//page[count(.//h1) = 1 and count(.//main) = 1 and count(.//meta[@name="viewport"]) = 1
        and count(.//title[string-length() > 9]) = 1 and count(.//html[@lang]) = 1 and not(.//svg[not(@aria-label)])]), "")' >right
    in_pages "$html" 'string(count(//page))' | diff - right
    ! xargs -0 grep -nE ' src=|@import|url\(|<link[^>]*http' <all || false
    # A name that a page has twice leads to the first.
    attributes id "$html" | sort | uniq -d >twice
    cat twice
    [ ! -s twice ]
}

@test "every link leads to a page, and every anchor to a place in it" {
    dead_links "$html" >dead
    cat dead
    [ "$(wc -l <places)" -gt 400 ]
    [ ! -s dead ]
}

@test "a dead link and a dead anchor are found" {
    mkdir -p site/a
    echo '<html><a href="a/b.html#here">x</a><a href="a/b.html#gone">y</a><a href="gone.html">z</a></html>' >site/index.html
    echo '<html><p id="here"><a href="../index.html">x</a><a href="#there">y</a></p></html>' >site/a/b.html
    [ "$(dead_links site | tr '\n' '|')" = 'a/b.html: #there|index.html: a/b.html#gone|index.html: gone.html|' ]
}

@test "names of manual pages are links, in pages of the manual and in other texts" {
    grep -qF '<a class="page" href="../man/dpacc-extract.1.html">dpacc-extract(1)</a>' "$html/man/dpacc.1.html"
    grep -qF '<a class="page" href="../man/dparun.1.html#ENVIRONMENT">dparun(1)</a>, "ENVIRONMENT"' "$html/docs/ci.html"
    grep -qF 'href="man/dpacc.1.html">dpacc(1)</a>' "$html/README.html"
    # Texts that look like the name of a page, but are not.
    local left
    left=$(cd "$tree/man" && ls ./*.[1-8] | sed -E 's|^\./(.*)\.([1-8])$|\1\\(\2\\)|' | paste -sd'|')
    sed -nsE "s|<a [^>]*>[^<]*</a>||g; /<(h[1-6]|title)/d; /<pre/,/<\/pre>/d; /(^|[^a-z0-9-])($left)/{F; p}" \
        "$html"/man/*.html "$html"/docs/*.html >unlinked
    cat unlinked
    [ ! -s unlinked ]
}

@test "a picture has a box for each box, an arrow for each arrow, and all words" {
    cat >one.md <<'END'
```picture The host asks the DPA.
+------+  ask <it> +-----+
| host |---------->| DPA |
| a-b  |<----------|     |
+------+           +-----+
   ^                  |
   +------------------+
```
END
    awk -f "$tree/docs/site/picture.awk" -f "$tree/docs/site/markdown.awk" one.md >one.svg
    cat one.svg
    xmllint --noout one.svg
    [ "$(xmllint --xpath 'string(//svg/@aria-label)' one.svg)" = "The host asks the DPA." ]
    [ "$(xmllint --xpath 'count(//rect)' one.svg)" = 2 ]
    [ "$(xmllint --xpath 'string(//path[@class="head"]/@d)' one.svg | grep -o z | wc -l)" = 3 ]
    [ "$(xmllint --xpath '//text/text()' one.svg | tr -d '\n')" = 'ask &lt;it&gt;hostDPAa-b' ]
    # The site has as many pictures as its texts, and no part of a drawing is left over as text.
    local file page
    for file in "$tree"/docs/*.md; do
        page=$html/docs/$(basename "$file" .md).html
        [ -f "$page" ] || page=$html/index.html
        [ "$(grep -c '^```picture .*\.$' "$file" || true)" = "$(grep -c '<figure class="picture">' "$page" || true)" ]
        ! { xmllint --xpath '//figure//text/text()' "$page" 2>/dev/null || true; } | grep -E '[|+^]|--|^[v<>-]$'
    done
}

@test "figures are of the tree that was taken, whatever is done to the other meanwhile" {
    grep -qF 'not run' "$html/docs/figures.html"
    [ ! -e "$tree/build" ]
}

@test "the folder is replaced as a whole, and one with something else in it is left alone" {
    cp -r "$html" again && echo old >again/old.html
    "$tree/docs/site/make" again
    diff -r "$html" again
    mkdir mine && echo mine >mine/file
    run "$tree/docs/site/make" mine
    [ "$status" -eq 1 ]
    [[ $output == *"mine is something else" ]]
    [ "$(ls -A mine)" = file ]
    [ "$(ls -A)" = "$(printf '%s\n' again mine)" ]
}

@test "no page is wider than a phone" {
    need_browser
    cp -r "$html" site
    echo '<!DOCTYPE html><html><p style="width:400px">wide</p></html>' >site/wide.html
    pages site | wider_than_phone site >found
    cat found
    [ "$(cat found)" = "$(printf '%s\n' 'wide: wide.html' "$(pages site | wc -l) pages")" ]
}

# The breaks of mandoc stand beside the newlines of the page: they would show empty lines, and cut the
# command that is copied after its backslash.
@test "code of a manual page has the lines that its page has" {
    ! awk '/<pre/ { code = 1 } code && /^<br\/>$/ { print FILENAME } /<\/pre>/ { code = 0 }' "$html"/man/*.html | grep . || false
    sed -n '/-newkey rsa:4096.*\\$/,/-subj/p' "$html/man/mlxdpa.1.html" >command
    [ "$(wc -l <command)" -eq 2 ]
}

@test "the search lists all sections, and each page can copy its code" {
    ! grep -rLF --include='*.html' 'textContent = '"'Copy'" "$html" | grep . || false
    [ "$(xmllint --xpath 'count(//ul[@class="found"]/li)' "$html/search.html")" -gt 300 ]
    grep -qF '<a href="man/dpa-provisioning.7.html#Rollback">Rollback</a> <span>dpa-provisioning(7)</span>' "$html/search.html"
    need_browser
    browser --dump-dom "file://$html/search.html#rollback%20older" >dom
    grep -oE '<span id="found"[^>]*>[^<]*' dom | sed 's/.*>//' >found
    cat found
    grep -qE '^[1-9][0-9]? of [0-9]{3,} sections$' found
    browser --dump-dom "file://$html/search.html#no_such_word_is_here" | grep -qE '>0 of [0-9]+ sections'
}
