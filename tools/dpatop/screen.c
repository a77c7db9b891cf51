#include "screen.h"

#include <curses.h>
#include <string.h>
#include <unistd.h>

enum {
    MAP_LINES = 4,  /* lines of the map of units; twice as many on a narrow screen */
    MAP_MARGIN = 6, /* columns for the number of the first unit, and bars */
    REST = 10,      /* lines of a terminal without the map */
    NARROW = 80     /* a screen with fewer columns is narrow */
};

static bool is_narrow(void)
{
    return COLS < NARROW;
}

/* Returns true if the column is hidden. */
static bool is_left_out(const struct table_column *c)
{
    return c->spare && is_narrow();
}

/* ---- Lines ---- */

/* Writes text, cut at the end of the line, and fills the line with `attributes`. */
static void put_line(int y, int attributes, const struct dpk_buf *text)
{
    if (y < 0 || y >= LINES)
        return;
    attrset(attributes);
    move(y, 0);
    if (!text->failed && text->size > 0)
        addnstr((const char *)text->data, text->size < (size_t)COLS ? (int)text->size : COLS);
    int at_y, at_x;
    getyx(stdscr, at_y, at_x);
    if (at_y == y && at_x < COLS && (size_t)COLS > text->size)
        hline(' ' | (chtype)attributes, COLS - at_x);
    attrset(A_NORMAL);
}

static void put_text(int y, int attributes, const char *text)
{
    struct dpk_buf line = {0};
    dpk_put_format(&line, "%s", text);
    put_line(y, attributes, &line);
    dpk_buf_free(&line);
}

static void draw_title(const struct screen *s, const struct top_seen *seen)
{
    struct dpk_buf line = {0};
    size_t threads = 0;
    for (size_t i = 0; i < seen->count; i++)
        threads += seen->processes[i].thread_count;
    dpk_put_format(&line, "dpatop %s: %zu process%s, %zu thread%s, every %u.%u s%s", s->device,
                   seen->count, seen->count == 1 ? "" : "es", threads, threads == 1 ? "" : "s",
                   s->interval / 1000, s->interval % 1000 / 100, s->frozen ? ", frozen" : "");
    put_line(0, A_REVERSE, &line);
    dpk_buf_free(&line);
}

/* A unit with any use must not look idle. */
static char shade(double busy)
{
    static const char shades[] = ".:+*#";
    const int i = (int)(busy * 5);
    return busy <= 0 ? ' ' : shades[i > 4 ? 4 : i];
}

/* Returns the line after the map. */
static int draw_units(int y, const struct top_seen *seen)
{
    struct dpk_buf line = {0};
    double sum = 0;
    unsigned used = 0;
    for (unsigned i = 0; i < DPK_UNITS_MAX; i++) {
        sum += seen->busy[i];
        used += seen->busy[i] > 0;
    }
    dpk_put_format(&line, "Units: %u of %d in use, %.1f busy%s", used, DPK_UNITS_MAX, sum,
                   is_narrow() ? "" : "   (. : + * #  a fifth each)");
    put_line(y++, A_NORMAL, &line);
    dpk_buf_free(&line);
    const unsigned lines = is_narrow() ? 2 * MAP_LINES : MAP_LINES, width = DPK_UNITS_MAX / lines;
    for (unsigned row = 0; row < lines && LINES >= (int)lines + REST; row++) {
        char text[DPK_UNITS_MAX / MAP_LINES + MAP_MARGIN + 1];
        const unsigned first = row * width;
        int n = snprintf(text, sizeof text, "%3u ", first);
        text[n++] = '|';
        for (unsigned i = 0; i < width; i++)
            text[n++] = shade(seen->busy[first + i]);
        text[n++] = '|';
        text[n] = 0;
        put_text(y++, A_NORMAL, text);
    }
    return y;
}

static void put_flow(struct dpk_buf *line, const char *what, const struct top_seen *seen,
                     enum dpk_counter packets, enum dpk_counter bytes)
{
    dpk_put_format(line, "%s", what);
    dpatop_table_put_number(line, seen->port_rates[packets]);
    dpk_put_format(line, "/s, ");
    dpatop_table_put_number(line, seen->port_rates[bytes]);
    dpk_put_format(line, "B/s");
}

