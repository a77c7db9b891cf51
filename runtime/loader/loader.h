/*
 * loader: from bytes that nobody trusts to a process image that may run.
 *
 * Copies the program, its crypto data and attributes once into private memory, asks the device what
 * it requires, verifies the copy, checks every field of the ELF, and hands out that same copy as an
 * image. The caller's bytes are never looked at again. Knows no CPU.
 *
 *     struct dpk_load_request ask = {.device = dev, .app = "hello",
 *                                    .sections = {.elf = p, .elf_size = n, .room = r, ...}};
 *     struct dpk_image *image = NULL;  struct dpk_load_result result;
 *     if (dpk_load(&ask, &image, &result, &err) == DPK_ERR_REFUSED)
 *         ... dpk_verdict_name(result.verdict) ...
 */
#ifndef DPK_LOADER_H
#define DPK_LOADER_H

#include "base/base.h"
#include "card/card.h"
#include "elfcrypto/elfcrypto.h"

struct dpk_load_request {
    struct dpk_device *device;    /* whose policy decides; required, borrowed */
    const char *app;              /* name, for messages and the log */
    struct dpk_sections sections; /* the program's, as the file or the process has them */
};

struct dpk_load_result {
    enum dpk_verdict verdict; /* OK, or why refused; with authentication off also why it would be */
    bool authentication;      /* what the device required */
    char target[DPK_TARGET_TEXT]; /* the part of a program for several targets; "" of other ones */
    struct dpk_report report;
};

/* Guest addresses that a program may take: from the first page, page zero being never mapped, to
 * 1 GiB. Stacks and heap lie above. */
#define DPK_PROGRAM_BEGIN 0x1000ull
#define DPK_PROGRAM_END   0x40000000ull

/* One PT_LOAD segment, checked: inside the program's addresses, shares no page with another, not
 * empty, not both W and X. */
struct dpk_segment {
    uint64_t address;     /* guest virtual address */
    uint64_t memory_size; /* bytes in memory, >= data_size; the rest is zero */
    const uint8_t *data;  /* borrowed from the image's private copy */
    uint64_t data_size;
    bool readable, writable, executable;
};

struct dpk_image;

/* Loads one program; of one for several targets (signing(7)) the ELF for the device's.
 * DPK_ERR_REFUSED: the device does not want it (`result` says why, the event log has it);
 * DPK_ERR_FORMAT: not an ELF that can run, with the field named; DPK_ERR_UNSUPPORTED: not RISC-V,
 * dynamic, compiled for other targets than the device's. Every load is logged; with authentication
 * on, a load that cannot be logged is refused. `result` may be NULL. */
enum dpk_status dpk_load(const struct dpk_load_request *ask, struct dpk_image **out,
                         struct dpk_load_result *result, struct dpk_error *err);
/* Reads an executable to look at it, not to run it: `device` is not asked whether it may. Of one for
 * several targets the ELF for that of `device`, which may be NULL: then the generic one, or the
 * first. */
enum dpk_status dpk_image_examine(const char *app, struct dpk_device *device, const void *elf,
                                  size_t size, struct dpk_image **out, struct dpk_error *err);
/* Drops a reference; the last one frees the image. NULL is fine. */
void dpk_image_free(struct dpk_image *image);
/* One more reference to the same image, to be dropped with dpk_image_free. */
struct dpk_image *dpk_image_share(const struct dpk_image *image);

/* ---- Debuggers ----
 * Who writes registers or code needs no signature: the device that let a program in says what its
 * debuggers may do. */

struct dpk_debug_permit {
    enum dpk_debug_rights rights;
    bool locked; /* the device has authentication on: what cannot be logged is not done */
};
/* Asks the device as it is now. DPK_ERR_REFUSED: it allows none, or it cannot be asked. Everything
 * is allowed with an image that no device was asked for (dpk_image_examine). */
enum dpk_status dpk_debug_ask(const struct dpk_image *image, struct dpk_debug_permit *out,
                              struct dpk_error *err);
/* Appends to the device's log; `detail` is put behind the program's name. DPK_ERR_REFUSED: it
 * cannot, on a device that is locked. */
enum dpk_status dpk_debug_record(const struct dpk_image *image,
                                 const struct dpk_debug_permit *permit, const char *action,
                                 const char *result, const char *detail, struct dpk_error *err);

/* ---- Looking at images ---- */

/* The device that let it in; "" if none was asked. */
const char *dpk_image_device(const struct dpk_image *image);
/* The name that was asked for, with '?' for what is not printable ASCII. */
const char *dpk_image_app(const struct dpk_image *image);
size_t dpk_image_segment_count(const struct dpk_image *image);
const struct dpk_segment *dpk_image_segment(const struct dpk_image *image, size_t index);
uint64_t dpk_image_entry(const struct dpk_image *image);
/* Address (and size in bytes, may be NULL) of a global symbol; false if there is none. */
bool dpk_image_symbol(const struct dpk_image *image, const char *name, uint64_t *address,
                      uint64_t *size);
/* The names of the global symbols, sorted; NULL at the end of them. */
const char *dpk_image_symbol_name(const struct dpk_image *image, size_t index);
/* The name of the next function that dpacc prepared for calls of a host, sorted; NULL at the end of
 * them. `index`: 0 at first. */
const char *dpk_image_next_entry(const struct dpk_image *image, size_t *index);
/* Bytes of the arguments of such a function, which dpacc put into the program; any number. false:
 * there is none, or it is not in the file. */
bool dpk_image_argument_size(const struct dpk_image *image, const char *entry, uint64_t *size);
/* The bytes of a section, in the private copy: as untrusted as ever, of a compressed one (zlib)
 * inflated, at most 64 MiB; they live as long as the image. NULL if there is none of that name, or
 * it cannot be inflated. */
const void *dpk_image_section(const struct dpk_image *image, const char *name, size_t *size);
/* The nearest function at or below an address, for crash text; NULL if none. */
const char *dpk_image_function_at(const struct dpk_image *image, uint64_t address,
                                  uint64_t *offset);

#endif
