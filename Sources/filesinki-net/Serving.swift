import FilesinkiCommands
import FilesinkiModel
import FilesinkiProcess
import FilesinkiServer
import Glibc

/// What the words of the command line mean to the server.
enum Serving {
    /// The folder inside the served one that holds what only the server may know: no key of a store
    /// begins with a dot, so nobody reaches it from outside.
    private static let privateFolder = ".serve"

    static func serve(
        _ options: ServeOptions, _ tell: @escaping @Sendable (ServeNotice) -> Void
    ) async throws {
        var settings = ServerSettings(folder: options.folder)
        let own = makePrivateFolder(in: options.folder)
        settings.host = options.host
        settings.port = options.port
        settings.allowInsecure = options.isInsecure
        settings.quota = options.quota
        settings.faults = try ServerFaults(options.faults.joined(separator: ";"))
        settings.log = { tell(.request($0)) }
        settings.tls = tls(options.encryption, in: own)
        if try !tokenFile(options.folder).list().isEmpty {
            settings.tokenFile = tokenFile(options.folder).path
        }
        try await FilesinkiServer.run(settings, .ofMachine) { address in
            let isOwn = address.fingerprint != nil
            tell(
                .ready(
                    address: address.description, fingerprint: address.fingerprint,
                    certificate: isOwn ? own + "/server.pem" : nil))
        }
    }

    private static func tls(_ encryption: ServeOptions.Encryption, in folder: String) -> ServerTLS {
        switch encryption {
        case .none: .none
        case .files(let certificate, let key): .files(certificate: certificate, key: key)
        case .selfSigned: .selfSigned(folder: folder)
        }
    }

    static func tokens(_ request: TokenRequest) throws(Failure) -> [TokenNotice] {
        let file = tokenFile(request.folder)
        switch request.action {
        case .list: return try file.list().map { notice($0) }
        case .revoke(let id):
            let records = try file.list().filter { $0.id == id }
            return try file.revoke(id: id) ? records.map { notice($0) } : []
        case .make(let name, let rights, let zones):
            makePrivateFolder(in: request.folder)
            let (token, record) = try file.make(
                name: name, rights: try parsed(rights), zones: zones.isEmpty ? nil : Set(zones),
                .ofMachine)
            return [notice(record, secret: token.text)]
        }
    }

    /// Makes the folder, and the served one around it, where they are missing.
    @discardableResult
    private static func makePrivateFolder(in folder: String) -> String {
        // What cannot be made is said by who then writes there.
        mkdir(folder, 0o777)
        let own = folder + "/" + privateFolder
        mkdir(own, 0o700)
        return own
    }

    private static func tokenFile(_ folder: String) -> TokenFile {
        TokenFile(path: "\(folder)/\(privateFolder)/tokens")
    }

    private static func parsed(_ words: [String]) throws(Failure) -> Set<AccessRight> {
        var rights: Set<AccessRight> = []
        for word in words {
            guard let right = AccessRight(rawValue: word) else {
                throw Failure(
                    .usage, path: word, "This is no right.",
                    remedy: "Use read, append and prune.")
            }
            rights.insert(right)
        }
        return rights
    }

    private static func notice(_ record: TokenRecord, secret: String? = nil) -> TokenNotice {
        TokenNotice(
            id: record.id, name: record.name,
            rights: AccessRight.allCases.filter(record.rights.contains).map(\.rawValue),
            zones: record.zones?.sorted(), made: record.made, secret: secret)
    }
}
