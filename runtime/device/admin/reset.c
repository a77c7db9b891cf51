/* Cold boot, and removal of users' settings. */
#include "device/port/port.h"
#include "private.h"

enum dpk_status dpk_device_drop_user_settings(struct dpk_device *dev, struct dpk_error *err)
{
    enum dpk_status status = dpk_db_begin(dev->db, err);
    if (status != DPK_OK)
        return status;
    status = dpk_db_exec(dev->db, "DELETE FROM tlv WHERE view = 2 AND priority = 0", err);
    if (status == DPK_OK)
        status = dpk_device_log_in(dev->db, "reset", "OK", "user settings dropped", err);
    return dpk_db_end(dev->db, status, err);
}

/* Ends the settings of the ports of both sides. */
static enum dpk_status reset_ports(const struct dpk_device *dev, struct dpk_error *err)
{
    char dpu[PATH_MAX];
    enum dpk_status status = dpk_port_reset(dev->path, err);
    if (status == DPK_OK && dpk_device_is_pair(dev->path))
        status = dpk_device_join(dev->path, DPK_DPU_DIRECTORY, dpu, err);
    else
        return status;
    return status == DPK_OK ? dpk_port_reset(dpu, err) : status;
}

enum dpk_status dpk_device_reset(struct dpk_device *dev, struct dpk_error *err)
{
    enum dpk_status status = dpk_db_begin(dev->db, err);
    if (status != DPK_OK)
        return status;
    status = dpk_db_exec(dev->db,
                         "DELETE FROM tlv WHERE view = 1;"
                         "INSERT INTO tlv SELECT 1, class, idx, priority, ovr_en, rd_en, writer_id,"
                         " version, data FROM tlv WHERE view = 2;",
                         err);
    if (status == DPK_OK)
        status = dpk_partitions_write(dev->db, &(struct dpk_partitions){0}, err);
    if (status == DPK_OK)
        status = reset_ports(dev, err);
    if (status == DPK_OK)
        status = dpk_device_log_in(dev->db, "boot", "OK", "cold boot", err);
    return dpk_db_end(dev->db, status, err);
}

enum dpk_status dpk_device_last_boot(struct dpk_device *dev, struct dpk_device_boot *out,
                                     struct dpk_error *err)
{
    struct dpk_device_info info;
    sqlite3_stmt *stmt = NULL;
    bool row = false;
    enum dpk_status status = dpk_device_info(dev, &info, err);
    if (status == DPK_OK)
        status = dpk_db_prepare(
            dev->db, "SELECT id, time FROM log WHERE action = 'boot' ORDER BY id DESC LIMIT 1",
            &stmt, err);
    if (status == DPK_OK)
        status = dpk_db_step(dev->db, stmt, &row, err);
    if (status == DPK_OK)
        *out = (struct dpk_device_boot){.event = row ? sqlite3_column_int64(stmt, 0) : 0,
                                        .time = row ? sqlite3_column_int64(stmt, 1) : info.created};
    sqlite3_finalize(stmt);
    return status;
}
