# Preprocessed headers -> one C row and one caller for each function whose name is in the file NAMES:
#   gcc -E -P all.c | awk -v NAMES=file -f prototypes.awk >rows.inc
# Every argument is a 64-bit number; callers turn it into what the prototype says.
BEGIN {
    while ((getline name < NAMES) > 0)
        wanted[name] = 1
    RS = "[;{}]"
}
{
    gsub(/[ \t\n]+/, " ")
    sub(/ (__asm__|__attribute__) ?\(.*/, "")
    if (!match($0, /doca_[a-z0-9_]+\(/) || $0 ~ /typedef|=|return|\(\*/)
        next
    name = substr($0, RSTART, RLENGTH - 1)
    if (!(name in wanted) || name in seen)
        next
    seen[name] = 1
    result = substr($0, 1, RSTART - 1)
    arguments = substr($0, RSTART + RLENGTH)
    sub(/\).*/, "", arguments)
    emit()
}
# "const struct doca_dev *dev" -> type "struct doca_dev *", name "dev". "const char tag[21]" -> type "char *".
function split_parameter(text,  is_array)
{
    is_array = sub(/ ?\[.*\]/, "", text)
    gsub(/^ | $/, "", text)
    match(text, /[a-z_0-9]+$/)
    parameter = substr(text, RSTART)
    type = substr(text, 1, RSTART - 1)
    gsub(/^ | $/, "", type)
    type = type (is_array ? " *" : "")
    plain = type
    gsub(/const /, "", plain)
}
function emit(  n, i, texts, call, row)
{
    n = arguments == "void" || arguments == "" ? 0 : split(arguments, texts, ",")
    row = ""
    call = ""
    for (i = 1; i <= n; i++) {
        if (texts[i] ~ /\.\.\./) {
            n--
            break
        }
        split_parameter(texts[i])
        call = call (i > 1 ? ", " : "") (type ~ /^union/ && type !~ /\*/ ? "(" type "){.u64 = a[" i - 1 "]}" : \
            type ~ /^struct/ && type !~ /\*/ ? "(" type "){0}" : \
                                                          "(" type ")(uintptr_t)a[" i - 1 "]")
        row = row "{\"" plain "\", \"" parameter "\"}, "
    }
    call = name "(" call ")"
    gsub(/^ | $|extern /, "", result)
    if (result ~ /void$/)
        body = call "; return 0"
    else if (result ~ /^union/)
        body = "return " call ".u64"
    else if (result ~ /^struct/ && result !~ /\*/)
        body = result " r = " call "; return *(const uint8_t *)&r"
    else
        body = "return (uint64_t)(uintptr_t)" call
    callers = callers "static uint64_t call_" name "(const uint64_t *a) { (void)a; " body "; }\n"
    rows = rows "{\"" name "\", \"" result "\", call_" name ", " n ", {" row "}},\n"
}
END {
    printf "%s\nstatic const struct row rows[] = {\n%s};\n", callers, rows
}
