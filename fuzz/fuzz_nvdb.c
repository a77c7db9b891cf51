/* NVIDIA's database of TLVs: SQLite files, or rows of text for its tables. A line of four fields is
 * a TLV, a longer line a parameter; tabs separate fields. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <sqlite3.h>

#include "nvdefs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char tables[] =
    "CREATE TABLE tlvs(name TEXT, id INT, target TEXT, cap INT, version TEXT, description TEXT,"
    " size INT, class INT, mlxconfig_name TEXT);"
    "CREATE TABLE params(name TEXT, tlv_name TEXT, offset TEXT, size TEXT, type TEXT,"
    " description TEXT, textual_values TEXT, mlxconfig_name TEXT, dependency TEXT, valid_bit TEXT,"
    " temp_vars TEXT, min_val TEXT, max_val TEXT, rule TEXT, regex TEXT,"
    " supported_from_version INT, array_length INT);";
static const char tlv[] = "INSERT INTO tlvs(name,id,size,class,target,cap,version) "
                          "VALUES(?,?,?,?,'NIC',0,0)";
static const char param[] =
    "INSERT INTO params(name,tlv_name,offset,size,type,textual_values,mlxconfig_name,dependency,"
    "min_val,max_val,rule,array_length,valid_bit,temp_vars,regex) "
    "VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";

static void add_row(sqlite3 *db, const char *line, size_t size)
{
    enum { TLV_FIELDS = 4, FIELDS = 15 };
    const char *field[FIELDS], *end = line + size;
    size_t length[FIELDS], count = 0;
    while (count < FIELDS) {
        const char *tab = memchr(line, '\t', (size_t)(end - line));
        field[count] = line;
        length[count++] = (size_t)((tab ? tab : end) - line);
        if (!tab)
            break;
        line = tab + 1;
    }
    sqlite3_stmt *row = NULL;
    if (sqlite3_prepare_v2(db, count <= TLV_FIELDS ? tlv : param, -1, &row, NULL) != SQLITE_OK)
        abort();
    for (size_t i = 0; i < count; i++)
        sqlite3_bind_text(row, (int)i + 1, field[i], (int)length[i], SQLITE_STATIC);
    sqlite3_step(row);
    sqlite3_finalize(row);
}

/* Makes a database of these lines; release it with sqlite3_free. */
static uint8_t *make_db(const char *text, size_t size, sqlite3_int64 *db_size)
{
    sqlite3 *db = NULL;
    const char *end = text + size;
    if (sqlite3_open(":memory:", &db) != SQLITE_OK ||
        sqlite3_exec(db, tables, NULL, NULL, NULL) != SQLITE_OK)
        abort();
    while (text < end) {
        const char *next = memchr(text, '\n', (size_t)(end - text));
        add_row(db, text, (size_t)((next ? next : end) - text));
        text = next ? next + 1 : end;
    }
    uint8_t *bytes = sqlite3_serialize(db, "main", db_size, 0);
    sqlite3_close(db);
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_nv_defs *defs = NULL;
    sqlite3_int64 db_size = (sqlite3_int64)size;
    char path[40];
    bool is_db = size > 16 && memcmp(data, "SQLite format 3", 16) == 0;
    uint8_t *made = is_db ? NULL : make_db((const char *)data, size, &db_size);
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, is_db ? data : made, (size_t)db_size) != (ssize_t)db_size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (dpk_nv_defs_load_db(path, &defs, NULL) == DPK_OK)
        use_definitions(defs);
    dpk_nv_defs_free(defs);
    sqlite3_free(made);
    close(fd);
    return 0;
}
