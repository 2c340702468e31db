package import FilesinkiModel
import FilesinkiText

/// Where a store is.
package enum RemoteAddress: Hashable, Sendable {
    /// A folder of this machine, by its absolute path.
    case folder(String)
    /// A folder reached over ssh.
    case ssh(SSHAddress)
    /// A place reached over a network in another way, as the user wrote it.
    case network(String)

    /// Parses `/path`, `dir:/path`, `file:///path`, `host:path`, `rclone:REMOTE:PATH` or a network address: what
    /// means the same in every working directory.
    ///
    /// - Throws: `Failure` with code `usage` for anything else, and for an address with a password.
    package init(absolute text: String) throws(Failure) {
        let path = text.hasPrefix("dir:") ? String(text.dropFirst("dir:".count)) : text
        if path.hasPrefix("/") {
            self = .folder(path)
        } else if let address = try Self.withScheme(path) {
            self = address
        } else if let address = try SSHAddress(shortForm: text) {
            self = .ssh(address)
        } else {
            throw Failure(
                .usage, path: text, "Invalid store address.",
                remedy: "Use dir:/path, \(NetworkKind.forms).")
        }
    }

    /// Parses `file:///path`, `rclone:REMOTE:PATH` or a network address; nil for anything else.
    ///
    /// - Throws: `Failure` with code `usage` for a folder of another machine or one whose name is not
    ///   UTF-8, and for an address with a password.
    package static func withScheme(_ text: String) throws(Failure) -> RemoteAddress? {
        // Its path may contain anything.
        if let address = try RcloneAddress(text) { return .network(address.text) }
        guard let end = text.firstRange(of: "://") else { return nil }
        let rest = text[end.upperBound...]
        let scheme = text[..<end.lowerBound].lowercased()
        if scheme == "file" { return .folder(try path(ofFileAddress: rest, whole: text)) }
        try rejectSecret(in: rest, for: NetworkKind(scheme: scheme))
        if scheme == "ssh" { return .ssh(try SSHAddress(url: text)) }
        return NetworkKind(scheme: scheme) == nil ? nil : .network(text)
    }

    /// The absolute path, or the address, as a replica stores it.
    package var text: String {
        switch self {
        case .folder(let path): path
        case .ssh(let address): address.text
        case .network(let address): address
        }
    }

    /// Allows only a user name before `@`, because addresses are shown, stored and logged; for a filesinki server
    /// nothing, as a token has no user.
    private static func rejectSecret(
        in rest: Substring, for kind: NetworkKind?
    ) throws(Failure) {
        let authority = rest.prefix { !"/?#".contains($0) }
        if let at = authority.lastIndex(of: "@") {
            if authority[..<at].contains(":") { throw .passwordInAddress }
            if kind == .server { throw .userInServerAddress }
        } else if rest.contains("@"), !hasPort(authority) {
            // Of user:pass/word@host, a secret with a slash, as those of S3 often have one.
            throw .passwordInAddress
        }
    }

    /// Whether what follows the host can be a port, or nothing does.
    private static func hasPort(_ authority: Substring) -> Bool {
        // The colons in an IPv6 address are in brackets.
        let end = authority.hasPrefix("[") ? authority.lastIndex(of: "]") : nil
        guard let colon = authority[(end ?? authority.startIndex)...].firstIndex(of: ":") else {
            return true
        }
        let port = authority[authority.index(after: colon)...]
        return port.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// - Parameter rest: What follows `file://`: `/path`, or `localhost/path`; see RFC 8089.
    private static func path(
        ofFileAddress rest: Substring, whole: String
    ) throws(Failure) -> String {
        let path = rest.hasPrefix("localhost/") ? rest.dropFirst("localhost".count) : rest
        guard path.hasPrefix("/"), let bytes = PercentCoding.decode(path) else {
            throw Failure(
                .usage, path: whole, "Not the address of a folder on this machine.",
                remedy: "Write file:///absolute/path, with %20 for a space.")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(
                .usage, path: whole, "The name of this folder is not UTF-8.",
                remedy: "Give the folder a name in UTF-8.")
        }
        return text
    }
}

/// A kind of remote that is reached over a network in another way than by ssh. This is the one list of their
/// schemes.
package enum NetworkKind: CaseIterable, Sendable {
    /// A folder that `filesinki serve` offers.
    case server
    case webDAV
    case s3
    /// A place that the user's rclone reaches.
    case rclone

    /// The schemes of its addresses, in lower case.
    private var schemes: [String] {
        switch self {
        case .server: ["http", "https"]
        case .webDAV: ["webdav", "webdavs", "dav", "davs"]
        case .s3: ["s3"]
        case .rclone: ["rclone"]
        }
    }

    /// How its addresses begin, for messages.
    private var form: String {
        switch self {
        case .server: "http(s)://"
        case .webDAV: "webdav(s)://"
        case .s3: "s3://"
        case .rclone: "rclone:REMOTE:PATH"
        }
    }

    /// The kind whose addresses have this scheme, in any case of letters; nil for another scheme.
    package init?(scheme: some StringProtocol) {
        let scheme = scheme.lowercased()
        guard let kind = Self.allCases.first(where: { $0.schemes.contains(scheme) }) else {
            return nil
        }
        self = kind
    }

    /// How the addresses of all kinds and those over ssh begin, for messages: `http(s)://, s3:// or ssh://`.
    package static var forms: String {
        allCases.map(\.form).joined(separator: ", ") + " or ssh://"
    }
}

/// Where to find the credentials and certificates of one remote, besides the user's own settings.
package struct RemoteAccess: Hashable, Sendable {
    /// The file in which a replica stores its remote's credentials; nil without a replica.
    package var pinned: String?
    /// The token file that the command line names.
    package var tokenFile: String?
    /// The certificate file that the command line names.
    package var certificateFile: String?
    /// The fingerprint of the server's certificate that the command line gives.
    package var fingerprint: CertificateFingerprint?
    /// Limits what is sent and received; nil for no limit.
    package var bandwidth: Bandwidth?
    /// Whether the command line says that only this device publishes to the store.
    package var isSingleWriter: Bool

    package init(
        pinned: String? = nil, tokenFile: String? = nil, certificateFile: String? = nil,
        fingerprint: CertificateFingerprint? = nil, bandwidth: Bandwidth? = nil,
        isSingleWriter: Bool = false
    ) {
        self.pinned = pinned
        self.tokenFile = tokenFile
        self.certificateFile = certificateFile
        self.fingerprint = fingerprint
        self.bandwidth = bandwidth
        self.isSingleWriter = isSingleWriter
    }
}

extension RemoteAccess {
    /// The file in which a replica notes how its host is reached over ssh: beside its credentials.
    package var sshNote: String? {
        guard let pinned, let end = pinned.lastIndex(of: "/") else { return nil }
        return pinned[...end] + "ssh"
    }
}

extension Failure {
    /// An address contains a password, which other programs and users could see.
    package static let passwordInAddress = Failure(
        .usage, "An address must not contain a password: others could see it.",
        remedy: "Put it into the environment or the credentials file: "
            + "see filesinki help credentials.")

    /// A name before `@` in the address of a filesinki server, which may be a token.
    package static let userInServerAddress = Failure(
        .usage,
        "The address of a filesinki server has neither user nor token: others could see it.",
        remedy: "Give the token with --token-file or FILESINKI_TOKEN; for WebDAV write "
            + "webdavs://user@host/path.")
}
