/* Lists of words: command lines and options. */
#ifndef DPK_DPACC_WORDS_H
#define DPK_DPACC_WORDS_H

#include "base/base.h"

/* Zero-initialise; `at` ends with NULL once there is a word. When memory runs out `failed` is set
 * and later calls do nothing. */
struct words {
    char **at;
    size_t count, capacity;
    bool failed;
};

void words_free(struct words *w);
void words_add(struct words *w, const char *word);
void words_addf(struct words *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
void words_append(struct words *to, const struct words *from);
bool words_have(const struct words *w, const char *word);

/* Adds the items of a list as dpacc's options take it: separated by commas or white space, empty
 * items left out; quotes and backslashes as in a shell keep them together. False: a quote is not
 * closed. */
bool words_split(struct words *w, const char *list);
/* Same for the text of an options file: commas are no separators, '#' starts a comment. */
bool words_split_file(struct words *w, const char *text);

/* Puts the words so that a shell reads them back as they are. */
void words_quote(const struct words *w, struct dpk_buf *to);

#endif
