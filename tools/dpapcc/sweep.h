/* Shared by the files of dpapcc sweep. */
#ifndef DPK_DPAPCC_SWEEP_H
#define DPK_DPAPCC_SWEEP_H

#include "dpapcc.h"

enum { AXES_MAX = 4, VALUES_MAX = 64, RUNS_OF_SWEEP_MAX = 10000 };

/* An axis of the sweep: a parameter of the program, or @NAME in --topology and --workload. */
struct axis {
    char name[DPK_PCC_NAME_MAX];
    char *values[VALUES_MAX];
    size_t count;
    bool in_text; /* @NAME */
};

/* A mean of `count` values, and half of its 95 % confidence interval (Student's t). NaN if
 * undefined. */
struct estimate {
    size_t count;
    double mean, half, least, most;
};

struct sweep {
    const struct options *options;
    const char *word, *name; /* of the algorithm */
    struct axis axes[AXES_MAX];
    size_t axis_count, points, seeds;
    struct facts *facts; /* of each run: all seeds of the first point, then of the next point */
};

/* Returns the value of an axis at a point; the last axis changes fastest. */
const char *dpapcc_sweep_value(const struct sweep *s, size_t point, size_t axis);
/* Appends "TARGET_NS=6000, n=8". */
void dpapcc_sweep_point_put(const struct sweep *s, size_t point, struct dpk_buf *out);
/* Returns the estimate of fact number `fact` at a point, over all seeds. */
struct estimate dpapcc_sweep_estimate(const struct sweep *s, size_t point, size_t fact);

/* sweep_out.c */
enum dpk_status dpapcc_sweep_show(const struct sweep *s, struct dpk_error *err);
enum dpk_status dpapcc_sweep_check_folder(const char *path, struct dpk_error *err);

/* stats.c: estimates from the finite values among `count` values. */
struct estimate dpapcc_estimate_of(const double *values, size_t count);
/* Returns the 97.5 % quantile of Student's t. */
double dpapcc_student_t(size_t degrees);

#endif
