// Stops a program at its Nth call that changes something, counted over all of its threads and
// children, and then does what the tests want to see survived.
//
//   killat -c COMMAND...              only counts; the number goes to descriptor 3
//   killat -n N COMMAND...            kills all of it before call N
//   killat -n N -a COMMAND...         kills all of it after call N
//   killat -n N -e ERRNO COMMAND...   lets call N fail with that error
//   killat -r NAME ...                counts reads of files whose path ends with NAME instead
//   killat -n N -x SHELL COMMAND...   runs a line of shell while call N waits
//   killat -s FOLDER ...              keeps in FOLDER what each sync put on the disk: see below
//
// Before these, -f lets every renameat2(2) with a flag fail with EINVAL, as on NFS and libfuse 2, and
// -l every link(2) with EPERM, as on file systems without links.
//
// Exit code: the program's own; 137 when it was killed; 99 when there is no call N; 97 when the
// system does not let one process trace another.
//
// seccomp(2) stops only the calls of the table below, so all else runs at full speed; ptrace(2)
// hears of each stop, in whichever thread it is.
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_ALLOWED = 97, USAGE = 98, NEVER_REACHED = 99, KILLED = 137 };

// The calls that change a file system. Opening counts only where it makes or empties a file.
static const int points[] = {
    SYS_openat, SYS_openat2, SYS_write, SYS_pwrite64, SYS_writev, SYS_pwritev, SYS_ftruncate,
    SYS_fallocate, SYS_renameat2, SYS_linkat, SYS_symlinkat, SYS_unlinkat, SYS_mkdirat, SYS_fsync,
    SYS_fdatasync, SYS_syncfs, SYS_copy_file_range, SYS_sendfile, SYS_fchmod, SYS_fchmodat,
    SYS_utimensat,
#ifdef SYS_rename  // Newer architectures have only the calls above.
    SYS_open, SYS_creat, SYS_rename, SYS_link, SYS_symlink, SYS_unlink, SYS_mkdir, SYS_rmdir,
    SYS_chmod,
#endif
#ifdef SYS_renameat
    SYS_renameat,
#endif
};
enum { POINTS = sizeof points / sizeof *points };

// With -r, the calls that read a file.
static const int reads[] = {SYS_read, SYS_pread64};
enum { READS = sizeof reads / sizeof *reads };

static struct {
    long wanted;
    int only_counts, kills_after, error, no_flags, no_links;
    const char *shell;
    const char *read_name;
    const char *kept;
} task;

static pid_t tracees[4096];
static int tracee_count;

static void note(pid_t process) {
    for (int i = 0; i < tracee_count; i++)
        if (tracees[i] == process) return;
    if (tracee_count < 4096) tracees[tracee_count++] = process;
}

static void forget(pid_t process) {
    for (int i = 0; i < tracee_count; i++)
        if (tracees[i] == process) tracees[i] = tracees[--tracee_count];
}

static void kill_all(void) {
    for (int i = 0; i < tracee_count; i++) kill(tracees[i], SIGKILL);
}

// In the child: becomes the program, with the points filtered.
static void become(char **command) {
    struct sock_filter filter[2 * POINTS + 2] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    int length = 1;
    const int *calls = task.read_name ? reads : points;
    int count = task.read_name ? READS : POINTS;
    for (int i = 0; i < count; i++) {
        filter[length++] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i], 0, 1);
        filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
    }
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {length, filter};
    if (ptrace(PTRACE_TRACEME, 0, 0, 0)) _exit(NOT_ALLOWED);
    raise(SIGSTOP);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) _exit(NOT_ALLOWED);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) _exit(NOT_ALLOWED);
    execvp(command[0], command);
    _exit(127);
}

// Whether the call that a tracee waits in reads the file that is meant.
static int reads_file(pid_t process, const struct __ptrace_syscall_info *call) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)process, (int)call->seccomp.args[0]);
    ssize_t length = readlink(link, path, sizeof path);
    size_t end = strlen(task.read_name);
    return length >= (ssize_t)end && !memcmp(path + length - end, task.read_name, end);
}

