import FilesinkiModel
import FilesinkiRemote

/// Reads the names in folders of a store.
struct SFTPFolder {
    let store: SFTPStore
    let session: SFTPSession

    /// The most names of one folder that are read, in case a host lists ever more of them.
    private static let maximumNames = 10_000_000

    init(_ store: SFTPStore, _ session: SFTPSession) {
        self.store = store
        self.session = session
    }

    /// The names in a folder to its end, in no order; a partial result is never returned. None when it does
    /// not exist.
    ///
    /// - Parameter path: A prefix of keys that ends with a slash; empty for the store's folder.
    func members(of path: [UInt8]) async throws -> [SFTPName] {
        let key = String(decoding: path.dropLast(), as: UTF8.self)
        let folder = path.isEmpty ? store.root : store.path([key])
        let replies = try await session.connection.perform([
            .openFolder(folder), .attributesFollowing(store.root),
        ])
        let opened: [UInt8]?
        do { opened = try replies[0].handleIfPresent(action: "read the folder", key) } catch {
            // A file, or removed since its name was read.
            guard error.code == .io,
                try await session.attributes(of: folder)?.isFolder != true
            else { throw error }
            opened = nil
        }
        guard let opened else {
            try store.requireFolder(replies[1])
            return []
        }
        defer { session.connection.post(.close(handle: opened)) }
        return try await names(in: opened, key)
    }

    private func names(in handle: [UInt8], _ key: String) async throws -> [SFTPName] {
        var names: [SFTPName] = []
        // A host sends a hundred names at a time; most folders have fewer.
        var count = 2
        while names.count <= Self.maximumNames {
            let requests = Array(repeating: SFTPRequest.readFolder(handle: handle), count: count)
            var isAtEnd = false
            for reply in try await session.connection.perform(requests) {
                if case .names(let more) = reply {
                    names += more
                    continue
                }
                let status = try reply.requireStatus()
                guard status.code == SFTPStatus.endOfFile else {
                    throw status.failure("read the folder", key)
                }
                isAtEnd = true
            }
            if isAtEnd { return names }
            count = 16
        }
        throw Failure(
            .limit, path: key, "The host lists more names than a store can have.",
            remedy: "Check the address, and whether the folder contains something else.")
    }

    /// The members of a folder that can be or contain objects.
    ///
    /// - Throws: `Failure` with code `unfit-store` where the host does not report what a member is.
    func pageMembers(of path: [UInt8]) async throws -> [FolderPages.Member] {
        try await members(of: path).compactMap { member in
            let attributes = member.attributes
            guard attributes.mode != nil else {
                throw Failure(
                    .unfitStore, path: path + member.name, "The host does not report what this is.",
                    remedy: SFTPSession.alternative)
            }
            guard attributes.isFolder || attributes.isRegularFile else { return nil }
            return FolderPages.Member(
                member.name, isFolder: attributes.isFolder,
                size: attributes.size.map { Int64(clamping: $0) })
        }
    }
}
