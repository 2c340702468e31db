import FilesinkiHTTP
import FilesinkiModel
import FilesinkiProtocol
import FilesinkiRemote

/// Asks a filesinki server, and makes sure that it is one which answers.
struct ServerExchange: Sendable {
    /// The largest object that is taken, in bytes: 1 GiB.
    static let maximumObject: Int64 = 1 << 30

    let address: String
    private let transport: any HTTPTransport
    private let authorization: String?

    /// - Throws: `Failure` with code `not-allowed` when a token would be sent in the open.
    init(_ server: ServerPlace) throws(Failure) {
        address = server.address.description
        transport = server.transport
        switch server.credentials {
        case .none: authorization = nil
        case .bearer(let token): authorization = "Bearer \(token.value)"
        case .password:
            throw Failure(
                .usage, path: address, "A filesinki server takes a token and no password.",
                remedy: "Ask its administrator to create one with filesinki serve token make.")
        }
        let isOpen = !server.address.isSecure && !server.address.isLoopback
        guard authorization == nil || !isOpen || server.isInsecure else {
            throw Failure(
                .notAllowed, path: address, "A token is not sent without encryption.",
                remedy: "Use https://, or set FILESINKI_INSECURE=1 in a network that you trust.")
        }
    }

    /// Sends a request and gives back a reply that is a success or allowed.
    ///
    /// - Parameters:
    ///   - key: What the request is about; nil for the server as a whole.
    ///   - cutAfter: Where to end the connection on purpose.
    ///   - allowing: Statuses beside the successes that the caller knows what to do with.
    func ask(
        _ method: String, _ path: String, about key: ObjectKey?, fields: HTTPFields = [:],
        body: [UInt8] = [], maximumReply: Int = 1 << 20, cutAfter: Int? = nil,
        allowing: Set<Int> = []
    ) async throws -> HTTPReply {
        var request = HTTPRequest(
            method, address + path, fields: authorized(fields), body: body,
            maximumReply: max(maximumReply, WireLimits.errorBytes))
        request.cutAfter = cutAfter
        let reply = try await transport.send(request)
        try check(reply, about: key, allowing: allowing)
        return reply
    }

    /// Sends a request, and hands out the pieces of its reply's body while `receive` wants more.
    func stream(
        _ method: String, _ path: String, about key: ObjectKey? = nil, body: [UInt8] = [],
        limit: Duration? = nil, maximumReply: Int = 1 << 20,
        _ receive: @escaping @Sendable ([UInt8]) async throws -> Bool
    ) async throws {
        let request = HTTPRequest(
            method, address + path, fields: authorized([:]), body: body,
            maximumReply: maximumReply, limit: limit)
        try await transport.stream(request) { reply in
            try check(reply, about: key, allowing: [])
            return try await receive(reply.body)
        }
    }

    private func authorized(_ fields: HTTPFields) -> HTTPFields {
        var fields = fields
        if let authorization { fields["Authorization"] = authorization }
        return fields
    }

    private func check(
        _ reply: HTTPReply, about key: ObjectKey?, allowing: Set<Int>
    ) throws(Failure) {
        let version = reply.fields[WireHeaders.version]
        if version == WireHeaders.versionValue {
            if reply.isSuccess || allowing.contains(reply.status) { return }
            throw failure(reply, key)
        }
        if let version, !version.isEmpty, reply.isSuccess {
            throw Failure(
                .newerFormat, path: address,
                "The server speaks version \(version) of the protocol.",
                remedy: "Install a newer filesinki.")
        }
        // A proxy between here and there may say no in the server's stead, but nothing else.
        if reply.isSuccess || reply.status == 404 || reply.status == 405 {
            throw Failure(
                .away, path: address, "The server at this address is not a filesinki server.",
                remedy: "For a WebDAV server write webdav:// or webdavs://; else check the address "
                    + "and whether the network wants you to log in.")
        }
        throw failure(reply, key)
    }

    private func failure(_ reply: HTTPReply, _ key: ObjectKey?) -> Failure {
        let path = key?.description ?? address
        var failure = reply.failure(path, at: address)
        guard let error = WireError(reply.body) else { return failure }
        if error.code == .badDigest {
            failure = Failure(
                .away, path: path, "What arrived at the server is not what was sent.",
                remedy: "Run the command again; if it stays so, the network damages data.")
        } else if [.badRequest, .badKey, .badRange, .noMethod, .noLength].contains(error.code) {
            failure = senseless(key, printable(error.message.utf8))
        } else {
            failure.cause = ServerWords(description: printable(error.message.utf8))
        }
        return failure
    }

    /// A server that does not keep to the protocol.
    func senseless(_ key: ObjectKey?, _ what: String) -> Failure {
        Failure(
            .away, path: key?.description ?? address,
            "The server does not understand this program: \(what).",
            remedy: "Install the same version of filesinki on both sides.")
    }
}

/// What the server said, for whoever wants to know more.
struct ServerWords: Error, CustomStringConvertible {
    let description: String
}
