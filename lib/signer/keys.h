/* Where keys come from; private to this room. */
#ifndef DPK_SIGNER_KEYS_H
#define DPK_SIGNER_KEYS_H

#include <pthread.h>

#include "signer/signer.h"

struct engine_st;
struct token;
struct token_way;

struct dpk_signer {
    char *name; /* for messages */
    EVP_PKEY *public;
    EVP_PKEY *key;                 /* private half, or a handle of it; NULL: the command has it */
    const struct token_way *token; /* how the key's token is reached; NULL: it is in none */
    struct engine_st *engine;      /* that way's */
    OSSL_LIB_CTX *context;         /* that way's, in which the key signs; NULL: the usual one */
    struct token *session;         /* logs in, and stays until the key is closed */
    char **command;                /* words of the sign command, NULL behind the last */
    unsigned timeout;              /* of the command, seconds */
    pthread_mutex_t one;           /* tokens and commands sign one after the other */
};

/* Passphrase or PIN: from --passin, or asked for once. */
struct secret {
    const struct dpk_key_options *options;
    struct dpk_buf held; /* NUL-terminated; release with dpk_buf_wipe_free */
    const char *text;    /* NULL: none there */
    bool refused;        /* asked for, and `err` says why there is none */
};
/* Gets it if it is not there yet; `what` is asked for ("Passphrase of leaf.pem"). False if there is
 * none; then `err` says so only if `refused` is set. */
bool secret_get(struct secret *s, const char *what, struct dpk_error *err);
/* Leaves the first line of a file that `held` has, without a byte order mark and without its end (LF, CR LF),
 * and a NUL behind it. DPK_ERR_FORMAT "PATH: ...": it is UTF-16, or has a NUL. */
enum dpk_status secret_first_line(struct dpk_buf *held, const char *path, struct dpk_error *err);

/* Fill `key` (and what a token needs) of the signer. */
enum dpk_status pem_open(const char *path, struct secret *secret, struct dpk_signer *s,
                         struct dpk_error *err);
enum dpk_status token_open(const char *uri, struct secret *secret, struct dpk_signer *s,
                           struct dpk_error *err);
void token_close(struct dpk_signer *s);

/* Splits a command line into `command` of the signer, without a shell. */
enum dpk_status command_split(const char *line, char ***words, struct dpk_error *err);
void command_free(char **words);
/* Runs the command with the digest on its standard input; its standard output, which must have
 * exactly `expected` bytes, is appended to `out`. */
enum dpk_status command_run(char *const *words, unsigned timeout, const uint8_t *digest,
                            size_t digest_size, size_t expected, struct dpk_buf *out,
                            struct dpk_error *err);

/* The reason of OpenSSL's oldest queued error, which is the one that started the trouble. */
const char *signer_openssl_reason(void);
const EVP_MD *signer_digest(enum dpk_digest digest);

#endif
