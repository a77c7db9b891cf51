/* Quotes words of the shell commands that claim, trust and lock print. */
#include <stdlib.h>
#include <string.h>

#include "own.h"

void dpadev_own_put_word(struct dpk_buf *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "%+,-./:=@_";
    if (*word && strspn(word, plain) == strlen(word)) {
        dpk_put_format(out, " %s", word);
        return;
    }
    dpk_put_format(out, " '");
    for (; *word; word++)
        dpk_put_format(out, *word == '\'' ? "'\\''" : "%c", *word);
    dpk_put_format(out, "'");
}

void dpadev_own_put_key(struct dpk_buf *out, const struct dpk_key_options *key)
{
    if (dpk_key_in_token(key->key)) {
        char *uri = strndup(key->key, strcspn(key->key, "?"));
        dpk_put_format(out, " -p");
        dpadev_own_put_word(out, uri ? uri : "");
        out->failed = out->failed || !uri;
        free(uri);
    } else if (key->key) {
        dpk_put_format(out, " -p");
        dpadev_own_put_word(out, key->key);
    }
    if (key->passin && strncmp(key->passin, "pass:", 5) != 0) {
        dpk_put_format(out, " --passin");
        dpadev_own_put_word(out, key->passin);
    }
    if (key->sign_command) {
        dpk_put_format(out, " --sign-command");
        dpadev_own_put_word(out, key->sign_command);
    }
    if (key->sign_timeout) {
        dpk_put_format(out, " --sign-timeout");
        dpadev_own_put_word(out, key->sign_timeout);
    }
}

void dpadev_own_put_uuid(struct dpk_buf *out, const char *option, const struct dpk_uuid *uuid)
{
    char text[DPK_UUID_TEXT];
    dpk_uuid_format(uuid, text);
    dpk_put_format(out, " %s %s", option, text);
}
