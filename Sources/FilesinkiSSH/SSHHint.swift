import FilesinkiRemote

/// Addresses of other kinds of remotes that read as `host:path`, for remedies. Each has a space behind it.
enum SSHHint {
    /// Nothing listens for ssh: `localhost:8390` without its scheme names a server's port.
    static func ofRefusal(_ address: String) -> String {
        if let (host, port, path) = portAndPath(address) {
            let folder = path.hasPrefix("/") ? path : "/~/\(path)"
            return "For another port write ssh://\(host):\(port)\(folder). "
        }
        guard let (host, path) = parts(address), let port = Int(path), (1...65535).contains(port)
        else { return "" }
        return "For filesinki serve write https://\(host):\(port). "
    }

    /// The host is not found: `disk:path` without a scheme is how rclone writes its own remotes.
    static func ofUnknownHost(_ address: String) -> String {
        if !ofRefusal(address).isEmpty { return ofRefusal(address) }
        guard let (host, path) = parts(address), !host.contains("@"), !host.contains(".") else {
            return ""
        }
        if host == "ssh", path.hasPrefix("/") { return ofOneSlash(path.drop { $0 == "/" }) }
        return "For a remote of rclone write rclone:\(host):\(path). "
    }

    /// Of `ssh:/host:path`, and of `ssh:/host/path`.
    private static func ofOneSlash(_ place: Substring) -> String {
        let isShort = (try? SSHAddress(shortForm: String(place))) != nil
        return isShort ? "Write \(place), or ssh://HOST/PATH. " : "Write ssh://\(place). "
    }

    /// Of `host:port:path`, which is read as the path `port:path`.
    private static func portAndPath(
        _ address: String
    ) -> (host: Substring, port: Int, path: Substring)? {
        guard let (host, rest) = parts(address), let colon = rest.firstIndex(of: ":"),
            let port = Int(rest[..<colon]), (1...65535).contains(port)
        else { return nil }
        return (host, port, rest[rest.index(after: colon)...])
    }

    /// Nil for an `ssh://` address, which can be nothing else.
    private static func parts(_ address: String) -> (host: Substring, path: Substring)? {
        guard !address.hasPrefix("ssh://"), let colon = address.firstIndex(of: ":") else {
            return nil
        }
        return (address[..<colon], address[address.index(after: colon)...])
    }
}
