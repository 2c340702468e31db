import FilesinkiModel
import Glibc

extension UserAction {
    /// Does it below `root`.
    ///
    /// - Parameter time: The time of a file that is written.
    /// - Throws: ``FixtureFailure``.
    func perform(in root: String, at time: Timestamp) throws {
        switch self {
        case .write(let path, let serial, let writing):
            try Self.write(serial, writing, root, path, time)
        case .remove(let path): removeTree(Array((root + "/" + path).utf8))
        case .rename(let path, let new):
            guard !(new + "/").hasPrefix(path + "/"), !path.hasPrefix(new + "/") else { return }
            guard Self.kind(root + "/" + path) != nil else { return }
            try Self.makeRoom(root, new)
            Glibc.rename(root + "/" + path, root + "/" + new)
        case .makeFolder(let path):
            guard Self.kind(root + "/" + path) != S_IFDIR else { return }
            try Self.makeRoom(root, path)
            mkdir(root + "/" + path, 0o755)
            chmod(root + "/" + path, 0o755)
        case .link(let path, let serial):
            try Self.makeRoom(root, path)
            symlink("target \(serial)", root + "/" + path)
        case .changeMode(let path, let mode):
            switch Self.kind(root + "/" + path) {
            case S_IFREG: chmod(root + "/" + path, mode_t(mode))
            case S_IFDIR: chmod(root + "/" + path, mode_t(mode | 0o700))
            default: break
            }
        }
    }

    /// The bytes that a write with this number writes: no two numbers have the same, and all but the
    /// large ones are of one length.
    static func content(_ serial: Int, isLarge: Bool) -> [UInt8] {
        let text = String(serial)
        let head = Array(
            ("content " + String(repeating: "0", count: max(0, 6 - text.count)) + text + "\n").utf8)
        guard isLarge else { return head }
        var random = SeededRandom(seed: UInt64(serial))
        return head + random.bytes(300_000)
    }

    private static func write(
        _ serial: Int, _ writing: Writing, _ root: String, _ path: String, _ time: Timestamp
    ) throws {
        let bytes = content(serial, isLarge: writing == .large)
        let full = root + "/" + path
        if writing == .inPlace || writing == .stealthy, kind(full) == S_IFREG {
            var status = stat()
            lstat(full, &status)
            try put(bytes, full, O_WRONLY | O_TRUNC)
            let isQuiet = writing == .stealthy
            try setTime(full, isQuiet ? status.st_mtim : timespec(time))
            return
        }
        try makeRoom(root, path, keepsFile: true)
        let fresh = root + "/.filesinki/user"
        unlink(fresh)
        try put(bytes, fresh, O_WRONLY | O_CREAT | O_EXCL)
        chmod(fresh, 0o644)
        try setTime(fresh, timespec(time))
        guard Glibc.rename(fresh, full) == 0 else { throw FixtureFailure("rename", full, errno) }
    }

    /// Makes the folders of a path, and takes away what stands in the way.
    private static func makeRoom(_ root: String, _ path: String, keepsFile: Bool = false) throws {
        var folder = root
        for name in path.split(separator: "/").dropLast() {
            folder += "/" + name
            guard kind(folder) != S_IFDIR else { continue }
            unlink(folder)
            guard mkdir(folder, 0o755) == 0 else { throw FixtureFailure("mkdir", folder, errno) }
            chmod(folder, 0o755)
        }
        let full = root + "/" + path
        if keepsFile, kind(full) == S_IFREG { return }
        removeTree(Array(full.utf8))
    }

    private static func put(_ bytes: [UInt8], _ path: String, _ flags: Int32) throws {
        let file = open(path, flags | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw FixtureFailure("open", path, errno) }
        defer { close(file) }
        guard Glibc.write(file, bytes, bytes.count) == bytes.count else {
            throw FixtureFailure("write", path, errno)
        }
    }

    private static func setTime(_ path: String, _ time: timespec) throws {
        guard utimensat(AT_FDCWD, path, [time, time], AT_SYMLINK_NOFOLLOW) == 0 else {
            throw FixtureFailure("utimensat", path, errno)
        }
    }

    private static func kind(_ path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }
}

extension timespec {
    fileprivate init(_ time: Timestamp) {
        self.init(tv_sec: Int(time.seconds), tv_nsec: Int(time.remainder))
    }
}
