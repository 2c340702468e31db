package import FilesinkiModel
import FilesinkiSystem
import FilesinkiText
import Glibc

/// Reads a regular file piece by piece.
package final class FileReader {
    private let path: RelativePath
    private let content: OpenContent
    private var total: Int64 = 0

    init(path: RelativePath, content: consuming OpenContent) {
        self.path = path
        self.content = content
    }

    /// The next bytes, up to `count`; nil at the end.
    package func next(_ count: Int = 1 << 20) throws(Failure) -> [UInt8]? {
        var failed: SystemError?
        let piece = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(SystemError) {
                filled = try content.file.read(into: UnsafeMutableRawBufferPointer(buffer))
            } catch { failed = error }
        }
        if let failed { throw failed.failure("read it", path) }
        total += Int64(piece.count)
        return piece.isEmpty ? nil : piece
    }

    /// Returns the status of the file after ``next(_:)`` has reached the end.
    ///
    /// - Throws: ``FilesinkiModel/Failure`` with code `changing` when the file changed while it
    ///   was read.
    package func finish() throws(Failure) -> FileStatus {
        let after: FileStatus
        do { after = try content.file.status() } catch { throw error.failure("examine it", path) }
        guard after == content.before, total == after.stamp.size else {
            throw Failure(
                .changing, path: path.bytes, "The file changed while it was read.",
                remedy: "Run again when the program that writes it has finished.")
        }
        return content.shown
    }
}

extension RootFolder {
    /// Opens a regular file for reading piece by piece.
    package func reader(_ path: RelativePath) throws(Failure) -> FileReader {
        FileReader(path: path, content: try openContent(path))
    }

    /// The names in a folder, unsorted.
    package func names(in path: RelativePath) throws(Failure) -> [[UInt8]] {
        guard let folder = FileHandle(openBeneath(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)) else {
            throw SystemError.last.failure(opening: path)
        }
        do { return try Self.names(in: folder) } catch { throw error.failure("read it", path) }
    }

    /// The names in a folder, unsorted, and which of them are folders. Nothing is asked of a name whose kind the file
    /// system tells with it.
    package func kinds(
        in path: RelativePath
    ) throws(Failure) -> [(name: [UInt8], isFolder: Bool)] {
        guard let folder = FileHandle(openBeneath(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)) else {
            throw SystemError.last.failure(opening: path)
        }
        let listing: FolderListing
        do { listing = try FolderListing(folder) } catch { throw error.failure("read it", path) }
        var found: [(name: [UInt8], isFolder: Bool)] = []
        found.reserveCapacity(listing.entries.count)
        for entry in listing.entries {
            found.append((Array(listing.name(entry)), listing.isFolder(entry, in: folder)))
        }
        return found
    }

    /// The names directly in the root, unsorted.
    package func names() throws(Failure) -> [[UInt8]] {
        guard let folder = FileHandle(openItself(O_RDONLY | O_DIRECTORY)) else {
            throw SystemError.last.failure("open the root", self.path, of: .local)
        }
        do { return try Self.names(in: folder) } catch {
            throw error.failure("read the root", self.path, of: .local)
        }
    }

    private static func names(in folder: borrowing FileHandle) throws(SystemError) -> [[UInt8]] {
        let listing = try FolderListing(folder)
        return listing.entries.map { Array(listing.name($0)) }
    }
}

extension RootFolder {
    /// The number of attempts to read a file that changes meanwhile.
    private static let readingTries = 3

    /// The mode of the file to be replaced; nil when the path is absent.
    ///
    /// - Throws: `Failure` with code ``FilesinkiModel/Failure/Code/exists`` when the path is a
    ///   folder, or a FIFO, socket or device, which is never replaced.
    package func modeToKeep(at path: RelativePath) throws(Failure) -> UInt16? {
        let before = try status(path)
        if before?.kind == .directory {
            throw Failure(
                .exists, path: path.bytes, "A folder is there.",
                remedy: "Choose another path, or delete the folder with filesinki delete -r "
                    + "\(ShellWord.path(path.bytes)).")
        }
        if before?.kind == .special {
            throw Failure(
                .exists, path: path.bytes, "A FIFO, a socket or a device is there.",
                remedy: "Choose another path, or remove it first.")
        }
        return before?.kind == .file ? before?.mode : nil
    }