// Whether the call that a tracee waits in changes anything.
static int changes(pid_t process, const struct __ptrace_syscall_info *call) {
    long flags;
    if (task.read_name) return reads_file(process, call);
    switch (call->seccomp.nr) {
    case SYS_openat: flags = (long)call->seccomp.args[2]; break;
#ifdef SYS_open
    case SYS_open: flags = (long)call->seccomp.args[1]; break;
#endif
    case SYS_openat2:
        errno = 0;
        flags = ptrace(PTRACE_PEEKDATA, process, (void *)call->seccomp.args[2], 0);
        if (errno) return 1;
        break;
    default: return 1;
    }
    return (flags & (O_CREAT | O_TRUNC)) != 0;
}

// Lets the waiting call do nothing.
static void skip_call(pid_t process) {
#if defined(__x86_64__)
    ptrace(PTRACE_POKEUSER, process, (void *)offsetof(struct user_regs_struct, orig_rax), -1L);
#elif defined(__aarch64__)
    int none = -1;
    struct iovec part = {&none, sizeof none};
    ptrace(PTRACE_SETREGSET, process, (void *)NT_ARM_SYSTEM_CALL, &part);
#endif
}

// Sets what the call that just ended has returned.
static void set_result(pid_t process, long result) {
    struct user_regs_struct registers;
    struct iovec all = {&registers, sizeof registers};
    if (ptrace(PTRACE_GETREGSET, process, (void *)NT_PRSTATUS, &all)) return;
#if defined(__x86_64__)
    registers.rax = (unsigned long)result;
#elif defined(__aarch64__)
    registers.regs[0] = (unsigned long)result;
#endif
    ptrace(PTRACE_SETREGSET, process, (void *)NT_PRSTATUS, &all);
}

static void run_shell(void) {
    pid_t shell = fork();
    if (!shell) {
        execl("/bin/sh", "sh", "-c", task.shell, (char *)0);
        _exit(127);
    }
    while (waitpid(shell, 0, 0) < 0 && errno == EINTR) {}
}

// At the wanted call. Returns how the tracee goes on; 0 when there is nobody left to go on.
static int strike(pid_t process) {
    if (task.shell) {
        run_shell();
        return PTRACE_CONT;
    }
    if (task.error) {
        skip_call(process);
        return PTRACE_SYSCALL;
    }
    if (task.kills_after) return PTRACE_SYSCALL;
    kill_all();
    return 0;
}

// The error that a call fails with on the file system that is played; 0 for none.
static int refusal(const struct __ptrace_syscall_info *call) {
    switch (call->seccomp.nr) {
    case SYS_renameat2: return task.no_flags && call->seccomp.args[4] ? EINVAL : 0;
#ifdef SYS_link
    case SYS_link:
#endif
    case SYS_linkat: return task.no_links ? EPERM : 0;
    default: return 0;
    }
}

// What the calls of tracees that are being refused will have returned.
static struct { pid_t process; int error; } refused[64];

static int *refused_error(pid_t process) {
    for (int i = 0; i < 64; i++)
        if (refused[i].process == process) return &refused[i].error;
    return 0;
}

static void refuse(pid_t process, int error) {
    for (int i = 0; i < 64; i++) {
        if (refused[i].process) continue;
        refused[i].process = process;
        refused[i].error = error;
        skip_call(process);
        return;
    }
}

static void forget_refusal(pid_t process) {
    for (int i = 0; i < 64; i++)
        if (refused[i].process == process) refused[i].process = 0;
}

// With -s. Everything below the working folder counts as synced at first; then each fsync(2) and fdatasync(2) keeps
// the file or folder, and syncfs(2) everything, as FOLDER/NUMBER.KIND.ID: the content of a file (f), or the entries of a
// folder (d), each as "KIND ID MODE", the name and the target of a symlink, all of which end with a zero. What a power
// cut leaves of an id is what was kept of it last, or more. At the end the entries that were seen by all, synced or not,
// are kept as kind e. The id has the time of birth: numbers of inodes are used again.
static long sync_number;
static int has_ended;

