#include "merge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int dpk_merge_open(void)
{
    return memfd_create("diagnostics", MFD_CLOEXEC);
}

void dpk_merge_free(struct merge *m)
{
    dpk_words_free(&m->said);
}

/* ---- Diagnostics: lines with a place and a message, then source text and notes ---- */

static bool is_included_from(const char *line)
{
    return strncmp(line, "In file included from ", 22) == 0;
}

static bool is_message(const char *line)
{
    return *line != ' ' && *line != '>' &&
           (strstr(line, ": error: ") || strstr(line, ": fatal error: ") ||
            strstr(line, ": warning: "));
}

/* "2 errors generated.", "1 warning generated when compiling for host." */
static bool is_summary(const char *line)
{
    return *line >= '0' && *line <= '9' && strstr(line, " generated");
}

struct printer {
    struct merge *merge;
    struct words here;  /* first lines of this child's diagnostics */
    struct dpk_buf key; /* lines so far of a diagnostic that begins */
    bool hidden;        /* the current diagnostic was printed before */
    bool any;           /* at least one diagnostic was new */
};

static void print_line(struct printer *p, char *line)
{
    bool included = is_included_from(line), message = is_message(line);
    if (included || message) {
        dpk_put_format(&p->key, "%s\n", line);
        if (included)
            return; /* the message follows */
        dpk_put_u8(&p->key, '\0');
        const char *key = p->key.failed ? line : (const char *)p->key.data;
        p->hidden = dpk_words_have(&p->merge->said, key);
        p->any |= !p->hidden;
        dpk_words_add(&p->here, key);
        if (!p->hidden)
            fputs(key, stderr);
        dpk_buf_free(&p->key);
    } else if (is_summary(line) ? p->any : !p->hidden) {
        fprintf(stderr, "%s\n", line);
    }
}

static void print_lines(struct merge *m, char *text)
{
    struct printer p = {.merge = m};
    for (char *line = text, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end)
            *end++ = '\0';
        print_line(&p, line);
    }
    dpk_words_append(&m->said, &p.here);
    dpk_words_free(&p.here);
    dpk_buf_free(&p.key);
}

void dpk_merge_print(struct merge *m, int fd)
{
    struct dpk_buf text = {0};
    char bytes[4096];
    ssize_t got;
    if (fd < 0)
        return;
    for (off_t at = 0;
         (got = pread(fd, bytes, sizeof bytes, at)) > 0 || (got < 0 && errno == EINTR);
         at += got > 0 ? got : 0)
        dpk_put(&text, bytes, got > 0 ? (size_t)got : 0);
    close(fd);
    dpk_put_u8(&text, '\0');
    if (!text.failed)
        print_lines(m, (char *)text.data);
    else
        fputs("-W- out of memory for a compiler's output\n", stderr);
    dpk_buf_free(&text);
}
