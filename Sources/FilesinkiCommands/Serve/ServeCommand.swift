import ArgumentParser
import FilesinkiEngine
package import FilesinkiModel
package import FilesinkiRemote
import FilesinkiSystem
import FilesinkiText
import Glibc

/// `serve`: a store for others.
struct ServeCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve a store over HTTP, HTTPS or ssh.",
        discussion: """
            filesinki serve DIR is short for filesinki serve folder DIR, which has the options --listen, \
            --self-signed, --quota and others: see filesinki serve folder --help.
            """,
        subcommands: [ServeFolderCommand.self, ServeTokenCommand.self],
        defaultSubcommand: ServeFolderCommand.self)

    func run(in console: Console) async throws -> ExitCode { throw CleanExit.helpRequest(self) }
}

/// `serve DIR`.
struct ServeFolderCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "folder",
        abstract: "Serve a store until the process is stopped.",
        discussion: """
            Others reach it as http://HOST:PORT, or https://. To listen beyond this machine it \
            needs tokens (filesinki serve token make) and encryption, unless --insecure is given. \
            Without a token, every user of this machine can read and change the store; the first \
            token ends that at once. The folder may be used directly at the same time. SIGTERM \
            ends the server when the requests under way are done.

            With --ui a browser shows the store at http://HOST:PORT/ui/: its history with \
            differences, its files, deleted files, devices, and what takes space. It asks for a \
            token with the right to read, and changes nothing.

            With --stdio it serves one client on standard input and output and ends with its input: \
            a remote over ssh starts it at the host. In a forced command of authorized_keys, \
            --rights limits what a key may do, and --name tells its devices from those of others.
            """)

    @Argument(help: "The store's folder.", completion: .directory)
    var dir: String

    @Flag(
        name: .long,
        help: "Create the folder, or start a store in a folder that contains none.")
    var create = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Address to listen on, or a port of this machine; 0 selects a free one.",
            valueName: "host:port"))
    var listen = "127.0.0.1:8390"

    @Option(
        name: .long,
        help: ArgumentHelp("PEM file with the certificate and its chain."),
        completion: .file())
    var certificate: String?

    @Option(name: .long, help: "PEM file with the certificate's key.", completion: .file())
    var key: String?

    @Flag(name: .long, help: "Use a self-signed certificate that the server creates.")
    var selfSigned = false

    @Flag(name: .long, help: "Accept other machines without tokens or encryption.")
    var insecure = false

    @Flag(
        name: .customLong("public"),
        help: "Let everyone read the public database, without a token.")
    var isPublic = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Maximum size of the store, e.g. 500M or 20G.", valueName: "size")
    )
    var quota: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Log each request to this file; - is standard error.", valueName: "file"),
        completion: .file())
    var accessLog: String?

    @Flag(
        name: .long,
        help: "Serve a page for browsers, too, which shows the store to those who have a token.")
    var ui = false

    @Flag(name: .long, help: "Serve one client on standard input and output.")
    var stdio = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "With --stdio: what the client may do: read, append, prune, separated by commas.",
            valueName: "rights"))
    var rights: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "With --stdio: limit the client to this zone; see serve token make.",
            valueName: "zone"))
    var zone: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "With --stdio: the client's name, which its devices belong to.", valueName: "name"))
    var name: String?

    @Option(name: .long, help: .private)
    var fault: [String] = []

    @OptionGroup var report: ReportOptions

    func validate() throws {
        let isListening =
            certificate != nil || key != nil || selfSigned || insecure || quota != nil || isPublic
            || ui
        if stdio, isListening {
            throw ValidationError(
                "--stdio excludes --certificate, --key, --self-signed, --insecure, --public, --quota "
                    + "and --ui.")
        }
        if !stdio, rights != nil || !zone.isEmpty || name != nil {
            throw ValidationError("--rights, --zone and --name need --stdio.")
        }
    }

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let (host, port) = try Self.place(listen)
        var options = ServeOptions(
            folder: try FilePlace.absoluteText(dir, in: console.currentFolder), host: host,
            port: port)
        if stdio {
            // The client is told: it would take the end of this process for the absence of filesinki.
            options.misplacement = RootPlacement.misplacement(ofStoreAt: options.folder)
        } else {
            try RootPlacement.checkServed(options.folder)
        }
        options.encryption = try encryption(in: console.currentFolder)
        options.isInsecure = insecure
        options.isPublic = isPublic
        options.isCreating = create
        options.servesPage = ui
        options.quota = try quota.map { text throws(Failure) in try SizeText.bytes(of: text) }
        options.faults = fault
        options.streamClient = streamClient
        let log = try accessLog.map { path throws(Failure) in try AccessLog(path, in: console) }
        let folder = printable(options.folder.utf8)
        try await console.network.serve(options) { notice in
            switch notice {
            case .ready(let ready): console.show(ready, folder: folder)
            case .request(let line): log?.add(line)
            }
        }
        return .done
    }

    private var streamClient: ServeOptions.StreamClient? {
        guard stdio else { return nil }
        let words = (rights ?? "read,append,prune").split(separator: ",")
        return ServeOptions.StreamClient(
            rights: words.map(String.init), zones: zone, name: name)
    }

    private func encryption(in folder: String) throws(Failure) -> ServeOptions.Encryption {
        switch (certificate, key, selfSigned) {
        case (nil, nil, true): return .selfSigned
        case (nil, nil, false): return .none
        case (let certificate?, let key?, false):
            return .files(
                certificate: try FilePlace.absoluteText(certificate, in: folder),
                key: try FilePlace.absoluteText(key, in: folder))
        default:
            throw Failure(
                .usage, "--certificate and --key belong together, and exclude --self-signed.",
                remedy: "Give --certificate and --key, or --self-signed.")
        }
    }

    /// Reads `host:port`, `[::1]:port`, a host alone, or a port of this machine alone.
    static func place(_ text: String) throws(Failure) -> (host: String, port: Int) {
        let isPort = !text.isEmpty && text.allSatisfy { ("0"..."9").contains($0) }
        let text = isPort ? "127.0.0.1:" + text : text
        let colon = text.lastIndex(of: ":")
        let bracket = text.lastIndex(of: "]")
        var host = text[...]
        var port: Int? = 8390
        if let colon, bracket.map({ $0 < colon }) ?? (text.filter { $0 == ":" }.count == 1) {
            host = text[..<colon]
            port = Int(text[text.index(after: colon)...])
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard let port, (0...65535).contains(port), !host.isEmpty else {
            throw Failure(
                .usage, path: text, "Invalid listen address.",
                remedy: "Write host:port, as in 127.0.0.1:8390 or [::]:8390.")
        }
        return (String(host), port)
    }
}

