import FilesinkiHashing
package import FilesinkiModel
import FilesinkiSystem
import Glibc

/// A request of this process that another process may carry out, stored as a folder.
///
/// It is valid while its process holds the folder locked (flock(2)), so that a request of a killed
/// process is never carried out. Its files are the content and three small ones for its state:
/// `request` when it is submitted, `claimed` when another process has accepted it, `response` when
/// it is done.
package final class QueuedRequest: Sendable {
    private let folder: String
    private let lock: FileHandle

    private init(_ folder: String, _ lock: consuming FileHandle) {
        self.folder = folder
        self.lock = lock
    }

    deinit { Self.remove(folder) }

    /// Creates a request with a unique name in the folder `place`, which is created if missing.
    package static func create(in place: String, name: String) throws(Failure) -> QueuedRequest {
        try StateFile.makeFolder(place)
        for attempt in 0..<100 {
            let folder = "\(place)/\(name)-\(attempt)"
            guard mkdir(folder, 0o700) == 0 else {
                if errno == EEXIST { continue }
                throw SystemError.last.failure("create a queue folder", folder, of: .local)
            }
            // Until it is locked it looks abandoned and may be removed.
            guard let lock = open(folder), (try? lock.lock(waits: true)) == true,
                lock.isStill(at: folder)
            else { continue }
            return QueuedRequest(folder, lock)
        }
        throw Failure(
            .busy, path: place, "The queue folder was removed again and again.",
            remedy: "Run again; check which program deletes files in the state folder.")
    }

    /// Stores the content durably.
    package func writeContent(
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

    /// Reads the content piece by piece.
    package func readContent(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        try NamedFile(content, O_RDONLY | O_NOFOLLOW, of: .local).forEachPiece(body)
    }

    /// Offers the request to other processes.
    package func submit(_ request: [UInt8]) throws(Failure) {
        try StateFile.replace(folder + "/request", with: request, durable: false)
    }

    /// The response; nil while the request has not been carried out.
    package func response() throws(Failure) -> [UInt8]? { try StateFile.read(folder + "/response") }

    /// Withdraws the request.
    ///
    /// - Returns: False when another process has accepted it.
    package func withdraw() -> Bool { unlink(folder + "/request") == 0 }

    private var content: String { folder + "/content" }
}

/// A request of another process that this one carries out.
package struct AcceptedRequest: Sendable {
    private let folder: String
    package let request: [UInt8]

    /// The path of its content.
    package var content: String { folder + "/content" }

    /// Stores the response.
    package func respond(_ bytes: [UInt8]) throws(Failure) {
        try StateFile.replace(folder + "/response", with: bytes, durable: false)
    }

    /// Accepts the matching requests of a folder whose processes are alive. Removes those of dead
    /// processes.
    ///
    /// - Parameter isWanted: Whether to accept a request with these bytes.
    package static func acceptAll(
        in place: String, where isWanted: ([UInt8]) -> Bool
    ) -> [AcceptedRequest] {
        guard let names = try? QueuedRequest.names(in: place) else { return [] }
        return names.compactMap { name in
            let folder = "\(place)/\(name)"
            guard QueuedRequest.isAlive(folder),
                let found = try? StateFile.read(folder + "/request"),
                isWanted(found),
                rename(folder + "/request", folder + "/claimed") == 0
            else { return nil }
            return AcceptedRequest(folder: folder, request: found)
        }
    }
}

extension QueuedRequest {
    fileprivate static func names(in place: String) throws -> [String] {
        guard let folder = open(place) else { return [] }
        let listing = try FolderListing(folder)
        return listing.entries.map { String(decoding: listing.name($0), as: UTF8.self) }.sorted()
    }

    /// Removes the request if no process holds its lock.
    ///
    /// - Returns: Whether a process holds its lock.
    fileprivate static func isAlive(_ folder: String) -> Bool {
        guard let descriptor = open(folder) else { return false }
        guard (try? descriptor.lock(waits: false)) == true else { return true }
        // Still locked here: a process that has just created the folder waits, and then creates
        // another one.
        remove(folder)
        return false
    }

    fileprivate static func remove(_ folder: String) {
        for name in ["request", "claimed", "response", "content"] { unlink("\(folder)/\(name)") }
        rmdir(folder)
    }

    private static func open(_ folder: String) -> FileHandle? {
        try? FileHandle(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    }
}
