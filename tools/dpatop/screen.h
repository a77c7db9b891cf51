/*
 * screen: the screen of dpatop, and its keys.
 *
 *     struct screen s = {.device = "mlx5_0"};
 *     dpatop_screen_begin(&s, &err);
 *     dpatop_screen_draw(&s, seen);
 *     if (!dpatop_screen_keys(&s)) ...                  // q was pressed
 *     dpatop_screen_end(&s);                            // before anything else is printed
 */
#ifndef DPK_DPATOP_SCREEN_H
#define DPK_DPATOP_SCREEN_H

#include "table.h"

struct screen {
    const char *device;
    unsigned interval; /* milliseconds; keys change it */
    bool frozen, help;
    struct table table;
    size_t top; /* first row on the screen */
    void *terminal;
};

#define SCREEN_INTERVAL_LEAST 100
#define SCREEN_INTERVAL_MOST  60000

/* Errors: DPK_ERR_USAGE if standard input or output is not a suitable terminal. */
enum dpk_status dpatop_screen_begin(struct screen *s, struct dpk_error *err);
/* Draws a measurement, which must stay valid until the next call. */
void dpatop_screen_draw(struct screen *s, const struct top_seen *seen);
/* Handles pressed keys. Returns false if the user wants to quit. */
bool dpatop_screen_keys(struct screen *s);
void dpatop_screen_end(struct screen *s);

#endif