extension Console {
    /// Shows where a server listens, and who may access it.
    fileprivate func show(_ ready: ServeNotice.Ready, folder: String) {
        if outputOptions.isJSON {
            var object: JSONObject = ["type": "serving"]
            object.add("folder", folder)
            object.add("address", ready.address)
            object.add("fingerprint", ready.fingerprint)
            object.add("certificate", ready.certificate)
            object.add("open", ready.isOpen)
            object.add("page", ready.page)
            // A reader of standard output that has ended does not end a server.
            try? output.json(object)
        }
        say("Serving \(folder) at \(ready.address)")
        if let page = ready.page { say("Page for a browser, with a token: \(page)") }
        if let fingerprint = ready.fingerprint {
            say("Certificate SHA-256: \(fingerprint)")
            if !ready.isOpen {
                let address = ready.outsideAddress ?? ready.address
                say("On another machine, with the file of a token:")
                say("  filesinki clone \(ShellWord.shown(address.utf8)) DIR --token-file FILE")
                say(
                    "If serve token make ran without --self-signed, add --fingerprint \(fingerprint)"
                )
            }
        }
        if ready.isOpen {
            complain(
                "Warning: no token exists, so anyone who can connect can read and change the "
                    + "store, every user of this machine included. "
                    + "Create one with filesinki serve token make "
                    + "\(ShellWord.shown(folder.utf8)) NAME.")
        }
    }
}

