import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import Glibc

/// The folder of a store at a host: the same as that of a store in a folder of this machine, so that one
/// store may be used in both ways.
struct SFTPStore: Sendable {
    let link: SSHLink

    /// How often an operation is repeated because another device removed a folder that it needs.
    static let maximumTries = 8

    var root: [UInt8] { link.address.path }

    func path(_ names: some Sequence<String>) -> [UInt8] {
        var path = root
        for name in names {
            if path.last != UInt8(ascii: "/") { path.append(UInt8(ascii: "/")) }
            path += Array(name.utf8)
        }
        return path
    }

    func path(_ key: ObjectKey) -> [UInt8] { path([key.description]) }

    /// The object's bytes, or those of `range` clamped to its size; nil when it is absent.
    ///
    /// - Throws: `Failure`: `away` also when the store's folder does not exist, `corrupt` when something else
    ///   than a file has the key's name.
    func read(_ key: ObjectKey, range: Range<Int64>? = nil) async throws -> [UInt8]? {
        let session = try await link.session()
        let replies = try await session.connection.perform([
            .openForReading(path(key)), .attributesFollowing(root),
        ])
        return try await read(key, range: range, replies, session)
    }

    /// - Parameter replies: Those to opening the object, and to the attributes of the store's folder.
    func read(
        _ key: ObjectKey, range: Range<Int64>? = nil, _ replies: [SFTPReply], _ session: SFTPSession
    ) async throws -> [UInt8]? {
        guard let opened = replies.first, let folder = replies.last else {
            throw SFTPSession.unexpectedReply
        }
        let text = key.description
        guard let handle = try opened.handleIfPresent(action: "read the store", text) else {
            try requireFolder(folder)
            return nil
        }
        defer { session.connection.post(.close(handle: handle)) }
        return try await read(handle, range: range, session, text)
    }

    private func read(
        _ handle: [UInt8], range: Range<Int64>?, _ session: SFTPSession, _ key: String
    ) async throws -> [UInt8]? {
        let start = max(0, range?.lowerBound ?? 0)
        let first = min(Int64(session.readLength), range.map { Int64($0.count) } ?? .max)
        var requests = [SFTPRequest.attributesOfHandle(handle)]
        if first > 0 {
            requests.append(
                .read(handle: handle, offset: UInt64(start), count: UInt32(first)))
        }
        // The first piece is all of most objects.
        let replies = try await session.connection.perform(requests)
        guard let attributes = try replies[0].attributesIfPresent(action: "read the object", key)
        else { return nil }
        if attributes.isFolder { return nil }
        guard attributes.isRegularFile || attributes.mode == nil else { throw Self.notAFile(key) }
        let size = try Self.size(attributes, key)
        let wanted = (range ?? 0..<size).clamped(to: 0..<size)
        guard Int64(wanted.count) <= ObjectKey.maximumObjectSize else {
            throw Failure.objectTooLarge(key)
        }
        guard !wanted.isEmpty, replies.count > 1 else { return [] }
        let bytes = try replies[1].data(limit: Int(first), key) ?? []
        let rest = wanted.count - bytes.count
        guard rest > 0 else {
            return bytes.count == wanted.count ? bytes : Array(bytes.prefix(wanted.count))
        }
        return try await bytes
            + session.read(handle, from: start + Int64(bytes.count), count: rest, key)
    }

    private static func size(_ attributes: SFTPAttributes, _ key: String) throws(Failure) -> Int64 {
        guard let size = attributes.size.flatMap(Int64.init(exactly:)) else {
            throw Failure(
                .unfitStore, path: key, "The host does not report the size of this object.",
                remedy: SFTPSession.alternative)
        }
        return size
    }

    /// Something else than a file or a folder has the name of a key.
    static func notAFile(_ key: String) -> Failure {
        SystemError(EISDIR).failure("", key, of: .store)
    }

    /// Throws if the store's folder does not exist: then nothing is known of its keys.
    ///
    /// - Parameter reply: The reply to the attributes of the folder.
    func requireFolder(_ reply: SFTPReply) throws(Failure) {
        let place = link.address.text
        let attributes = try reply.attributesIfPresent(
            action: "open the folder of the store", place)
        guard let attributes, attributes.isFolder || attributes.mode == nil else {
            throw .storeFolderMissing(place)
        }
    }

    /// Creates folders below the store's own, outermost first.
    ///
    /// - Returns: Nil when they are there; else why the last one may be missing. Another device may also
    ///   have removed it again.
    func createFolders(
        _ names: ArraySlice<String>, for key: String, _ session: SFTPSession
    ) async throws -> Failure? {
        let folders = names.indices.map { path(names[...$0]) }
        let requests = folders.map { SFTPRequest.makeFolder($0) }
        let replies = try await session.connection.perform(
            requests + [.attributesFollowing(root), .attributes(folders.last ?? root)])
        let made = replies.dropLast(2)
        try requireFolder(replies[made.count])
        let last = try replies[made.count + 1].attributesIfPresent(
            action: "examine the folder", key)
        if let last {
            guard last.isFolder || last.mode == nil else { throw Self.notAFile(key) }
            return nil
        }
        let statuses = try made.map { reply throws(Failure) in try reply.requireStatus() }
        // A folder that exists is an error, too: the last one counts.
        guard let status = statuses.last(where: { $0.code != SFTPStatus.success }) else {
            return .folderRemoved(key)
        }
        let denied = statuses.last { $0.code == SFTPStatus.permissionDenied }
        return await failure(denied ?? status, "create a folder in the store", key, session)
    }

    /// The failure for a status. Where the far end only says that it failed, asks whether its disk is full or
    /// read-only.
    func failure(
        _ status: SFTPStatus, _ action: String, _ key: String, _ session: SFTPSession
    ) async -> Failure {
        let failure = status.failure(action, key)
        guard failure.code == .io, session.canMeasure,
            case .extended(let bytes)? = try? await session.perform(.fileSystem(root))
        else { return failure }
        // Block sizes, blocks: all, free, available; files: all, free, available; id, flags.
        var reader = SFTPReader(bytes[...])
        var numbers: [UInt64] = []
        while let number: UInt64 = reader.number() { numbers.append(number) }
        if numbers.count >= 10, numbers[9] & 1 != 0 {
            return SystemError(EROFS).failure(action, key, of: .store)
        }
        guard numbers.count >= 8, numbers[4] == 0 || (numbers[5] > 0 && numbers[7] == 0) else {
            return failure
        }
        return SystemError(ENOSPC).failure(action, key, of: .store)
    }
}
