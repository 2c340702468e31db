import FilesinkiHashing
package import FilesinkiModel
import FilesinkiSystem
import Glibc

/// A folder in which a process waits for another one to do its work.
///
/// It counts for as long as its process holds it locked (flock(2)), so that what a killed process
/// wanted is never done later. Its files are the content that was given, and three small ones whose
/// names say how far the matter is: `wish` when it is complete, `taken` when somebody is at it,
/// `answer` when it is done.
package final class QueuedRequest: Sendable {
    private let folder: String
    private let lock: FileHandle

    private init(_ folder: String, _ lock: consuming FileHandle) {
        self.folder = folder
        self.lock = lock
    }

    deinit { Self.remove(folder) }

    /// Makes a ticket of a name that nobody else has, in a folder that is made when it is missing.
    package static func enqueue(in place: String, name: String) throws(Failure) -> QueuedRequest {
        try StateFile.makeFolder(place)
        for attempt in 0..<100 {
            let folder = "\(place)/\(name)-\(attempt)"
            guard mkdir(folder, 0o700) == 0 else {
                if errno == EEXIST { continue }
                throw SystemError.last.failure("create a folder to wait in", folder, of: .local)
            }
            // Until it is locked it looks like a dead one's, and may be cleared away.
            guard let lock = open(folder), (try? lock.lock(waits: true)) == true,
                lock.isStill(at: folder)
            else { continue }
            return QueuedRequest(folder, lock)
        }
        throw Failure(
            .busy, path: place, "No folder to wait in could be kept.",
            remedy: "Run again; see who clears the state folder away.")
    }

    /// Takes the content in, durably.
    package func fill(
        _ write: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws -> ContentID {
        let path = content
        let file = try NamedFile(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, of: .local)
        var hasher = ContentHasher()
        try write { bytes in
            hasher.update(bytes)
            try file.write(bytes)
        }
        try file.sync()
        return hasher.finish()
    }

    /// Gives the content back, piece by piece.
    package func read(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        try NamedFile(content, O_RDONLY | O_NOFOLLOW, of: .local).forEachPiece(body)
    }

    /// Lets others do it.
    package func submit(_ wish: [UInt8]) throws(Failure) {
        try StateFile.replace(folder + "/wish", with: wish, durable: false)
    }

    /// What came of it; nil while nobody has done it.
    package func answer() throws(Failure) -> [UInt8]? { try StateFile.read(folder + "/answer") }

    /// Takes it back.
    ///
    /// - Returns: Whether nobody had taken it.
    package func withdraw() -> Bool { unlink(folder + "/wish") == 0 }

    private var content: String { folder + "/content" }
}

/// A ticket as another process sees it, which does what it asks for.
package struct AcceptedRequest: Sendable {
    private let folder: String
    package let wish: [UInt8]

    /// Where its content is.
    package var content: String { folder + "/content" }

    /// Says what came of it.
    package func answer(_ bytes: [UInt8]) throws(Failure) {
        try StateFile.replace(folder + "/answer", with: bytes, durable: false)
    }

    /// Takes every ticket of a folder that is wanted and whose process is alive; those of the dead are
    /// cleared away.
    ///
    /// - Parameter isWanted: Told what a ticket wishes.
    package static func drain(
        in place: String, where isWanted: ([UInt8]) -> Bool
    ) -> [AcceptedRequest] {
        guard let names = try? QueuedRequest.names(in: place) else { return [] }
        return names.compactMap { name in
            let folder = "\(place)/\(name)"
            guard QueuedRequest.isAlive(folder), let found = try? StateFile.read(folder + "/wish"),
                isWanted(found),
                rename(folder + "/wish", folder + "/taken") == 0
            else { return nil }
            return AcceptedRequest(folder: folder, wish: found)
        }
    }
}

extension QueuedRequest {
    fileprivate static func names(in place: String) throws -> [String] {
        guard let folder = open(place) else { return [] }
        let listing = try FolderListing(folder)
        return listing.entries.map { String(decoding: listing.name($0), as: UTF8.self) }.sorted()
    }

    /// Clears away what no process holds.
    ///
    /// - Returns: Whether a process holds it.
    fileprivate static func isAlive(_ folder: String) -> Bool {
        guard let descriptor = open(folder) else { return false }
        guard (try? descriptor.lock(waits: false)) == true else { return true }
        // Still locked: who has made the folder just now waits, and then makes another one.
        remove(folder)
        return false
    }

    fileprivate static func remove(_ folder: String) {
        for name in ["wish", "taken", "answer", "content"] { unlink("\(folder)/\(name)") }
        rmdir(folder)
    }

    private static func open(_ folder: String) -> FileHandle? {
        try? FileHandle(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    }
}
