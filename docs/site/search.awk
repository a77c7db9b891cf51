# A list of the sections of pages, each with the words that stand in it: HTML pages are read, a line of
# the list for each heading is printed. `top`: what stands before the names of the pages' files.
function flush(   word, list, count, i, n) {
    if (place == "") return
    gsub(/<[^>]*>/, " ", text)
    text = tolower(text)
    gsub(/&[a-z]+;/, " ", text)
    gsub(/[^a-z0-9_-]+/, " ", text)
    count = split(text, list, " ")
    split("", seen)
    text = ""
    for (i = 1; i <= count; i++)
        if (length(list[i]) > 2 && !(list[i] in seen)) { seen[list[i]] = 1; text = text " " list[i] }
    printf "<li data-words=\"%s\"><a href=\"%s\">%s</a> <span>%s</span></li>\n", substr(text, 2), place, heading, page
    text = place = ""
}
FNR == 1 { flush(); page = ""; inside = 0 }
/<title>/ && page == "" { page = $0; sub(/.*<title>/, "", page); sub(/ - dpakit<\/title>.*/, "", page) }
/<main id="text">/ { inside = 1 }
/<\/main>/ { flush(); inside = 0 }
inside && match($0, /<h[123][ >].*<\/h[123]>/) {
    flush()
    heading = substr($0, RSTART, RLENGTH)
    id = match(heading, /id="[^"]+"/) ? "#" substr(heading, RSTART + 4, RLENGTH - 5) : ""
    gsub(/<[^>]*>/, "", heading)
    file = FILENAME
    sub(top, "", file)
    place = file id
    next
}
inside { text = text " " $0 }
END { flush() }
