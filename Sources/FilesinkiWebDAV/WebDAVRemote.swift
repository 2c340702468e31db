package import FilesinkiHTTP
package import FilesinkiModel
package import FilesinkiRemote
import FilesinkiSystem

/// A remote that is a folder of a WebDAV server: https://www.rfc-editor.org/rfc/rfc4918
///
/// Keys are files below the folder. A slot `a/b/c` is the collection `a/b` with the one member `c`, filled
/// as in a folder on a disk: staged as a collection beside its place, and moved there. Unfinished objects
/// have names that begin with a dot and are never listed.
///
/// Measured servers let several writers win by every other means of WebDAV, and no status tells winners
/// from losers reliably. So the outcome of a publication is what reading the slot returns.
package struct WebDAVRemote: FolderRemote {
    private let server: WebDAVServer
    private let systemContext: SystemContext
    private let pollCursor = PollCursor<CollectionState>()

    /// How many folders are requested at once.
    private static let parallelFolders = 8

    /// The largest accepted listing of one folder, in bytes.
    static let maximumListing = 64 << 20

    /// - Parameters:
    ///   - address: The folder. It and its missing parents are created when something is first stored.
    ///   - credentials: Sent to this address only.
    ///   - origin: Where they come from, for messages.
    ///   - allowsInsecure: Whether the credentials may be sent to another machine without encryption.
    package init(
        address: WebAddress, transport: any HTTPTransport, credentials: Credentials,
        from origin: CredentialOrigin = .none(file: nil), systemContext: SystemContext,
        allowsInsecure: Bool = false
    ) {
        server = WebDAVServer(
            address: address, transport: transport, credentials: credentials, from: origin,
            allowsInsecure: allowsInsecure)
        self.systemContext = systemContext
    }

    package var address: String { server.place }

    package var alternative: String {
        "Use the WebDAV of Apache, nginx or lighttpd, which passed this test, or filesinki serve."
    }

    package func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? {
        try await WebDAVReader(server: server).read(key, range: range)
    }

    package func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        try await WebDAVWriter(server: server).fill(slot, with: bytes)
    }

    package func put(_ bytes: [UInt8], to key: ObjectKey) async throws {
        try await WebDAVWriter(server: server).store(bytes, at: key)
    }

    package func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] {
        try await FolderPages(
            of: address, parallelFolders: Self.parallelFolders,
            alternative: "Use another server, or mount the folder of this one."
        ) { [server] path in
            let folder = server.collection(String(decoding: path.dropLast(), as: UTF8.self))
            // It may have been deleted since its name was read.
            guard let found = try await server.properties(folder, withMembers: true),
                found.own.isCollection
            else { return [] }
            return found.members.compactMap { member in
                member.names.last.map {
                    FolderPages.Member($0, isFolder: member.isCollection, size: member.size)
                }
            }
        }.list(prefix: prefix, after: after, limit: limit)
    }

    /// Removes an object, and with the member of a slot the slot's folder.
    ///
    /// Other folders remain, even if empty: `DELETE` of a folder removes everything in it, also what
    /// another device stored a moment ago.
    package func delete(_ key: ObjectKey) async throws {
        if key.isSlot, let folder = key.folder {
            return try await deleteSlot(server.collection(folder), key)
        }
        // A collection is no object, and the server would delete its members, too.
        guard try await WebDAVReader(server: server).isFile(server.path(key)) else { return }
        try await deleteFile(key)
    }

    private func deleteFile(_ key: ObjectKey) async throws {
        let reply = try await server.send("DELETE", server.path(key))
        guard reply.isSuccess && reply.status != 207 || [404, 410].contains(reply.status) else {
            throw server.failure(reply, key)
        }
    }

    /// Moves the slot's folder away before deleting it: an empty folder in its place would prevent others
    /// from filling the slot.
    private func deleteSlot(_ place: WebDAVPath, _ key: ObjectKey) async throws {
        guard let found = try await server.properties(place, withMembers: true) else { return }
        let members = found.members.filter { $0.names.last?.first != UInt8(ascii: ".") }
        let isFull = members.contains { !$0.isCollection && $0.names == server.path(key).names }
        guard isFull else { return }
        guard members.count == 1 else { return try await deleteFile(key) }
        let temporary = place.temporarySibling
        let moved = try await server.move(place, to: temporary, overwrite: false)
        guard moved.reply.isMoved else {
            // Another device may have deleted it.
            if try await WebDAVReader(server: server).read(key, range: 0..<1) == nil { return }
            throw server.failure(moved.reply, key)
        }
        await WebDAVWriter(server: server).discard(temporary)
    }

    /// Polls the prefix's collection with growing pauses.
    ///
    /// Requests only its own properties, half a kilobyte whatever it contains: its time changes whenever a
    /// slot is moved into it. If the server sends neither tag nor time, its members are compared.
    package func wait(prefix: String, timeout: Duration) async throws {
        let folder = prefix.lastIndex(of: "/").map { prefix[..<$0] } ?? ""
        guard folder.isEmpty || (try? ObjectKey(String(folder))) != nil else {
            return try await systemContext.sleep(max(timeout, .zero))
        }
        let collection = server.collection(folder)
        var current = try await state(of: collection)
        var previous = pollCursor.advance(prefix, to: current) ?? current
        var backoff = Backoff(.seconds(1)...(.seconds(30)), limit: timeout)
        while current.marker == previous.marker, !backoff.isOver {
            try await systemContext.sleep(backoff.next())
            // In the second of a change, another change may leave the time as it is.
            guard !backoff.isOver, !previous.isFresh, !current.isFresh else { return }
            previous = current
            current = try await state(of: collection)
            pollCursor.advance(prefix, to: current)
        }
    }

    private func state(of collection: WebDAVPath) async throws -> CollectionState {
        guard let found = try await server.properties(collection) else { return CollectionState() }
        if let tag = found.own.entityTag {
            // Apache sends a weak tag first, and the same as a strong one a second later.
            return CollectionState(.tag(tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag))
        }
        if let modified = found.own.modified {
            return CollectionState(.time(modified), isFresh: found.isFresh)
        }
        let members = try await server.properties(collection, withMembers: true)?.members ?? []
        return CollectionState(.members(Set(members.map(\.names))))
    }
}

