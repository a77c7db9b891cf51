/*
 * guide: what the programs of this folder share: the command line, the device, the DPA context,
 * events. A program is one function that gets them, and leaves tidying up to guide_main:
 *
 *     static doca_error_t sample(struct guide *g)
 *     {
 *         struct doca_sync_event *done = NULL;
 *         doca_error_t result = guide_event(g, GUIDE_DPA, GUIDE_CPU, &done);
 *         ...
 *     }
 *
 *     int main(int argc, char **argv)
 *     {
 *         return guide_main(argc, argv, "doca_dpa_sample", dpa_sample_app, sample);
 *     }
 */
#ifndef GUIDE_H
#define GUIDE_H

#include <doca_dpa.h>
#include <doca_log.h>

#define GUIDE_EVENTS_MAX 16

struct guide {
    struct doca_dev *dev;
    doca_dpa_t dpa;
    struct doca_sync_event *events[GUIDE_EVENTS_MAX];
    unsigned count;
};

/* Who updates an event, who waits for it; bits. */
enum guide_side { GUIDE_CPU = 1, GUIDE_DPA = 2 };

/* Makes and starts an event, which guide_main destroys. */
doca_error_t guide_event(struct guide *g, unsigned publishers, unsigned subscribers,
                         struct doca_sync_event **event);
/* Waits on the CPU until the event is greater than `threshold`. */
doca_error_t guide_wait(struct doca_sync_event *event, uint64_t threshold);

/* Reads the options (-d DEVICE), opens the device, loads the program, runs the sample. 0: all went
 * well, 1: something failed, and was logged. */
int guide_main(int argc, char **argv, const char *name, doca_dpa_app_t app,
               doca_error_t (*sample)(struct guide *g));

#endif