/// What `serve` was asked for.
package struct ServeOptions: Sendable {
    /// How connections to the server are encrypted.
    package enum Encryption: Sendable {
        case none
        /// The PEM files of a certificate, with those that vouch for it, and of its key.
        case files(certificate: String, key: String)
        /// A certificate that the server makes for itself and keeps with its tokens.
        case selfSigned
    }

    /// The one client on standard input and output.
    package struct StreamClient: Sendable {
        package var rights: [String]
        /// Empty for all.
        package var zones: [String]
        /// Nil for no one's.
        package var name: String?
    }

    /// The absolute path of the folder with the store.
    package var folder: String
    /// Whether to make the folder, or begin a store in one that holds none.
    package var isCreating = false
    /// Why no store is to be made in the folder; nil if it may be made.
    package var misplacement: MisplacedStore?
    /// Whether to serve a page that shows the store.
    package var servesPage = false
    /// Who is served on the standard streams; nil to listen.
    package var streamClient: StreamClient?
    /// An address of this machine, without brackets.
    package var host: String
    /// 0 for any that is free.
    package var port: Int
    package var encryption = Encryption.none
    /// Whether to listen to other machines without tokens or encryption.
    package var isInsecure = false
    /// Whether everyone may read the public database, without a token.
    package var isPublic = false
    /// How large the store may become, in bytes; nil for no limit.
    package var quota: Int64?
    /// Faults on purpose, for tests.
    package var faults: [String] = []

    package init(folder: String, host: String, port: Int) {
        self.folder = folder
        self.host = host
        self.port = port
    }
}

/// What a server tells while it runs.
package enum ServeNotice: Sendable {
    /// Connections are accepted.
    case ready(Ready)
    /// A request was answered: a line of the access log.
    case request(String)

    package struct Ready: Sendable {
        package var address: String
        /// How other machines reach it; nil when only this one can.
        package var outsideAddress: String?
        /// The SHA-256, in hexadecimal, of a certificate that the server made for itself.
        package var fingerprint: String?
        /// The file of that certificate, which others may trust.
        package var certificate: String?
        /// Whether anyone who reaches the address may read and change the store.
        package var isOpen: Bool
        /// The address of the page for browsers; nil for a server without one.
        package var page: String?

        package init(
            address: String, outsideAddress: String? = nil, fingerprint: String? = nil,
            certificate: String? = nil, isOpen: Bool = false, page: String? = nil
        ) {
            self.page = page
            self.address = address
            self.outsideAddress = outsideAddress
            self.fingerprint = fingerprint
            self.certificate = certificate
            self.isOpen = isOpen
        }
    }
}

/// What is known of a token.
package struct TokenNotice: Sendable {
    package var id: String
    package var name: String
    package var rights: [String]
    /// Nil for all.
    package var zones: [String]?
    package var made: Timestamp
    /// The token itself; nil but for one that was just made.
    package var secret: String?

    package init(
        id: String, name: String, rights: [String], zones: [String]?, made: Timestamp,
        secret: String?
    ) {
        self.id = id
        self.name = name
        self.rights = rights
        self.zones = zones
        self.made = made
        self.secret = secret
    }
}

/// What `serve token` was asked for.
package struct TokenRequest: Sendable {
    package enum Action: Sendable {
        case make(Make)
        case list
        /// The id, the beginning of the id, or the name.
        case revoke(String)
    }

    /// The token that is to be made.
    package struct Make: Sendable {
        package var name: String
        package var rights: [String]
        /// Empty for all.
        package var zones: [String]
        /// Whether to make the folder, or begin a store in one that holds none.
        package var isCreating = false
        /// The absolute path of the file that the token is written to, for its owner alone; nil to
        /// return it.
        package var output: String?
        /// Whether to write the fingerprint of the server's own certificate below the token.
        package var addsFingerprint = false

        package init(name: String, rights: [String], zones: [String] = []) {
            self.name = name
            self.rights = rights
            self.zones = zones
        }
    }

    /// The absolute path of the folder with the store.
    package var folder: String
    package var action: Action

    package init(folder: String, action: Action) {
        self.folder = folder
        self.action = action
    }
}