/// What the properties of a collection show, to tell whether it changed.
private struct CollectionState: Sendable {
    /// Differs when members were added or removed.
    enum Marker: Hashable, Sendable {
        /// The collection does not exist.
        case absent
        case tag(String)
        case time(String)
        /// For servers that send neither.
        case members(Set<[[UInt8]]>)
    }

    let marker: Marker
    /// Whether a later change may leave the marker as it is, because times have whole seconds.
    let isFresh: Bool

    init(_ marker: Marker = .absent, isFresh: Bool = false) {
        self.marker = marker
        self.isFresh = isFresh
    }
}

extension WebDAVRemote: PlacedRemote {
    /// Looks only at the folder itself: what is above it may be another user's.
    package func misplacement() async throws -> MisplacedStore? {
        // A server may refuse every name that begins with a dot.
        let mark = try? await server.properties(server.top.member(MisplacedStore.replicaMark))
        return mark == nil ? nil : .replica
    }
}

extension WebDAVRemote: SweepableRemote {
    package func sweep(
        _ folders: [String], olderThan age: Duration, isDryRun: Bool
    ) async throws -> Int {
        try await WebDAVSweep(server: server, age: age.components.seconds, isDryRun: isDryRun)
            .sweep(folders)
    }
}

extension WebDAVRemote: CuttableRemote {
    package func putCut(_ upload: CutUpload) async {
        await WebDAVWriter(server: server).cut(upload)
    }
}

extension WebDAVRemote: TestFolderRemote {
    /// What remains takes space, and harms nothing: a failure does not matter.
    package func removeTestFolder(_ folder: String) async {
        await WebDAVWriter(server: server).discard(server.collection(folder))
    }
}
