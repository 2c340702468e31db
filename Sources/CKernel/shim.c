// Linux system calls that glibc has no wrapper for; see the header.

#define _GNU_SOURCE
#include <malloc.h>
#include "CKernel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

const int fsk_path_only = O_PATH;
const int fsk_empty_path = AT_EMPTY_PATH;
const unsigned int fsk_rename_new = RENAME_NOREPLACE;
const unsigned int fsk_rename_exchange = RENAME_EXCHANGE;
const long fsk_time_omit = UTIME_OMIT;

int fsk_open_beneath(int folder, const char *path, int flags, unsigned int mode) {
    struct open_how how = {
        .flags = (uint64_t)(flags | O_CLOEXEC),
        .mode = (flags & O_CREAT) ? mode : 0,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    long file;
    // EAGAIN: something was renamed at the same moment and the kernel could not be sure.
    int tries = 0;
    do {
        file = syscall(SYS_openat2, folder, path, &how, sizeof how);
    } while (file < 0 && (errno == EINTR || (errno == EAGAIN && ++tries < 100)));
    return (int)file;
}

long fsk_read_folder(int folder, void *buffer, size_t size) {
    return syscall(SYS_getdents64, folder, buffer, size);
}

int fsk_rename(
    int from_folder, const char *from, int to_folder, const char *to, unsigned int flags) {
    return renameat2(from_folder, from, to_folder, to, flags);
}

long fsk_list_attributes(const char *path, char *names, size_t size) {
    return listxattr(path, names, size);
}

long fsk_get_attribute(const char *path, const char *name, void *value, size_t size) {
    return getxattr(path, name, value, size);
}

int fsk_set_attribute(const char *path, const char *name, const void *value, size_t size) {
    return setxattr(path, name, value, size, 0);
}

int fsk_sync_file_system(int file) { return syncfs(file); }

void fsk_share_one_heap(void) { mallopt(M_ARENA_MAX, 1); }

void fsk_keep_memory_private(void) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_DUMPABLE, 0);
}

int fsk_clock_change_file(void) {
    return timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
}

int fsk_wind_up(int timer) {
    // A moment that never comes: some centuries ahead.
    struct itimerspec moment = {.it_value.tv_sec = time(NULL) + (1L << 33)};
    return timerfd_settime(timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &moment, NULL);
}

// Files that signals are reported to, plus one; 0 for none.
static volatile sig_atomic_t signal_files[NSIG];

static void write_signal(int signal) {
    int error = errno;
    unsigned char byte = (unsigned char)signal;
    // When the pipe is full, the reader has enough to do.
    if (write(signal_files[signal] - 1, &byte, 1) < 0) errno = error;
    errno = error;
}

int fsk_report_signal(int signal, int file) {
    if (signal <= 0 || signal >= NSIG) {
        errno = EINVAL;
        return -1;
    }
    struct sigaction action = {.sa_flags = SA_RESTART};
    if (sigaction(signal, NULL, &action) != 0) return -1;
    // Whoever started the process wants it to go on, as nohup does.
    if (action.sa_handler == SIG_IGN) return 0;
    action.sa_flags = SA_RESTART;
    action.sa_handler = file < 0 ? SIG_DFL : write_signal;
    if (file >= 0) signal_files[signal] = file + 1;
    return sigaction(signal, &action, NULL);
}

int fsk_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

int fsk_process_file(int process) { return (int)syscall(SYS_pidfd_open, process, 0); }

int fsk_close_from(void *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}
