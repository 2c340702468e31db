import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote
import Synchronization

/// The conversation with one server: requests below one address, with the credentials they need, and
/// what was learned on the way.
final class WebDAVServer: Sendable {
    let address: WebAddress
    private let transport: any HTTPTransport
    private let authentication: Authentication
    private let mayAuthenticate: Bool
    private let memory = Mutex(Memory())

    private struct Memory {
        /// Collections that are there, unless somebody removed them since.
        var collections: Set<WebDAVPath> = []
        /// The number of the form of `Destination` to begin with.
        var form = 0
        /// Whether an object was seen where a request with this form should move it.
        var isProven = false
    }

    /// How often one request is sent at most: a server may ask for proof ever anew.
    private static let maximumTries = 4

    /// How many collections are remembered; more than a store has at once.
    private static let maximumCollections = 4096

    init(
        address: WebAddress, transport: any HTTPTransport, credentials: Credentials,
        allowsInsecure: Bool
    ) {
        self.address = address
        self.transport = transport
        authentication = Authentication(credentials)
        mayAuthenticate =
            credentials == .none || address.isSecure || address.isLoopback || allowsInsecure
    }

    /// The folder of the store.
    var top: WebDAVPath { WebDAVPath(address.path + "/") }

    func path(_ key: ObjectKey) -> WebDAVPath { top.member(key.description) }

    func collection(_ key: some StringProtocol) -> WebDAVPath {
        key.isEmpty ? top : top.member(key + "/")
    }

    func url(_ path: WebDAVPath) -> String { origin + path.text }

    /// `https://host:port`
    var origin: String { "\(address.isSecure ? "https" : "http")://\(address.authority)" }

    /// Sends a request and waits for the whole reply, whatever its status.
    ///
    /// - Parameter cutAfter: Where to end the connection on purpose.
    /// - Throws: As `HTTPTransport.send` does; `away` for the page of a captive portal, and
    ///   `not-allowed` for credentials that would pass over a network in the clear.
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
            let proof = try sign(&request, path)
            let reply = try await transport.send(request)
            if tries < Self.maximumTries, authentication.learn(from: reply, after: proof) {
                continue
            }
            if reply.status == 200, reply.isPage { throw portal(path) }
            return reply
        }
    }

    /// As ``send(_:_:fields:body:maximumReply:)``, and hands out the body as it comes.
    func stream(
        _ request: HTTPRequest, _ path: WebDAVPath,
        _ receive: @escaping @Sendable (HTTPReply) async throws -> Bool
    ) async throws {
        var request = request
        for tries in 1...Self.maximumTries {
            let proof = try sign(&request, path)
            // How much came of a reply that is not wanted.
            let refused = Mutex<Int?>(nil)
            try await transport.stream(request) { [authentication] reply in
                let count = refused.withLock { count in
                    count = count.map { $0 + reply.body.count }
                    return count
                }
                if let count { return count < ObjectBody.smallSurplus }
                if tries < Self.maximumTries, authentication.learn(from: reply, after: proof) {
                    refused.withLock { $0 = 0 }
                    return true
                }
                return try await receive(reply)
            }
            if refused.withLock({ $0 }) == nil { return }
        }
    }

    private func sign(
        _ request: inout HTTPRequest, _ path: WebDAVPath
    ) throws(Failure) -> Authentication.Proof {
        guard mayAuthenticate else {
            throw Failure(
                .notAllowed, path: address.description,
                "The credentials would pass over the network unencrypted.",
                remedy: "Use https, or set FILESINKI_INSECURE if that network is safe.")
        }
        let proof = authentication.proof(method: request.method, path: path.text)
        request.fields["Authorization"] = proof.field
        return proof
    }

    /// A captive portal answers every request with its own page.
    func portal(_ path: WebDAVPath) -> Failure {
        Failure(
            .away, path: path.text, "Something else than the store answers, with a web page.",
            remedy: "Log in to the network if it asks for that, and check the address.")
    }
}

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

    /// What a `MOVE` was answered, and the number of the form of `Destination` that it had.
    struct Moved {
        var reply: HTTPReply
        var form: Int
    }

    /// Moves a file or a collection. No status says for sure what happened.
    ///
    /// The field `Destination` is a whole address, as it is given here. Behind a proxy that ends TLS,
    /// servers were measured that refuse it for its scheme; so the path alone and an address with
    /// `http` are tried, too, until one was seen to work.
    func move(_ from: WebDAVPath, to: WebDAVPath, overwrite: Bool) async throws -> Moved {
        let (first, isProven) = memory.withLock { ($0.form, $0.isProven) }
        let forms = [origin + to.text, to.text, "http://\(address.authority)\(to.text)"]
        var form = first
        while true {
            let reply = try await send(
                "MOVE", from,
                fields: ["Destination": forms[form], "Overwrite": overwrite ? "T" : "F"])
            // As measured: what a server answers that does not like the form.
            let isSuspect = [400, 404, 502].contains(reply.status)
            if !isSuspect || isProven || form == forms.count - 1 {
                return Moved(reply: reply, form: form)
            }
            form += 1
        }
    }

    /// Whether what was moved with this form was seen in its new place.
    func isProven(_ moved: Moved) -> Bool {
        memory.withLock { $0.isProven && $0.form == moved.form }
    }

    /// What was moved was seen in its new place: only this form is used from now on.
    func prove(_ moved: Moved) {
        guard moved.reply.isMoved else { return }
        memory.withLock { memory in
            memory.form = moved.form
            memory.isProven = true
        }
    }
}

extension HTTPReply {
    /// Whether the body is a web page.
    var isPage: Bool {
        fields["Content-Type"]?.lowercased().hasPrefix("text/html") ?? false
    }

    /// Whether the reply sends a request for a file on to the collection of this name.
    func isRedirect(toCollection path: WebDAVPath) -> Bool {
        guard !path.isCollection, (300..<400).contains(status), let location = fields["Location"],
            location.hasSuffix("/"), let names = path.names
        else { return false }
        return WebDAVPath.names(of: location) == names
    }
}
