/* Prints and cleans text. */
#include <stdarg.h>
#include <stdio.h>

#include "mlxdpa.h"

void mlxdpa_say(const char *output, const char *format, ...)
{
    FILE *to = dpk_file_messages(output);
    va_list args;
    va_start(args, format);
    vfprintf(to, format, args);
    va_end(args);
    fputc('\n', to);
}

const char *mlxdpa_clean(const char *text, char *out, size_t size)
{
    snprintf(out, size, "%s", text);
    return dpk_text_clean_in(out, size);
}
