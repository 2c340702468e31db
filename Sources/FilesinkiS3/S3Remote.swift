package import FilesinkiHTTP
package import FilesinkiModel
package import FilesinkiRemote

/// A store in a bucket of an S3 service.
///
/// A slot is filled by one `PutObject` with `If-None-Match: *`, in one part: the only conditional
/// request that a real engine was measured to keep, and only in a bucket without versions. Everything
/// else is written under names that only its content can have.
package final class S3Remote: Remote {
    /// Sizes and numbers; the defaults are meant for everybody.
    package struct Knobs: Sendable {
        /// What is larger is sent in several parts; in bytes.
        package var largestSinglePut = 16 << 20
        /// In bytes; S3 refuses parts of less than 5 MiB, but for the last one.
        package var partSize = 8 << 20
        /// How many parts are under way at once.
        package var parallelParts = 4
        /// How often a request is made at most of which only a part is lost when it fails.
        package var tries = 5

        package init() {}
    }

    /// The largest object that is read at once, in bytes: more is nothing that the store writes.
    static let maximumObjectSize = 1 << 30

    /// More parts than this S3 does not put together.
    static let maximumParts = 10_000

    package let address: String

    package var alternative: String {
        """
        Use a bucket that keeps no versions, of a service that lets one of many writers win \
        (Ceph was seen to, AWS promises it), or filesinki serve.
        """
    }
    let place: S3Address
    let connection: S3Connection
    let systemContext: SystemContext
    let knobs: Knobs
    /// The last key that was seen below a prefix, for ``wait(prefix:timeout:)``.
    let pollCursor = PollCursor<String>()

    /// - Parameters:
    ///   - address: With everything filled in that the environment has to say: see
    ///     ``AWSConfiguration/completing(_:)``.
    ///   - credentials: Asked before the first request, and again when they expire.
    ///   - allowsInsecure: Whether requests may pass over a network without encryption.
    package init(
        address: S3Address, transport: any HTTPTransport, credentials: any S3CredentialSource,
        systemContext: SystemContext, allowsInsecure: Bool = false, knobs: Knobs = Knobs()
    ) {
        self.address = address.description
        place = address
        connection = S3Connection(
            address: address, transport: transport,
            keeper: CredentialKeeper(credentials, now: systemContext.now), now: systemContext.now,
            allowsInsecure: allowsInsecure)
        self.systemContext = systemContext
        self.knobs = knobs
    }

    /// The key in the bucket of a key of the store, or of the beginning of some.
    func bucketKey(_ key: String) -> String {
        place.prefix.isEmpty ? key : place.prefix + "/" + key
    }

    /// Whether the object is known to be absent. A 404 alone is not enough: a proxy may say it, too.
    func isAbsent(_ reply: HTTPReply) -> Bool {
        reply.status == 404 && S3Fault(reply).code == "NoSuchKey"
    }

    package func delete(_ key: ObjectKey) async throws {
        let reply = try await connection.send(
            .init(method: "DELETE", key: bucketKey(key.description)))
        if [200, 204].contains(reply.status) || isAbsent(reply) { return }
        throw await connection.failure(reply, key.description)
    }
}
