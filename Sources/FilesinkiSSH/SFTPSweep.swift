import FilesinkiModel
import FilesinkiRemote
import Glibc

/// Removes what killed writers left in a store at a host: objects and slots with temporary names beside their
/// places.
struct SFTPSweep {
    let store: SFTPStore
    let session: SFTPSession
    /// In seconds, by the clock of the store's file system.
    let age: Int64
    /// Whether objects are counted only.
    let isDryRun: Bool

    /// How many folders are read at once.
    private static let parallelFolders = 16

    /// Reads each folder once; a few requests for each removed object.
    ///
    /// - Returns: The number of removed objects.
    func sweep(_ folders: [String]) async throws -> Int {
        let bound = try await currentTime() - age
        return try await mapConcurrently(folders, limit: Self.parallelFolders) { folder in
            try await sweep(folder, notAfter: bound)
        }.reduce(0, +)
    }

    /// The time of the store's file system in seconds since 1970, as a new file shows it: a device with a
    /// wrong clock would otherwise remove what another device is writing.
    private func currentTime() async throws -> Int64 {
        let name = TemporaryName.make()
        let action = "create a file in the store"
        let path = store.path([name])
        let reply = try await session.perform(.create(path))
        guard case .handle(let handle) = reply else {
            let status = try reply.requireStatus()
            if status.code == SFTPStatus.noSuchFile { throw Failure.folderRemoved(name) }
            throw await store.failure(status, action, "", session)
        }
        let replies = try await session.connection.perform([
            .attributesOfHandle(handle), .close(handle: handle), .remove(path),
        ])
        let found = try replies[0].attributesIfPresent(action: action, name)
        guard let modified = found?.modified else {
            throw SFTPSession.unexpectedReply
        }
        return Int64(modified)
    }

    private func sweep(_ folder: String, notAfter bound: Int64) async throws -> Int {
        var count = 0
        for member in try await SFTPFolder(store, session).members(of: Array(folder.utf8)) {
            let name = String(decoding: member.name, as: UTF8.self)
            guard TemporaryName.matches(name), let modified = member.attributes.modified,
                Int64(modified) <= bound
            else { continue }
            let isCounted =
                if isDryRun { true } else {
                    try await remove(folder + name, member.attributes.isFolder)
                }
            count += isCounted ? 1 : 0
        }
        return count
    }

    /// A writer that wakes up meanwhile may move an emptied slot to its place. That does not fill the slot:
    /// rename(2) replaces an empty folder.
    private func remove(_ name: String, _ isFolder: Bool) async throws -> Bool {
        let path = store.path([name])
        guard isFolder else { return try await isDone(.remove(path)) }
        for member in try await SFTPFolder(store, session).members(of: Array((name + "/").utf8)) {
            _ = try await session.perform(
                .remove(path + [UInt8(ascii: "/")] + member.name))
        }
        return try await isDone(.removeFolder(path))
    }

    private func isDone(_ request: SFTPRequest) async throws -> Bool {
        try await session.status(of: request).code == SFTPStatus.success
    }
}

extension SFTPRemote: SweepableRemote {
    package func sweep(
        _ folders: [String], olderThan age: Duration, isDryRun: Bool
    ) async throws -> Int {
        let session = try await store.link.session()
        return try await SFTPSweep(
            store: store, session: session, age: age.components.seconds, isDryRun: isDryRun
        ).sweep(folders)
    }
}
