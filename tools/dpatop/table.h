/*
 * table: the tables of dpatop's screen: their columns, and their rows sorted by a column.
 *
 *     struct table t = {.view = VIEW_THREADS, .column = 2, .falling = true};
 *     dpatop_table_fill(&t, seen);                     // false: out of memory
 *     for (size_t i = 0; i < t.count; i++)
 *         dpatop_table_put_cell(&line, &t, i, column);
 *     dpatop_table_free(&t);
 */
#ifndef DPK_DPATOP_TABLE_H
#define DPK_DPATOP_TABLE_H

#include "sample.h"

enum view { VIEW_PROCESSES, VIEW_THREADS, VIEW_QUEUES, VIEW_EVENTS, VIEWS };

struct table_column {
    const char *title;
    int width; /* characters, left-aligned if negative, as in printf; 0: the rest of the line */
    double (*number)(const void *row); /* sort key; NULL: the text */
    void (*put)(struct dpk_buf *out, const void *row);
    bool spare; /* hidden on a narrow screen */
};

struct table {
    enum view view;
    unsigned column; /* sort column */
    bool falling;    /* greatest first */
    const void **rows;
    size_t count;
};

extern const char *const dpatop_table_names[VIEWS];
/* Returns the columns of a view; the last one is followed by a column without a title. */
const struct table_column *dpatop_table_columns(enum view view);
unsigned dpatop_table_column_count(enum view view);
/* Chooses the view with its initial sort column. */
void dpatop_table_choose(struct table *t, enum view view);
/* Fills the table from a measurement, which must stay valid as long as the rows are used. */
bool dpatop_table_fill(struct table *t, const struct top_seen *seen);
void dpatop_table_free(struct table *t);
/* Appends the content of a cell. */
void dpatop_table_put_cell(struct dpk_buf *out, const struct table *t, size_t row, unsigned column);
/* Appends a number with three digits and a prefix: "1.25 M". */
void dpatop_table_put_number(struct dpk_buf *out, double value);

#endif