    /// Reads a whole regular file.
    ///
    /// - Parameter limit: The maximum size in bytes.
    /// - Returns: The bytes, and the status, which was the same before and after reading.
    /// - Throws: `Failure` with code ``FilesinkiModel/Failure/Code/changing`` when the file changed
    ///   at each of three tries, ``FilesinkiModel/Failure/Code/limit`` when it is larger than
    ///   `limit`, ``FilesinkiModel/Failure/Code/notFound`` when there is none.
    package func readWhole(
        _ path: RelativePath, limit: Int
    ) throws(Failure) -> (bytes: [UInt8], status: FileStatus) {
        for _ in 0..<Self.readingTries {
            let content = try openContent(path)
            do {
                let before = content.before
                guard before.stamp.size <= limit else { throw tooLarge(path, limit) }
                let bytes = try content.file.readAll(expecting: Int(before.stamp.size))
                if try bytes.count == before.stamp.size && content.file.status() == before {
                    return (bytes, content.shown)
                }
            } catch let error as SystemError {
                throw error.failure("read it", path)
            } catch let error as Failure {
                throw error
            } catch {
                throw Failure(
                    .io, path: path.bytes, "Cannot read the file.", remedy: "Run again.",
                    cause: error)
            }
        }
        throw changing(path)
    }

    /// Reads a regular file piece by piece.
    ///
    /// - Parameters:
    ///   - bufferSize: The maximum length of a piece in bytes, at least 1.
    ///   - body: Receives each piece in order. The bytes are valid during the call only.
    /// - Returns: The status, which was the same before and after reading.
    /// - Throws: What `body` throws; `Failure` with code
    ///   ``FilesinkiModel/Failure/Code/changing`` when the file changed meanwhile: what `body` got
    ///   is then worthless.
    package func readChunks(
        _ path: RelativePath, bufferSize: Int, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> FileStatus {
        let content = try openContent(path)
        do {
            let before = content.before
            // One byte more than the file's size, so that the last read finds the end.
            let capacity = min(Int64(max(bufferSize, 1)), before.stamp.size + 1)
            let total = try content.file.forEachPiece(capacity: Int(capacity), body)
            guard try total == before.stamp.size && content.file.status() == before else {
                throw changing(path)
            }
            return content.shown
        } catch let error as SystemError {
            throw error.failure("read it", path)
        }
    }

    /// Opens a regular file for reading. Does not block on a FIFO.
    func openFile(_ path: RelativePath) throws(Failure) -> FileHandle {
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        guard let file = FileHandle(openBeneath(path, flags)) else {
            throw SystemError.last.failure(opening: path)
        }
        guard try twin(of: path) == nil else {
            throw SystemError(ENOENT).failure(opening: path)
        }
        let status: FileStatus
        do { status = try file.status() } catch { throw error.failure("examine it", path) }
        guard status.kind == .file else {
            throw Failure(
                .changing, path: path.bytes, "No longer a regular file.",
                remedy: "Run again; the next run reads what is there now.")
        }
        return file
    }

    private func tooLarge(_ path: RelativePath, _ limit: Int) -> Failure {
        Failure(
            .limit, path: path.bytes, "The file has more than \(limit) bytes.",
            remedy: "Make it smaller or leave it out.")
    }

    private func changing(_ path: RelativePath) -> Failure {
        Failure(
            .changing, path: path.bytes, "The file changed while it was read.",
            remedy: "Run again when the program that writes it has finished.")
    }
}
