/* Escapes text for XML and HTML. */
#include <stdlib.h>
#include <string.h>

#include "chart/chart.h"

void chart_put_xml(struct dpk_buf *out, const char *text)
{
    char *clean = dpk_text_cleaned(text ? text : "");
    if (!clean) {
        out->failed = true;
        return;
    }
    /* U+FFFE and U+FFFF are valid UTF-8, but XML forbids them. */
    for (char *c = clean; (c = strstr(c, "\xef\xbf")) != NULL; c += 3)
        if (c[2] == '\xbe' || c[2] == '\xbf')
            memset(c, '?', 3);
    for (const char *c = clean; *c; c++) {
        const char *escaped = *c == '&'    ? "&amp;"
                              : *c == '<'  ? "&lt;"
                              : *c == '>'  ? "&gt;"
                              : *c == '"'  ? "&quot;"
                              : *c == '\'' ? "&#39;"
                                           : NULL;
        dpk_put(out, escaped ? escaped : c, escaped ? strlen(escaped) : 1);
    }
    free(clean);
}
