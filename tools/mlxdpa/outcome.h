/* The outcome of verify for one program or file: its checks, and the verdict. */
#ifndef DPK_MLXDPA_OUTCOME_H
#define DPK_MLXDPA_OUTCOME_H

#include "elfcrypto/elfcrypto.h"

#include "mlxdpa.h"

struct outcome_check {
    const char *name;
    const char *verdict;   /* "OK", or the name of the refusal */
    bool warning, changed; /* as in struct dpk_check */
    char detail[512];
};
struct outcome {
    const char *kind, *file; /* "program"; path */
    const char *name;        /* name of the program, or NULL */
    const char *target;      /* target of the member of an area, or NULL */
    const char *verdict;     /* verdict of the check that refused, or "OK" */
    int code;
    int exit_code; /* exit code of the tool for this outcome */
    struct outcome_check checks[DPK_CHECKS_MAX + 2];
    size_t count;
    const char *uncovered[4]; /* parts that the signature does not cover; constants */
    size_t uncovered_count;
    struct cJSON *facts; /* digests and certificates, or NULL; mlxdpa_tally_add frees it */
};

/* Starts an outcome. It is refused until mlxdpa_outcome_accept or mlxdpa_outcome_report makes it "OK". */
struct outcome mlxdpa_outcome_start(const char *kind, const char *file);
/* Adds a check that passed. */
void mlxdpa_outcome_note(struct outcome *o, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds the check that refused; `code` is an enum dpk_verdict or dpk_policy_reason. */
void mlxdpa_outcome_refuse(struct outcome *o, const char *name, const char *verdict, int code,
                           const char *format, ...) __attribute__((format(printf, 5, 6)));
void mlxdpa_outcome_accept(struct outcome *o);
/* Notes a part of the file that its signature does not cover, so that anybody can change this part.
 * It is printed if the outcome is "OK". An outcome has at most four; `what` is a constant. */
void mlxdpa_outcome_uncovered(struct outcome *o, const char *what);
/* Copies checks and verdict of a verification. */
void mlxdpa_outcome_report(struct outcome *o, enum dpk_verdict verdict,
                           const struct dpk_report *report);

/* Writes a detail as text for people: "WRONG: ... was changed after signing" if `changed`. */
const char *mlxdpa_outcome_words(bool changed, const char *detail, char *out, size_t size);

/* All outcomes of a run: printed as text, or collected as JSON. */
struct cJSON;
struct tally {
    struct cJSON *json; /* NULL for text */
    bool with_paths;    /* text starts with the outcome's file */
    size_t count, refused;
    char first[1100]; /* the first refused outcome, with its reason */
    int first_exit_code;
};
enum dpk_status mlxdpa_tally_add(struct tally *t, struct outcome *o, struct dpk_error *err);

#endif
