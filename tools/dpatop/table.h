/*
 * table: the tables of dpatop's screen: which columns each has, and its rows in the order of one.
 *
 *     struct table t = {.view = VIEW_THREADS, .column = 2, .falling = true};
 *     table_fill(&t, seen);                     // false: out of memory
 *     for (size_t i = 0; i < t.count; i++)
 *         table_put_cell(&line, &t, i, column);
 *     table_free(&t);
 */
#ifndef DPK_DPATOP_TABLE_H
#define DPK_DPATOP_TABLE_H

#include "sample.h"

enum view { VIEW_PROCESSES, VIEW_THREADS, VIEW_QUEUES, VIEW_EVENTS, VIEWS };

struct table_column {
    const char *title;
    int width; /* characters, to the left if negative, as in printf; 0: the rest of the line */
    double (*number)(const void *row); /* what it is sorted by; NULL: its text */
    void (*put)(struct dpk_buf *out, const void *row);
    bool spare; /* a narrow screen goes without it */
};

struct table {
    enum view view;
    unsigned column; /* that rows are sorted by */
    bool falling;    /* the greatest first */
    const void **rows;
    size_t count;
};

extern const char *const table_names[VIEWS];
/* The columns of a view; the one behind the last has no title. */
const struct table_column *table_columns(enum view view);
unsigned table_column_count(enum view view);
/* Sorts by the column that a view has at first. */
void table_choose(struct table *t, enum view view);
/* Takes the rows from what was seen, which must stay as long as they are used. */
bool table_fill(struct table *t, const struct top_seen *seen);
void table_free(struct table *t);
/* Appends what stands in a cell. */
void table_put_cell(struct dpk_buf *out, const struct table *t, size_t row, unsigned column);
/* Appends a number with three digits and a prefix: "1.25 M". */
void table_put_number(struct dpk_buf *out, double value);

#endif
