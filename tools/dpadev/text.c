/* Text and trees of dpadev. */
#include "dpadev.h"

#include <stdarg.h>
#include <stdlib.h>

void dpadev_tree_add(struct dpadev_tree *tree, unsigned depth, const char *format, ...)
{
    va_list args;
    if (tree->count == DPADEV_TREE_MAX) {
        tree->failed = true;
        return;
    }
    struct dpadev_line *line = &tree->lines[tree->count++];
    line->depth = depth;
    va_start(args, format);
    if (vasprintf(&line->text, format, args) < 0) {
        line->text = NULL;
        tree->failed = true;
    }
    va_end(args);
}

/* Returns true if a later line has this depth and the same parent. */
static bool goes_on(const struct dpadev_tree *tree, size_t at, unsigned depth)
{
    for (size_t i = at + 1; i < tree->count && tree->lines[i].depth >= depth; i++)
        if (tree->lines[i].depth == depth)
            return true;
    return false;
}

enum dpk_status dpadev_tree_print(struct dpadev_tree *tree, struct dpk_error *err)
{
    for (size_t i = 0; i < tree->count; i++) {
        const struct dpadev_line *line = &tree->lines[i];
        for (unsigned depth = 1; depth < line->depth && !tree->failed; depth++)
            printf("%s", goes_on(tree, i, depth) ? "|   " : "    ");
        if (!tree->failed)
            printf("%s%s\n",
                   !line->depth                    ? ""
                   : goes_on(tree, i, line->depth) ? "|-- "
                                                   : "`-- ",
                   line->text);
        free(line->text);
    }
    return tree->failed ? dpk_fail_nomem(err) : DPK_OK;
}
