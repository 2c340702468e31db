import FilesinkiModel
import FilesinkiRemote

/// What lies around a folder at a host.
struct SFTPPlace {
    private let session: SFTPSession
    private let path: [UInt8]

    init(_ session: SFTPSession, _ path: [UInt8]) {
        self.session = session
        self.path = path
    }

    /// Why no store is to be made in the folder; nil if nothing forbids it, or a store is there already. Takes two round
    /// trips, and for each file that may describe a store some more.
    ///
    /// A folder that cannot be looked at forbids nothing.
    func misplacement() async throws -> MisplacedStore? {
        // A parent that is missing is reported when the folder is used.
        guard case .names(let names) = try await session.perform(.realPath(path)),
            let real = names.first?.name
        else { return nil }
        let folders = Self.andAbove(real)
        async let marks = isThere(MisplacedStore.replicaMark, in: folders)
        let described = try await isThere(MisplacedStore.storeMark, in: folders)
        let marked = try await marks
        if described[0], try await isStore(folders[0]) { return nil }
        if marked[0] { return .replica }
        if marked.contains(true) { return .insideReplica }
        for (folder, isDescribed) in zip(folders, described).dropFirst() where isDescribed {
            if try await isStore(folder) { return .insideStore }
        }
        return nil
    }

    /// Makes the folder, unless it is there. One that is not made for a parent that is missing is reported when it is used.
    ///
    /// - Parameter address: For messages.
    /// - Throws: `Failure`: `unfit-store` for SFTP that is read-only, `not-allowed`.
    func make(for address: String) async throws(Failure) {
        let replies = try? await session.connection.perform(
            [.makeFolder(path), .attributesFollowing(path)])
        guard let replies, case .status(let made) = replies[0], made.code != SFTPStatus.success,
            case .status = replies[1]
        else { return }
        guard made.code == SFTPStatus.permissionDenied else { return }
        try session.requireRename(address)
        throw made.failure("create the folder of the store", address)
    }

    /// An absolute path and those of the folders around it, the innermost one first; each ends with a slash.
    static func andAbove(_ path: [UInt8]) -> [[UInt8]] {
        let slash = UInt8(ascii: "/")
        var rest = path.last == slash ? path : path + [slash]
        var folders = [rest]
        while let end = rest.dropLast().lastIndex(of: slash) {
            rest = Array(rest[...end])
            folders.append(rest)
        }
        return folders
    }

    /// Whether a regular file is below each of the folders.
    private func isThere(_ file: String, in folders: [[UInt8]]) async throws -> [Bool] {
        try await session.connection.perform(
            folders.map { .attributesFollowing($0 + Array(file.utf8)) }
        ).map { reply in
            guard case .attributes(let attributes) = reply else { return false }
            return attributes.isRegularFile
        }
    }

    private func isStore(_ folder: [UInt8]) async throws -> Bool {
        let file = folder + Array(MisplacedStore.storeMark.utf8)
        guard case .handle(let handle) = try await session.perform(.openForReading(file)) else {
            return false
        }
        defer { session.connection.post(.close(handle: handle)) }
        let title = Array(MisplacedStore.storeTitle.utf8)
        let start = try await session.perform(
            .read(handle: handle, offset: 0, count: UInt32(title.count)))
        return start == .data(title)
    }
}
