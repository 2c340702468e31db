import FilesinkiHashing
import FilesinkiModel
import FilesinkiSystem
import FilesinkiTesting
import Glibc
import Synchronization

@testable import FilesinkiFileSystem

/// A folder of its own for one test, with a root and a staging folder in it; removed at the end.
final class TemporaryTree: Sendable {
    /// Holds `root`, `staging` and whatever a test puts outside the root.
    let base: String
    let root: RootFolder
    let staging: Staging

    private static let counter = Atomic<Int>(0)

    /// - Parameters:
    ///   - calls: How files get other names.
    ///   - live: Who reads and replaces files that programs hold open.
    init(calls: NameCalls = NameCalls(), live: (any LiveFiles)? = nil) throws {
        let number = Self.counter.add(1, ordering: .relaxed).newValue
        base = "/tmp/filesinki-fs-tests-\(getpid())-\(number)"
        for folder in [base, base + "/root"] where mkdir(folder, 0o755) != 0 {
            throw SystemError.last
        }
        root = try RootFolder(path: base + "/root", live: live)
        staging = try Staging(root: root, folder: base + "/staging", calls: calls)
    }

    deinit { removeTree(Array(base.utf8)) }

    var writer: TreeWriter { TreeWriter(root: root, staging: staging, sync: .batch) }

    /// The absolute path of a path below the root.
    func absolute(_ path: String) -> String { "\(base)/root/\(path)" }

    func makeFolder(_ path: String) throws {
        guard mkdir(absolute(path), 0o755) == 0 else { throw SystemError.last }
    }

    /// Writes a file as a program does that overwrites in place.
    func write(_ text: String, to path: String, mode: mode_t = 0o644) throws {
        try Self.write(Array(text.utf8), absolute: absolute(path), mode: mode)
    }

    static func write(_ bytes: [UInt8], absolute path: String, mode: mode_t = 0o644) throws {
        guard let file = FileHandle(open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode))
        else {
            throw SystemError.last
        }
        try bytes.withUnsafeBytes { try file.write($0) }
    }

    /// Saves a file as careful programs do: under another name first.
    func save(_ text: String, to path: String) throws {
        let temporary = "\(base)/save-\(Self.counter.add(1, ordering: .relaxed).newValue)"
        try Self.write(Array(text.utf8), absolute: temporary)
        guard rename(temporary, absolute(path)) == 0 else { throw SystemError.last }
    }

    /// A file's content; nil if it does not exist.
    func read(_ path: String) throws -> String? {
        guard let file = FileHandle(open(absolute(path), O_RDONLY | O_CLOEXEC)) else { return nil }
        return String(decoding: try file.readAll(expecting: 1 << 16), as: UTF8.self)
    }

    func link(_ target: String, at path: String) throws {
        guard symlink(target, absolute(path)) == 0 else { throw SystemError.last }
    }

    func remove(_ path: String) { removeTree(Array(absolute(path).utf8)) }

    /// A staged and finished file.
    func staged(_ text: String, mode: UInt16 = 0o644, modified: Int64 = 1_000) throws -> StagedFile
    {
        let file = try staging.makeFile()
        var failed: Failure?
        Array(text.utf8).withUnsafeBytes { bytes in
            do throws(Failure) { try file.write(bytes) } catch { failed = error }
        }
        if let failed { throw failed }
        try file.finish(mode: mode, modified: Timestamp(nanoseconds: modified), sync: false)
        return file
    }

    /// The stamp of what is at a path now.
    func stamp(_ path: String) throws -> FileStamp {
        guard let status = try root.status(RelativePath(path)) else { throw SystemError(ENOENT) }
        return status.stamp
    }

    /// The tree as it is now, as a manifest would hold it.
    ///
    /// - Parameter scanner: Nil for one that sees everything.
    func known(_ scanner: Scanner? = nil) throws -> BaseSnapshot {
        let scanner = scanner ?? Scanner(root: root, filter: EverythingFilter())
        let found = try scanner.scan(BaseSnapshot([]))
        let files = try found.candidates.map { candidate in
            let (bytes, status) = try root.readWhole(candidate.path, limit: 1000)
            let entry = Entry.file(
                ContentHasher.hash(bytes), size: Int64(bytes.count), mode: status.mode,
                modified: status.stamp.modified)
            return BaseRow(
                path: candidate.path, entry: entry, version: 1, stamp: candidate.status.stamp)
        }
        let others = found.changed.map {
            BaseRow(path: $0.path, entry: $0.entry, version: 1, stamp: $0.stamp)
        }
        return BaseSnapshot(files + others)
    }

    /// The names in the staging folder.
    func leftovers() throws -> [String] { try Self.names(base + "/staging") }

    /// The names in a folder below the root.
    func names(_ path: String = "") throws -> [String] { try Self.names(absolute(path)) }

    static func names(_ path: String) throws -> [String] {
        guard let folder = FileHandle(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) else {
            throw SystemError.last
        }
        let listing = try FolderListing(folder)
        return listing.entries.map { String(decoding: listing.name($0), as: UTF8.self) }.sorted()
    }
}

/// `Testing` has an `Expectation` too.
typealias Expected = Expectation
