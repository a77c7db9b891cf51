/* Gets passphrases and PINs from --passin or from the user. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/crypto.h>
#include <openssl/ui.h>

#include "keys.h"

#define PASSPHRASE_FILE_MAX 65536

enum dpk_status signer_secret_first_line(struct dpk_buf *held, const char *path,
                                         struct dpk_error *err)
{
    const uint8_t *b = held->data;
    if (held->size >= 2 && ((b[0] == 0xff && b[1] == 0xfe) || (b[0] == 0xfe && b[1] == 0xff)))
        return dpk_fail(err, DPK_ERR_FORMAT, "%s: the file is UTF-16: save it as UTF-8", path);
    const size_t mark = dpk_text_mark(held->data, held->size);
    if (mark) {
        held->size -= mark;
        memmove(held->data, held->data + mark, held->size);
    }
    const uint8_t *line = held->size ? memchr(held->data, '\n', held->size) : NULL;
    if (line) {
        held->size = (size_t)(line - held->data);
        held->size -= held->size > 0 && line[-1] == '\r';
    }
    if (held->size && memchr(held->data, 0, held->size))
        return dpk_fail(err, DPK_ERR_FORMAT, "%s: its first line has a NUL: save it as UTF-8 text",
                        path);
    dpk_put_u8(held, 0);
    return held->failed ? dpk_fail_nomem(err) : DPK_OK;
}

enum dpk_status dpk_passphrase_resolve(const char *word, struct dpk_buf *held, const char **out,
                                       struct dpk_error *err)
{
    const char *text = NULL;
    if (strncmp(word, "pass:", 5) == 0) {
        text = word + 5;
    } else if (strncmp(word, "env:", 4) == 0) {
        text = getenv(word + 4);
        if (!text)
            return dpk_fail(err, DPK_ERR_USAGE, "--passin: no environment variable %s", word + 4);
    } else if (strncmp(word, "file:", 5) == 0) {
        enum dpk_status status = dpk_file_read(word + 5, PASSPHRASE_FILE_MAX, held, err);
        if (status != DPK_OK)
            return dpk_error_prefix(err, "--passin");
        *out = NULL;
        status = signer_secret_first_line(held, word + 5, err);
        if (status != DPK_OK)
            return dpk_error_prefix(err, "--passin");
        *out = (const char *)held->data;
        return DPK_OK;
    } else {
        return dpk_fail(err, DPK_ERR_USAGE,
                        "--passin: give pass:TEXT, env:NAME or file:PATH, not the bare word");
    }
    dpk_put(held, text, strlen(text) + 1);
    if (held->failed)
        return dpk_fail_nomem(err);
    *out = (const char *)held->data;
    return DPK_OK;
}

#define TYPED_MAX 1024

enum dpk_status dpk_ask_terminal(const char *prompt, struct dpk_buf *out, struct dpk_error *err)
{
    char typed[TYPED_MAX + 1] = "";
    if (!isatty(STDIN_FILENO))
        return dpk_fail(err, DPK_ERR_IO,
                        "a passphrase or PIN is needed, and no terminal is there "
                        "to ask on; see --passin");
    if (UI_UTIL_read_pw_string(typed, TYPED_MAX, prompt, 0) != 0)
        return dpk_fail(err, DPK_ERR_IO, "no passphrase or PIN was typed");
    dpk_put(out, typed, strlen(typed) + 1);
    OPENSSL_cleanse(typed, sizeof typed);
    return out->failed ? dpk_fail_nomem(err) : DPK_OK;
}

bool signer_secret_get(struct secret *s, const char *what, struct dpk_error *err)
{
    if (s->text)
        return true;
    if (!s->options->ask || s->refused)
        return false;
    if (s->options->ask(what, &s->held, err) == DPK_OK)
        s->text = (const char *)s->held.data;
    else
        s->refused = true;
    return s->text != NULL;
}
