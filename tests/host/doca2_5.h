/* Requests to kernels, shared by the host and device code of the DOCA 2.5 test. */
#ifndef TESTS_HOST_DOCA2_5_H
#define TESTS_HOST_DOCA2_5_H

enum {
    DO_WRITE,
    DO_READ,
    DO_ADD,
    DO_RECEIVE,
    DO_SHARED_RECEIVE, /* with the handle of a shared queue in place of a context's */
    DO_SEND,
    DO_COPY,
    DO_TRANSPOSE,
    DO_INCREMENT
};

#endif
