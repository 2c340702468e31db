import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import Glibc

/// Credentials and certificates for a remote. The replica keeps them for later runs.
struct AccessOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "File with the access token of a filesinki server, readable only by its owner.",
            valueName: "file"),
        completion: .file())
    var tokenFile: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "PEM file of certificates to trust in addition to the system's.", valueName: "file"),
        completion: .file())
    var caFile: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Trust only the server whose certificate has this SHA-256.", valueName: "hex"))
    var fingerprint: String?

    @Flag(
        name: .long,
        help: "Only this device publishes: for an rclone remote that several cannot share.")
    var singleWriter = false

    func validate() throws {
        if fingerprint != nil, caFile != nil {
            throw ValidationError("Give --fingerprint or --ca-file.")
        }
    }
}

extension AccessOptions {
    /// The given options, and the file in which a replica keeps them.
    func access(of options: ReplicaOptions? = nil, in console: Console) throws -> RemoteAccess {
        let file: (String) throws -> String = { path in
            try FilePlace.absoluteText(path, in: console.currentFolder)
        }
        return RemoteAccess(
            pinned: options?.stateFolder.access, tokenFile: try tokenFile.map(file),
            certificateFile: try caFile.map(file),
            fingerprint: try fingerprint.map { text throws(Failure) in
                try CertificateFingerprint(parsing: text)
            }, isSingleWriter: singleWriter)
    }

    /// - Throws: `Failure` with code `usage` when an option is given that does not concern such a remote: a
    ///   fingerprint where there is no certificate, a token where nothing asks for one.
    func check(for address: RemoteAddress) throws(Failure) {
        if singleWriter, try RcloneAddress(address.text) == nil {
            throw Failure(
                .usage, path: address.text, "Several devices can share this remote.",
                remedy: "Leave --single-writer out; it is for rclone:REMOTE:PATH.")
        }
        if tokenFile != nil {
            try Self.requireNetwork(
                address, folder: "A folder takes no token.",
                ssh: "Over ssh there is no token; ssh logs in by itself.",
                s3: "S3 takes no token; it has access keys.",
                rclone: "rclone takes no token; its own configuration has the credentials.",
                remedy:
                    "Give --token-file with an address that begins with http(s):// or webdav(s)://."
            )
        }
        if fingerprint != nil {
            try Self.requireNetwork(
                address, folder: "A folder has no certificate.",
                ssh: "Over ssh there is no certificate; ssh checks the host's key.",
                remedy: "Give --fingerprint with the address of a server.")
        }
    }

    /// - Parameters:
    ///   - folder: Why the option does not concern a folder.
    ///   - ssh: The same of a host with sshd.
    ///   - s3: The same of a bucket; nil if it does.
    ///   - rclone: The same of a place that rclone reaches; nil if it does.
    private static func requireNetwork(
        _ address: RemoteAddress, folder: String, ssh: String, s3: String? = nil,
        rclone: String? = nil, remedy: String
    ) throws(Failure) {
        let message: String?
        switch address {
        case .network(let text):
            switch NetworkKind(scheme: text.prefix { $0 != ":" }) {
            case .s3: message = s3
            case .rclone: message = rclone
            case .server, .webDAV, nil: message = nil
            }
        case .folder: message = folder
        case .ssh: message = ssh
        }
        guard let message else { return }
        throw Failure(.usage, path: address.text, message, remedy: remedy)
    }

    /// What is wrong with the token file, where a server has denied access, after a space; empty for nothing.
    func hint(_ failure: Failure, at address: RemoteAddress?, in console: Console) -> String {
        guard failure.code == .notAllowed, let tokenFile, case .network(let text)? = address,
            NetworkKind(scheme: text.prefix { $0 != ":" }) == .server,
            let path = try? FilePlace.absoluteText(tokenFile, in: console.currentFolder),
            let line = try? SecretLine.read(file: path), !line.hasPrefix("fsk_")
        else { return "" }
        return " In \(printable(tokenFile.utf8)) is no token of filesinki serve: "
            + "that begins with fsk_."
    }

    /// The options that another device needs, too, each after a space: it has a token of its own.
    var ofOtherDevices: String {
        (tokenFile == nil ? "" : " --token-file FILE") + (caFile == nil ? "" : " --ca-file FILE")
            + (fingerprint.map { " --fingerprint \($0)" } ?? "")
    }

    /// Makes the replica use the given options.
    func apply(to options: inout ReplicaOptions, in console: Console) throws -> RemoteAccess {
        let access = try access(of: options, in: console)
        options.connect = console.connector(access, of: options)
        return access
    }
}

extension RemoteAddress {
    /// Parses a remote: a folder, `file:///path`, `host:path`, or a network address.
    ///
    /// - Parameter currentFolder: The folder that a relative path is relative to.
    /// - Throws: `Failure` with code `usage` for an address of another kind, or with a password.
    init(_ text: String, currentFolder: String) throws(Failure) {
        if let address = try RcloneAddress(text) {
            self = .network(address.text)
            return
        }
        guard text.contains("://") else {
            if let address = try SSHAddress(shortForm: text) {
                self = .ssh(address)
                return
            }
            self = .folder(try FilePlace.absoluteText(text, in: currentFolder))
            return
        }
        switch try Self.withScheme(text) {
        case .folder(let path): self = .folder(try FilePlace.absoluteText(path, in: "/"))
        case .ssh(let address): self = .ssh(address)
        case .network(let address): self = .network(address)
        case nil:
            let scheme = text.prefix { $0 != ":" }.lowercased()
            throw Failure(
                .usage, path: text,
                // Of s3:bucket?endpoint=http://host.
                NetworkKind(scheme: scheme) == nil
                    ? "Unsupported remote type: \(scheme)://."
                    : "The slashes of \(scheme):// are missing.",
                remedy: "Use a folder, or \(NetworkKind.forms).")
        }
    }
}

/// The name of this device.
enum DeviceName {
    /// `$FILESINKI_DEVICE`, else the host's name up to its first dot.
    static func standard(in console: Console) -> String {
        if let name = console.environment["FILESINKI_DEVICE"], isFit(name) { return name }
        let name = nameOfHost()
        return isFit(name) ? name : "device"
    }

    /// The name that the user gave, or the standard one.
    static func chosen(_ name: String?, in console: Console) throws(Failure) -> String {
        guard let name else { return standard(in: console) }
        return try checked(name)
    }

    /// - Throws: `Failure` with code `usage` for a name that could not be shown in a list or in the
    ///   name of a file.
    private static func checked(_ name: String) throws(Failure) -> String {
        guard isFit(name) else {
            throw Failure(
                .usage, path: ArgumentText.bytes(of: name), "Invalid device name.",
                remedy:
                    "Choose up to 64 characters, without a slash and without control characters.")
        }
        return name
    }

    private static func isFit(_ name: String) -> Bool {
        let isPlain = printable(name.utf8) == name && !name.contains("/")
        return !name.isEmpty && name.count <= 64 && isPlain && name.first != " " && name.last != " "
    }
}
