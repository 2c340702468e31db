import FilesinkiHTTP
import FilesinkiModel
import FilesinkiProtocol
import FilesinkiRemote
import Synchronization

/// Sends requests to a filesinki server, and checks that a filesinki server replies.
struct ServerExchange: Sendable {
    /// For messages.
    let address: String
    /// What a path of a request follows.
    private let base: String
    private let transport: any HTTPTransport
    private let credentials: Credentials
    private let origin: CredentialOrigin
    private let authorization: String?
    /// Whether a host's sshd started the server, so that a key has its rights, and not a token.
    private let isOverSSH: Bool

    /// - Parameter address: For messages. The transport leads to the server by itself, over ssh.
    init(address: String, transport: any HTTPTransport) {
        self.address = address
        base = ""
        isOverSSH = true
        self.transport = transport
        credentials = .none
        origin = .none(file: nil)
        authorization = nil
    }

    /// - Throws: As ``ServerRemote/init(address:transport:credentials:from:systemContext:allowsInsecure:)`` does.
    init(
        address: WebAddress, transport: any HTTPTransport, credentials: Credentials,
        from origin: CredentialOrigin, allowsInsecure: Bool
    ) throws(Failure) {
        self.address = address.description
        base = address.description
        isOverSSH = false
        self.transport = transport
        self.credentials = credentials
        self.origin = origin
        switch credentials {
        case .none: authorization = nil
        case .bearer(let token): authorization = "Bearer \(token.value)"
        case .password:
            throw Failure(
                .usage, path: address.description,
                "A filesinki server accepts a token, not a password.",
                remedy: "For a WebDAV server write \(Self.webDAV(address.description)). Otherwise "
                    + "ask its administrator to create one with filesinki serve token make.")
        }
        guard authorization == nil || address.permitsSecrets(allowsInsecure: allowsInsecure) else {
            throw address.unencryptedError(of: self.address)
        }
    }

    /// Sends a request, and returns a reply with a success status or an allowed one.
    ///
    /// - Parameters:
    ///   - key: The key for messages; nil for a request about the server.
    ///   - cutAfter: See ``HTTPRequest/cutAfter``.
    ///   - allowing: Statuses that the caller handles, besides success.
    func send(
        _ method: String, _ path: String, about key: ObjectKey?, fields: HTTPFields = [:],
        body: [UInt8] = [], maximumReply: Int = 1 << 20, cutAfter: Int? = nil,
        allowing: Set<Int> = []
    ) async throws -> HTTPReply {
        var request = HTTPRequest(
            method, base + path, fields: authorized(fields), body: body,
            maximumReply: max(maximumReply, WireLimits.errorBytes))
        request.cutAfter = cutAfter
        request.place = address
        let reply = try await transport.send(request)
        try checkReply(reply, to: method, about: key, allowing: allowing)
        return reply
    }

    /// Sends a request, and passes on the pieces of the reply's body until `receive` returns false.
    func stream(
        _ method: String, _ path: String, about key: ObjectKey? = nil, body: [UInt8] = [],
        limit: Duration? = nil, maximumReply: Int = 1 << 20,
        _ receive: @escaping @Sendable ([UInt8]) async throws -> Bool
    ) async throws {
        var request = HTTPRequest(
            method, base + path, fields: authorized([:]), body: body,
            maximumReply: maximumReply, limit: limit)
        request.place = address
        let refusal = Mutex<HTTPReply?>(nil)
        try await transport.stream(request) { reply in
            guard reply.isSuccess else {
                return refusal.withLock { Self.collect(reply, in: &$0) }
            }
            try checkReply(reply, to: method, about: key, allowing: [])
            return try await receive(reply.body)
        }
        if let reply = refusal.withLock({ $0 }) {
            try checkReply(reply, to: method, about: key, allowing: [])
        }
    }

    /// Collects the pieces of an error's reply: its body says why.
    ///
    /// - Returns: Whether more of it may be read.
    private static func collect(_ piece: HTTPReply, in whole: inout HTTPReply?) -> Bool {
        let body = (whole?.body ?? []) + piece.body
        whole = HTTPReply(status: piece.status, fields: piece.fields, body: body)
        return body.count < WireLimits.errorBytes
    }

    private func authorized(_ fields: HTTPFields) -> HTTPFields {
        var fields = fields
        if let authorization { fields["Authorization"] = authorization }
        return fields
    }

    private func checkReply(
        _ reply: HTTPReply, to method: String, about key: ObjectKey?, allowing: Set<Int>
    ) throws(Failure) {
        let version = reply.fields[WireHeaders.version]
        if version == WireHeaders.versionValue {
            if reply.fields[WireHeaders.path] == WireHeaders.pathUnknown { throw unknownPath }
            if reply.isSuccess || allowing.contains(reply.status) { return }
            throw failure(reply, method, key)
        }
        if let version, !version.isEmpty, reply.isSuccess {
            throw Failure(
                .newerFormat, path: address,
                "The server uses version \(version) of the protocol.",
                remedy: "Install a newer filesinki.")
        }
        // A proxy may reply in the server's place with an error, but with nothing else.
        if reply.isSuccess || reply.status == 404 || reply.status == 405 {
            throw Failure(
                .away, path: address, "The server at this address is not a filesinki server.",
                remedy:
                    "For a WebDAV server write \(Self.webDAV(address)). Otherwise check the address, "
                    + "and whether the network requires a login.")
        }
        if reply.status == 401 {
            var failure = reply.failure(address, at: address)
            failure.message = "A server that is not filesinki's asks for a login (401)."
            failure.remedy =
                "For a WebDAV server write \(Self.webDAV(address)), and set FILESINKI_USER and "
                + "FILESINKI_PASSWORD. Otherwise check the address."
            throw failure
        }
        throw failure(reply, method, key)
    }

