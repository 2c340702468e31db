package import FilesinkiModel

/// A place that the user's rclone reaches: `rclone:REMOTE:PATH`, where `REMOTE` is a name in rclone's
/// configuration.
package struct RcloneAddress: Hashable, Sendable {
    /// The address as the user wrote it.
    package let text: String
    /// The name in rclone's configuration.
    package let remote: String
    /// The folder there; may be empty.
    package let path: String

    /// How these addresses begin. A host of this name is reached as `ssh://rclone/path`.
    package static let prefix = "rclone:"

    /// Parses an address; nil for a text that does not begin with ``prefix``.
    ///
    /// Only a name of the configuration is a remote: what rclone takes besides, `:sftp,pass=…:path` and
    /// `name,option=value:path`, may contain passwords, and addresses are shown, stored and logged.
    ///
    /// - Throws: `Failure` with code `usage` for an invalid address.
    package init?(_ text: String) throws(Failure) {
        guard text.hasPrefix(Self.prefix) else { return nil }
        let rest = text.dropFirst(Self.prefix.count)
        guard let colon = rest.firstIndex(of: ":"), Self.isName(rest[..<colon]) else {
            // The text is not repeated: it may contain a password.
            throw Failure(
                .usage, "Invalid address for rclone.",
                remedy:
                    "Write rclone:REMOTE:PATH with the name of a remote that 'rclone listremotes' "
                    + "shows. For a host named rclone, write ssh://rclone/path.")
        }
        let path = rest[rest.index(after: colon)...]
        guard path.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            throw Failure(
                .usage, path: text, "The path contains a control character.",
                remedy: "Give another folder.")
        }
        self.text = text
        remote = String(rest[..<colon])
        self.path = String(path)
    }

    /// The place as rclone's own commands take it.
    package var target: String { "\(remote):\(path)" }

    /// What comes before the path.
    package var beforePath: String { "\(Self.prefix)\(remote):" }

    /// Whether rclone accepts the name, and takes it for no option.
    private static func isName(_ name: Substring) -> Bool {
        guard let first = name.first, first != "-", first != " ", name.last != " " else {
            return false
        }
        return name.allSatisfy { $0.isLetter || $0.isNumber || "_.+@- ".contains($0) }
    }
}
