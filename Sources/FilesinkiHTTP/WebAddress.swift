package import FilesinkiModel
import FilesinkiRemote
import FilesinkiText

/// The address of a place on a server: `http://host:port/path`.
package struct WebAddress: Hashable, Sendable, CustomStringConvertible {
    /// Whether the connection is encrypted: `https`.
    package var isSecure: Bool
    /// As it is written in an address: a name, an IPv4 address, or an IPv6 address in brackets.
    package var host: String
    /// Nil for the scheme's own.
    package var port: Int?
    /// The name before an `@`.
    package var user: String?
    /// Percent-encoded; empty, or begins with a slash and does not end with one.
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

    /// Reads an address.
    ///
    /// - Parameters:
    ///   - schemes: The schemes that are understood, and whether each is encrypted.
    /// - Throws: `Failure` with code `usage` for anything else, and for a password in an address:
    ///   other programs and users could see it.
    package init(_ text: String, schemes: [String: Bool]) throws(Failure) {
        guard let colon = text.firstRange(of: "://"),
            let isSecure = schemes[text[..<colon.lowerBound].lowercased()]
        else { throw Self.notAnAddress(text) }
        let rest = text[colon.upperBound...]
        // Where the host ends: an `@` behind it names no other host.
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
        "\(isSecure ? "https" : "http")://\(authority)\(path)"
    }

    /// `host` or `host:port`.
    package var authority: String { host + (port.map { ":\($0)" } ?? "") }

    /// Whether the host is this machine, so that nothing passes over a network.
    package var isLoopback: Bool {
        host == "localhost" || host == "[::1]" || host.hasPrefix("127.")
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
            guard let port, (1...65535).contains(port) else { throw notAnAddress(text) }
        }
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._".utf8)
        let plain = isBracketed ? host.dropFirst().dropLast() : host
        let extra: Set<UInt8> = isBracketed ? [UInt8(ascii: ":")] : []
        guard !plain.isEmpty, isBracketed == host.hasSuffix("]"),
            plain.utf8.allSatisfy({ allowed.contains($0) || extra.contains($0) })
        else { throw notAnAddress(text) }
        return (host.lowercased(), port)
    }

    private static func normalPath(
        _ path: Substring, _ text: String
    ) throws(Failure) -> String {
        guard !path.contains("?"), !path.contains("#") else { throw notAnAddress(text) }
        let names = path.split(separator: "/")
        guard !names.contains("."), !names.contains("..") else { throw notAnAddress(text) }
        let coded = names.map { name in
            PercentCoding.encode(PercentCoding.decode(name) ?? Array(name.utf8))
        }
        return coded.map { "/" + $0 }.joined()
    }

    private static func notAnAddress(_ text: String) -> Failure {
        Failure(
            .usage, path: text, "This is not the address of a store.",
            remedy: "Write https://host/path, webdavs://host/path, s3://bucket/prefix or a folder.")
    }
}