static int draw_port(int y, const struct top_seen *seen)
{
    struct dpk_buf line = {0};
    double drops = 0, all = 0;
    put_flow(&line, "Queues sent: ", seen, DPK_SENT, DPK_SENT_BYTES);
    put_flow(&line, is_narrow() ? "  received: " : "   received: ", seen, DPK_RECEIVED,
             DPK_RECEIVED_BYTES);
    put_line(y++, A_NORMAL, &line);
    line.size = 0;
    put_flow(&line, "Wire out: ", seen, DPK_WIRE_OUT, DPK_WIRE_OUT_BYTES);
    put_flow(&line, "   in: ", seen, DPK_WIRE_IN, DPK_WIRE_IN_BYTES);
    if (is_narrow()) {
        put_line(y++, A_NORMAL, &line);
        line.size = 0;
    }
    for (unsigned i = DPK_FIRST_DROP; i < DPK_DROPS_END; i++) {
        drops += seen->port_rates[i];
        all += (double)seen->port[i];
    }
    dpk_put_format(&line, is_narrow() ? "Dropped: " : "   dropped: ");
    dpatop_table_put_number(&line, drops);
    dpk_put_format(&line, "/s (");
    dpatop_table_put_number(&line, all);
    dpk_put_format(&line, ")");
    put_line(y++, A_NORMAL, &line);
    dpk_buf_free(&line);
    return y;
}

/* ---- Table ---- */

/* Appends a cell with its width, followed by at least one blank. */
static void put_cell(struct dpk_buf *line, const struct dpk_buf *cell, int width)
{
    const int size = cell->failed ? 0 : (int)cell->size;
    const char *text = size ? (const char *)cell->data : "";
    if (width == 0)
        dpk_put_format(line, " %.*s", size, text);
    else if (width < 0)
        dpk_put_format(line, "%-*.*s ", -width - 1, size < -width - 1 ? size : -width - 1, text);
    else
        dpk_put_format(line, "%*.*s ", width - 1, size < width - 1 ? size : width - 1, text);
}

static void draw_titles(int y, const struct table *t)
{
    struct dpk_buf line = {0};
    const struct table_column *c = dpatop_table_columns(t->view);
    for (unsigned i = 0; c[i].title; i++) {
        struct dpk_buf cell = {0};
        if (is_left_out(&c[i]))
            continue;
        dpk_put_format(&cell, i == t->column ? "%s%c" : "%s", c[i].title, t->falling ? 'v' : '^');
        put_cell(&line, &cell, c[i].width);
        dpk_buf_free(&cell);
    }
    put_line(y, A_REVERSE, &line);
    dpk_buf_free(&line);
}

static void draw_row(int y, const struct table *t, size_t row)
{
    struct dpk_buf line = {0};
    const struct table_column *c = dpatop_table_columns(t->view);
    for (unsigned i = 0; c[i].title; i++) {
        struct dpk_buf cell = {0};
        if (is_left_out(&c[i]))
            continue;
        dpatop_table_put_cell(&cell, t, row, i);
        put_cell(&line, &cell, c[i].width);
        dpk_buf_free(&cell);
    }
    put_line(y, A_NORMAL, &line);
    dpk_buf_free(&line);
}

static void draw_table(struct screen *s, int y, const struct top_seen *seen)
{
    struct table *t = &s->table;
    const size_t lines = LINES - 2 > y ? (size_t)(LINES - 2 - y) : 0;
    if (!dpatop_table_fill(t, seen))
        return;
    if (s->top + lines > t->count)
        s->top = t->count > lines ? t->count - lines : 0;
    draw_titles(y++, t);
    for (size_t i = 0; i < lines && s->top + i < t->count; i++)
        draw_row(y + (int)i, t, s->top + i);
    if (t->count == 0 && lines > 0) {
        struct dpk_buf line = {0};
        dpk_put_format(&line, "no %s", dpatop_table_names[t->view]);
        put_line(y, A_NORMAL, &line);
        dpk_buf_free(&line);
    }
}

/* ---- Help ---- */

static const char *const help[] = {
    "p t n e    processes, threads, queues, events of its log",
    "Tab        the next of these",
    "< >        sort by the column to the left, to the right",
    "r          reverse the order",
    "Up Down    scroll by a line; PgUp PgDn by a page; Home End",
    "+ -        look less, or more often",
    "Space      freeze the screen, and go on",
    "h ?        this help",
    "q          quit",
    "",
    "BUSY is time on a processor of the host. Units: the part of",
    "the interval at which a process had each, by fifths: . : + * #",
    "EXEC/S: how often threads began. dpatop(1)",
};

