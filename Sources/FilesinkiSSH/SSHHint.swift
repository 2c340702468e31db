/// Addresses of other kinds of remotes that read as `host:path`, for remedies. Each has a space behind it.
enum SSHHint {
    /// Nothing listens for ssh: `localhost:8390` without its scheme names a server's port.
    static func ofRefusal(_ address: String) -> String {
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
        return "For a remote of rclone write rclone:\(host):\(path). "
    }

    /// Nil for an `ssh://` address, which can be nothing else.
    private static func parts(_ address: String) -> (host: Substring, path: Substring)? {
        guard !address.hasPrefix("ssh://"), let colon = address.firstIndex(of: ":") else {
            return nil
        }
        return (address[..<colon], address[address.index(after: colon)...])
    }
}
