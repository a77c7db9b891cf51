/*
 * loader: makes a process image that may run from untrusted bytes.
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
    struct dpk_sections sections; /* the program's sections, from a file or a process */
};

struct dpk_load_result {
    enum dpk_verdict verdict;     /* OK, or the reason why authentication refuses the program */
    bool authentication;          /* the device required authentication */
    char target[DPK_TARGET_TEXT]; /* target of the member of an area; "" for other
                                   * programs */
    struct dpk_report report;
};

/* Guest addresses that a program may use: from the second page (page zero is never mapped) to 3
 * GiB. Stacks and heap are above the program. NVIDIA's programs have their code at 1 GiB and their
 * data at 2 GiB. */
#define DPK_PROGRAM_BEGIN 0x1000ull
#define DPK_PROGRAM_END   0xc0000000ull

/* One PT_LOAD segment, already checked: it is inside the program's addresses, shares no page with
 * another segment, is not empty, and is not both W and X. */
struct dpk_segment {
    uint64_t address;     /* guest virtual address */
    uint64_t memory_size; /* bytes in memory, >= data_size; the bytes after the data are zero */
    const uint8_t *data;  /* borrowed from the image's private copy */
    uint64_t data_size;
    bool readable, writable, executable;
};

struct dpk_image;

/* Loads a program; from a program for several targets (signing(7)), the ELF for the device's
 * target. Every load is logged; with authentication on, a load that cannot be logged is refused.
 * `result` may be NULL. Errors: DPK_ERR_REFUSED if the device does not allow the program (`result`
 * and the event log have the reason); DPK_ERR_FORMAT if it is not an ELF that can run (the message
 * names the field); DPK_ERR_UNSUPPORTED if it is not RISC-V, is dynamic, or was compiled for other
 * targets than the device's. The verdict of DPK_ERR_FORMAT and DPK_ERR_UNSUPPORTED is
 * NOT_LOADED. */
enum dpk_status dpk_load(const struct dpk_load_request *ask, struct dpk_image **out,
                         struct dpk_load_result *result, struct dpk_error *err);
/* Returns a tool's exit code after dpk_load: the code of the reason why the program was refused, or
 * 0 without such a reason. */
int dpk_load_exit_code(enum dpk_status status, const struct dpk_load_result *result);
/* Reads an executable to inspect it, not to run it; it is not verified. From a program for several
 * targets it reads the ELF for the target of `device`; if `device` is NULL, the generic ELF or the
 * first. */
enum dpk_status dpk_image_examine(const char *app, struct dpk_device *device, const void *elf,
                                  size_t size, struct dpk_image **out, struct dpk_error *err);

/* ---- Asking ---- */

/* The present conditions of a device for programs. */
struct dpk_load_terms {
    char device[DPK_DEVICE_NAME_MAX + 1];
    bool authentication; /* the device requires signed programs */
    char hw_target[16];
    struct dpk_ca_list cas;
};
/* Gets the terms of a device. Release them with dpk_load_terms_free, also on failure. */
enum dpk_status dpk_load_terms(struct dpk_device *device, struct dpk_load_terms *out,
                               struct dpk_error *err);
void dpk_load_terms_free(struct dpk_load_terms *terms);

/* Judges a program as a device with these terms does when it requires authentication, by the steps
 * of dpk_load, but without the log. `rules`: date and revocation lists; NULL: now, without lists.
 * The verdict is that of the signature, or NOT_LOADED for a valid program that dpk_load would not
 * load. Errors: only DPK_ERR_NOMEM. */
enum dpk_status dpk_load_ask(const struct dpk_load_terms *terms,
                             const struct dpk_sections *sections,
                             const struct dpk_path_rules *rules, struct dpk_load_result *result,
                             struct dpk_error *err);

/* Returns whether a device with these terms could load an ELF whose signature was verified
 * elsewhere, not in a host file: OK, or NOT_LOADED, which is then the last check of the report. */
enum dpk_verdict dpk_load_examine(const struct dpk_load_terms *terms, const void *elf, size_t size,
                                  struct dpk_report *report);

/* ---- Images ---- */

/* Drops a reference. The last drop frees the image. NULL is allowed. */
void dpk_image_free(struct dpk_image *image);
/* Adds a reference to the same image. dpk_image_free drops it. */
struct dpk_image *dpk_image_share(const struct dpk_image *image);

/* ---- Programs of a host file ---- */

