/*
 * loader: makes a process image that may run from bytes that nobody trusts.
 *
 * It copies the program, its crypto data and its attributes once into private memory, asks the
 * device what it requires, verifies the copy and checks every field of the ELF. The image is made
 * of that same copy. The caller's bytes are not read again. The loader does not execute anything.
 *
 *     struct dpk_load_request ask = {.device = dev, .app = "hello",
 *                                    .sections = {.elf = p, .elf_size = n, .room = r, ...}};
 *     struct dpk_image *image = NULL;  struct dpk_load_result result;
 *     if (dpk_load(&ask, &image, &result, &err) == DPK_ERR_REFUSED)
 *         ... dpk_verdict_name(result.verdict) ...
 */
#ifndef DPK_ENGINE_LOADER_LOADER_H
#define DPK_ENGINE_LOADER_LOADER_H

#include "base/base.h"
#include "device/state/state.h"
#include "elfcrypto/elfcrypto.h"

struct dpk_load_request {
    struct dpk_device *device;    /* the device whose policy decides; required, borrowed */
    const char *app;              /* the program's name, for messages and the log */
    struct dpk_sections sections; /* the program's, as the file or the process has them */
};

struct dpk_load_result {
    enum dpk_verdict verdict;     /* OK, or the reason for which authentication refuses it */
    bool authentication;          /* whether the device required authentication */
    char target[DPK_TARGET_TEXT]; /* the part of a program for several targets; "" for others */
    struct dpk_report report;
};

/* Guest addresses that a program may use: from the second page (page zero is never mapped) to 1
 * GiB. Stacks and heap are above. */
#define DPK_PROGRAM_BEGIN 0x1000ull
#define DPK_PROGRAM_END   0x40000000ull

/* One PT_LOAD segment. It was checked: it is inside the program's addresses, shares no page with
 * another, is not empty, and is not both W and X. */
struct dpk_segment {
    uint64_t address;     /* guest virtual address */
    uint64_t memory_size; /* bytes in memory, >= data_size; the rest is zero */
    const uint8_t *data;  /* borrowed from the image's private copy */
    uint64_t data_size;
    bool readable, writable, executable;
};

struct dpk_image;

/* Loads one program; of one for several targets (signing(7)), the ELF for the device's target.
 * Every load is logged; with authentication on, a load that cannot be logged is refused. `result`
 * may be NULL. DPK_ERR_REFUSED: the device does not allow it; `result` and the event log have the
 * reason. DPK_ERR_FORMAT: it is not an ELF that can run; the message names the field.
 * DPK_ERR_UNSUPPORTED: it is not RISC-V, is dynamic, or was compiled for other targets than the
 * device's; the verdict of both is NOT_LOADED. */
enum dpk_status dpk_load(const struct dpk_load_request *ask, struct dpk_image **out,
                         struct dpk_load_result *result, struct dpk_error *err);
/* What a tool exits with after dpk_load: the code of the reason for which the program was refused, or
 * 0: there is none. */
int dpk_load_exit_code(enum dpk_status status, const struct dpk_load_result *result);
/* Reads an executable to inspect it, not to run it: nothing is verified. Of one for several targets
 * it reads the ELF for the target of `device`; if that is NULL, the generic one or the first. */
enum dpk_status dpk_image_examine(const char *app, struct dpk_device *device, const void *elf,
                                  size_t size, struct dpk_image **out, struct dpk_error *err);

/* ---- Asking ---- */

/* What a device judges programs by, as it is now. */
struct dpk_load_terms {
    char device[DPK_DEVICE_NAME_MAX + 1];
    bool authentication; /* it requires that programs are signed */
    char hw_target[16];
    struct dpk_ca_list cas;
};
/* Asks the device. Release with dpk_load_terms_free, also on failure. */
enum dpk_status dpk_load_terms(struct dpk_device *device, struct dpk_load_terms *out,
                               struct dpk_error *err);
void dpk_load_terms_free(struct dpk_load_terms *terms);

/* What a device with these terms says of a program when it requires authentication, by the steps of
 * dpk_load; nothing is logged. `rules`: the date and revocation lists; NULL: now, none. The verdict
 * is that of the signature, or NOT_LOADED for a program that dpk_load would not load all the same.
 * Error: DPK_ERR_NOMEM alone. */
enum dpk_status dpk_load_ask(const struct dpk_load_terms *terms,
                             const struct dpk_sections *sections,
                             const struct dpk_path_rules *rules, struct dpk_load_result *result,
                             struct dpk_error *err);

/* Whether a device with these terms could load an ELF whose signature was found right in another way
 * than it stands in host files: OK, or NOT_LOADED, which the report then ends with. */
enum dpk_verdict dpk_load_examine(const struct dpk_load_terms *terms, const void *elf, size_t size,
                                  struct dpk_report *report);