static void draw_help(int y)
{
    for (size_t i = 0; i < sizeof help / sizeof *help; i++)
        put_text(y + (int)i, A_NORMAL, help[i]);
}

/* ---- Drawing ---- */

enum dpk_status dpatop_screen_begin(struct screen *s, struct dpk_error *err)
{
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return dpk_fail(err, DPK_ERR_USAGE, "this is not a terminal; --once prints JSON");
    s->terminal = newterm(NULL, stdout, stdin);
    if (!s->terminal)
        return dpk_fail(err, DPK_ERR_USAGE, "the terminal is not known (TERM); --once prints JSON");
    set_term(s->terminal);
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    (void)curs_set(0);
    dpatop_table_choose(&s->table, VIEW_PROCESSES);
    return DPK_OK;
}

void dpatop_screen_draw(struct screen *s, const struct top_seen *seen)
{
    erase();
    draw_title(s, seen);
    int y = draw_units(1, seen);
    if (s->help) {
        draw_help(y + 1);
    } else {
        y = draw_port(y, seen);
        draw_table(s, y, seen);
    }
    put_text(
        LINES - 1, A_REVERSE,
        is_narrow()
            ? "q quit  h help  p t n e tables  < > sort  r reverse"
            : "q quit  h help  p processes  t threads  n queues  e events  < > sort  r reverse");
    refresh();
}

void dpatop_screen_end(struct screen *s)
{
    dpatop_table_free(&s->table);
    if (!s->terminal)
        return;
    endwin();
    delscreen(s->terminal);
    s->terminal = NULL;
}

/* ---- Keys ---- */

static void show(struct screen *s, enum view view)
{
    s->help = false;
    s->top = 0;
    dpatop_table_choose(&s->table, view);
}

static void sort_by(struct screen *s, unsigned step)
{
    const unsigned count = dpatop_table_column_count(s->table.view);
    do
        s->table.column = (s->table.column + count + step) % count;
    while (is_left_out(&dpatop_table_columns(s->table.view)[s->table.column]));
}

static void set_interval(struct screen *s, unsigned ms)
{
    s->interval = ms < SCREEN_INTERVAL_LEAST  ? SCREEN_INTERVAL_LEAST
                  : ms > SCREEN_INTERVAL_MOST ? SCREEN_INTERVAL_MOST
                                              : ms;
}

/* Drawing limits the position. */
static void scroll_by(struct screen *s, long lines)
{
    s->top = lines < 0 && s->top < (size_t)-lines ? 0 : s->top + (size_t)lines;
}

static bool view_key(struct screen *s, int key)
{
    switch (key) {
    case 'p':
        show(s, VIEW_PROCESSES);
        return true;
    case 't':
        show(s, VIEW_THREADS);
        return true;
    case 'n':
        show(s, VIEW_QUEUES);
        return true;
    case 'e':
        show(s, VIEW_EVENTS);
        return true;
    case '\t':
        show(s, (s->table.view + 1) % VIEWS);
        return true;
    case 'h':
    case '?':
        s->help = !s->help;
        return true;
    default:
        return false;
    }
}

static bool scroll_key(struct screen *s, int key)
{
    const int page = LINES > 12 ? LINES - 10 : 2;
    switch (key) {
    case KEY_UP:
        scroll_by(s, -1);
        return true;
    case KEY_DOWN:
        scroll_by(s, 1);
        return true;
    case KEY_PPAGE:
        scroll_by(s, -page);
        return true;
    case KEY_NPAGE:
        scroll_by(s, page);
        return true;
    case KEY_HOME:
        s->top = 0;
        return true;
    case KEY_END:
        s->top = s->table.count;
        return true;
    default:
        return false;
    }
}

bool dpatop_screen_keys(struct screen *s)
{
    int key;
    while ((key = getch()) != ERR) {
        if (key == 'q' || key == 'Q')
            return false;
        if (view_key(s, key) || scroll_key(s, key))
            continue;
        switch (key) {
        case '<':
            sort_by(s, UINT_MAX);
            break;
        case '>':
            sort_by(s, 1);
            break;
        case 'r':
            s->table.falling = !s->table.falling;
            break;
        case '+':
            set_interval(s, s->interval * 2);
            break;
        case '-':
            set_interval(s, s->interval / 2);
            break;
        case ' ':
            s->frozen = !s->frozen;
            break;
        default:
            break; /* KEY_RESIZE only causes a redraw */
        }
    }
    return true;
}