struct dpk_program;
struct dpk_result;
/* Judges a program of a host file as a device with these terms does when it requires authentication
 * (dpk_load_ask): the verdict on the target that the device takes, `out->subject`. `rules`: date
 * and revocation lists; NULL: now, without lists. Errors: only DPK_ERR_NOMEM. */
enum dpk_status dpk_load_ask_program(const struct dpk_load_terms *terms,
                                     const struct dpk_program *program,
                                     const struct dpk_path_rules *rules, struct dpk_result *out,
                                     struct dpk_error *err);

/* ---- Debuggers ----
 * A debugger that writes registers or code changes the verified program. So the device that
 * accepted a program decides what its debuggers may do. */

struct dpk_debug_permit {
    enum dpk_debug_rights rights;
    bool locked; /* authentication is on: a change that cannot be logged is refused */
};
/* Gets what the device allows now. An image of dpk_image_examine has no device: everything is
 * allowed. Errors: DPK_ERR_REFUSED if the device does not allow a debugger or cannot be asked. */
enum dpk_status dpk_debug_ask(const struct dpk_image *image, struct dpk_debug_permit *out,
                              struct dpk_error *err);
/* Appends an entry to the device's log, with `detail` after the program's name. Errors:
 * DPK_ERR_REFUSED if the device is locked and the log cannot be written. */
enum dpk_status dpk_debug_record(const struct dpk_image *image,
                                 const struct dpk_debug_permit *permit, const char *action,
                                 const char *result, const char *detail, struct dpk_error *err);

/* ---- Execution units ---- */

/* Returns the directory of the device's card and the number of its function. NULL if no device was
 * asked. */
const char *dpk_image_card(const struct dpk_image *image, unsigned *vhca);
/* Gets from the device which units its function may use now, and all partitions and groups of its
 * card. The image must have a device. */
enum dpk_status dpk_image_units(const struct dpk_image *image, struct dpk_device_units *out,
                                struct dpk_partitions *all, struct dpk_error *err);

/* ---- Reading images ---- */

/* Returns the name of the device that accepted the image; "" if no device was asked. */
const char *dpk_image_device(const struct dpk_image *image);
/* dpk_image_target returns the target of that device, whose instructions the program may have:
 * "bf3"; or "generic", which has all instructions, if no device was asked.
 * dpk_image_has_zba returns true if the target has Zba (dpacc(1)). */
const char *dpk_image_target(const struct dpk_image *image);
bool dpk_image_has_zba(const struct dpk_image *image);
/* Returns the bytes of its ELF, in the private copy. */
const void *dpk_image_file(const struct dpk_image *image, size_t *size);
/* Returns the name in the request, with '?' for characters that are not printable ASCII. */
const char *dpk_image_app(const struct dpk_image *image);
size_t dpk_image_segment_count(const struct dpk_image *image);
const struct dpk_segment *dpk_image_segment(const struct dpk_image *image, size_t index);
uint64_t dpk_image_entry(const struct dpk_image *image);
/* Finds a global symbol: its address, and its size in bytes if `size` is not NULL. Returns false if
 * it does not exist. */
bool dpk_image_symbol(const struct dpk_image *image, const char *name, uint64_t *address,
                      uint64_t *size);
/* Returns the name of global symbol number `index` in sorted order, or NULL after the last. */
const char *dpk_image_symbol_name(const struct dpk_image *image, size_t index);
/* Returns the name of the next function that dpacc prepared for calls from the host, in sorted
 * order. *index must be 0 before the first call. Returns NULL after the last. */
const char *dpk_image_next_entry(const struct dpk_image *image, size_t *index);
/* Gets the argument size in bytes of such a function, as dpacc stored it in the program. It is
 * unchecked and may be any number. Returns false if the program does not have the function. */
bool dpk_image_argument_size(const struct dpk_image *image, const char *entry, uint64_t *size);
/* Returns the bytes of a section in the private copy, inflated if it is compressed (zlib, at most
 * 64 MiB). They are unchecked, and live as long as the image. Returns NULL if there is no section
 * of that name or it cannot be inflated. */
const void *dpk_image_section(const struct dpk_image *image, const char *name, size_t *size);
/* Gets the address and size in bytes of a program's section, unchecked. Returns false if there is
 * no section of that name. */
bool dpk_image_section_range(const struct dpk_image *image, const char *name, uint64_t *address,
                             uint64_t *size);
/* Returns the nearest function at or below an address, for reports of failures. NULL if there is
 * none. */
const char *dpk_image_function_at(const struct dpk_image *image, uint64_t address,
                                  uint64_t *offset);

#endif
