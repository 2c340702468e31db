package import FilesinkiModel
import FilesinkiRemote
import FilesinkiText

/// An address on a server: `http://host:port/path`.
package struct WebAddress: Hashable, Sendable, CustomStringConvertible {
    /// Whether the connection is encrypted (`https`).
    package var isSecure: Bool
    /// As it is written in an address: a name, an IPv4 address, or an IPv6 address in brackets.
    package var host: String
    /// Nil for the scheme's default.
    package var port: Int?
    /// The user name before `@`.
    package var user: String?
    /// Percent-encoded. Empty, or begins with a slash and does not end with one.
    package var path: String

    package init(
        isSecure: Bool, host: String, port: Int? = nil, user: String? = nil, path: String = ""
    ) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
        self.user = user
        self.path = path
    }

    /// Parses an address.
    ///
    /// - Parameters:
    ///   - schemes: The allowed schemes, and whether each is encrypted.
    /// - Throws: `Failure` with code `usage` for anything else, and for an address with a password, which
    ///   other programs and users could see.
    package init(_ text: String, schemes: [String: Bool]) throws(Failure) {
        guard let colon = text.firstRange(of: "://"),
            let isSecure = schemes[text[..<colon.lowerBound].lowercased()]
        else { throw Self.invalidAddress(text) }
        let rest = text[colon.upperBound...]
        // The end of the host: an `@` after it belongs to the path.
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        var authority = rest[..<end]
        self.isSecure = isSecure
        if let at = authority.lastIndex(of: "@") {
            let name = authority[..<at]
            guard !name.contains(":") else { throw .passwordInAddress }
            user = PercentCoding.decodedText(name)
            authority = authority[authority.index(after: at)...]
        }
        (host, port) = try Self.hostAndPort(authority, text)
        path = try Self.normalPath(rest[end...], text)
    }

    /// `http://host:port/path`, without the user.
    package var description: String {
        "\(origin)\(path)"
    }

    /// `https://host:port`, without the path.
    package var origin: String { "\(isSecure ? "https" : "http")://\(authority)" }

    /// The name or address of the host, an IPv6 address without its brackets.
    package var connectHost: String {
        host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    }

    /// `host` or `host:port`.
    package var authority: String { host + (port.map { ":\($0)" } ?? "") }

    /// Whether the host is this machine, so that no network is used. A name may begin as the address does, and
    /// belong to anybody.
    package var isLoopback: Bool {
        if host == "localhost" || host == "[::1]" { return true }
        return host.hasPrefix("127.") && host.utf8.allSatisfy { $0 == 46 || (48...57).contains($0) }
    }

    private static func hostAndPort(
        _ authority: Substring, _ text: String
    ) throws(Failure) -> (String, Int?) {
        var host = authority
        var port: Int?
        let isBracketed = authority.hasPrefix("[")
        let colon = authority.lastIndex(of: ":")
        let bracket = authority.lastIndex(of: "]")
        if let colon, !isBracketed || bracket.map({ $0 < colon }) ?? false {
            host = authority[..<colon]
            port = Int(authority[authority.index(after: colon)...])
            guard let port, (1...65535).contains(port) else { throw invalidAddress(text) }
        }
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._".utf8)
        let plain = isBracketed ? host.dropFirst().dropLast() : host
        let extra: Set<UInt8> = isBracketed ? [UInt8(ascii: ":")] : []
        guard !plain.isEmpty, isBracketed == host.hasSuffix("]"),
            plain.utf8.allSatisfy({ allowed.contains($0) || extra.contains($0) })
        else { throw invalidAddress(text) }
        return (host.lowercased(), port)
    }

    private static func normalPath(
        _ path: Substring, _ text: String
    ) throws(Failure) -> String {
        guard !path.contains("?"), !path.contains("#") else { throw invalidAddress(text) }
        let names = path.split(separator: "/")
        guard !names.contains("."), !names.contains("..") else { throw invalidAddress(text) }
        let coded = names.map { name in
            PercentCoding.encode(PercentCoding.decode(name) ?? Array(name.utf8))
        }
        return coded.map { "/" + $0 }.joined()
    }

    private static func invalidAddress(_ text: String) -> Failure {
        Failure(
            .usage, path: text, "Invalid store address.",
            remedy: "Write https://host/path, webdavs://host/path, s3://bucket/prefix or a folder.")
    }
}
