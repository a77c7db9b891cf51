/* words: lists of words, as command lines and options. */
#ifndef DPK_COMMON_WORDS_H
#define DPK_COMMON_WORDS_H

#include "base/base.h"

/* A list of words. Zero-initialise it; `at` ends with NULL once there is a word. If memory runs
 * out, `failed` is set and later calls do nothing. */
struct words {
    char **at;
    size_t count, capacity;
    bool failed;
};

void dpk_words_free(struct words *w);
void dpk_words_add(struct words *w, const char *word);
void dpk_words_addf(struct words *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
void dpk_words_append(struct words *to, const struct words *from);
/* Adds the option and each item of the list, as one word: -I and "a" are -Ia. */
void dpk_words_add_each(struct words *w, const char *option, const struct words *list);
bool dpk_words_have(const struct words *w, const char *word);

/* Adds the items of a list in a tool's options: separated by commas or white space, without empty
 * items; quotes and backslashes protect separators as in a shell. Returns false if a quote is not
 * closed. */
bool dpk_words_split(struct words *w, const char *list);
/* Same, but only commas separate: names may have spaces. */
bool dpk_words_split_names(struct words *w, const char *list);
/* Same for the text of an options file: commas do not separate, '#' starts a comment. */
bool dpk_words_split_file(struct words *w, const char *text);

/* Parsers of options (cli.h) whose `context` is a list of words: the items of a list, as dpk_words_split and
 * dpk_words_split_names; a single word, which is not empty. */
enum dpk_status dpk_words_parse_list(void *context, const char *arg, struct dpk_error *err);
enum dpk_status dpk_words_parse_names(void *context, const char *arg, struct dpk_error *err);
enum dpk_status dpk_words_parse_word(void *context, const char *arg, struct dpk_error *err);

/* Appends the words, quoted for a shell. */
void dpk_words_quote(const struct words *w, struct dpk_buf *to);

#endif
