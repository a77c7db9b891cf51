/* The help text. */
#include "private.h"

#define COLUMN 38 /* where descriptions begin */

static void print_params(const struct parser *p, bool general)
{
    for (const struct param *a = p->first; a; a = a->next) {
        char names[256];
        if (a->general != general)
            continue;
        int n =
            snprintf(names, sizeof names, "  %s%s%s%s%s%s%s", a->short_name ? "-" : "",
                     a->short_name ? a->short_name : "", a->short_name && a->long_name ? ", " : "",
                     a->long_name ? "--" : "", a->long_name ? a->long_name : "",
                     a->arguments ? " " : "", a->arguments ? a->arguments : "");
        printf("%-*s%s%s%s\n", COLUMN, names, n >= COLUMN ? " " : "", a->description,
               a->mandatory ? " (mandatory)" : "");
    }
}

void print_usage(const struct parser *p)
{
    bool own = false;
    for (const struct param *a = p->first; a; a = a->next)
        own |= !a->general;
    printf("Usage: %s [DOCA Flags]%s\n\nDOCA Flags:\n", p->program, own ? " [Program Flags]" : "");
    print_params(p, true);
    if (own)
        printf("\nProgram Flags:\n");
    print_params(p, false);
}
