/* Anti-rollback: the files and certificates that a device does not accept again.
 *
 * It stores the highest file version that was applied for each key pair and identity, and the UUIDs
 * of the CA certificates that were removed. These entries are never deleted. */
#include <stdlib.h>
#include <string.h>

#include "private.h"

static const char key[] = "anti_rollback", is_on[] = "on";

enum dpk_status dpk_rollback_put_on(sqlite3 *db, bool on, struct dpk_error *err)
{
    /* A device without this entry has no anti-rollback, for example a device of dpakit 0.1. */
    return on ? dpk_db_put_meta(db, key, is_on, err) : DPK_OK;
}

enum dpk_status dpk_rollback_on(sqlite3 *db, bool *on, struct dpk_error *err)
{
    char value[sizeof is_on];
    return dpk_db_find_meta(db, key, value, sizeof value, on, err);
}

/* ---- File versions ---- */

enum dpk_status dpk_rollback_floor(sqlite3 *db, const struct dpk_uuid *keypair, bool mlnx,
                                   bool *found, uint32_t *version, struct dpk_error *err)
{
    sqlite3_stmt *stmt = NULL;
    enum dpk_status status = dpk_db_prepare(
        db, "SELECT version FROM version_floor WHERE keypair = ? AND mlnx = ?", &stmt, err);
    if (status != DPK_OK)
        return status;
    sqlite3_bind_blob(stmt, 1, keypair->bytes, sizeof keypair->bytes, SQLITE_STATIC);
    sqlite3_bind_int(stmt, 2, mlnx);
    status = dpk_db_step(db, stmt, found, err);
    *version = *found ? (uint32_t)sqlite3_column_int64(stmt, 0) : 0;
    sqlite3_finalize(stmt);
    return status;
}

enum dpk_status dpk_rollback_raise(sqlite3 *db, const struct dpk_uuid *keypair, bool mlnx,
                                   uint32_t version, struct dpk_error *err)
{
    sqlite3_stmt *stmt = NULL;
    enum dpk_status status =
        dpk_db_prepare(db, "INSERT OR REPLACE INTO version_floor VALUES (?, ?, ?)", &stmt, err);
    if (status != DPK_OK)
        return status;
    sqlite3_bind_blob(stmt, 1, keypair->bytes, sizeof keypair->bytes, SQLITE_STATIC);
    sqlite3_bind_int(stmt, 2, mlnx);
    sqlite3_bind_int64(stmt, 3, version);
    return dpk_db_finish(db, stmt, err);
}

/* ---- Removed certificates ---- */

/* Runs `sql` for a UUID. *row: true if it returned a row. */
static enum dpk_status ask_about(sqlite3 *db, const char *sql, const struct dpk_uuid *cert,
                                 bool *row, struct dpk_error *err)
{
    sqlite3_stmt *stmt = NULL;
    *row = false;
    enum dpk_status status = dpk_db_prepare(db, sql, &stmt, err);
    if (status != DPK_OK)
        return status;
    sqlite3_bind_blob(stmt, 1, cert->bytes, sizeof cert->bytes, SQLITE_STATIC);
    status = dpk_db_step(db, stmt, row, err);
    sqlite3_finalize(stmt);
    return status;
}

enum dpk_status dpk_rollback_was_removed(sqlite3 *db, const struct dpk_uuid *cert, bool *removed,
                                         struct dpk_error *err)
{
    return ask_about(db, "SELECT 1 FROM removed_ca WHERE uuid = ?", cert, removed, err);
}

enum dpk_status dpk_rollback_put_removed(sqlite3 *db, const struct dpk_uuid *cert,
                                         struct dpk_error *err)
{
    bool row;
    return ask_about(db, "INSERT OR IGNORE INTO removed_ca VALUES (?)", cert, &row, err);
}

/* ---- All entries ---- */

