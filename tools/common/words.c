#include "words.h"

#include <stdlib.h>
#include <string.h>

void dpk_words_free(struct words *w)
{
    for (size_t i = 0; i < w->count; i++)
        free(w->at[i]);
    free(w->at);
    *w = (struct words){0};
}

static void add_owned(struct words *w, char *word)
{
    if (!word || w->failed)
        goto fail;
    if (w->count + 1 >= w->capacity) {
        size_t capacity = w->capacity ? w->capacity * 2 : 16;
        char **at = reallocarray(w->at, capacity, sizeof *at);
        if (!at)
            goto fail;
        w->at = at;
        w->capacity = capacity;
    }
    w->at[w->count++] = word;
    w->at[w->count] = NULL;
    return;
fail:
    free(word);
    w->failed = true;
}

void dpk_words_add(struct words *w, const char *word)
{
    add_owned(w, strdup(word));
}

void dpk_words_addf(struct words *w, const char *format, ...)
{
    char *word = NULL;
    va_list values;
    va_start(values, format);
    int length = vasprintf(&word, format, values);
    va_end(values);
    add_owned(w, length < 0 ? NULL : word);
}

void dpk_words_append(struct words *to, const struct words *from)
{
    for (size_t i = 0; i < from->count; i++)
        dpk_words_add(to, from->at[i]);
    to->failed |= from->failed;
}

void dpk_words_add_each(struct words *w, const char *option, const struct words *list)
{
    for (size_t i = 0; i < list->count; i++)
        dpk_words_addf(w, "%s%s", option, list->at[i]);
    w->failed |= list->failed;
}

bool dpk_words_have(const struct words *w, const char *word)
{
    for (size_t i = 0; i < w->count; i++)
        if (strcmp(w->at[i], word) == 0)
            return true;
    return false;
}

static bool is_separator(char c, const char *separators)
{
    return c && strchr(separators, c);
}

/* Takes one word from the text and removes its quotes. Returns false if a quote is not closed. */
static bool take(const char **text, const char *separators, struct dpk_buf *word)
{
    const char *p = *text;
    char quote = 0;
    for (; *p && (quote || !is_separator(*p, separators)); p++) {
        if (quote && *p == quote)
            quote = 0;
        else if (!quote && (*p == '\'' || *p == '"'))
            quote = *p;
        else if (*p == '\\' && p[1] && quote != '\'')
            dpk_put_u8(word, (uint8_t) * ++p);
        else
            dpk_put_u8(word, (uint8_t)*p);
    }
    dpk_put_u8(word, 0);
    *text = p;
    return !quote;
}

static bool split(struct words *w, const char *text, const char *separators, bool comments)
{
    for (;;) {
        while (is_separator(*text, separators))
            text++;
        if (comments && *text == '#') {
            text += strcspn(text, "\n");
            continue;
        }
        if (!*text)
            return true;
        struct dpk_buf word = {0};
        bool closed = take(&text, separators, &word);
        if (word.failed)
            w->failed = true;
        else if (closed)
            dpk_words_add(w, (const char *)word.data);
        dpk_buf_free(&word);
        if (!closed)
            return false;
    }
}

bool dpk_words_split(struct words *w, const char *list)
{
    return split(w, list, ", \t\r\n\v\f", false);
}

bool dpk_words_split_names(struct words *w, const char *list)
{
    return split(w, list, ",", false);
}

bool dpk_words_split_file(struct words *w, const char *text)
{
    return split(w, text, " \t\r\n\v\f", true);
}

static enum dpk_status check_list(const struct words *list, bool closed, const char *arg,
                                  struct dpk_error *err)
{
    if (!closed)
        return dpk_fail(err, DPK_ERR_USAGE, "a quote is not closed: %s", arg);
    return list->failed ? dpk_fail_nomem(err) : DPK_OK;
}

enum dpk_status dpk_words_parse_list(void *context, const char *arg, struct dpk_error *err)
{
    return check_list(context, dpk_words_split(context, arg), arg, err);
}

enum dpk_status dpk_words_parse_names(void *context, const char *arg, struct dpk_error *err)
{
    return check_list(context, dpk_words_split_names(context, arg), arg, err);
}

enum dpk_status dpk_words_parse_word(void *context, const char *arg, struct dpk_error *err)
{
    struct words *list = context;
    if (!*arg)
        return dpk_fail(err, DPK_ERR_USAGE, "the argument is empty");
    dpk_words_add(list, arg);
    return list->failed ? dpk_fail_nomem(err) : DPK_OK;
}

static bool needs_no_quotes(const char *word)
{
    static const char safe[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+/.,:@%";
    return *word && word[strspn(word, safe)] == 0;
}

void dpk_words_quote(const struct words *w, struct dpk_buf *to)
{
    for (size_t i = 0; i < w->count; i++) {
        if (i)
            dpk_put_u8(to, ' ');
        if (needs_no_quotes(w->at[i])) {
            dpk_put_format(to, "%s", w->at[i]);
            continue;
        }
        dpk_put_u8(to, '\'');
        for (const char *p = w->at[i]; *p; p++) {
            if (*p == '\'')
                dpk_put_format(to, "'\\''");
            else
                dpk_put_u8(to, (uint8_t)*p);
        }
        dpk_put_u8(to, '\'');
    }
}
