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
}
