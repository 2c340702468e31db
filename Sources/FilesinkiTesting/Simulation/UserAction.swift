import FilesinkiModel
import FilesinkiRules
import Glibc

/// A change to the files of one replica by its user, between two runs or during one.
///
/// Paths are short texts such as `a/x`. An action that does not apply, such as the removal of a missing file,
/// does nothing, so that a history remains valid when any of its steps is left out.
package enum UserAction: Hashable, Sendable {
    /// How a program writes a file.
    package enum Writing: String, Hashable, Sendable, CaseIterable {
        /// By a new file that is renamed.
        case replacing
        /// By overwriting the file.
        case inPlace = "in place"
        /// By overwriting the file with the same size and modification time.
        case stealthy
        /// As `replacing`, with more bytes than a commit can contain.
        case large
        /// As `replacing`, with a text that users edit line by line, or at a path that ends in `.json`, an object
        /// that they edit member by member.
        case text
    }

    /// A change to one line of a text or to one member of a document. Places are counted modulo the number of lines.
    package enum Edit: Hashable, Sendable {
        case add(at: Int, serial: Int)
        case change(at: Int, serial: Int)
        case remove(at: Int)

        var serial: Int? {
            switch self {
            case .add(_, let serial), .change(_, let serial): serial
            case .remove: nil
            }
        }
    }

    /// Writes a file. `serial` identifies its content, which no other write of the history has. Removes a
    /// folder at the path, and files in place of its parent folders.
    case write(String, serial: Int, Writing)
    /// Edits a text, and replaces the file.
    case edit(String, Edit)
    /// Removes a file, a link, or a folder with everything in it.
    case remove(String)
    /// Renames a file or folder, replacing what has the new name.
    case rename(String, to: String)
    /// Renames a file or folder as `mv -T` does: over a file or an empty folder, and not over a full one.
    case move(String, to: String)
    /// Two files or folders change names.
    case swap(String, String)
    case makeFolder(String)
    /// Creates a symlink. `serial` identifies its target.
    case link(String, serial: Int)
    case changeMode(String, UInt16)
    /// Writes the ignore file of the root, which is synced. `serial` identifies its content.
    case rule(String, serial: Int)
}

extension UserAction: CustomStringConvertible {
    package var description: String {
        switch self {
        case .write(let path, let serial, let writing):
            "writes \(serial) to \(path), \(writing.rawValue)"
        case .edit(let path, .add(let place, let serial)):
            "adds line \(serial) to \(path) at \(place)"
        case .edit(let path, .change(let place, let serial)):
            "changes line \(place) of \(path) to \(serial)"
        case .edit(let path, .remove(let place)): "removes line \(place) of \(path)"
        case .remove(let path): "removes \(path)"
        case .rename(let path, let new): "renames \(path) to \(new)"
        case .move(let path, let new): "moves \(path) to \(new)"
        case .swap(let one, let other): "swaps \(one) and \(other)"
        case .makeFolder(let path): "makes the folder \(path)"
        case .link(let path, let serial): "links \(path) to \(serial)"
        case .changeMode(let path, let mode): "gives \(path) the mode \(String(mode, radix: 8))"
        case .rule(let pattern, let serial): "ignores \(pattern) on all devices, rule \(serial)"
        }
    }
}

extension UserAction {
    var isRename: Bool { !renames.isEmpty }

    /// Whether it writes or removes the ignore file of the root.
    var changesRules: Bool {
        switch self {
        case .rule: true
        case .remove(let path): path == IgnoreFilter.fileName
        default: false
        }
    }

    /// What gets which name.
    var renames: [(old: String, new: String)] {
        switch self {
        case .rename(let old, let new), .move(let old, let new): [(old, new)]
        case .swap(let one, let other): [(one, other), (other, one)]
        default: []
        }
    }