static int identify(const char *path, int follows, struct statx *found, char *id, size_t size) {
    int flags = follows ? 0 : AT_SYMLINK_NOFOLLOW;
    if (statx(AT_FDCWD, path, flags, STATX_BASIC_STATS | STATX_BTIME, found)) return -1;
    long long born = found->stx_btime.tv_sec * 1000000000LL + found->stx_btime.tv_nsec;
    snprintf(id, size, "%llu-%lld", (unsigned long long)found->stx_ino, born);
    return 0;
}

static void keep_content(const char *path, const char *to, const struct statx *found) {
    char buffer[65536];
    int in = open(path, O_RDONLY | O_NOATIME), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ssize_t length;
    while (in >= 0 && out >= 0 && (length = read(in, buffer, sizeof buffer)) > 0)
        if (write(out, buffer, length) != length) _exit(USAGE);
    struct timespec times[2] = {
        {found->stx_atime.tv_sec, found->stx_atime.tv_nsec},
        {found->stx_mtime.tv_sec, found->stx_mtime.tv_nsec}};
    fchmod(out, found->stx_mode & 07777);
    futimens(out, times);
    close(in);
    close(out);
}

static void keep_entries(const char *path, const char *to) {
    DIR *folder = opendir(path);
    FILE *out = fopen(to, "w");
    struct dirent *entry;
    while (folder && out && (entry = readdir(folder))) {
        char name[PATH_MAX + 300], target[PATH_MAX] = "", id[64];
        struct statx found;
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (identify(name, 0, &found, id, sizeof id)) continue;
        int mode = found.stx_mode;
        char kind = S_ISDIR(mode) ? 'd' : S_ISLNK(mode) ? 'l' : 'f';
        if (kind == 'l' && readlink(name, target, sizeof target - 1) < 0) continue;
        fprintf(out, "%c %s %o%c%s%c%s%c", kind, id, mode & 07777, 0, entry->d_name, 0, target, 0);
    }
    if (folder) closedir(folder);
    if (out) fclose(out);
}

static void keep(const char *path, int follows) {
    char id[64], to[PATH_MAX];
    struct statx found;
    if (identify(path, follows, &found, id, sizeof id)) return;
    int is_folder = S_ISDIR(found.stx_mode);
    if (!is_folder && !S_ISREG(found.stx_mode)) return;
    if (has_ended && !is_folder) return;
    int kind = has_ended ? 'e' : is_folder ? 'd' : 'f';
    snprintf(to, sizeof to, "%s/%ld.%c.%s", task.kept, sync_number, kind, id);
    if (is_folder)
        keep_entries(path, to);
    else
        keep_content(path, to, &found);
}

static int keep_each(const char *path, const struct stat *found, int kind, struct FTW *place) {
    (void)found;
    (void)place;
    if (kind == FTW_D && strstr(path, task.kept)) return FTW_SKIP_SUBTREE;
    keep(path, 0);
    return FTW_CONTINUE;
}

static void keep_all(void) { nftw(".", keep_each, 32, FTW_PHYS | FTW_ACTIONRETVAL); }

// What the syncs of tracees that wait in one are about; a descriptor of -1 is everything.
static struct { pid_t process; int descriptor; } syncing[64];

// Whether the call that a tracee waits in is a sync whose end matters.
static int begins_sync(pid_t process, const struct __ptrace_syscall_info *call) {
    long number = (long)call->seccomp.nr;
    if (!task.kept || (number != SYS_fsync && number != SYS_fdatasync && number != SYS_syncfs))
        return 0;
    for (int i = 0; i < 64; i++) {
        if (syncing[i].process) continue;
        syncing[i].process = process;
        syncing[i].descriptor = number == SYS_syncfs ? -1 : (int)call->seccomp.args[0];
        return 1;
    }
    return 0;
}

