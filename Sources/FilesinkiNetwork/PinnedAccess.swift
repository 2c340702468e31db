import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import FilesinkiText
import Glibc

/// The credentials and certificates that a replica stores for its remote, so that later runs need no
/// other settings. They are used for this address only.
///
/// The file is in the replica's state folder, has mode 0600, and is TOML: see Docs/Remotes.md.
struct PinnedAccess {
    /// The remote's address as the user wrote it.
    var address: String
    var credential = CredentialEntry()
    /// Certificates in PEM form to trust besides the system's.
    var certificates: String?
    /// The fingerprint of the only certificate to trust.
    var fingerprint: CertificateFingerprint?
    /// That certificate in DER form, if the server was asked for it already.
    var serverCertificate: [UInt8]?
    /// The id by which the only device that publishes to the store is known; nil when several may.
    var writer: String?

    /// Whether it contains neither credentials nor certificates.
    var isEmpty: Bool {
        credential.token == nil && credential.password == nil && certificates == nil
            && fingerprint == nil && writer == nil
    }

    /// Reads the file; nil when it is missing or for another address.
    ///
    /// - Throws: `Failure`: `not-allowed` when other users can read it, `usage` when it is malformed.
    static func read(_ path: String, for address: String) throws(Failure) -> PinnedAccess? {
        guard let bytes = try PrivateFile(path).read() else { return nil }
        var pinned = PinnedAccess(address: "")
        for statement in try TOMLReader.read(bytes, file: path) {
            guard case .pair(let pair) = statement.kind, pair.key.count == 1,
                case .string(let text) = pair.value, pinned.set(pair.key[0], text)
            else {
                throw Failure(
                    .usage, path: path, "Line \(statement.line): unknown setting.",
                    remedy: "Write the file again with filesinki remote set URL --token-file FILE.")
            }
        }
        return pinned.address == address ? pinned : nil
    }

    private mutating func set(_ key: String, _ text: String) -> Bool {
        switch key {
        case "address": address = text
        case "user": credential.user = text
        case "password": credential.password = .given(Secret(text))
        case "password-command": credential.password = .command(text)
        case "token": credential.token = .given(Secret(text))
        case "token-command": credential.token = .command(text)
        case "certificates": certificates = text
        case "fingerprint":
            fingerprint = try? CertificateFingerprint(parsing: text)
            return fingerprint != nil
        case "server-certificate":
            serverCertificate = Base64.decode(text)
            return serverCertificate != nil
        case "single-writer": writer = text
        default: return false
        }
        return true
    }

    /// Writes the file. Secrets from files are copied; for a command, the command is stored.
    ///
    /// - Throws: `Failure` when a secret cannot be read, or the file cannot be written.
    func write(_ path: String) throws(Failure) {
        var lines = [
            "# How this replica connects to its remote. Contains secrets. Written by filesinki clone, init",
            "# and remote set. Delete it to use only credentials.toml and the environment.",
            "address = \(JSONString.quoted(address))",
        ]
        if let user = credential.user { lines.append("user = \(JSONString.quoted(user))") }
        for (name, source) in [("password", credential.password), ("token", credential.token)] {
            switch source {
            case nil: break
            case .command(let text): lines.append("\(name)-command = \(JSONString.quoted(text))")
            case .given, .file:
                let secret = try source?.readSecret().value ?? ""
                lines.append("\(name) = \(JSONString.quoted(secret))")
            }
        }
        if let certificates { lines.append("certificates = \(JSONString.quoted(certificates))") }
        if let fingerprint { lines.append("fingerprint = \"\(fingerprint)\"") }
        if let serverCertificate {
            lines.append("server-certificate = \"\(Base64.encode(serverCertificate))\"")
        }
        if let writer { lines.append("single-writer = \(JSONString.quoted(writer))") }
        let text = lines.map { $0 + "\n" }.joined()
        try PrivateFile(path).replace(with: Array(text.utf8))
    }
}

/// A certificate file named by the user. Certificates are public, so the file need not be private.
enum CertificateFile {
    /// The largest accepted file in bytes: 512 KiB. The certificates of a whole system need less.
    private static let limit = 512 << 10

    /// The file's text.
    ///
    /// - Throws: `Failure` with code `usage` when it cannot be read or is not UTF-8.
    static func text(_ path: String) throws(Failure) -> String {
        guard let file = fopen(path, "re") else { throw unreadable(path) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count <= limit {
            let count = fread(&buffer, 1, buffer.count, file)
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        guard ferror(file) == 0, bytes.count <= limit,
            let text = String(validating: bytes, as: UTF8.self)
        else { throw unreadable(path) }
        return text
    }

    private static func unreadable(_ path: String) -> Failure {
        Failure(
            .usage, path: path, "Cannot read the certificates.",
            remedy: "Name a file of certificates in PEM form.")
    }
}
