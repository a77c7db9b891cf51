# HTML of one page on its way to the site: links lead to pages of the site.
#
#     awk -v file=docs/tutorial.md -v here=docs -v up=../ -v manual="dpacc.1 signing.7" -v needs=LIST -f links.awk
#
# here: the folder that links of `file` are from; up: from the page to the top of the site. A link to a
# file that is no page is added to `needs`, for it to be copied. "name(1)" is a link where there is
# such a page, and so are a section behind it ('signing(7), "THE SECTION"') and `man/name.1`.
BEGIN {
    count = split(manual, names, " ")
    for (n = 1; n <= count; n++) page[names[n]] = 1
}

# "a/b/../c" as "a/c".
function plain(path,   part, n, i, out, depth, kept) {
    n = split(path, part, "/")
    for (i = 1; i <= n; i++)
        if (part[i] == ".." && depth > 0) depth--
        else if (part[i] != "." && part[i] != "") kept[++depth] = part[i]
    for (i = 1; i <= depth; i++) out = out (i > 1 ? "/" : "") kept[i]
    return out
}

# Where a link leads on the site.
function target(link,   anchor, path, base) {
    if (link ~ /^([a-z]+:|#)/) return link
    if (index(link, "#")) { anchor = substr(link, index(link, "#")); link = substr(link, 1, index(link, "#") - 1) }
    path = plain(here "/" link)
    base = path
    sub(/^man\//, "", base)
    if (path ~ /^man\// && (base in page)) path = path ".html"
    else if (path ~ /\.md$/) sub(/\.md$/, ".html", path)
    else print path >> needs
    if (path == "docs/index.html") path = "index.html"
    return up path anchor
}

# References to manual pages in text outside of tags. `quiet`: inside of a link, a heading or a command.
function references(text,   out, name, file_name, section, anchor, rest) {
    while (match(text, /[a-z][a-z0-9_.-]*(<\/b>|<\/code>)?\([1-8]\)/)) {
        name = substr(text, RSTART, RLENGTH)
        file_name = name
        gsub(/<[^>]*>/, "", file_name)
        sub(/\(/, ".", file_name)
        sub(/\)/, "", file_name)
        rest = substr(text, RSTART + RLENGTH)
        if (!(file_name in page) || name ~ /<\/(b|code)>/ && substr(text, 1, RSTART - 1) !~ /<(b|code)>$/) {
            out = out substr(text, 1, RSTART - 1) name
            text = rest
            continue
        }
        out = out substr(text, 1, RSTART - 1)
        if (name ~ /<\//) sub(/<(b|code)>$/, "", out)
        gsub(/<[^>]*>/, "", name)
        anchor = section = ""
        if (match(rest, /^, "[^"]+"/)) {
            section = substr(rest, 4, RLENGTH - 4)
            anchor = section
            sub(/,$/, "", anchor)
            gsub(/[^A-Za-z0-9]+/, "_", anchor)
            rest = substr(rest, RLENGTH + 1)
        }
        out = out "<a class=\"page\" href=\"" up "man/" file_name ".html" (anchor ? "#" anchor : "") "\">" name "</a>" \
            (section ? ", \"" section "\"" : "")
        text = rest
    }
    return out text
}
# `man/name.1` as name(1).
function paths(text,   out, name) {
    while (match(text, /<code>man\/[a-z0-9_.-]+\.[1-8]<\/code>/)) {
        name = substr(text, RSTART + 10, RLENGTH - 17)
        out = out substr(text, 1, RSTART - 1) ((name in page) ? \
            substr(name, 1, length(name) - 2) "(" substr(name, length(name)) ")" : substr(text, RSTART, RLENGTH))
        text = substr(text, RSTART + RLENGTH)
    }
    return out text
}
function outside_links(text,   out, i) {
    while (i = index(text, "<a ")) {
        out = out references(paths(substr(text, 1, i - 1)))
        text = substr(text, i)
        i = index(text, "</a>")
        if (!i) return out text
        out = out substr(text, 1, i + 3)
        text = substr(text, i + 4)
    }
    return out references(paths(text))
}
function links(text,   out) {
    while (match(text, /(href|src)="[^"]*"/)) {
        split(substr(text, RSTART, RLENGTH), part, "\"")
        out = out substr(text, 1, RSTART - 1) part[1] "\"" target(part[2]) "\""
        text = substr(text, RSTART + RLENGTH)
    }
    return out text
}

/<pre/ { quoted = 1 }
# A paragraph is looked at as one line.
!quoted && !/>$|^$/ || !quoted && /<\/(a|b|i|em|code|strong)>$|<br\/>$/ { sub(/^ +/, ""); before = before $0 " "; next }
{
    if (!quoted) sub(/^ +/, "")
    line = links(before $0)
    if (!quoted && line !~ /<(h[1-6]|svg|text)[ >]/) line = outside_links(line)
    sub(/<pre>/, "<pre tabindex=\"0\">", line)
    sub(/<table/, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"table\"><table", line)
    sub(/<\/table>/, "</table></div>", line)
    print line
    before = ""
}
/<\/pre>/ { quoted = 0 }