static void end_sync(pid_t process) {
    struct __ptrace_syscall_info end;
    for (int i = 0; i < 64; i++) {
        char link[64];
        if (syncing[i].process != process) continue;
        syncing[i].process = 0;
        if (ptrace(PTRACE_GET_SYSCALL_INFO, process, (void *)sizeof end, &end) <= 0) return;
        if (end.op != PTRACE_SYSCALL_INFO_EXIT || end.exit.rval) return;
        sync_number++;
        snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)process, syncing[i].descriptor);
        if (syncing[i].descriptor < 0)
            keep_all();
        else
            keep(link, 1);
        return;
    }
}

// Follows the program to its end. Returns the exit code; `seen` is the number of points.
static int follow(pid_t first, long *seen) {
    int status, code = 0, has_begun = 0;
    pid_t struck = 0;
    while (1) {
        pid_t process = waitpid(-1, &status, __WALL);
        if (process < 0) {
            if (errno == EINTR) continue;
            return code;
        }
        if (!WIFSTOPPED(status)) {
            forget(process);
            if (process == first)
                code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            continue;
        }
        note(process);
        int signal = WSTOPSIG(status), event = status >> 16, how = PTRACE_CONT, passed_on = 0;
        if (signal == SIGTRAP && event == PTRACE_EVENT_EXEC) {
            has_begun = 1;
        } else if (signal == SIGTRAP && event == PTRACE_EVENT_SECCOMP) {
            struct __ptrace_syscall_info call;
            long size = ptrace(PTRACE_GET_SYSCALL_INFO, process, (void *)sizeof call, &call);
            int error = has_begun && size > 0 ? refusal(&call) : 0;
            if (error) {
                refuse(process, error);
                how = PTRACE_SYSCALL;
            }
            if (has_begun && size > 0 && changes(process, &call) && ++*seen == task.wanted) {
                struck = process;
                int wanted = strike(process);
                if (!error || !wanted) how = wanted;
            }
            if (has_begun && size > 0 && how == PTRACE_CONT && begins_sync(process, &call))
                how = PTRACE_SYSCALL;
        } else if (signal == (SIGTRAP | 0x80)) {  // A call that was struck or refused, or a sync, has ended.
            end_sync(process);
            int *error = refused_error(process);
            if (error) set_result(process, -*error);
            forget_refusal(process);
            if (process == struck && task.error) set_result(process, -task.error);
            if (process == struck && task.kills_after) {
                kill_all();
                continue;
            }
        } else if (signal != SIGTRAP && signal != SIGSTOP) {
            passed_on = signal;
        }
        if (how) ptrace(how, process, 0, passed_on);
    }
}

int main(int count, char **arguments) {
    int option;
    while ((option = getopt(count, arguments, "+cn:ae:x:r:s:fl")) != -1) {
        switch (option) {
        case 'c': task.only_counts = 1; break;
        case 'n': task.wanted = atol(optarg); break;
        case 'a': task.kills_after = 1; break;
        case 'e': task.error = atoi(optarg); break;
        case 'x': task.shell = optarg; break;
        case 'r': task.read_name = optarg; break;
        case 's': task.kept = optarg; break;
        case 'f': task.no_flags = 1; break;
        case 'l': task.no_links = 1; break;
        default: return USAGE;
        }
    }
    int has_aim = task.only_counts || task.kept || task.wanted > 0;
    if (optind >= count || !has_aim) return USAGE;
    pid_t child = fork();
    if (child < 0) return NOT_ALLOWED;
    if (!child) become(arguments + optind);
    int status;
    if (waitpid(child, &status, 0) < 0 || !WIFSTOPPED(status)) return NOT_ALLOWED;
    note(child);
    long options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
                   PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL |
                   PTRACE_O_TRACESYSGOOD;
    if (ptrace(PTRACE_SETOPTIONS, child, 0, options) || ptrace(PTRACE_CONT, child, 0, 0)) {
        kill(child, SIGKILL);
        return NOT_ALLOWED;
    }
    long seen = 0;
    if (task.kept) keep_all();
    int code = follow(child, &seen);
    has_ended = 1;
    if (task.kept) keep_all();
    if (task.only_counts) dprintf(3, "%ld\n", seen);
    return !task.only_counts && seen < task.wanted ? NEVER_REACHED : code;
}
