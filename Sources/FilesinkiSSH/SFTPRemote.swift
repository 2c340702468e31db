package import FilesinkiModel
package import FilesinkiRemote
import FilesinkiSystem

/// A remote that is a folder of a host with an ssh server, reached by SFTP. Nothing else is needed there.
///
/// The folder is the same as that of a `DirectoryRemote`: keys are files, a slot `a/b/c` is the folder
/// `a/b` with the one member `c`, renamed into place. Files are synced to the host's disk where its SFTP
/// can do that (`fsync@openssh.com`); folders cannot be synced over SFTP.
package struct SFTPRemote: FolderRemote {
    let store: SFTPStore
    private let systemContext: SystemContext
    private let pollCursor = PollCursor<FolderState>()

    /// How many objects are read at once.
    private static let parallelObjects = 32

    /// How many folders are read at once.
    private static let parallelFolders = 32

    /// - Parameter address: The folder, which must exist when something is read or stored: see
    ///   ``SSHRemotes/makeFolder(_:)``.
    package init(_ address: SSHAddress, _ command: SSHCommand, systemContext: SystemContext) {
        self.init(
            SSHLink(address, command, needsSFTP: true), systemContext: systemContext)
    }

    init(_ link: SSHLink, systemContext: SystemContext) {
        store = SFTPStore(link: link)
        self.systemContext = systemContext
    }

    package var address: String { store.link.address.text }

    package var alternative: String {
        "Use a host with OpenSSH's sftp-server, on a file system that renames folders atomically, or "
            + "filesinki serve."
    }

    package func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? {
        try await store.read(key, range: range)
    }

    package func read(_ requests: [ObjectRequest]) async throws -> [ObjectReply] {
        try await mapConcurrently(requests, limit: Self.parallelObjects) { request in
            let bytes = try await store.read(request.key, range: request.range)
            return bytes.map(ObjectReply.bytes) ?? .absent
        }
    }

    package func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        try await SFTPUpload(store: store).fill(slot, with: bytes)
    }

    package func put(_ bytes: [UInt8], to key: ObjectKey) async throws {
        try await SFTPUpload(store: store).store(bytes, at: key)
    }

    package func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] {
        let folder = SFTPFolder(store, try await store.link.session())
        return try await FolderPages(
            of: address, parallelFolders: Self.parallelFolders, alternative: alternative,
            readFolder: folder.pageMembers
        ).list(prefix: prefix, after: after, limit: limit)
    }

    /// Removes the object, and the folders that this leaves empty.
    package func delete(_ key: ObjectKey) async throws {
        let session = try await store.link.session()
        let folders = key.folders.indices.reversed().map { store.path(key.folders[...$0]) }
        // A folder that is not empty stays, in whatever order the host does this.
        let replies = try await session.connection.perform(
            [.remove(store.path(key)), .attributesFollowing(store.root)]
                + folders.map { .removeFolder($0) })
        let removed = try replies[0].requireStatus()
        switch removed.code {
        case SFTPStatus.success: return
        case SFTPStatus.noSuchFile: try store.requireFolder(replies[1])
        default:
            // A folder is no object.
            let found = try await session.attributes(of: store.path(key))
            guard let found, !found.isFolder else { return }
            throw removed.failure("delete the file", key.description)
        }
    }

    /// Polls the times of the prefix's folder, one small request, with growing pauses.
    package func wait(prefix: String, timeout: Duration) async throws {
        let folder = prefix.lastIndex(of: "/").map { String(prefix[..<$0]) } ?? ""
        guard folder.isEmpty || (try? ObjectKey(folder)) != nil else {
            return try await systemContext.sleep(max(timeout, .zero))
        }
        let path = folder.isEmpty ? store.root : store.path([folder])
        var current = try await state(of: path, after: pollCursor[prefix])
        var previous = pollCursor.advance(prefix, to: current) ?? current
        var backoff = Backoff(.seconds(1)...(.seconds(30)), limit: timeout)
        while current.modified == previous.modified, !backoff.isOver {
            try await systemContext.sleep(backoff.next())
            // In the second of a change, another change leaves the time as it is.
            guard !backoff.isOver, !previous.isFresh, !current.isFresh else { return }
            previous = current
            current = try await state(of: path, after: previous)
            pollCursor.advance(prefix, to: current)
        }
    }

    private func state(of path: [UInt8], after previous: FolderState?) async throws -> FolderState {
        let session = try await store.link.session()
        let modified = try await session.attributes(of: path)?.modified
        return FolderState(
            modified: modified, isFresh: modified != nil && modified != previous?.modified)
    }
}

/// What a folder's attributes show, to tell whether it changed.
private struct FolderState: Sendable {
    /// In seconds since 1970; nil for a folder that does not exist.
    var modified: UInt32?
    /// Whether a change after this moment may leave the time as it is, because it has whole seconds.
    var isFresh: Bool
}

extension SFTPRemote: CuttableRemote {
    package func putCut(_ upload: CutUpload) async { await putCut([upload]) }

    package func putCut(_ uploads: [CutUpload]) async {
        await SFTPUpload(store: store).cut(uploads)
    }
}

extension SFTPRemote: SharedConnectionRemote {
    package func separated() -> any Remote {
        SFTPRemote(store.link.address, store.link.command, systemContext: systemContext)
    }
}
