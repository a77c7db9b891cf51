/* A host file in memory; private to this room. */
#ifndef DPK_HOSTFILE_HOST_H
#define DPK_HOSTFILE_HOST_H

#include "elf/elf.h"
#include "hostfile/hostfile.h"

#define SHT_CRYPTODATA 0x70000666u /* guide, "Crypto Data ELF Section Header" */
#define NAME_SLOT_SIZE 256         /* of `.dpa_sig_name_<app>` */

struct section {
    const char *name; /* in the file's bytes */
    uint32_t type, link;
    uint64_t flags;
    uint64_t offset, size; /* of the content; offset from the start of the whole file */
    uint64_t address;      /* sh_addr */
    uint64_t header;       /* offset of its header from the start of the whole file */
};

/* A PT_LOAD segment that is not empty. */
struct load {
    unsigned index;   /* in the program header table */
    uint64_t offset;  /* from the start of the whole file */
    uint64_t address; /* p_vaddr */
    uint64_t file_size, memory_size;
};

/* One ELF object: the file, or a member of the archive. */
struct object {
    const char *member; /* NULL: the file itself */
    uint64_t base, size;
    struct section *sections; /* entry 0 is the NULL section */
    size_t count;
    const struct section **by_name; /* the same, sorted */
    size_t names_index;             /* e_shstrndx, resolved */
    uint64_t table;                 /* e_shoff, from the start of the whole file */
    uint64_t segments_end;          /* no segment or program header behind this offset */
    bool extended;                  /* counts do not stand in the ELF header */
    bool runs;                      /* a program or library with program headers */
    struct load *loads;
    size_t load_count;
};

/* Bytes for the crypto data of one target; offsets from the start of the file. */
struct room {
    uint64_t at, size;
    uint64_t used; /* bytes that hold crypto data now, a length before it included */
};

/* What signing needs to know of a program beyond struct dpk_program. Offsets from the start of the
 * file; `home` is the section with the crypto data, or made for it; size 0 in the home's header:
 * there is none yet. */
struct slot {
    size_t object; /* index of its object */
    bool has_home;
    struct section home;
    uint64_t name_slot; /* offset of the content of `.dpa_sig_name_<app>` */
};

struct dpk_hostfile {
    char *name; /* for messages */
    struct dpk_buf bytes;
    bool borrowed; /* the bytes are the caller's */
    bool archive;
    struct object *objects;
    size_t object_count;
    struct dpk_program *programs; /* member names and crypto_section are allocated */
    struct slot *slots;           /* of the same index */
    size_t program_count, program_capacity;
};

/* Reads the object at [base, base+size), which lies in the host file. On failure `o` holds nothing.
 */
enum dpk_status object_read(const struct dpk_hostfile *host, uint64_t base, uint64_t size,
                            struct object *o, struct dpk_error *err);
void object_free(struct object *o);

/* Section `name`, or NULL in `out` if there is none; two are an error. */
enum dpk_status object_find(const struct object *o, const char *name, const struct section **out,
                            struct dpk_error *err);

/* The number of a section of the object, in its section header table. */
size_t object_index(const struct object *o, const struct section *s);

/* What a process that runs the object has at the address of section `s`: those bytes, or `why` not
 * (mapping.c). Objects that do not run, and empty sections, have nothing to disagree. */
enum mapping { MAPPING_SAME, MAPPING_NONE, MAPPING_OTHER };
enum mapping mapping_of(const struct object *o, const struct section *s, char *why, size_t size);

/* Members of an archive (ar, System V), one after the other; archive.c. */
struct archive_walk {
    uint64_t at;                  /* of the next member's header */
    struct dpk_reader long_names; /* content of the member "//" */
};
struct archive_member {
    const char *name; /* in the file's bytes, without a NUL */
    size_t name_size;
    uint64_t base, size; /* of its content; the size as it is told, maybe beyond the archive */
};
struct archive_walk archive_walk(void);
/* False: no member's header is at walk->at. */
bool archive_next(const struct dpk_hostfile *host, struct archive_walk *walk,
                  struct archive_member *out);

/* Adds the programs of object `index` to the host file. */
enum dpk_status programs_collect(struct dpk_hostfile *host, size_t index, struct dpk_error *err);

/* The rooms that a reserved section has for the program's subjects, in their order; of size 0 where
 * it has none. DPK_ERR_FORMAT, DPK_ERR_UNSUPPORTED: it is no area of rooms. */
enum dpk_status program_rooms(const struct dpk_program *p, const struct slot *slot,
                              struct room rooms[DPK_FAT_MAX], struct dpk_error *err);

/* What a name section names is overwritten, or goes: DPK_ERR_FORMAT if that is code, another
 * program or whatever else signing has not added. */
enum dpk_status program_check_name(const struct dpk_program *p, struct dpk_error *err);

#endif
