/*
 * lower: makes an object for the host's processor from LLVM code for NVIDIA's GPUs, which clang
 * made of a CUDA source. The emulated GPU runs the code of the object (gpu/abi/abi.h).
 */
#ifndef DPK_DPACU_LOWER_LOWER_H
#define DPK_DPACU_LOWER_LOWER_H

#include "base/base.h"

struct lower_request {
    const char *bitcode; /* file that clang made */
    const char *object;  /* file to write */
    const char *id;      /* content of the host object's fat binary */
    bool relocatable;    /* -rdc=true: device functions of other objects may be called */
    unsigned level;      /* optimisation, 0 to 3 */
    bool address;        /* accesses are checked by AddressSanitizer, which the program has */
    bool races;          /* the code tells of its accesses, so that races are found */
};

/* Writes the object. Errors: DPK_ERR_FORMAT for code that the emulated GPU cannot run; the message
 * names the source line if it is known. */
enum dpk_status lower_object(const struct lower_request *request, struct dpk_error *err);

#endif
