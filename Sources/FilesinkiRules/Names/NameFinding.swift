package import FilesinkiModel

/// A name that another system could not hold.
package struct NameFinding: Hashable, Sendable {
    /// What is wrong with a name.
    package enum Flaw: Hashable, Sendable {
        /// Systems that keep names as text, as macOS and Windows do, cannot hold it.
        case notUTF8
        /// Windows allows this character in no name.
        case character(Unicode.Scalar)
        /// Windows cuts off dots and spaces at the end.
        case ending
        /// Windows keeps this name for a device.
        case reserved
        /// Another name in the folder differs only in case.
        case caseTwin(RelativePath)
        /// Another name in the folder is the same text in another Unicode form, as NFC and NFD.
        case formTwin(RelativePath)
    }

    package var path: RelativePath
    package var flaw: Flaw

    /// What is wrong, in a sentence.
    package var reason: String {
        switch flaw {
        case .notUTF8: "The name is not UTF-8, so macOS and Windows cannot hold it."
        case .character(let scalar):
            "The name holds '\(printable(String(scalar).utf8))', which Windows does not allow."
        case .ending: "The name ends with a dot or a space, which Windows cuts off."
        case .reserved: "Windows keeps this name for a device."
        case .caseTwin(let other):
            "The name differs from \(other) only in case, which macOS and Windows do not tell apart."
        case .formTwin(let other):
            "The name is the text of \(other) in another form, which macOS does not tell apart."
        }
    }

    /// What to do about it, in a sentence.
    package var remedy: String {
        switch flaw {
        case .notUTF8: "Rename it with UTF-8 letters."
        case .character: "Rename it without this character."
        case .ending: "Rename it without the dots and spaces at the end."
        case .reserved: "Rename it, for example with a letter before the name."
        case .caseTwin, .formTwin: "Rename one of the two."
        }
    }
}
