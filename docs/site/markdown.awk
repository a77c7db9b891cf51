# Markdown on its way to lowdown: what stands between ```picture and ``` becomes a picture.
#
#     awk -f picture.awk -f markdown.awk FILE.md
/^```picture / { about = substr($0, 12); count = 0; drawing = 1; next }
drawing && /^```$/ { picture(about, count); drawing = 0; next }
drawing { row[++count] = $0; next }
{ print }
