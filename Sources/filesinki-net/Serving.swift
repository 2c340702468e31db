import FilesinkiCommands
import FilesinkiDirectory
import FilesinkiModel
import FilesinkiServer
import FilesinkiStoreIndex
import FilesinkiSystem
import Glibc

/// What the words of the command line mean to the server.
enum Serving {
    static func serve(
        _ options: ServeOptions, _ tell: @escaping @Sendable (ServeNotice) -> Void
    ) async throws {
        let store = ServedStore(options.folder)
        var settings = ServerSettings(folder: options.folder)
        settings.createsFolder = options.isCreating
        settings.misplacement = options.misplacement
        settings.host = options.host
        settings.port = options.port
        settings.allowInsecure = options.isInsecure
        settings.isPublic = options.isPublic
        settings.quota = options.quota
        settings.faults = try ServerFaults(options.faults.joined(separator: ";"))
        settings.log = { tell(.request($0)) }
        settings.tokenFile = store.tokenFile
        settings.deviceFile = store.deviceFile
        if let client = options.streamClient {
            return try await FilesinkiServer.serve(
                settings, input: STDIN_FILENO, output: STDOUT_FILENO, grant(client), .ofMachine)
        }
        settings.tls = tls(options.encryption, in: store.privateFolder)
        let isOpen = !TokenFile(path: store.tokenFile).exists
        settings.isOpenUntilFirstToken = isOpen
        if options.servesPage { settings.page = storePage(store) }
        try await FilesinkiServer.serve(settings, .ofMachine) { address in
            let certificate = store.privateFolder + "/server.pem"
            tell(
                .ready(
                    ServeNotice.Ready(
                        address: address.description, outsideAddress: address.outside,
                        fingerprint: address.fingerprint,
                        certificate: address.fingerprint == nil ? nil : certificate,
                        isOpen: isOpen,
                        page: options.servesPage
                            ? (address.outside ?? address.description) + "/ui/" : nil)))
        }
    }

    /// The page of a store, from an index of its log beside the tokens.
    private static func storePage(_ store: ServedStore) -> StorePageSource {
        let index = StoreIndex(
            DirectoryRemote(path: store.folder), folder: store.privateFolder + "/page")
        return StorePageSource(
            zone: StoreIndex.zone, watchedPrefix: StoreIndex.watchedPrefix,
            answer: { try await index.answer($0, $1) },
            content: { path, version in
                let content = try await index.content(of: path, version: version)
                return StorePageSource.Content(size: content.size) { try await content.next() }
            })
    }

    static func page(
        _ options: PageOptions, _ tell: @escaping @Sendable (String) -> Void
    ) async throws {
        let settings = PageSettings(
            host: options.host, port: options.port,
            run: { command in
                let ended = try await options.run(
                    PageOptions.Command(
                        name: command.name, options: command.options, paths: command.paths,
                        input: command.input))
                return PageResult(
                    exit: ended.code, output: ended.output, messages: ended.messages)
            }, stamp: options.stamp)
        try await PageServer(settings, .ofMachine).serve(onReady: tell)
    }

    private static func grant(
        _ client: ServeOptions.StreamClient
    ) throws(Failure) -> StreamGrant {
        try StreamGrant(
            rights: try parsed(client.rights),
            zones: client.zones.isEmpty ? nil : Set(client.zones), name: client.name)
    }

    private static func tls(_ encryption: ServeOptions.Encryption, in folder: String) -> ServerTLS {
        switch encryption {
        case .none: .none
        case .files(let certificate, let key): .files(certificate: certificate, key: key)
        case .selfSigned: .selfSigned(folder: folder)
        }
    }

    static func tokens(_ request: TokenRequest) throws(Failure) -> [TokenNotice] {
        let store = ServedStore(request.folder)
        let file = TokenFile(path: store.tokenFile)
        switch request.action {
        case .list:
            try store.requireStore()
            return try file.list().map { notice($0) }
        case .revoke(let word):
            try store.requireStore()
            return [notice(try file.revoke(named: word))]
        case .make(let request):
            try store.prepare(creating: request.isCreating)
            let (token, record) = try file.makeToken(
                name: request.name, rights: try parsed(request.rights),
                zones: request.zones.isEmpty ? nil : Set(request.zones), .ofMachine)
            guard let output = request.output else { return [notice(record, secret: token.text)] }
            do throws(Failure) {
                var text = token.text + "\n"
                if request.addsFingerprint {
                    text += "fingerprint \(try store.makeCertificate(.ofMachine))\n"
                }
                try PrivateFile(output).replace(with: Array(text.utf8))
            } catch {
                // Nobody has the token.
                _ = try? file.revoke(id: record.id)
                throw error
            }
            return [notice(record)]
        }
    }

    private static func parsed(_ words: [String]) throws(Failure) -> Set<AccessRight> {
        var rights: Set<AccessRight> = []
        for word in words {
            guard let right = AccessRight(rawValue: word) else {
                throw Failure(
                    .usage, path: word, "Invalid right.",
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
