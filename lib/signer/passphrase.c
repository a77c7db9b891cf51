/* Passphrases of keys, as command lines name them. */
#include "signer.h"

#include <stdlib.h>
#include <string.h>

#define PASSPHRASE_FILE_MAX 65536

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
        const uint8_t *line = held->size ? memchr(held->data, '\n', held->size) : NULL;
        if (line)
            held->size = (size_t)(line - held->data);
    } else {
        return dpk_fail(err, DPK_ERR_USAGE,
                        "--passin: give pass:TEXT, env:NAME or file:PATH, not the bare word");
    }
    if (text)
        dpk_put(held, text, strlen(text));
    dpk_put_u8(held, 0);
    if (held->failed)
        return dpk_fail_nomem(err);
    *out = (const char *)held->data;
    return DPK_OK;
}
