/*
 * Debugging of device code: prints, and the cycles and instructions of a piece of code.
 *
 *     FLEXIO_DEV_PERF_MEASURE(sort) {        // "sort: instructions/cycles: 4711/9422"
 *         sort(numbers, count);
 *     }
 *     struct flexio_dev_perf_data sum = {0};
 *     for (...)
 *         FLEXIO_DEV_PERF_COLLECT(&sum) step();
 *     flexio_dev_perf_print(&sum, "steps");
 *
 * All prints go to the process's default message stream.
 */
#ifndef FLEXIO_DEV_DEBUG_H
#define FLEXIO_DEV_DEBUG_H

#include <stdint.h>

#include <dpaintrin.h>
#include <libflexio-dev/flexio_dev.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Prints ----
 *
 * len: largest number of characters; 0: all. Of a number the last characters are printed. */

void print_sim_str(const char *str, int len);
void print_sim_hex(uint64_t val, int len);
void print_sim_int(int val, int len);
void print_sim_putc(int val);

/* Prints a text, a value, and the place of the call. */
void sim_trace(const char *text, uint64_t val, const char *func, int line);
#define SIM_TRACE(text, val) sim_trace(text, (uint64_t)(val), __func__, __LINE__)
#define SIM_TRACEVAL(val)    SIM_TRACE(#val, val)

/* ---- Measurements ---- */

struct flexio_dev_perf_data {
    uint64_t cycles;
    uint64_t insts;
    int flag;
};

static inline struct flexio_dev_perf_data flexio_dev_perf_start(void)
{
    struct flexio_dev_perf_data now = {0, 0, 0};
    now.cycles = __dpa_thread_cycles();
    now.insts = __dpa_thread_inst_ret();
    return now;
}

/* Replaces the numbers of flexio_dev_perf_start by the differences since then. */
static inline void flexio_dev_perf_end(struct flexio_dev_perf_data *pdata)
{
    pdata->cycles = __dpa_thread_cycles() - pdata->cycles;
    pdata->insts = __dpa_thread_inst_ret() - pdata->insts;
}

static inline void flexio_dev_perf_aggregate(struct flexio_dev_perf_data *collect,
                                             struct flexio_dev_perf_data *pdata)
{
    collect->cycles += pdata->cycles;
    collect->insts += pdata->insts;
}

/* One line: "<keyword>: instructions/cycles: <instructions>/<cycles>". */
void flexio_dev_perf_print(struct flexio_dev_perf_data *pdata, const char *keyword);
/* Prints the cost of an empty measurement in such a line. */
void flexio_dev_perf_measure_calibrate(void);

/* Measures the statement that follows. */
#define FLEXIO_DEV_PERF_MEASURE(keyword)                                                           \
    for (struct flexio_dev_perf_data pdata = flexio_dev_perf_start(); !pdata.flag;                 \
         flexio_dev_perf_end(&pdata), flexio_dev_perf_print(&pdata, #keyword), pdata.flag = 1)

/* Adds the measurement of the statement that follows to `collector`. */
#define FLEXIO_DEV_PERF_COLLECT(collector)                                                         \
    for (struct flexio_dev_perf_data pdata = flexio_dev_perf_start(); !pdata.flag;                 \
         flexio_dev_perf_end(&pdata), flexio_dev_perf_aggregate(collector, &pdata),                \
                                     pdata.flag = 1)

#ifdef __cplusplus
}
#endif

#endif