enum dpk_status dpk_rollback_add_floor(struct dpk_device_rollback *r,
                                       const struct dpk_device_floor *floor, struct dpk_error *err)
{
    struct dpk_device_floor *more = reallocarray(r->floors, r->floor_count + 1, sizeof *more);
    if (!more)
        return dpk_fail_nomem(err);
    r->floors = more;
    r->floors[r->floor_count++] = *floor;
    return DPK_OK;
}

enum dpk_status dpk_rollback_add_removed(struct dpk_device_rollback *r, const struct dpk_uuid *cert,
                                         struct dpk_error *err)
{
    struct dpk_uuid *more = reallocarray(r->removed, r->removed_count + 1, sizeof *more);
    if (!more)
        return dpk_fail_nomem(err);
    r->removed = more;
    r->removed[r->removed_count++] = *cert;
    return DPK_OK;
}

static enum dpk_status read_floors(sqlite3 *db, struct dpk_device_rollback *out,
                                   struct dpk_error *err)
{
    sqlite3_stmt *stmt = NULL;
    bool row = false;
    enum dpk_status status = dpk_db_prepare(
        db, "SELECT keypair, mlnx, version FROM version_floor ORDER BY keypair, mlnx", &stmt, err);
    while (status == DPK_OK && (status = dpk_db_step(db, stmt, &row, err)) == DPK_OK && row) {
        struct dpk_device_floor f = {.mlnx = sqlite3_column_int(stmt, 1) != 0,
                                     .version = (uint32_t)sqlite3_column_int64(stmt, 2)};
        status = dpk_db_blob(stmt, 0, f.keypair.bytes, sizeof f.keypair.bytes, err);
        if (status == DPK_OK)
            status = dpk_rollback_add_floor(out, &f, err);
    }
    sqlite3_finalize(stmt);
    return status;
}

static enum dpk_status read_removed(sqlite3 *db, struct dpk_device_rollback *out,
                                    struct dpk_error *err)
{
    sqlite3_stmt *stmt = NULL;
    bool row = false;
    enum dpk_status status =
        dpk_db_prepare(db, "SELECT uuid FROM removed_ca ORDER BY uuid", &stmt, err);
    while (status == DPK_OK && (status = dpk_db_step(db, stmt, &row, err)) == DPK_OK && row) {
        struct dpk_uuid cert;
        status = dpk_db_blob(stmt, 0, cert.bytes, sizeof cert.bytes, err);
        if (status == DPK_OK)
            status = dpk_rollback_add_removed(out, &cert, err);
    }
    sqlite3_finalize(stmt);
    return status;
}

enum dpk_status dpk_rollback_read(sqlite3 *db, struct dpk_device_rollback *out,
                                  struct dpk_error *err)
{
    *out = (struct dpk_device_rollback){0};
    enum dpk_status status = dpk_rollback_on(db, &out->on, err);
    if (status == DPK_OK && out->on)
        status = read_floors(db, out, err);
    if (status == DPK_OK && out->on)
        status = read_removed(db, out, err);
    if (status != DPK_OK)
        dpk_device_rollback_free(out);
    return status;
}

enum dpk_status dpk_rollback_write(sqlite3 *db, const struct dpk_device_rollback *r,
                                   struct dpk_error *err)
{
    enum dpk_status status = dpk_rollback_put_on(db, r->on, err);
    for (size_t i = 0; i < r->floor_count && status == DPK_OK; i++)
        status = dpk_rollback_raise(db, &r->floors[i].keypair, r->floors[i].mlnx,
                                    r->floors[i].version, err);
    for (size_t i = 0; i < r->removed_count && status == DPK_OK; i++)
        status = dpk_rollback_put_removed(db, &r->removed[i], err);
    return status;
}

void dpk_device_rollback_free(struct dpk_device_rollback *r)
{
    free(r->floors);
    free(r->removed);
    *r = (struct dpk_device_rollback){0};
}

enum dpk_status dpk_device_rollback(struct dpk_device *dev, struct dpk_device_rollback *out,
                                    struct dpk_error *err)
{
    return dpk_rollback_read(dev->db, out, err);
}
