package import FilesinkiHTTP
package import FilesinkiModel
package import FilesinkiRemote

/// A remote that is a folder of a WebDAV server: https://www.rfc-editor.org/rfc/rfc4918
///
/// Keys are files below the folder. A slot `a/b/c` is the collection `a/b` with the one member `c`;
/// it is filled as a folder on a disk is: staged as a collection beside its place, and moved there.
/// What is not finished has a name that begins with a dot and is never listed.
///
/// Servers were measured that let several writers win by every other means that WebDAV has, and tell
/// winners and losers apart by no status that could be relied on. So the answer of a publication is
/// what reading the slot returns.
package struct WebDAVRemote: Remote {
    let server: WebDAVServer
    let systemContext: SystemContext
    /// What a collection showed last, for ``wait(prefix:timeout:)``.
    let pollCursor = PollCursor<CollectionSight>()

    /// The largest object that ``get(_:range:)`` returns at once, in bytes: more is nothing that the
    /// store wrote, and would only fill the memory.
    package static let maximumObjectSize: Int64 = 1 << 30

    /// The most bytes of one folder's listing.
    package static let maximumListing = 64 << 20

    /// - Parameters:
    ///   - address: Of the folder. It, and those above it that are missing, are made when something
    ///     is first stored.
    ///   - credentials: Sent to this address only, and in the clear only as `allowsInsecure` says.
    ///   - allowsInsecure: Whether the credentials may pass over a network without encryption.
    package init(
        address: WebAddress, transport: any HTTPTransport, credentials: Credentials,
        systemContext: SystemContext, allowsInsecure: Bool = false
    ) {
        server = WebDAVServer(
            address: address, transport: transport, credentials: credentials,
            allowsInsecure: allowsInsecure)
        self.systemContext = systemContext
    }

    package var address: String { server.address.description }

    package var alternative: String {
        "Use the WebDAV of Apache, nginx or lighttpd, which were seen to hold, or filesinki serve."
    }

    package func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? {
        try await read(key, range: range)
    }

    package func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        try await fill(slot, with: bytes)
    }

    package func put(_ bytes: [UInt8], to key: ObjectKey) async throws {
        try await store(bytes, at: key)
    }

    package func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] {
        var listing = WebDAVListing(server, prefix: prefix, after: after, limit: limit)
        return try await listing.run()
    }

    package func delete(_ key: ObjectKey) async throws {
        try await remove(key)
    }

    package func wait(prefix: String, timeout: Duration) async throws {
        try await poll(prefix: prefix, timeout: timeout)
    }
}
