/* The seal of a device's state: a digest of the state without the log, to detect damage.
 *
 * It covers the schema of the database (each table and index: name, place, SQL) and each row of
 * each table, value by value with type and length. New tables and columns are covered without new
 * code. The seal detects only accidental damage: with write permission, any program can make a new
 * seal. */
#include <string.h>

#include "private.h"

static const char damage_advice[] =
    "delete the device and import its archive, if there is one (DAMAGE in dpadev(1))";

enum dpk_status dpk_db_damaged(sqlite3 *db, struct dpk_error *err, const char *why)
{
    const char *file = sqlite3_db_filename(db, "main");
    return dpk_fail(err, DPK_ERR_FORMAT, "%s: the device's state is damaged (%.300s): %s",
                    file && *file ? file : "device.db", why, damage_advice);
}

/* ---- The digest ---- */

static bool put_number(EVP_MD_CTX *md, char tag, uint64_t number)
{
    uint8_t bytes[9] = {(uint8_t)tag};
    dpk_store_be32(bytes + 1, (uint32_t)(number >> 32));
    dpk_store_be32(bytes + 5, (uint32_t)number);
    return EVP_DigestUpdate(md, bytes, sizeof bytes) == 1;
}

static bool put_value(EVP_MD_CTX *md, sqlite3_stmt *stmt, int column)
{
    uint64_t number = 0;
    switch (sqlite3_column_type(stmt, column)) {
    case SQLITE_INTEGER:
        return put_number(md, 'i', (uint64_t)sqlite3_column_int64(stmt, column));
    case SQLITE_FLOAT: {
        double real = sqlite3_column_double(stmt, column);
        memcpy(&number, &real, sizeof number);
        return put_number(md, 'f', number);
    }
    case SQLITE_NULL:
        return put_number(md, 'n', 0);
    default:
        break;
    }
    char tag = sqlite3_column_type(stmt, column) == SQLITE_TEXT ? 't' : 'b';
    const void *bytes = sqlite3_column_blob(stmt, column);
    size_t size = (size_t)sqlite3_column_bytes(stmt, column);
    return put_number(md, tag, size) && (size == 0 || EVP_DigestUpdate(md, bytes, size) == 1);
}

/* Adds every row that `sql` returns to the digest, in its order. */
static enum dpk_status put_rows(sqlite3 *db, const char *sql, EVP_MD_CTX *md, struct dpk_error *err)
{
    sqlite3_stmt *stmt = NULL;
    bool good = true;
    int code = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);
    if (code != SQLITE_OK)
        return dpk_db_fail(db, err);
    while (good && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
        int columns = sqlite3_column_count(stmt);
        good = put_number(md, 'r', (uint64_t)columns);
        for (int c = 0; c < columns && good; c++)
            good = put_value(md, stmt, c);
    }
    enum dpk_status status = DPK_OK;
    if (!good)
        status = dpk_fail_nomem(err);
    else if (code != SQLITE_DONE)
        status = dpk_db_fail(db, err);
    sqlite3_finalize(stmt);
    return status;
}

/* Sorts rows by all columns, because rows of SQLite have no fixed order. */
static enum dpk_status put_table(sqlite3 *db, const char *table, int columns, EVP_MD_CTX *md,
                                 struct dpk_error *err)
{
    struct dpk_buf sql = {0};
    char *head = sqlite3_mprintf("SELECT * FROM \"%w\" ORDER BY 1", table);
    dpk_put_format(&sql, "%s", head ? head : "");
    for (int c = 2; c <= columns; c++)
        dpk_put_format(&sql, ", %d", c);
    dpk_put_u8(&sql, 0);
    enum dpk_status status =
        !head || sql.failed ? dpk_fail_nomem(err) : put_rows(db, (const char *)sql.data, md, err);
    dpk_buf_free(&sql);
    sqlite3_free(head);
    return status;
}

