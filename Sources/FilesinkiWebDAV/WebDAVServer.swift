import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote
import FilesinkiText
import Synchronization

/// Sends requests below one address of a server, with the credentials that they need, and remembers what
/// the replies showed of the server.
final class WebDAVServer: Sendable {
    let address: WebAddress
    private let transport: any HTTPTransport
    private let authentication: WebDAVAuthentication
    private let origin: CredentialOrigin
    private let permitsRequests: Bool
    private let memory = Mutex(Memory())

    private struct Memory {
        /// Collections that exist, unless another device removed them since.
        var collections: Set<WebDAVPath> = []
        /// The index of the form of `Destination` to try first.
        var form = 0
        /// Whether a move with this form was seen to work.
        var isProven = false
    }

    /// The most attempts of one request: a server may demand authentication every time.
    private static let maximumTries = 4

    /// The most collections that are remembered, which is more than a store has at once.
    private static let maximumCollections = 4096

    init(
        address: WebAddress, transport: any HTTPTransport, credentials: Credentials,
        from origin: CredentialOrigin, allowsInsecure: Bool
    ) {
        self.address = address
        self.transport = transport
        authentication = WebDAVAuthentication(credentials)
        self.origin = origin
        permitsRequests =
            credentials == .none || address.permitsSecrets(allowsInsecure: allowsInsecure)
    }

    /// The address of the folder for messages, as a user writes it.
    var place: String {
        "\(address.isSecure ? "webdavs" : "webdav")://\(address.authority)\(address.path)"
    }

    /// The folder of the store.
    var top: WebDAVPath { WebDAVPath(address.path + "/") }

    func path(_ key: ObjectKey) -> WebDAVPath { top.member(key.description) }

    func collection(_ key: some StringProtocol) -> WebDAVPath {
        key.isEmpty ? top : top.member(key + "/")
    }

    func url(_ path: WebDAVPath) -> String { address.origin + path.text }

    /// The failure that an unexpected status means for a key.
    func failure(_ reply: HTTPReply, _ key: ObjectKey) -> Failure {
        failure(reply, about: key.description)
    }

    private func failure(_ reply: HTTPReply, about path: String) -> Failure {
        var failure = reply.failure(path, at: place)
        guard reply.status == 401 else { return failure }
        if let user = authentication.user {
            failure.message =
                "Authentication failed (401): \(printable(user.utf8)) is no user there, or the password is wrong."
        }
        failure.remedy = origin.passwordRemedy(at: place)
        return failure
    }

    /// Sends a request and waits for the whole reply, whatever its status.
    ///
    /// - Parameter cutAfter: See ``HTTPRequest/cutAfter``.
    /// - Throws: As `HTTPTransport.send` does; `away` for the page of a captive portal, and `not-allowed`
    ///   if credentials would be sent without encryption.
    func send(
        _ method: String, _ path: WebDAVPath, fields: HTTPFields = [:], body: [UInt8] = [],
        maximumReply: Int = 1 << 20, cutAfter: Int? = nil
    ) async throws -> HTTPReply {
        var request = HTTPRequest(
            method, url(path), fields: fields, body: body, maximumReply: maximumReply)
        request.cutAfter = cutAfter
        var tries = 0
        while true {
            tries += 1
            let authorization = try prepare(&request, path)
            let reply = try await transport.send(request)
            if tries < Self.maximumTries,
                authentication.handleChallenge(in: reply, after: authorization)
            {
                continue
            }
            if reply.status == 200, reply.isWebPage { throw portalError }
            return reply
        }
    }

    /// Sends a request, and passes on the reply's body as it arrives.
    func stream(
        _ request: HTTPRequest, _ path: WebDAVPath,
        _ receive: @escaping @Sendable (HTTPReply) async throws -> Bool
    ) async throws {
        var request = request
        for tries in 1...Self.maximumTries {
            let authorization = try prepare(&request, path)
            // How many bytes arrived of a reply that demands authentication.
            let skipped = Mutex<Int?>(nil)
            try await transport.stream(request) { [authentication] reply in
                let count = skipped.withLock { count in
                    count = count.map { $0 + reply.body.count }
                    return count
                }
                if let count { return count < ObjectBody.smallSurplus }
                if tries < Self.maximumTries,
                    authentication.handleChallenge(in: reply, after: authorization)
                {
                    skipped.withLock { $0 = 0 }
                    return true
                }
                return try await receive(reply)
            }
            if skipped.withLock({ $0 }) == nil { return }
        }
    }

    /// Adds the credentials, and the address for messages.
    private func prepare(
        _ request: inout HTTPRequest, _ path: WebDAVPath
    ) throws(Failure) -> WebDAVAuthentication.Authorization {
        guard permitsRequests else { throw address.unencryptedError(of: place) }
        request.place = place
        let authorization = authentication.authorization(method: request.method, path: path.text)
        request.fields["Authorization"] = authorization.field
        return authorization
    }

    /// A captive portal replies to every request with its own page.
    var portalError: Failure {
        Failure(
            .away, path: place, "The reply is a web page, not one of the store.",
            remedy: "Log in to the network if it requires that, and check the address.")
    }
}

// What is remembered of the server.
extension WebDAVServer {
    func isKnown(_ collection: WebDAVPath) -> Bool {
        memory.withLock { $0.collections.contains(collection) }
    }

    func remember(_ collection: WebDAVPath) {
        guard !collection.isTemporary else { return }
        memory.withLock { memory in
            if memory.collections.count >= Self.maximumCollections {
                memory.collections.removeAll()
            }
            memory.collections.insert(collection)
        }
    }

