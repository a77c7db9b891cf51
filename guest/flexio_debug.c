/* Prints and measurements, for the default message stream. */
#include <libflexio-dev/flexio_dev_debug.h>
#include <string.h>

#include "format.h"

static void print_last(const char *text, int length, int len)
{
    const int skipped = len > 0 && len < length ? length - len : 0;
    flexio_dev_print("%s", text + skipped);
}

void print_sim_str(const char *str, int len)
{
    if (len > 0)
        flexio_dev_print("%.*s", len, str);
    else
        flexio_dev_print("%s", str);
}

static int text_of(char *text, size_t size, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int length = _dpa_format(text, size, format, values);
    va_end(values);
    return length;
}

void print_sim_hex(uint64_t val, int len)
{
    char text[20];
    print_last(text, text_of(text, sizeof text, "%lx", val), len);
}

void print_sim_int(int val, int len)
{
    char text[20];
    print_last(text, text_of(text, sizeof text, "%d", val), len);
}

void print_sim_putc(int val)
{
    flexio_dev_print("%c", val);
}

void sim_trace(const char *text, uint64_t val, const char *func, int line)
{
    flexio_dev_print("%s:%d: %s 0x%lx\n", func, line, text, val);
}

void flexio_dev_perf_print(struct flexio_dev_perf_data *pdata, const char *keyword)
{
    flexio_dev_print("%s: instructions/cycles: %lu/%lu\n", keyword, pdata->insts, pdata->cycles);
}

void flexio_dev_perf_measure_calibrate(void)
{
    struct flexio_dev_perf_data nothing = flexio_dev_perf_start();
    flexio_dev_perf_end(&nothing);
    flexio_dev_perf_print(&nothing, "calibration");
}
