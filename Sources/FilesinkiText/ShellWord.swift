import FilesinkiModel

/// Words for a shell.
package enum ShellWord {
    /// The word as it is, or in single quotes where a shell would not take it as one word.
    package static func quoted(_ word: String) -> String {
        let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-"
        if !word.isEmpty, word.allSatisfy(plain.contains) { return word }
        return "'"
            + word.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "'\\''") + "'"
    }

    /// The word in a command that a message shows, for a person to paste. What ``FilesinkiModel/printable(_:)`` escapes
    /// is in `$'…'`, with octal numbers, as `ls` and git print it; bash, zsh, ksh and POSIX.1-2024 know that form.
    package static func shown(_ word: some Collection<UInt8>) -> String {
        let safe = printable(word)
        // printable() also escapes backslashes, which single quotes keep as they are.
        let text = safe.replacing("\\x5c", with: "\\")
        if text.utf8.elementsEqual(word) { return quoted(text) }
        var result = "$'"
        var rest = safe.unicodeScalars[...]
        while let next = rest.popFirst() {
            if next == "\\", let byte = UInt8(String(rest.dropFirst().prefix(2)), radix: 16) {
                result += escape(byte)
                rest = rest.dropFirst(3)
            } else {
                result += next == "'" ? "\\'" : String(next)
            }
        }
        return result + "'"
    }

    /// As ``shown(_:)``, for a path: one that begins with a hyphen is not to be read as options.
    package static func path(_ bytes: some Collection<UInt8>) -> String {
        (bytes.first == UInt8(ascii: "-") ? "./" : "") + shown(bytes)
    }

    private static func escape(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "\\"): return "\\\\"
        case UInt8(ascii: "\n"): return "\\n"
        case UInt8(ascii: "\r"): return "\\r"
        case UInt8(ascii: "\t"): return "\\t"
        default:
            let digits = String(byte, radix: 8)
            return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
        }
    }
}
