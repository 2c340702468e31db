package import FilesinkiModel
import FilesinkiSystem
import Glibc

/// Reads and replaces files that programs keep open and write to, such as databases.
///
/// The content of a live file is its snapshot. Its stamp is that of the file, with the change time
/// of its log if that is later, so that a commit into the log changes the stamp.
package protocol LiveFiles: Sendable {
    /// Whether a file with these first 16 bytes is a live file.
    func isLive(_ header: [UInt8]) -> Bool

    /// Makes a private, consistent copy of the content; nil when the file is not a live file.
    ///
    /// - Returns: A file that is removed with the value.
    func snapshot(at path: String) throws(Failure) -> (any LiveSnapshot)?

    /// Replaces the content in one transaction if the present content is the expected one; see
    /// `LiveDatabases.replace`.
    func replace(
        _ path: String, with content: String, isExpected: (String) throws(Failure) -> Bool
    ) throws(Failure) -> Bool

    /// Notes that a staged live file will be moved into the root: its content is then the one that it
    /// has now, whatever programs do to the file without changing the content.
    func willInstall(_ content: String) throws(Failure)
}

extension LiveFiles {
    package func willInstall(_ content: String) throws(Failure) {}
}

/// A private file that is removed with the value.
package protocol LiveSnapshot: Sendable {
    var path: String { get }
}

/// The suffixes of files that belong to a live file while it is in use. They are never synced.
///
/// A name of 252 bytes or more leaves no room for them: such a file has no companion, so they are looked for
/// with `statusIfNamed(_:)`.
enum LiveCompanion {
    static let log = Array("-wal".utf8)
    static let journal = Array("-journal".utf8)
    static let all = [log, Array("-shm".utf8), journal]
}

extension FileHandle {
    /// The first 16 bytes, or fewer of a shorter file. Does not move the read position.
    func header() -> [UInt8] {
        (try? read(from: 0, count: 16)) ?? []
    }

    /// Whether a name in this folder is a live file.
    func holdsLive(_ name: some Collection<UInt8>, _ live: (any LiveFiles)?) -> Bool {
        guard let live else { return false }
        guard let file = try? open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY),
            let status = try? file.status(), status.kind == .file
        else { return false }
        return live.isLive(file.header())
    }

    /// The status of a name, with the change time of its log if that is later.
    func liveStatus(of name: some Collection<UInt8>) throws(SystemError) -> FileStatus? {
        guard var found = try status(of: name) else { return nil }
        try addLogTime(&found, of: name)
        return found
    }

    /// Adds the change time of the log beside a file.
    func addLogTime(_ found: inout FileStatus, of name: some Collection<UInt8>) throws(SystemError)
    {
        guard found.kind == .file,
            let log = try statusIfNamed(Array(name) + LiveCompanion.log), log.kind == .file,
            log.stamp.size > 0
        else { return }
        // Not the log's change time: SQLite sets that by a chown whenever root opens the log.
        found.stamp.changed = max(found.stamp.changed, log.stamp.modified)
    }

    /// The present path of the folder without symlinks; nil when it is not UTF-8.
    var place: String? {
        guard let target = try? readLink(AT_FDCWD, "/proc/self/fd/\(raw)") else { return nil }
        return String(validating: target, as: UTF8.self)
    }
}

/// A file that is open for reading its content.
struct OpenContent: ~Copyable {
    /// The file, or its snapshot.
    let file: FileHandle
    /// The status of ``file`` before it is read.
    let before: FileStatus
    /// The status of the file in the tree: the stamp and mode to store.
    let shown: FileStatus
}

extension RootFolder {
    /// Opens a regular file, or the snapshot of a live one, for reading.
    func openContent(_ path: RelativePath) throws(Failure) -> OpenContent {
        let file = try openFile(path)
        let before: FileStatus
        do { before = try file.status() } catch { throw error.failure("examine it", path) }
        let isLive = live?.isLive(file.header()) ?? false
        guard isLive, let live else {
            return OpenContent(file: file, before: before, shown: before)
        }
        if let content = try openSnapshot(path, live) { return content }
        return OpenContent(file: file, before: before, shown: before)
    }

    /// - Returns: Nil for a file that is not live.
    private func openSnapshot(
        _ path: RelativePath, _ live: any LiveFiles
    ) throws(Failure) -> OpenContent? {
        let folder = try openParent(of: path)
        guard let place = folder.place, let name = String(validating: path.name, as: UTF8.self)
        else { return nil }
        do {
            // Before the snapshot, so that the next scan finds a commit in between.
            guard var shown = try folder.liveStatus(of: path.name) else {
                throw SystemError(ENOENT)
            }
            let log = try folder.statusIfNamed(Array(path.name) + LiveCompanion.log)
            shown.contentModified = max(
                shown.stamp.modified, log?.stamp.modified ?? shown.stamp.modified)
            guard let snapshot = try live.snapshot(at: "\(place)/\(name)") else { return nil }
            let file = try FileHandle(snapshot.path, O_RDONLY)
            // Before reading its status, which the removal of the name changes.
            unlink(snapshot.path)
            let before = try file.status()
            return OpenContent(file: file, before: before, shown: shown)
        } catch let error as SystemError {
            throw error.failure("read it", path)
        } catch let failure as Failure {
            throw failure.about(path)
        } catch { return nil }
    }

