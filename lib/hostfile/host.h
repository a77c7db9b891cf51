/* A host file in memory; private to this room. */
#ifndef DPK_HOSTFILE_HOST_H
#define DPK_HOSTFILE_HOST_H

#include "elf/elf.h"
#include "hostfile/hostfile.h"

#define SHT_CRYPTODATA 0x70000666u /* guide, "Crypto Data ELF Section Header" */
#define NAME_SLOT_SIZE 256         /* of `.dpa_sig_name_<app>` */

struct section {
    const char *name; /* borrowed from the file's bytes */
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
    const char *member; /* NULL if the object is the whole file */
    uint64_t base, size;
    struct section *sections; /* entry 0 is the NULL section */
    size_t count;
    const struct section **by_name; /* the same sections, sorted by name */
    size_t names_index;             /* e_shstrndx, resolved */
    uint64_t table;                 /* e_shoff, from the start of the whole file */
    uint64_t segments_end;          /* no segment or program header reaches beyond this offset */
    bool extended;                  /* the counts are not in the ELF header */
    bool runs;                      /* a program or library with program headers */
    struct load *loads;
    size_t load_count;
};

/* Space for the crypto data of one target; offsets from the start of the file. */
struct room {
    uint64_t at, size;
    uint64_t used; /* bytes in use, with the length before the crypto data */
};

/* Data about a program for signing, beyond struct dpk_program. Offsets count from the start of the
 * file. `home` is the section of the crypto data, or the section to make for it; if its header has
 * size 0, it does not exist yet. */
struct slot {
    size_t object; /* index of its object */
    bool has_home;
    struct section home;
    uint64_t name_slot; /* offset of the content of `.dpa_sig_name_<app>` */
};

struct dpk_hostfile {
    char *name; /* for messages */
    struct dpk_buf bytes;
    bool borrowed; /* the bytes belong to the caller */
    bool archive;
    struct object *objects;
    size_t object_count;
    struct dpk_program *programs; /* member names and crypto_section are allocated */
    struct slot *slots;           /* with the same indices */
    size_t program_count, program_capacity;
};

/* Reads the object at [base, base+size), which is inside the host file. On failure `o` is empty. */
enum dpk_status hostfile_object_read(const struct dpk_hostfile *host, uint64_t base, uint64_t size,
                                     struct object *o, struct dpk_error *err);
void hostfile_object_free(struct object *o);

/* Finds section `name`; `out` is NULL if it does not exist. Two sections of the name are an
 * error. */
enum dpk_status hostfile_object_find(const struct object *o, const char *name,
                                     const struct section **out, struct dpk_error *err);

/* Returns the index of a section in its object's section header table. */
size_t hostfile_object_index(const struct object *o, const struct section *s);

/* Compares section `s` with the memory of a process that runs the object (mapping.c). SAME: the
 * memory has these bytes; also for an object that does not run, and for an empty section. NONE: the
 * section is not loaded. OTHER: the memory differs, for the reason `why`. */
enum mapping { MAPPING_SAME, MAPPING_NONE, MAPPING_OTHER };
enum mapping hostfile_mapping_of(const struct object *o, const struct section *s, char *why,
                                 size_t size);

/* Adds the programs of object `index` to the host file. */
enum dpk_status hostfile_programs_collect(struct dpk_hostfile *host, size_t index,
                                          struct dpk_error *err);

/* Gets the rooms of a reserved section for the program's subjects, in their order; a subject
 * without a room gets size 0. Errors: DPK_ERR_FORMAT or DPK_ERR_UNSUPPORTED if the section is not
 * an area of rooms. */
enum dpk_status hostfile_program_rooms(const struct dpk_program *p, const struct slot *slot,
                                       struct room rooms[DPK_FAT_MAX], struct dpk_error *err);

/* Checks the section that a name section names, which signing overwrites or removes. Errors:
 * DPK_ERR_FORMAT if signing did not add it: it is code, another program or any other section. */
enum dpk_status hostfile_program_check_name(const struct dpk_program *p, struct dpk_error *err);

#endif