    /// Performs the action below `root`.
    ///
    /// - Parameter time: The modification time of a written file.
    /// - Throws: ``FixtureError``.
    func perform(in root: String, at time: Timestamp) throws {
        switch self {
        case .write(let path, let serial, let writing):
            try Self.write(serial, writing, root, path, time)
        case .edit(let path, let edit):
            guard Self.kind(root + "/" + path) == S_IFREG,
                var text = SimulatedText(try Self.contents(root + "/" + path))
            else { return }
            text.apply(edit)
            try Self.replace(text.bytes, root, path, time)
        case .remove(let path): removeTree(Array((root + "/" + path).utf8))
        case .rename(let path, let new):
            guard !(new + "/").hasPrefix(path + "/"), !path.hasPrefix(new + "/") else { return }
            guard Self.kind(root + "/" + path) != nil else { return }
            try Self.makeRoom(root, new)
            Glibc.rename(root + "/" + path, root + "/" + new)
        case .move(let path, let new):
            guard Self.areApart(path, new), Self.kind(root + "/" + path) != nil else { return }
            try Self.makeParents(root, new)
            // Fails where a folder with something in it has the name.
            Glibc.rename(root + "/" + path, root + "/" + new)
        case .swap(let one, let other):
            let (first, second) = (root + "/" + one, root + "/" + other)
            guard Self.areApart(one, other), Self.kind(first) != nil, Self.kind(second) != nil
            else { return }
            let between = root + "/.filesinki/swapped"
            Glibc.rename(first, between)
            Glibc.rename(second, first)
            Glibc.rename(between, second)
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
        case .rule(let pattern, let serial):
            let text = "\(pattern)\n# \(serial)\n"
            try Self.replace(Array(text.utf8), root, IgnoreFilter.fileName, time)
        }
    }

    /// The content with this serial number. All contents differ, and have the same length unless large.
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
        let bytes =
            writing == .text
            ? SimulatedText(serial: serial, at: path).bytes
            : content(serial, isLarge: writing == .large)
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
        try replace(bytes, root, path, time)
    }

    private static func replace(
        _ bytes: [UInt8], _ root: String, _ path: String, _ time: Timestamp
    ) throws {
        let full = root + "/" + path
        let fresh = root + "/.filesinki/user"
        unlink(fresh)
        try put(bytes, fresh, O_WRONLY | O_CREAT | O_EXCL)
        chmod(fresh, 0o644)
        try setTime(fresh, timespec(time))
        guard Glibc.rename(fresh, full) == 0 else { throw FixtureError("rename", full, errno) }
    }

    /// Whether neither path is the other one or inside it.
    private static func areApart(_ one: String, _ other: String) -> Bool {
        !(one + "/").hasPrefix(other + "/") && !(other + "/").hasPrefix(one + "/")
    }

    /// Creates the parent folders of a path, and removes what is in the way.
    private static func makeRoom(_ root: String, _ path: String, keepsFile: Bool = false) throws {
        try makeParents(root, path)
        let full = root + "/" + path
        if keepsFile, kind(full) == S_IFREG { return }
        removeTree(Array(full.utf8))
    }

    /// Creates the parent folders of a path, and removes files in their place.
    private static func makeParents(_ root: String, _ path: String) throws {
        var folder = root
        for name in path.split(separator: "/").dropLast() {
            folder += "/" + name
            guard kind(folder) != S_IFDIR else { continue }
            unlink(folder)
            guard mkdir(folder, 0o755) == 0 else { throw FixtureError("mkdir", folder, errno) }
            chmod(folder, 0o755)
        }
    }

    private static func contents(_ path: String) throws -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw FixtureError("open", path, errno) }
        defer { close(file) }
        var status = stat()
        fstat(file, &status)
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        guard read(file, &bytes, bytes.count) == bytes.count else {
            throw FixtureError("read", path, errno)
        }
        return bytes
    }

    private static func put(_ bytes: [UInt8], _ path: String, _ flags: Int32) throws {
        let file = open(path, flags | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw FixtureError("open", path, errno) }
        defer { close(file) }
        guard Glibc.write(file, bytes, bytes.count) == bytes.count else {
            throw FixtureError("write", path, errno)
        }
    }

    private static func setTime(_ path: String, _ time: timespec) throws {
        guard utimensat(AT_FDCWD, path, [time, time], AT_SYMLINK_NOFOLLOW) == 0 else {
            throw FixtureError("utimensat", path, errno)
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
