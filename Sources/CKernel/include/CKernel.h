#pragma once

#include <stddef.h>
#include <stdint.h>

// Linux system calls that glibc 2.36 has no wrapper for, or that its headers hide from Swift
// because they ask for _GNU_SOURCE. Each returns what the call returns and sets errno.

// O_PATH of open(2).
extern const int fsk_path_only;
// AT_EMPTY_PATH of openat2(2), statx(2) and linkat(2).
extern const int fsk_empty_path;
// RENAME_NOREPLACE and RENAME_EXCHANGE of rename(2).
extern const unsigned int fsk_rename_new;
extern const unsigned int fsk_rename_exchange;
// UTIME_OMIT of utimensat(2).
extern const long fsk_time_omit;

// openat2(2) with RESOLVE_BENEATH, RESOLVE_NO_SYMLINKS and RESOLVE_NO_MAGICLINKS: never leaves
// the folder, never follows a symlink. With O_PATH and O_NOFOLLOW a symlink in last place is opened
// itself.
//
// Where there is no openat2(2), before Linux 5.6 and in sandboxes that do not know it, this is
// fsk_open_stepwise, with one call for each folder on the path.
int fsk_open_beneath(int folder, const char *path, int flags, unsigned int mode);

// The same with openat(2): each folder on the path is opened in the one before.
int fsk_open_stepwise(int folder, const char *path, int flags, unsigned int mode);

// The arguments of this process as the kernel passed them, the program's name first. Swift's own are
// read from /proc, and are none where that is not mounted.
int fsk_argument_count(void);
char **fsk_arguments(void);

// getdents64(2).
long fsk_read_folder(int folder, void *buffer, size_t size);

// renameat2(2).
int fsk_rename(
    int from_folder, const char *from, int to_folder, const char *to, unsigned int flags);

// listxattr(2), getxattr(2) and setxattr(2), whose header would bring the C library's types along.
long fsk_list_attributes(const char *path, char *names, size_t size);
long fsk_get_attribute(const char *path, const char *name, void *value, size_t size);
int fsk_set_attribute(const char *path, const char *name, const void *value, size_t size);

// syncfs(2).
int fsk_sync_file_system(int file);

// When the inode of an open file was made (statx(2), STATX_BTIME); fails with ENOTSUP where the file system keeps no
// such time.
int fsk_birth_time(int file, int64_t *seconds, uint32_t *nanoseconds);

// Keeps glibc from giving each thread a heap of its own, which never shrinks again (mallopt(3),
// M_ARENA_MAX): blocks and packs of several megabytes pass through several threads. On the first sync
// of 84,000 files this took the peak from 257 MB to 162 MB.
void fsk_share_one_heap(void);

// Keeps what the process holds in memory, secrets among it, out of core dumps and away from other
// processes of the user (prctl(2), PR_SET_DUMPABLE; setrlimit(2), RLIMIT_CORE).
void fsk_keep_memory_private(void);

// A timer that becomes readable, and whose read fails with ECANCELED, when the wall clock was set or
// the machine was suspended (timerfd_create(2), TFD_TIMER_CANCEL_ON_SET); without time-out.
int fsk_clock_change_file(void);

// Winds such a timer up, anew after each time that it went off.
int fsk_wind_up(int timer);

// From now on the signal writes its number as one byte into the file, and does nothing else; a file
// of -1 gives the signal its usual effect again. A signal that is ignored stays so. Commands that are
// started do not inherit it.
int fsk_report_signal(int signal, int file);

// A file in memory (memfd_create(2)).
int fsk_memory_file(const char *name);

// A file that becomes readable when the process ends (pidfd_open(2)).
int fsk_process_file(int process);

// A child that posix_spawn(3) starts with these posix_spawn_file_actions_t gets none of the files from
// this one on.
int fsk_close_from(void *actions, int first);
