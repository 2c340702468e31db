import FilesinkiModel
import FilesinkiRemote
import FilesinkiText

/// How rclone ended, with its last messages.
struct RcloneEnd: Sendable {
    var code: Int32
    var messages: [UInt8]

    /// The failure that this means.
    func failure(_ address: RcloneAddress) -> Failure {
        let last = Self.lastMessage(messages) ?? "It exited with \(code)."
        func said(_ words: String) -> Bool {
            String(decoding: messages, as: UTF8.self).contains(words)
        }
        if code == 127 {
            return Failure(
                .usage, path: address.text, "rclone was not found.",
                remedy: "Install rclone, and name the remote with 'rclone config'.")
        }
        if said("didn't find section in config file") {
            return Failure(
                .usage, path: address.text,
                "rclone has no remote '\(address.remote)' in its configuration.",
                remedy: "See 'rclone listremotes', or add it with 'rclone config'.")
        }
        if said("decrypt configuration") || said("Failed to load config file") {
            return Failure(
                .notAllowed, path: address.text, "rclone cannot read its configuration: \(last)",
                remedy: "For an encrypted one set RCLONE_CONFIG_PASS or RCLONE_PASSWORD_COMMAND.")
        }
        return Failure(
            .away, path: address.text, "rclone failed: \(last)",
            remedy: "Check it with: rclone lsf \(ShellWord.shown((address.remote + ":").utf8))")
    }

    /// The failure of an rclone that was ended because it was not ready in time.
    func lateness(_ address: RcloneAddress, _ limit: Duration) -> Failure {
        let last = Self.lastMessage(messages).map { " Its last message: \($0)" } ?? ""
        return Failure(
            .away, path: address.text,
            "rclone did not start within \(limit.components.seconds) seconds.\(last)",
            remedy: "Check it with: rclone lsf \(ShellWord.shown((address.remote + ":").utf8))")
    }

    /// What Go's server says when a reply breaks off.
    private static let noise = "superfluous response.WriteHeader"

    /// The last message without its time and its level; nil if there is none.
    static func lastMessage(_ bytes: [UInt8]) -> String? {
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        guard
            let last = lines.last(where: { line in
                line.contains { !$0.isWhitespace } && !line.contains(noise)
            })
        else { return nil }
        var words = last.split(separator: " ")
        // 2026/11/26 08:03:53 ERROR : the message
        if words.count > 2, words[0].count == 10, words[0].contains("/"), words[1].contains(":") {
            words.removeFirst(2)
        }
        if words.count > 2, words[1] == ":" { words.removeFirst(2) }
        let text = printable(words.joined(separator: " ").utf8)
        return text.last.map { ".!?…".contains($0) } ?? true ? text : text + "."
    }
}