    /// The address of a WebDAV server for `http(s)://…`, as Nextcloud and others print them.
    private static func webDAV(_ address: String) -> String {
        address.hasPrefix("http") ? "webdav" + address.dropFirst("http".count) : "webdav(s)://"
    }

    /// The path in the address is none that the server has.
    private var unknownPath: Failure {
        let start = base.firstRange(of: "://")?.upperBound ?? base.startIndex
        let slash = base[start...].firstIndex(of: "/") ?? base.endIndex
        let path = base[slash...]
        return Failure(
            .usage, path: address,
            "A filesinki server has one store, which has no path\(path.isEmpty ? "" : ": \(path)").",
            remedy: path.isEmpty
                ? "Install the same version of filesinki on both sides."
                : "Leave the path out: \(base[..<slash]).")
    }

    private func failure(_ reply: HTTPReply, _ method: String, _ key: ObjectKey?) -> Failure {
        let path = key?.description ?? address
        if reply.status == 401 { return credentials.refusedToken(at: address, from: origin) }
        var failure = reply.failure(path, at: address)
        guard let error = WireError(reply.body) else { return failure }
        if error.code == .badDigest {
            failure = Failure(
                .away, path: path, "The server received damaged data.",
                remedy: "Run the command again. If this happens again, the network damages data.")
        } else if error.code == .misplaced {
            failure = .misplacedStore(address, printable(error.message.utf8))
        } else if [.forbidden, .readOnly].contains(error.code), method == "DELETE",
            let refused = noPruning(of: key)
        {
            failure = refused
        } else if let known = storeFailure(error.code, path) {
            failure = known
        } else if [.badRequest, .badKey, .badRange, .noMethod, .noLength].contains(error.code) {
            failure = protocolError(key, printable(error.message.utf8))
        } else if error.code == .forbidden, isOverSSH {
            failure.remedy =
                "What a key may do stands in its line of authorized_keys at the host, after --rights."
            failure.cause = ServerMessage(description: printable(error.message.utf8))
        } else {
            failure.cause = ServerMessage(description: printable(error.message.utf8))
        }
        return failure
    }

    /// What the server says of its store; nil for another code.
    private func storeFailure(_ code: WireError.Code, _ path: String) -> Failure? {
        switch code {
        case .missing: missingFolder
        case .readOnly: readOnly
        case .full:
            Failure(
                .full, path: path, "No space left on the disk of the store at \(address) (507).",
                remedy: "Free some space there, as filesinki prune does, and run again.")
        case .quota:
            Failure(
                .full, path: path, "The quota of the store at \(address) is used up (507).",
                remedy: "Free space with filesinki prune, or raise --quota of the server.")
        case .closed:
            Failure(
                .notAllowed, path: address,
                "The server has no permission for its store, or the disk is read-only (403).",
                remedy: "Check there who may write to the folder, and how its disk is mounted."
            ).about(.restricted)
        default: nil
        }
    }

    private var readOnly: Failure {
        let (message, wanted) =
            isOverSSH
            ? (
                "The key may only read (403).",
                "write --rights read,append into its line of "
                    + "authorized_keys at the host."
            )
            : (
                "The token may only read (403).",
                "ask the server's administrator for a token "
                    + "with the right to append."
            )
        return Failure(
            .notAllowed, path: address, message,
            remedy: "What was changed here stays here. To publish it, \(wanted)",
            cause: ReadOnlyAccess()
        ).about(.restricted)
    }

    /// Why an object may not be removed; nil for one of those that each device has of its own, which needs no right to prune.
    private func noPruning(of key: ObjectKey?) -> Failure? {
        let names = key?.description.split(separator: "/") ?? []
        guard let first = names.first, first != "devices", first != "probe" else { return nil }
        let zone = first == "zones" && names.count > 1 ? " in the zone \(names[1])" : ""
        return Failure(
            .notAllowed, path: address,
            "The \(isOverSSH ? "key" : "token") lacks the right to prune\(zone) (403).",
            remedy: isOverSSH
                ? "Write --rights read,append,prune into its line of authorized_keys at the host."
                : "Ask the server's administrator for a token that has it, as filesinki serve token make DIR "
                    + "NAME --rights read,append,prune makes one."
        ).about(.restricted)
    }

    private var missingFolder: Failure {
        var failure = Failure.storeFolderMissing(address)
        if isOverSSH {
            failure.remedy +=
                " If authorized_keys there names a command, the folder in that line was looked for: correct it there."
        } else {
            failure.remedy =
                "Mount the disk that contains it at the server, or ask its administrator."
        }
        return failure
    }

    /// The server does not follow the protocol.
    func protocolError(_ key: ObjectKey?, _ what: String) -> Failure {
        Failure(
            .away, path: key?.description ?? address,
            "The server does not understand the request: \(what).",
            remedy: "Install the same version of filesinki on both sides.")
    }
}

/// The message in the server's reply, as the cause of a failure.
struct ServerMessage: Error, CustomStringConvertible {
    let description: String
}
