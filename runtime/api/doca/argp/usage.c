/* The help text of the program, or of the command before --help. */
#include "private.h"

#define COLUMN 38 /* where descriptions start */

static void print_param(const struct param *a)
{
    char names[256];
    int n = snprintf(names, sizeof names, "  %s%s%s%s%s%s%s", a->short_name ? "-" : "",
                     a->short_name ? a->short_name : "", a->short_name && a->long_name ? ", " : "",
                     a->long_name ? "--" : "", a->long_name ? a->long_name : "",
                     a->arguments ? " " : "", a->arguments ? a->arguments : "");
    printf("%-*s%s%s%s\n", COLUMN, names, n >= COLUMN ? " " : "", a->description,
           a->mandatory ? " (mandatory)" : "");
}

/* Prints the visible parameters of a list, with a title before the first, and counts them. */
static unsigned print_list(const struct param *first, bool general, bool inherited_alone,
                           const char *title, unsigned count)
{
    for (const struct param *a = first; a; a = a->next) {
        if (a->general != general || a->hidden || (inherited_alone && !a->inherited))
            continue;
        if (count++ == 0 && title)
            printf("%s", title);
        print_param(a);
    }
    return count;
}

static bool has_own(const struct parser *p)
{
    const struct param *a = p->current ? p->current->first : p->first;
    while (a && (a->general || a->hidden))
        a = a->next;
    return a != NULL;
}

static void print_path(const struct cmd *c)
{
    if (!c)
        return;
    print_path(c->parent);
    printf(" %s", c->name);
}

static void print_commands(const struct cmd *first)
{
    bool any = false;
    for (const struct cmd *c = first; c; c = c->next) {
        if (c->hidden)
            continue;
        if (!any)
            printf("\nProgram Commands:\n");
        any = true;
        printf("  %-*s%s\n", COLUMN - 2, c->name, c->description);
    }
}

void argp_print_usage(const struct parser *p)
{
    static const char title[] = "\nProgram Flags:\n";
    const struct cmd *c = p->current;
    printf("Usage: %s%s", p->program, p->dpdk ? " [DPDK Flags] --" : "");
    print_path(c);
    printf(" [DOCA Flags]%s%s\n\nDOCA Flags:\n", has_own(p) ? " [Program Flags]" : "",
           (c ? c->cmds : p->cmds) ? " [Command]" : "");
    print_list(p->first, true, false, NULL, 0);
    unsigned count = 0;
    for (const struct cmd *each = c; each; each = each->parent)
        count = print_list(each->first, false, each != c, title, count);
    print_list(p->first, false, c != NULL, title, count);
    print_commands(c ? c->cmds : p->cmds);
}
