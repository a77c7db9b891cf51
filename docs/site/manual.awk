# The HTML of mandoc on its way to the site: under a heading with the page's name, which awk is given as
# `name`, sections are headings of the second and third order, with a list of them before the text.
{ line[++count] = $0 }
match($0, /<h[12] class="S[hs]" id="[^"]+"/) {
    id = substr($0, RSTART, RLENGTH)
    order = substr(id, 3, 1)
    sub(/.*id="/, "", id)
    sub(/"$/, "", id)
    if (order == 1) section[++sections] = id
}
END {
    print "<h1>" name "</h1>\n<nav class=\"sections\" aria-label=\"Sections\">"
    for (i = 1; i <= sections; i++) {
        text = section[i]
        gsub(/_/, " ", text)
        print "<a href=\"#" section[i] "\">" text "</a>"
    }
    print "</nav>"
    for (i = 1; i <= count; i++) {
        text = line[i]
        if (text ~ /^<table class="(head|foot)">/) skip = 1
        if (text ~ /<pre/) code = 1
        # A break within code stands beside the newline that ends its line.
        if (!skip && !(code && text == "<br/>")) {
            gsub(/<(\/?)h2/, "<&", text)
            gsub(/<<h2/, "<h3", text)
            gsub(/<<\/h2/, "</h3", text)
            gsub(/<h1/, "<h2", text)
            gsub(/<\/h1/, "</h2", text)
            print text
        }
        if (line[i] ~ /<\/table>/) skip = 0
        if (line[i] ~ /<\/pre>/) code = 0
    }
}
