import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import Glibc

/// A connection that is ready, and what the far end can do.
struct SFTPSession: Sendable {
    let connection: SFTPConnection
    /// The most bytes of a read and of a write.
    private(set) var readLength = 32 << 10
    private(set) var writeLength = 32 << 10
    /// Whether the far end renames atomically. One that is read-only offers it neither.
    private let canRename: Bool
    /// Whether a file can be synced to the far end's disk.
    let canSync: Bool
    /// Whether the far end tells how full its file system is.
    let canMeasure: Bool

    /// The longest pieces in bytes, also where the far end allows more.
    private static let maximumLength = 255 << 10

    /// What to use in place of a host whose SFTP lacks something.
    static let alternative = "Use a host with OpenSSH's sftp-server, or filesinki serve."

    /// How many pieces of a file are under way at once.
    private static let parallelPieces = 16

    /// Asks for the far end's limits.
    ///
    /// - Parameter version: The far end's first packet.
    /// - Throws: `Failure`: `usage` for another version, and those of the connection.
    init(_ connection: SFTPConnection, version: SFTPReply, address: String) async throws {
        guard case .version(let version, let extensions) = version, version == SFTPPacket.version
        else {
            throw Failure(
                .usage, path: address, "The host does not speak version 3 of SFTP.",
                remedy: "Use a host with OpenSSH's sftp-server.")
        }
        self.connection = connection
        canRename = extensions["posix-rename@openssh.com"] != nil
        canSync = extensions["fsync@openssh.com"] != nil
        canMeasure = extensions["statvfs@openssh.com"] != nil
        if extensions["limits@openssh.com"] != nil {
            applyLimits(try await connection.perform([.limits]).first)
        }
    }

    private mutating func applyLimits(_ reply: SFTPReply?) {
        guard case .extended(let bytes)? = reply else { return }
        var reader = SFTPReader(bytes[...])
        guard let _: UInt64 = reader.number(), let read: UInt64 = reader.number(),
            let write: UInt64 = reader.number()
        else { return }
        if read > 0 { readLength = Int(min(read, UInt64(Self.maximumLength))) }
        if write > 0 { writeLength = Int(min(write, UInt64(Self.maximumLength))) }
    }

    /// To be called before anything is stored.
    ///
    /// - Throws: `Failure` with code `unfit-store` when the far end cannot rename atomically.
    func requireRename(_ address: String) throws(Failure) {
        guard !canRename else { return }
        throw Failure(
            .unfitStore, path: address,
            "The host's SFTP is read-only, or cannot rename atomically (posix-rename@openssh.com).",
            remedy: SFTPSession.alternative)
    }

    /// Sends a request, and waits for its reply.
    func perform(_ request: SFTPRequest) async throws -> SFTPReply {
        let replies = try await connection.perform([request])
        guard let reply = replies.first else { throw Self.unexpectedReply }
        return reply
    }

    /// Sends a request whose reply is a status.
    func status(of request: SFTPRequest) async throws -> SFTPStatus {
        try (await perform(request)).requireStatus()
    }

    /// The attributes of a path, also of a symlink; nil when it does not exist.
    func attributes(of path: [UInt8]) async throws -> SFTPAttributes? {
        try (await perform(.attributes(path))).attributesIfPresent(action: "examine the object", "")
    }

    /// Reads `count` bytes of an open file from `offset`, in pieces; fewer only at its end.
    func read(_ handle: [UInt8], from offset: Int64, count: Int, _ key: String) async throws
        -> [UInt8]
    {
        let pieces = stride(from: 0, to: count, by: readLength).map { start in
            offset + Int64(start)..<offset + Int64(min(start + readLength, count))
        }
        let read = try await mapConcurrently(pieces, limit: Self.parallelPieces) { piece in
            try await readPiece(handle, piece, key)
        }
        return read.count == 1 ? read[0] : read.reduce(into: []) { $0 += $1 }
    }

