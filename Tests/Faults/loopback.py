"""A file system in user space that shows a folder at another place, for tests.

    loopback.py [--fold | --fold-in=NAME] [--no-links] FOLDER PLACE

With libfuse 2, as here, no flag of renameat2(2) is known: the kernel answers EINVAL. With --fold the
spelling of ASCII letters and the Unicode form of a name do not count: a name is found under any of
them, and listed as it was made; with --fold-in only in folders of that name and below them. It runs until it is unmounted, and says "ready" when it is there.
"""

import errno
import os
import sys
import unicodedata

import mfusepy


def folded(name):
    return unicodedata.normalize("NFC", name).casefold()


class Loopback(mfusepy.Operations):
    use_ns = True

    def __init__(self, folder, folds, fold_in, links):
        self.folder = folder
        self.folds = folds
        self.fold_in = fold_in
        self.links = links

    def real(self, path):
        """Where a path is, name by name as the folders list it."""
        if not self.folds and not self.fold_in:
            return self.folder + path
        place = self.folder
        folds = self.folds
        for name in path.split("/"):
            if not name:
                continue
            if folds and not os.path.lexists(os.path.join(place, name)):
                try:
                    listed = os.listdir(place)
                except OSError:
                    listed = []
                name = next((n for n in listed if folded(n) == folded(name)), name)
            place = os.path.join(place, name)
            folds = folds or name == self.fold_in
        return place

    def init_with_config(self, connection, config):
        print("ready", flush=True)

    def getattr(self, path, fh=None):
        status = os.fstat(fh) if fh is not None else os.lstat(self.real(path))
        names = ["mode", "ino", "dev", "nlink", "uid", "gid", "size", "blocks"]
        result = {"st_" + name: getattr(status, "st_" + name) for name in names}
        for name in ["atime", "mtime", "ctime"]:
            result["st_" + name] = getattr(status, f"st_{name}_ns")
        return result

    def readdir(self, path, fh):
        place = self.real(path)
        names = [(".", place), ("..", place)]
        names += [(name, os.path.join(place, name)) for name in os.listdir(place)]
        # A name without a number is not shown by the C library.
        return [(name, {"st_ino": os.lstat(at).st_ino}, 0) for name, at in names]

    def readlink(self, path):
        return os.readlink(self.real(path))

    def mkdir(self, path, mode):
        os.mkdir(self.real(path), mode)
        return 0

    def rmdir(self, path):
        os.rmdir(self.real(path))
        return 0

    def unlink(self, path):
        os.unlink(self.real(path))
        return 0

    def symlink(self, target, source):
        os.symlink(source, self.real(target))
        return 0

    def rename(self, old, new):
        source, goal = self.real(old), self.real(new)
        if source == goal and old != new:
            goal = os.path.join(os.path.dirname(goal), os.path.basename(new))
        os.rename(source, goal)
        return 0

    def link(self, target, source):
        if not self.links:
            raise mfusepy.FuseOSError(errno.EPERM)
        os.link(self.real(source), self.real(target), follow_symlinks=False)
        return 0

    def chmod(self, path, mode):
        os.chmod(self.real(path), mode)
        return 0

    def chown(self, path, uid, gid):
        os.chown(self.real(path), uid, gid, follow_symlinks=False)
        return 0

    def truncate(self, path, length, fh=None):
        os.truncate(self.real(path) if fh is None else fh, length)
        return 0

    def utimens(self, path, times=None):
        os.utime(self.real(path), ns=times, follow_symlinks=False)
        return 0

    def statfs(self, path):
        status = os.statvfs(self.real(path))
        names = ["bavail", "bfree", "blocks", "bsize", "favail", "ffree", "files", "flag", "frsize"]
        return {"f_" + name: getattr(status, "f_" + name) for name in names + ["namemax"]}

    def create(self, path, mode, fi=None):
        return os.open(self.real(path), os.O_RDWR | os.O_CREAT | os.O_TRUNC, mode)

    def open(self, path, flags):
        return os.open(self.real(path), flags & ~os.O_NOFOLLOW)

    def read(self, path, size, offset, fh):
        return os.pread(fh, size, offset)

    def write(self, path, data, offset, fh):
        return os.pwrite(fh, data, offset)

    def flush(self, path, fh):
        return 0

    def fsync(self, path, datasync, fh):
        os.fsync(fh)
        return 0

    def release(self, path, fh):
        os.close(fh)
        return 0


words = [word for word in sys.argv[1:] if not word.startswith("--")]
options = set(sys.argv[1:]) - set(words)
fold_in = next((o.partition("=")[2] for o in options if o.startswith("--fold-in=")), None)
os.umask(0)
mfusepy.FUSE(
    Loopback(os.path.abspath(words[0]), "--fold" in options, fold_in, "--no-links" not in options),
    words[1], foreground=True, nothreads=True, allow_other=True, use_ino=True,
    entry_timeout=0, attr_timeout=0, negative_timeout=0, ac_attr_timeout=0)
