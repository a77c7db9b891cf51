/* Sources of keys; private to this room. */
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
    EVP_PKEY *key;                 /* private key, or its handle; NULL if the command has it */
    const struct token_way *token; /* how the key's token is reached; NULL without a token */
    struct engine_st *engine;      /* engine of that way */
    OSSL_LIB_CTX *context;         /* library context of that way, in which the key signs; NULL: the
                                    * default */
    struct token *session;         /* keeps the login until the key is closed */
    char **command;                /* words of the sign command; NULL ends them */
    unsigned timeout;              /* of the command, seconds */
    pthread_mutex_t one;           /* tokens and commands sign one at a time */
};

/* Passphrase or PIN: from --passin, or entered once. */
struct secret {
    const struct dpk_key_options *options;
    struct dpk_buf held; /* NUL-terminated; release with dpk_buf_wipe_free */
    const char *text;    /* NULL if not known yet */
    bool refused;        /* asked for without success; `err` says why */
};
/* Gets the secret if it is not known yet, and asks for `what` ("Passphrase of leaf.pem"). Returns
 * false if there is none; `err` has the reason only if `refused` is set. */
bool signer_secret_get(struct secret *s, const char *what, struct dpk_error *err);
/* Reduces `held` to the first line of its file, without a byte order mark and line end (LF, CR LF),
 * plus a NUL. Errors: DPK_ERR_FORMAT "PATH: ..." if the file is UTF-16 or has a NUL. */
enum dpk_status signer_secret_first_line(struct dpk_buf *held, const char *path,
                                         struct dpk_error *err);

/* These functions fill `key` (and the members for its token) of the signer. */
enum dpk_status signer_pem_open(const char *path, struct secret *secret, struct dpk_signer *s,
                                struct dpk_error *err);
enum dpk_status signer_token_open(const char *uri, struct secret *secret, struct dpk_signer *s,
                                  struct dpk_error *err);
void signer_token_close(struct dpk_signer *s);

/* Splits a command line into words for the signer's `command`, without a shell. */
enum dpk_status signer_command_split(const char *line, char ***words, struct dpk_error *err);
void signer_command_free(char **words);
/* Runs the command with the digest on its standard input. Appends its standard output, which must
 * have exactly `expected` bytes, to `out`. */
enum dpk_status signer_command_run(char *const *words, unsigned timeout, const uint8_t *digest,
                                   size_t digest_size, size_t expected, struct dpk_buf *out,
                                   struct dpk_error *err);

const EVP_MD *signer_digest(enum dpk_digest digest);

#endif
