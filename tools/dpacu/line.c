#include "line.h"
#include "config.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_SIZE_MAX = 16 << 20, FILES_MAX = 8 };

/* ---- Options files ---- */

/* Returns true if the word is one of the names, with one dash or two. `value` is the text behind
 * '=', or NULL. */
static bool is_option(const char *word, const char *const *names, size_t count, const char **value)
{
    if (*word != '-')
        return false;
    const char *name = word + 1 + (word[1] == '-');
    const size_t length = strcspn(name, "=");
    for (size_t i = 0; i < count; i++)
        if (strlen(names[i]) == length && strncmp(name, names[i], length) == 0) {
            *value = name[length] ? name + length + 1 : NULL;
            return true;
        }
    return false;
}

static enum dpk_status add_words(struct words *out, char *const *at, size_t count, unsigned depth,
                                 struct dpk_error *err);

static enum dpk_status add_file(struct words *out, const char *path, unsigned depth,
                                struct dpk_error *err)
{
    struct dpk_buf text = {0};
    struct words words = {0};
    if (depth == FILES_MAX)
        return dpk_fail(err, DPK_ERR_USAGE, "option -optf: %s: more than %d files in each other",
                        path, FILES_MAX);
    enum dpk_status status = dpk_file_read(path, FILE_SIZE_MAX, &text, err);
    dpk_put_u8(&text, 0);
    if (status == DPK_OK && text.failed)
        status = dpk_fail_nomem(err);
    if (status == DPK_OK && !dpk_words_split_file(&words, (const char *)text.data))
        status = dpk_fail(err, DPK_ERR_USAGE, "%s: a quote is not closed", path);
    if (status == DPK_OK && words.failed)
        status = dpk_fail_nomem(err);
    if (status == DPK_OK)
        status = add_words(out, words.at, words.count, depth + 1, err);
    dpk_words_free(&words);
    dpk_buf_free(&text);
    return status;
}

static enum dpk_status add_files(struct words *out, const char *list, unsigned depth,
                                 struct dpk_error *err)
{
    struct words files = {0};
    enum dpk_status status = dpk_words_parse_names(&files, list, err);
    for (size_t i = 0; i < files.count && status == DPK_OK; i++)
        status = add_file(out, files.at[i], depth, err);
    dpk_words_free(&files);
    return status;
}

static enum dpk_status add_words(struct words *out, char *const *at, size_t count, unsigned depth,
                                 struct dpk_error *err)
{
    static const char *const names[] = {"optf", "options-file"};
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < count && status == DPK_OK; i++) {
        const char *value = NULL;
        if (!is_option(at[i], names, 2, &value))
            dpk_words_add(out, at[i]);
        else if (value || i + 1 < count)
            status = add_files(out, value ? value : at[++i], depth, err);
        else
            status = dpk_fail(err, DPK_ERR_USAGE, "option %s needs an argument (FILE)", at[i]);
    }
    return status;
}

static enum dpk_status add_environment(struct words *out, const char *name, struct dpk_error *err)
{
    const char *value = getenv(name);
    struct words words = {0};
    enum dpk_status status = DPK_OK;
    if (value && !dpk_words_split_file(&words, value))
        status = dpk_fail(err, DPK_ERR_USAGE, "%s: a quote is not closed", name);
    if (status == DPK_OK)
        status = add_words(out, words.at, words.count, 0, err);
    out->failed |= words.failed;
    dpk_words_free(&words);
    return status;
}

/* ---- Unknown options ---- */

/* Finds an option of dpacu by its whole name, or a name of one letter. */
static const struct dpk_option *find(const char *name, size_t length)
{
    for (const struct dpk_option *o = dpacu_config_options; o->names; o++)
        for (const char *at = o->names; *at; at += *at == ',') {
            const size_t one = strcspn(at, ",");
            if (one == length && strncmp(at, name, length) == 0)
                return o;
            at += one;
        }
    return NULL;
}

/* -m and -t are followed by a number: -march=native is not -m. */
static bool is_value(char letter, const char *value)
{
    return (letter != 'm' && letter != 't') || isdigit((unsigned char)value[*value == '=']);
}

/* Returns true for an option of dpacu. Sets `takes_next` if the next word is its value. */
static bool is_known(const char *word, bool *takes_next)
{
    const char *name = word + 1 + (word[1] == '-');
    const size_t length = strcspn(name, "=");
    static const char *const own[] = {"help", "h", "version", "V"};
    const char *value;
    *takes_next = false;
    if (is_option(word, own, sizeof own / sizeof *own, &value))
        return true;
    const struct dpk_option *o = find(name, length);
    if (o) {
        *takes_next = o->type != DPK_FLAG && !name[length];
        return true;
    }
    o = word[1] == '-' ? NULL : find(name, 1);
    return o && o->type != DPK_FLAG && is_value(*name, name + 1);
}

/* Adds an option for the host's compiler, so that it is not taken for a list. */
static void add_forwarded(struct words *out, const char *word)
{
    struct dpk_buf text = {0};
    for (; *word; word++) {
        if (strchr(", \t\r\n\v\f'\"\\", *word))
            dpk_put_u8(&text, '\\');
        dpk_put_u8(&text, (uint8_t)*word);
    }
    dpk_put_u8(&text, 0);
    if (text.failed)
        out->failed = true;
    else
        dpk_words_addf(out, "-Xcompiler=%s", (const char *)text.data);
    dpk_buf_free(&text);
}

/* Adds an input. nvcc gives its words to a shell, which takes their quotes away: Meson quotes the
 * program of --run. */
static void add_input(struct words *out, const char *word)
{
    const size_t length = strlen(word);
    if (length > 2 && word[0] == '"' && word[length - 1] == '"')
        dpk_words_addf(out, "%.*s", (int)(length - 2), word + 1);
    else
        dpk_words_add(out, word);
}

static void forward_unknown(const struct words *from, struct words *out)
{
    static const char *const names[] = {"forward-unknown-to-host-compiler",
                                        "forward-unknown-to-host-linker"};
    const char *value;
    bool forward = false;
    for (size_t i = 0; i < from->count; i++)
        forward |= is_option(from->at[i], names, 2, &value);
    for (size_t i = 0; i < from->count; i++) {
        const char *word = from->at[i];
        bool takes_next = false;
        if (strncmp(word, "-isystem", 8) == 0 && word[8] && word[8] != '=')
            dpk_words_addf(out, "-isystem=%s", word + 8);
        else if (word[0] != '-')
            add_input(out, word);
        else if (!word[1] || is_known(word, &takes_next) || !forward)
            dpk_words_add(out, word);
        else
            add_forwarded(out, word);
        if (takes_next && i + 1 < from->count)
            dpk_words_add(out, from->at[++i]);
    }
}

enum dpk_status dpacu_line_make(int argc, char *const *argv, struct words *out,
                                struct dpk_error *err)
{
    struct words all = {0};
    enum dpk_status status = add_environment(&all, "NVCC_PREPEND_FLAGS", err);
    if (status == DPK_OK)
        status = add_words(&all, argv + 1, (size_t)(argc > 0 ? argc - 1 : 0), 0, err);
    if (status == DPK_OK)
        status = add_environment(&all, "NVCC_APPEND_FLAGS", err);
    dpk_words_add(out, "dpacu");
    if (status == DPK_OK)
        forward_unknown(&all, out);
    if (status == DPK_OK && (all.failed || out->failed))
        status = dpk_fail_nomem(err);
    dpk_words_free(&all);
    return status;
}