    /// Whether a path is a live file.
    package func isLive(_ path: RelativePath) -> Bool {
        guard live != nil, let folder = try? openParent(of: path) else { return false }
        return folder.holdsLive(path.name, live)
    }

    /// Whether a file has a log beside it, so that it must not be renamed alone.
    package func hasLog(_ path: RelativePath) -> Bool {
        guard live != nil, let folder = try? openParent(of: path) else { return false }
        let log = try? folder.status(of: Array(path.name) + LiveCompanion.log)
        return log.map { $0.kind == .file && $0.stamp.size > 0 } ?? false
    }
}

extension Failure {
    /// The failure with a path below the root.
    func about(_ path: RelativePath) -> Failure {
        Failure(code, path: path.bytes, message, remedy: remedy, cause: cause)
    }
}

/// The companions of live files among the names of a folder.
struct LiveNames {
    /// Companions, which are never synced.
    private(set) var hidden: Set<[UInt8]> = []
    /// Files that may have a log beside them.
    var logged: Set<[UInt8]> = []

    init() {}

    init(_ listing: FolderListing, in folder: borrowing FileHandle, _ live: (any LiveFiles)?) {
        guard let live else { return }
        var names: Set<[UInt8]> = []
        for entry in listing.entries {
            let name = listing.name(entry)
            // A quick check of the last byte: most names have no such suffix.
            guard let last = name.last, last == UInt8(ascii: "l") || last == UInt8(ascii: "m")
            else { continue }
            for ending in LiveCompanion.all where name.reversed().starts(with: ending.reversed()) {
                names.insert(Array(name))
            }
        }
        for name in names {
            for ending in LiveCompanion.all where name.reversed().starts(with: ending.reversed()) {
                let owner = Array(name.dropLast(ending.count))
                guard !owner.isEmpty, folder.holdsLive(owner, live) else { continue }
                hidden.insert(name)
                if ending == LiveCompanion.log { logged.insert(owner) }
            }
        }
    }
}

/// The state of the files that belong to a live file: a database's write-ahead log and its journal.
/// A commit changes one of them, but not always the file itself.
struct Companions {
    private enum State: Equatable {
        case absent
        case content(ContentID)
        /// It was being written, or is not a regular file.
        case unclear
    }

    private var states: [State] = []

    init(of name: [UInt8], in folder: borrowing FileHandle) throws(SystemError) {
        for ending in [LiveCompanion.log, LiveCompanion.journal] {
            states.append(try Self.state(of: name + ending, in: folder))
        }
    }

    private static func state(
        of name: [UInt8], in folder: borrowing FileHandle
    ) throws(SystemError) -> State {
        guard let status = try folder.statusIfNamed(name) else { return .absent }
        guard status.kind == .file, let content = try identity(of: name, in: folder) else {
            return .unclear
        }
        return .content(content)
    }

    /// Whether no commit happened in between.
    func isSame(as other: Companions) -> Bool {
        states == other.states && !states.contains(.unclear)
    }
}

extension LiveCompanion {
    /// The suffixes of the companions that exist beside a name.
    static func present(
        beside name: [UInt8], in folder: borrowing FileHandle
    ) throws(SystemError) -> [[UInt8]] {
        var found: [[UInt8]] = []
        for ending in all where try folder.statusIfNamed(name + ending) != nil {
            found.append(ending)
        }
        return found
    }
}

extension Staging {
    /// Moves the companions of a live file into the staging folder, under the file's staged name.
    func takeOutCompanions(
        _ folder: borrowing FileHandle, _ name: [UInt8], as aside: [UInt8]
    ) throws(SystemError) {
        for ending in LiveCompanion.all {
            do throws(SystemError) {
                try takeOut(folder, name + ending, as: aside + ending)
            } catch {
                // A name that leaves no room for the suffix has no companion.
                guard [ENOENT, ENAMETOOLONG].contains(error.number) else { throw error }
            }
        }
    }

    /// Removes what was moved to staging, the live file first: its absence marks the step as done.
    func drop(_ aside: [UInt8], isLive: Bool) throws(SystemError) {
        try folder.unlink(aside)
        guard isLive else { return }
        for ending in LiveCompanion.all { try folder.unlink(aside + ending) }
    }
}
