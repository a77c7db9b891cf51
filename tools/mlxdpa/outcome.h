/* The outcome of verify for one program or file: its checks, and the verdict. */
#ifndef DPK_MLXDPA_OUTCOME_H
#define DPK_MLXDPA_OUTCOME_H

#include "elfcrypto/elfcrypto.h"

#include "mlxdpa.h"

struct outcome_check {
    const char *name;
    const char *verdict;   /* "OK", or the name of the refusal */
    bool warning, changed; /* as struct dpk_check has them */
    char detail[512];
};
struct outcome {
    const char *kind, *file; /* "program"; path */
    const char *name;        /* of a program, else NULL */
    const char *target;      /* of a program for several: which, else NULL */
    const char *verdict;     /* of the check that refused, else "OK" */
    int code;
    int exit_code; /* for it, of the tool */
    struct outcome_check checks[DPK_CHECKS_MAX + 2];
    size_t count;
    const char *uncovered[4]; /* what the format's signature leaves out; constants */
    size_t uncovered_count;
    struct cJSON *facts; /* digests and certificates; tally_add frees it. NULL: none */
};

/* A new outcome, refused until outcome_accept or outcome_report make it "OK". */
struct outcome outcome_start(const char *kind, const char *file);
/* Notes a check that passed. */
void outcome_note(struct outcome *o, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Notes the check that refused; `code` is an enum dpk_verdict or dpk_policy_reason. */
void outcome_refuse(struct outcome *o, const char *name, const char *verdict, int code,
                    const char *format, ...) __attribute__((format(printf, 5, 6)));
void outcome_accept(struct outcome *o);
/* Names what the signature of this kind of file does not cover, so that anybody can change it: told
 * of an outcome that is "OK". At most four of an outcome; `what` is a constant. */
void outcome_uncovered(struct outcome *o, const char *what);
/* Copies checks and verdict of a verification. */
void outcome_report(struct outcome *o, enum dpk_verdict verdict, const struct dpk_report *report);

/* What a detail says to people: of something that was changed, that it is WRONG. */
const char *outcome_words(bool changed, const char *detail, char *out, size_t size);

/* All outcomes of a run: printed one after the other, or gathered as JSON. */
struct cJSON;
struct tally {
    struct cJSON *json; /* NULL: text */
    bool with_paths;    /* text names the file of each outcome */
    size_t count, refused;
    char first[1100]; /* the first one refused, and why */
    int first_exit_code;
};
enum dpk_status tally_add(struct tally *t, struct outcome *o, struct dpk_error *err);

#endif
