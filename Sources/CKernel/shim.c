// Linux system calls that glibc has no wrapper for; see the header.

#define _GNU_SOURCE
#include <malloc.h>
#include "CKernel.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
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

static int argument_count;
static char **arguments;

// glibc calls what initializes a program or library with the arguments of main.
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
    argument_count = count;
    arguments = values;
}

int fsk_argument_count(void) { return argument_count; }

char **fsk_arguments(void) { return arguments; }

// Whether the kernel, or the sandbox around this process, lacks openat2(2).
static int lacks_openat2(void) {
    static atomic_int known;  // 1: it is there, 2: it is not.
    int result = atomic_load(&known);
    if (result == 0) {
        struct open_how how = {.flags = O_PATH | O_CLOEXEC};
        long file = syscall(SYS_openat2, AT_FDCWD, "/", &how, sizeof how);
        if (file >= 0) close((int)file);
        // Old sandboxes deny calls that they do not know.
        result = file < 0 && (errno == ENOSYS || errno == EPERM) ? 2 : 1;
        atomic_store(&known, result);
    }
    return result == 2;
}

// Opens a name in a folder, never what a symlink leads to.
static int open_name(int folder, const char *name, int flags, unsigned int mode) {
    int file;
    do {
        file = openat(folder, name, flags | O_NOFOLLOW | O_CLOEXEC, mode);
    } while (file < 0 && errno == EINTR);
    struct stat found;
    if (file >= 0 && (flags & O_PATH) && !(flags & O_NOFOLLOW)) {
        // O_PATH has opened the symlink itself, which was not asked for.
        if (fstat(file, &found) == 0 && S_ISLNK(found.st_mode)) {
            close(file);
            errno = ELOOP;
            return -1;
        }
    } else if (file < 0 && errno == ENOTDIR) {
        // With O_DIRECTORY the error for a symlink is another one.
        int status = fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW);
        errno = status == 0 && S_ISLNK(found.st_mode) ? ELOOP : ENOTDIR;
    }
    return file;
}

int fsk_open_stepwise(int folder, const char *path, int flags, unsigned int mode) {
    if (strlen(path) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int current = folder;
    int file = -1;
    for (;;) {
        char name[NAME_MAX + 1];
        size_t length = strcspn(path, "/");
        int is_last = path[length] == '\0';
        if (length > NAME_MAX) {
            errno = ENAMETOOLONG;
            break;
        }
        memcpy(name, path, length);
        name[length] = '\0';
        if (*path == '/' || strcmp(name, "..") == 0) {
            errno = EXDEV;
            break;
        }
        file = open_name(current, name, is_last ? flags : O_PATH | O_DIRECTORY, mode);
        if (is_last || file < 0) break;
        if (current != folder) close(current);
        current = file;
        file = -1;
        path += length + 1;
    }
    int error = errno;
    if (current != folder) close(current);
    errno = error;
    return file;
}

int fsk_open_beneath(int folder, const char *path, int flags, unsigned int mode) {
    if (lacks_openat2()) return fsk_open_stepwise(folder, path, flags, mode);
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

int fsk_birth_time(int file, int64_t *seconds, uint32_t *nanoseconds) {
    struct statx found;
    if (statx(file, "", AT_EMPTY_PATH, STATX_BTIME, &found) != 0) return -1;
    if (!(found.stx_mask & STATX_BTIME)) {
        errno = ENOTSUP;
        return -1;
    }
    *seconds = found.stx_btime.tv_sec;
    *nanoseconds = found.stx_btime.tv_nsec;
    return 0;
}

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