    /// The far end may send less than it was asked for.
    private func readPiece(
        _ handle: [UInt8], _ piece: Range<Int64>, _ key: String
    ) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < piece.count {
            let request = SFTPRequest.read(
                handle: handle, offset: UInt64(piece.lowerBound) + UInt64(bytes.count),
                count: UInt32(piece.count - bytes.count))
            guard
                let more = try (await perform(request)).data(
                    limit: piece.count - bytes.count, key)
            else { return bytes }
            bytes = bytes.isEmpty ? more : bytes + more
        }
        return bytes
    }

    /// Writes all bytes to a new file, and syncs it where the far end can.
    ///
    /// - Returns: The first status that is an error; nil for success.
    func write(_ bytes: [UInt8], to handle: [UInt8]) async throws -> SFTPStatus? {
        let starts = Array(stride(from: 0, to: bytes.count, by: writeLength))
        if starts.count == 1, canSync {
            // A server has to process requests for one file in their order: section 6.1 of the draft.
            let replies = try await connection.perform([
                .write(handle: handle, offset: 0, bytes: bytes[...]), .sync(handle: handle),
            ])
            let statuses = try replies.map { reply throws(Failure) in try reply.requireStatus() }
            return statuses.first { $0.code != SFTPStatus.success }
        }
        let failures = try await mapConcurrently(starts, limit: Self.parallelPieces) { start in
            let piece = bytes[start..<min(start + writeLength, bytes.count)]
            return try await status(
                of: .write(handle: handle, offset: UInt64(start), bytes: piece))
        }
        if let failure = failures.first(where: { $0.code != SFTPStatus.success }) { return failure }
        // As many writes are under way as there may be, and none has failed.
        guard canSync else { return nil }
        let synced = try await status(of: .sync(handle: handle))
        return synced.code == SFTPStatus.success ? nil : synced
    }

    static let unexpectedReply = Failure(
        .corrupt, "The host's reply does not belong to its request.",
        remedy: "Use a host with OpenSSH's sftp-server.")
}

extension SFTPReply {
    /// - Throws: `Failure` with code `corrupt` for another reply.
    func requireStatus() throws(Failure) -> SFTPStatus {
        guard case .status(let status) = self else { throw SFTPSession.unexpectedReply }
        return status
    }

    /// The bytes of a read; nil at the end of the file.
    ///
    /// - Parameter limit: The number of bytes that were asked for.
    func data(limit: Int, _ key: String) throws(Failure) -> [UInt8]? {
        if case .data(let bytes) = self, !bytes.isEmpty, bytes.count <= limit { return bytes }
        let status = try requireStatus()
        if status.code == SFTPStatus.endOfFile { return nil }
        throw status.failure("read the object", key)
    }

    /// The handle of what was opened; nil when it does not exist.
    func handleIfPresent(action: String, _ key: String) throws(Failure) -> [UInt8]? {
        if case .handle(let handle) = self { return handle }
        let status = try requireStatus()
        if status.code == SFTPStatus.noSuchFile { return nil }
        throw status.failure(action, key)
    }

    /// The attributes; nil when the path does not exist.
    func attributesIfPresent(action: String, _ key: String) throws(Failure) -> SFTPAttributes? {
        if case .attributes(let attributes) = self { return attributes }
        let status = try requireStatus()
        if status.code == SFTPStatus.noSuchFile { return nil }
        throw status.failure(action, key)
    }
}

extension SFTPStatus {
    /// The failure for a file of a store.
    ///
    /// - Parameters:
    ///   - action: What was tried, as it follows "Cannot".
    ///   - key: The key for the message.
    func failure(_ action: String, _ key: String) -> Failure {
        switch code {
        case Self.noSuchFile: return SystemError(ENOENT).failure(action, key, of: .store)
        case Self.permissionDenied: return SystemError(EACCES).failure(action, key, of: .store)
        case Self.noConnection, Self.connectionLost:
            return Failure(
                .away, path: key, "Cannot \(action): the host lost its connection.",
                remedy: "Check the host, and run again.")
        default:
            let words = message.isEmpty ? "error \(code)" : printable(message.utf8).lowercased()
            return Failure(
                .io, path: key, "Cannot \(action): the host replied \"\(words)\".",
                remedy: "Check the disk that holds the store, and its free space.")
        }
    }
}