/* Checks the b-trees, too: a row that is missing in an index would not be found through it. */
static enum dpk_status check_table(sqlite3 *db, const char *table, struct dpk_error *err)
{
    char said[256] = "";
    char *sql = sqlite3_mprintf("PRAGMA integrity_check(%Q)", table);
    enum dpk_status status =
        sql ? dpk_db_pragma(db, sql, said, sizeof said, err) : dpk_fail_nomem(err);
    if (status == DPK_OK && strcmp(said, "ok") != 0)
        status = dpk_db_damaged(db, err, said);
    sqlite3_free(sql);
    return status;
}

/* Tables of the state: all tables except the log, SQLite's table of sequences, and the seal
 * itself. */
#define STATE_TABLES                                                                               \
    "SELECT name, (SELECT count(*) FROM pragma_table_info(s.name)) FROM sqlite_schema s "          \
    "WHERE type = 'table' AND name NOT IN ('log', 'seal', 'sqlite_sequence') ORDER BY name"

static enum dpk_status digest(sqlite3 *db, uint8_t out[DPK_SEAL_SIZE], struct dpk_error *err)
{
    sqlite3_stmt *stmt = NULL;
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    int code = SQLITE_DONE;
    if (!md || EVP_DigestInit_ex(md, EVP_sha256(), NULL) != 1) {
        EVP_MD_CTX_free(md);
        return dpk_fail_nomem(err);
    }
    enum dpk_status status = put_rows(db,
                                      "SELECT type, name, tbl_name, rootpage, sql "
                                      "FROM sqlite_schema ORDER BY 1, 2, 3, 4, 5",
                                      md, err);
    if (status == DPK_OK && sqlite3_prepare_v2(db, STATE_TABLES, -1, &stmt, NULL) != SQLITE_OK)
        status = dpk_db_fail(db, err);
    while (status == DPK_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
        const char *table = NULL;
        status = dpk_db_text(db, stmt, 0, &table, err);
        if (status == DPK_OK)
            status = check_table(db, table, err);
        if (status == DPK_OK && !put_number(md, 'T', strlen(table)))
            status = dpk_fail_nomem(err);
        if (status == DPK_OK)
            status = put_table(db, table, sqlite3_column_int(stmt, 1), md, err);
    }
    if (status == DPK_OK && code != SQLITE_DONE)
        status = dpk_db_fail(db, err);
    sqlite3_finalize(stmt);
    if (status == DPK_OK && EVP_DigestFinal_ex(md, out, NULL) != 1)
        status = dpk_fail_nomem(err);
    EVP_MD_CTX_free(md);
    return status;
}

/* ---- The seal ---- */

enum dpk_status dpk_seal_check(sqlite3 *db, struct dpk_error *err)
{
    uint8_t is[DPK_SEAL_SIZE], should[DPK_SEAL_SIZE] = {0};
    sqlite3_stmt *stmt = NULL;
    bool there = false;
    enum dpk_status status = digest(db, is, err);
    if (status != DPK_OK)
        return status;
    if (sqlite3_prepare_v2(db, "SELECT sha256 FROM seal", -1, &stmt, NULL) != SQLITE_OK)
        return dpk_db_fail(db, err);
    int code = sqlite3_step(stmt);
    if (code == SQLITE_ROW && sqlite3_column_bytes(stmt, 0) == DPK_SEAL_SIZE) {
        memcpy(should, sqlite3_column_blob(stmt, 0), DPK_SEAL_SIZE);
        there = true;
    }
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        status = dpk_db_fail(db, err);
    sqlite3_finalize(stmt);
    if (status == DPK_OK && (!there || memcmp(is, should, DPK_SEAL_SIZE) != 0))
        status = dpk_db_damaged(db, err, there ? "its digest is wrong" : "it has no digest");
    return status;
}

enum dpk_status dpk_seal_put(sqlite3 *db, struct dpk_error *err)
{
    uint8_t is[DPK_SEAL_SIZE];
    sqlite3_stmt *stmt = NULL;
    enum dpk_status status = digest(db, is, err);
    if (status == DPK_OK)
        status = dpk_db_prepare(db, "INSERT OR REPLACE INTO seal VALUES (1, ?)", &stmt, err);
    if (status != DPK_OK)
        return status;
    sqlite3_bind_blob(stmt, 1, is, sizeof is, SQLITE_STATIC);
    return dpk_db_finish(db, stmt, err);
}
