/*
 * sysfs: files of emulated devices where the kernel has those of cards: /sys/class/infiniband/mlx5_0
 * and /dev/infiniband/uverbs0. Some programs look there before they use a device (UCX, NCCL). The
 * files are in the runtime directory of the user (api/verbs/files.c). Calls of the program and its libraries
 * that name such a path get the file there (answers.c, api/paths). A program that is not linked with libibverbs
 * sees nothing of this.
 *
 *     dpk_sysfs_show(verbs);
 *     open("/sys/class/infiniband/mlx5_0/ports/1/state", O_RDONLY); // "4: ACTIVE"
 */
#ifndef DPK_API_SYSFS_SYSFS_H
#define DPK_API_SYSFS_SYSFS_H

struct dpk_emulated; /* api/verbs/verbs.h */

/* Shows the files of all emulated devices to all objects that are loaded now. The files are written
 * when the program first names such a path after this call. So call this again after devices have
 * changed or objects were loaded. `verbs` returns the verbs of emulated devices, or NULL. Programs
 * find a file of the system, rather than ours, if both have the path. Any thread. */
void dpk_sysfs_show(const struct dpk_emulated *(*verbs)(void));

#endif
