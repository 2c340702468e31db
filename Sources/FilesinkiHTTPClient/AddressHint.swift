import FilesinkiHTTP

/// Common mistakes in the address of a server that did not reply, for remedies. Each has a space behind it.
enum AddressHint {
    /// The server closed the connection, as one with TLS does when it gets a request without.
    static func closed(_ request: HTTPRequest) -> String {
        let address = request.addressForMessages
        if address.hasPrefix("webdav://") { return "If the server uses TLS, write webdavs://. " }
        return address.hasPrefix("http://")
            ? "If the server uses TLS, write https:// or webdavs://. " : ""
    }

    /// The server answered a TLS handshake with something else.
    static func withoutTLS(_ request: HTTPRequest) -> String {
        let address = request.addressForMessages
        if address.hasPrefix("s3:") {
            return "Without TLS, write endpoint=\(plain(request.origin)). "
        }
        for (secure, plain) in [("https", "http"), ("webdavs", "webdav"), ("davs", "dav")]
        where address.hasPrefix(secure + "://") {
            return "Without TLS, write \(plain)://. "
        }
        return "Check the port. "
    }

    /// - Parameter origin: `https://host:port`
    private static func plain(_ origin: String) -> String {
        origin.hasPrefix("https://") ? "http" + origin.dropFirst("https".count) : origin
    }

    /// Nothing listens at the address.
    static func refused(_ request: HTTPRequest) -> String {
        let isServer = request.addressForMessages.hasPrefix("http")
        return !isServer || hasPort(request.origin)
            ? "" : "For filesinki serve, write its port, such as \(request.origin):8390. "
    }

    /// - Parameter address: Such as `https://host:port`, without a path.
    private static func hasPort(_ address: String) -> Bool {
        guard let start = address.firstRange(of: "://")?.upperBound else { return false }
        // The colons in an IPv6 address are in brackets.
        let end = address.lastIndex(of: "]") ?? start
        return address[end...].contains(":")
    }
}
