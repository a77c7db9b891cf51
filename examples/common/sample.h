/* What samples with NVIDIA's options share: a device by PCI address or name, options that are texts. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <doca_argp.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_log.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program at the first call that fails. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        const doca_error_t result_ = (call);                                                       \
        if (result_ != DOCA_SUCCESS) {                                                             \
            DOCA_LOG_ERR("%s: %s", #call, doca_error_get_descr(result_));                          \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)

enum { SAMPLE_TEXT = 4080, SAMPLE_OPTIONS = 8 };

/* An option with a text: its names, its help, and its value, at first the default. */
struct sample_option {
    const char *short_name, *long_name, *help;
    char value[SAMPLE_TEXT + 1];
};

/* Reads the command line into the options, at most SAMPLE_OPTIONS. Ends the program on an error. */
void sample_options(const char *program, int argc, char **argv, struct sample_option *options,
                    size_t count);
/* Opens the device with this PCI address, or with this name. Ends the program if there is none. */
struct doca_dev *sample_open(const char *device);

#endif