/* ---- Images ---- */

/* Drops a reference. Dropping the last one frees the image. NULL is fine. */
void dpk_image_free(struct dpk_image *image);
/* Adds a reference to the same image, which dpk_image_free drops. */
struct dpk_image *dpk_image_share(const struct dpk_image *image);

/* ---- Programs of a host file ---- */

struct dpk_program;
struct dpk_result;
/* What a device with these terms says of a program of a host file when it requires authentication
 * (dpk_load_ask): the verdict on the one target of it that the device takes, `out->subject`. `rules`: the
 * date and revocation lists; NULL: now, none. Error: DPK_ERR_NOMEM alone. */
enum dpk_status dpk_load_ask_program(const struct dpk_load_terms *terms,
                                     const struct dpk_program *program,
                                     const struct dpk_path_rules *rules, struct dpk_result *out,
                                     struct dpk_error *err);

/* ---- Debuggers ----
 * A debugger that writes registers or code changes what was verified. So the device that accepted a
 * program decides what its debuggers may do. */

struct dpk_debug_permit {
    enum dpk_debug_rights rights;
    bool locked; /* authentication is on: a change that cannot be logged is not made */
};
/* Asks the device what it allows now. An image of dpk_image_examine has no device: everything is
 * allowed. DPK_ERR_REFUSED: the device allows no debugger, or cannot be asked. */
enum dpk_status dpk_debug_ask(const struct dpk_image *image, struct dpk_debug_permit *out,
                              struct dpk_error *err);
/* Appends to the device's log, with `detail` after the program's name. DPK_ERR_REFUSED: the device
 * is locked, and the log cannot be written. */
enum dpk_status dpk_debug_record(const struct dpk_image *image,
                                 const struct dpk_debug_permit *permit, const char *action,
                                 const char *result, const char *detail, struct dpk_error *err);

/* ---- Execution units ---- */

/* The directory of the card that the device is a function of, and the function's number there. NULL:
 * no device was asked. */
const char *dpk_image_card(const struct dpk_image *image, unsigned *vhca);
/* Asks the device now which units its function may use, and all partitions and groups of its card.
 * There is a device. */
enum dpk_status dpk_image_units(const struct dpk_image *image, struct dpk_device_units *out,
                                struct dpk_partitions *all, struct dpk_error *err);

/* ---- Reading images ---- */

/* The name of the device that accepted it; "": none was asked. */
const char *dpk_image_device(const struct dpk_image *image);
/* The target of that device, whose instructions the program may have: "bf3", or "generic", which has
 * all: none was asked. Whether it has Zba (dpacc(1)). */
const char *dpk_image_target(const struct dpk_image *image);
bool dpk_image_has_zba(const struct dpk_image *image);
/* The bytes of its ELF, in the private copy. */
const void *dpk_image_file(const struct dpk_image *image, size_t *size);
/* The name in the request, with '?' for what is not printable ASCII. */
const char *dpk_image_app(const struct dpk_image *image);
size_t dpk_image_segment_count(const struct dpk_image *image);
const struct dpk_segment *dpk_image_segment(const struct dpk_image *image, size_t index);
uint64_t dpk_image_entry(const struct dpk_image *image);
/* Finds a global symbol: its address, and its size in bytes if `size` is not NULL. False: there is
 * none. */
bool dpk_image_symbol(const struct dpk_image *image, const char *name, uint64_t *address,
                      uint64_t *size);
/* The name of the global symbol with that index, in sorted order. NULL: there are not so many. */
const char *dpk_image_symbol_name(const struct dpk_image *image, size_t index);
/* The name of the next function that dpacc has prepared for calls of a host, in sorted order.
 * *index: 0 before the first call. NULL: there are no more. */
const char *dpk_image_next_entry(const struct dpk_image *image, size_t *index);
/* The size in bytes of such a function's arguments, which dpacc has put into the program. It is not
 * checked and may be any number. False: the program does not have it. */
bool dpk_image_argument_size(const struct dpk_image *image, const char *entry, uint64_t *size);
/* Returns the bytes of a section in the private copy, inflated if it is compressed (zlib, at most
 * 64 MiB). They are not checked, and live as long as the image. NULL: there is no section of that
 * name, or it cannot be inflated. */
const void *dpk_image_section(const struct dpk_image *image, const char *name, size_t *size);
/* Where the program has a section: its address and its size in bytes, which are not checked. False:
 * there is no section of that name. */
bool dpk_image_section_range(const struct dpk_image *image, const char *name, uint64_t *address,
                             uint64_t *size);
/* The nearest function at or below an address, for reports of failures. NULL: there is none. */
const char *dpk_image_function_at(const struct dpk_image *image, uint64_t address,
                                  uint64_t *offset);

#endif
