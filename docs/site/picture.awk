# Pictures drawn with characters, as SVG: boxes of + - |, arrows that end in > < ^ v, words.
#
#     row[1] = "+------+      +-----+"
#     row[2] = "| host |----->| DPA |"
#     row[3] = "+------+      +-----+"
#     picture("The host starts the DPA.", 3)        prints one <figure>
#
# The words before the picture are what a screen reader says of it. Colours are the page's, so the
# picture is readable in light and dark. A letter v or a sign < > ^ is the head of an arrow at the end
# of a line alone; - is part of a line beside another such sign alone.

function at(x, y) { return x < 1 || y < 1 || y > rows ? " " : (x > length(row[y]) ? " " : substr(row[y], x, 1)) }
function is(set, x, y,   c) { c = at(x, y); return c != " " && index(set, c) > 0 }
function horizontal(x, y) {
    return at(x, y) == "-" && (is("-+<>|", x - 1, y) || is("-+<>|", x + 1, y))
}
function head(x, y,   c) {
    c = at(x, y)
    return c == ">" && at(x - 1, y) == "-" || c == "<" && at(x + 1, y) == "-" ||
           c == "v" && is("|+", x, y - 1) || c == "^" && is("|+", x, y + 1)
}
function corner(x, y) {
    return at(x, y) == "+" && (is("-<>", x - 1, y) || is("-<>", x + 1, y) || is("|^v", x, y - 1) || is("|^v", x, y + 1))
}
function drawn(x, y) { return at(x, y) == "|" || horizontal(x, y) || corner(x, y) || head(x, y) }

function escaped(s) { gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s); gsub(/"/, "\\&quot;", s); return s }

# The box whose upper left corner is here: its right and lower edges in `right`, `low`.
function box(x, y) {
    if (!corner(x, y)) return 0
    for (right = x + 1; at(right, y) == "-"; right++) ;
    for (low = y + 1; at(x, low) == "|"; low++) ;
    if (right == x + 1 || low == y + 1 || !corner(right, y) || !corner(x, low) || !corner(right, low)) return 0
    for (i = x + 1; i < right; i++) if (at(i, low) != "-" && !head(i, low)) return 0
    for (i = y + 1; i < low; i++) if (at(right, i) != "|") return 0
    return 1
}

# The middle of a place.
function px(x) { return (x - 0.5) * WIDE }
function py(y) { return (y - 0.5) * HIGH }

# The line through this place: to its middle from each side that continues it.
function strokes(x, y,   c, d) {
    c = at(x, y)
    if (c == "-" || c == ">" || c == "<") {
        d = d sprintf("M%g %gH%g", c == "<" ? px(x) : px(x) - (at(x - 1, y) == "|" ? WIDE : WIDE / 2), py(y),
                      c == ">" ? px(x) : px(x) + (at(x + 1, y) == "|" ? WIDE : WIDE / 2))
    } else if (c == "|" || c == "v" || c == "^") {
        d = d sprintf("M%g %gV%g", px(x), c == "^" ? py(y) : py(y) - (horizontal(x, y - 1) ? HIGH : HIGH / 2),
                      c == "v" ? py(y) : py(y) + (horizontal(x, y + 1) ? HIGH : HIGH / 2))
    } else {
        if (is("-<", x - 1, y)) d = d sprintf("M%g %gH%g", px(x) - WIDE / 2, py(y), px(x))
        if (is("->", x + 1, y)) d = d sprintf("M%g %gH%g", px(x) + WIDE / 2, py(y), px(x))
        if (is("|^", x, y - 1)) d = d sprintf("M%g %gV%g", px(x), py(y) - HIGH / 2, py(y))
        if (is("|v", x, y + 1)) d = d sprintf("M%g %gV%g", px(x), py(y) + HIGH / 2, py(y))
    }
    return d
}
function triangle(x, y,   c, s, f) {
    c = at(x, y)
    s = WIDE / 2
    f = "M%g %gl%g %gl%g %gz"
    if (c == ">") return sprintf(f, px(x) + s, py(y), -2 * s, -s, 0, 2 * s)
    if (c == "<") return sprintf(f, px(x) - s, py(y), 2 * s, -s, 0, 2 * s)
    if (c == "v") return sprintf(f, px(x), py(y) + HIGH / 2, -s, -2 * s, 2 * s, 0)
    return sprintf(f, px(x), py(y) - HIGH / 2, -s, 2 * s, 2 * s, 0)
}

function picture(about, count,   x, y, n, wide, lines, heads, word, from, end) {
    WIDE = 8.5; HIGH = 18; rows = count; wide = 0
    split("", inside); split("", edge)
    for (y = 1; y <= rows; y++) if (length(row[y]) > wide) wide = length(row[y])
    printf "<figure class=\"picture\"><svg role=\"img\" aria-label=\"%s\" viewBox=\"0 0 %g %g\" width=\"%g\" height=\"%g\">\n",
        escaped(about), wide * WIDE, rows * HIGH, wide * WIDE, rows * HIGH
    for (y = 1; y <= rows; y++)
        for (x = 1; x <= wide; x++) {
            if (box(x, y)) {
                printf "<rect class=\"box\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" rx=\"5\"/>\n",
                    px(x), py(y), (right - x) * WIDE, (low - y) * HIGH
                for (i = x; i <= right; i++) edge[i, y] = edge[i, low] = 1
                for (i = y; i <= low; i++) {
                    edge[x, i] = edge[right, i] = 1
                    for (n = x; n <= right; n++) inside[n, i] = 1
                }
            }
        }
    for (y = 1; y <= rows; y++)
        for (x = 1; x <= wide; x++) {
            if (head(x, y)) heads = heads triangle(x, y)
            if (drawn(x, y) && !((x, y) in edge)) lines = lines strokes(x, y)
        }
    if (lines) printf "<path class=\"line\" d=\"%s\"/>\n", lines
    if (heads) printf "<path class=\"head\" d=\"%s\"/>\n", heads
    for (y = 1; y <= rows; y++)
        for (x = 1; x <= length(row[y]); x++) {
            if (at(x, y) == " " || drawn(x, y)) continue
            # Words with one space between them are one text.
            from = end = x
            while (x <= length(row[y]) && !drawn(x, y) && !(at(x, y) == " " && at(x + 1, y) == " ")) {
                if (at(x, y) != " ") end = x
                x++
            }
            word = substr(row[y], from, end - from + 1)
            printf "<text%s x=\"%g\" y=\"%g\" textLength=\"%g\">%s</text>\n", ((from, y) in inside) ? "" : " class=\"note\"",
                (from - 1) * WIDE, py(y) + 5, length(word) * WIDE, escaped(word)
            x = end
        }
    printf "</svg></figure>\n"
}