    func forget(_ collection: WebDAVPath) {
        memory.withLock { _ = $0.collections.remove(collection) }
    }

    /// The reply to a `MOVE`, and the index of its form of `Destination`.
    struct MoveResult {
        var reply: HTTPReply
        var form: Int
    }

    /// Moves a file or a collection. The status does not tell reliably what happened.
    ///
    /// The field `Destination` is a whole address. Behind a proxy that ends TLS, some measured servers
    /// reject it for its scheme; so the path alone and an address with `http` are tried, too, until one is
    /// seen to work.
    func move(_ from: WebDAVPath, to: WebDAVPath, overwrite: Bool) async throws -> MoveResult {
        let (first, isProven) = memory.withLock { ($0.form, $0.isProven) }
        let forms = [address.origin + to.text, to.text, "http://\(address.authority)\(to.text)"]
        var form = first
        while true {
            let reply = try await send(
                "MOVE", from,
                fields: ["Destination": forms[form], "Overwrite": overwrite ? "T" : "F"])
            // The statuses of measured servers that reject the form.
            let mayRejectForm = [400, 404, 502].contains(reply.status)
            if !mayRejectForm || isProven || form == forms.count - 1 {
                return MoveResult(reply: reply, form: form)
            }
            form += 1
        }
    }

    /// Whether a move with this form was seen to work.
    func isProven(_ moved: MoveResult) -> Bool {
        memory.withLock { $0.isProven && $0.form == moved.form }
    }

    /// Uses only this form from now on, because the object was seen in its new place.
    func markProven(_ moved: MoveResult) {
        guard moved.reply.isMoved else { return }
        memory.withLock { memory in
            memory.form = moved.form
            memory.isProven = true
        }
    }
}

// Properties of files and collections.
extension WebDAVServer {
    /// The properties of a path.
    struct Found {
        var own: MultiStatus.Resource
        /// The members of a collection, in no order, if requested.
        var members: [MultiStatus.Resource] = []
        /// Whether it was modified in the current second of the server's clock.
        var isFresh = false
        /// The time by the server's clock, in seconds since 1970; nil if it does not tell.
        var time: Int64?
    }

    /// Requests the properties of a path, and of the members of a collection.
    ///
    /// - Returns: Nil when the path is absent.
    /// - Throws: `Failure`, also when the reply is about another path: a misread listing must not be taken
    ///   for an empty one.
    func properties(_ path: WebDAVPath, withMembers: Bool = false) async throws -> Found? {
        let reply = try await sendPropfind(path, withMembers)
        if try await isAbsent(reply, path) { return nil }
        return try parse(reply, path)
    }

    private func sendPropfind(_ path: WebDAVPath, _ withMembers: Bool) async throws -> HTTPReply {
        try await send(
            "PROPFIND", path,
            fields: [
                "Depth": withMembers ? "1" : "0", "Content-Type": "application/xml; charset=utf-8",
            ], body: MultiStatus.request,
            maximumReply: withMembers ? WebDAVRemote.maximumListing : 1 << 20)
    }

    private func isAbsent(_ reply: HTTPReply, _ path: WebDAVPath) async throws -> Bool {
        switch reply.status {
        case 404, 410: return true
        // The statuses of servers for a name below a file.
        case 400, 403, 405, 409: return try await isBelowFile(path)
        default: return false
        }
    }

    private func isBelowFile(_ path: WebDAVPath) async throws -> Bool {
        var next = path.isCollection ? path : path.parent
        while let path = next?.withoutSlash, path.text.utf8.count > top.text.utf8.count {
            let reply = try await sendPropfind(path, false)
            if reply.status == 207 || reply.isRedirect(toCollection: path) {
                return try parse(reply, path)?.own.isCollection == false
            }
            next = path.parent
        }
        return false
    }

    private func parse(_ reply: HTTPReply, _ path: WebDAVPath) throws(Failure) -> Found? {
        let names = path.names ?? []
        if reply.isRedirect(toCollection: path) {
            return Found(own: MultiStatus.Resource(names: names, isCollection: true))
        }
        guard reply.status == 207 else { throw noPropertiesError(reply, path) }
        let resources = try MultiStatus(reply.body)
        if resources.isAbsent { return nil }
        guard let own = resources.all.first(where: { $0.names == names }) else {
            throw Failure(
                .away, path: path.text, "The server's listing is about another path.",
                remedy: "Write the address as the server does; a proxy may change it.")
        }
        let members = resources.all.filter {
            $0.names.count == names.count + 1 && $0.names.starts(with: names)
        }
        let isFresh = own.modified != nil && own.modified == reply.fields["Date"]
        let time = reply.fields["Date"].flatMap(DateText.seconds(http:))
        return Found(own: own, members: members, isFresh: isFresh, time: time)
    }

    private func noPropertiesError(_ reply: HTTPReply, _ path: WebDAVPath) -> Failure {
        guard [200, 405, 501].contains(reply.status) else {
            return failure(reply, about: path.text)
        }
        return Failure(
            .unfitStore, path: place, "The server does not support WebDAV at this address.",
            remedy: "Check the address; WebDAV may have to be enabled at the server.")
    }
}

extension HTTPReply {
    /// Whether a move reports success. 207 reports a failed one.
    var isMoved: Bool { isSuccess && status != 207 }

    /// Whether the reply redirects a request for a file to the collection of this name.
    func isRedirect(toCollection path: WebDAVPath) -> Bool {
        guard !path.isCollection, (300..<400).contains(status), let location = fields["Location"],
            location.hasSuffix("/"), let names = path.names
        else { return false }
        return WebDAVPath.names(of: location) == names
    }
}
