import FilesinkiModel
package import FilesinkiRemote
import FilesinkiServerRemote

/// A remote that is a folder of a host with an ssh server: by the host's filesinki where one is installed, else
/// by SFTP. Both lead to the same store, also at the same time.
package struct SSHRemote: FolderRemote {
    private let link: SSHLink
    private let sftp: SFTPRemote
    private let streamed: ServerRemote
    private let systemContext: SystemContext

    init(_ link: SSHLink, systemContext: SystemContext) {
        self.link = link
        self.systemContext = systemContext
        sftp = SFTPRemote(link, systemContext: systemContext)
        streamed = ServerRemote(
            address: link.address.text, transport: SSHTransport(link: link),
            systemContext: systemContext)
    }

    /// The remote for what is at the far end of the present connection.
    private func current() async throws -> any Remote {
        switch try await link.way() {
        case .sftp: sftp
        case .filesinki: streamed
        }
    }

    package var address: String { link.address.text }

    package var alternative: String { sftp.alternative }

    package func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? {
        try await current().get(key, range: range)
    }

    package func read(_ requests: [ObjectRequest]) async throws -> [ObjectReply] {
        try await current().read(requests)
    }

    package func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        try await current().publish(bytes, to: slot)
    }

    package func publish(
        _ bytes: [UInt8], to slot: ObjectKey, thenFind search: KeySearch
    ) async throws -> (outcome: PublishOutcome, found: ObjectKey?) {
        try await current().publish(bytes, to: slot, thenFind: search)
    }

    package func put(_ bytes: [UInt8], to key: ObjectKey) async throws {
        try await current().put(bytes, to: key)
    }

    package func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] {
        try await current().list(prefix: prefix, after: after, limit: limit)
    }

    package func delete(_ key: ObjectKey) async throws { try await current().delete(key) }

    package func wait(prefix: String, timeout: Duration) async throws {
        try await current().wait(prefix: prefix, timeout: timeout)
    }
}

extension SSHRemote: ConnectingRemote {
    package func connect() { link.connect() }
}

extension SSHRemote: HostRemote {
    package func service() async throws -> HostService {
        switch try await link.way() {
        case .sftp: .sftp
        case .filesinki: .filesinki
        }
    }
}

extension SSHRemote: PlacedRemote {
    /// A filesinki at the host looks by itself, before it makes anything.
    package func misplacement() async throws -> MisplacedStore? {
        guard case .sftp(let session) = try await link.way() else { return nil }
        return try await SFTPPlace(session, link.address.path).misplacement()
    }

    /// A filesinki at the host that may create the folder says to every request why it makes no store there.
    package func misplacementOfExistingFolder() async throws -> MisplacedStore? {
        guard case .filesinki = try await link.way() else { return try await misplacement() }
        try await link.makeFolder()
        do {
            _ = try await current().get(ObjectKey(MisplacedStore.storeMark), range: nil)
            return nil
        } catch let failure as Failure {
            guard let found = MisplacedStore(failure) else { throw failure }
            return found
        }
    }

    /// A filesinki at the host lists only names that its own files can have.
    package func holdsOtherFiles() async throws -> Bool {
        guard case .sftp(let session) = try await link.way() else {
            return StoreFolderNames.includeOthers(
                try await streamed.list(prefix: "", after: nil, limit: Self.listedObjects)
                    .map { $0.key.description.utf8.prefix { $0 != UInt8(ascii: "/") } }
                    .map(Array.init))
        }
        let names = try await SFTPFolder(sftp.store, session).members(of: []).map(\.name)
        return StoreFolderNames.includeOthers(names)
    }

    /// So many objects are listed to find files of other programs: a folder of them may have a great many.
    private static let listedObjects = 100
}

extension SSHRemote: SweepableRemote {
    /// A filesinki at the host sweeps by itself, and is asked for nothing.
    package func sweep(
        _ folders: [String], olderThan age: Duration, isDryRun: Bool
    ) async throws -> Int {
        guard let sweepable = try await current() as? any SweepableRemote else { return 0 }
        return try await sweepable.sweep(folders, olderThan: age, isDryRun: isDryRun)
    }
}

extension SSHRemote: CuttableRemote {
    package func putCut(_ upload: CutUpload) async { await putCut([upload]) }

    package func putCut(_ uploads: [CutUpload]) async {
        guard let cuttable = try? await current() as? any CuttableRemote else { return }
        await cuttable.putCut(uploads)
    }
}

extension SSHRemote: SharedConnectionRemote {
    package func separated() -> any Remote {
        link.shareLogin()
        return SSHRemote(
            SSHLink(link.address, link.command, sibling: link), systemContext: systemContext)
    }
}
