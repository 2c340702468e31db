extension RelativePath {
    /// The folder of a root that holds the replica's own state. Never synced, also not that of a
    /// replica inside another one's root.
    package static let stateFolder = ".filesinki"

    /// What makes `bytes` unfit as a path below a root, in words; nil when nothing does.
    static func flaw(of bytes: [UInt8]) -> String? {
        if bytes.isEmpty { return "The path is empty." }
        if bytes.count > maximumLength { return "The path is longer than \(maximumLength) bytes." }
        if bytes.contains(0) { return "The path holds a NUL byte." }
        if bytes.first == slash { return "The path is absolute." }
        let names = bytes.split(separator: slash, omittingEmptySubsequences: false)
        for name in names {
            if let flaw = flaw(ofName: name) { return flaw }
        }
        return nil
    }

    private static func flaw(ofName name: ArraySlice<UInt8>) -> String? {
        if name.isEmpty { return "The path has an empty name in it." }
        if name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8) {
            return "The path has . or .. in it."
        }
        if name.count > maximumNameLength {
            return "A name in the path is longer than \(maximumNameLength) bytes."
        }
        if isStateFolder(name) {
            return "The path leads into \(stateFolder), where a replica keeps its own state."
        }
        return nil
    }

    /// Whether a name could be taken for the state folder by some file system: without regard to
    /// case, to trailing dots and spaces, and to letters that fold to ASCII ones.
    package static func isStateFolder(_ name: some Collection<UInt8>) -> Bool {
        guard name.count >= stateFolder.utf8.count, name.first == UInt8(ascii: ".") else {
            return false
        }
        var folded = ""
        for scalar in String(decoding: name, as: UTF8.self).unicodeScalars {
            folded += fold(scalar)
        }
        while let last = folded.last, last == "." || last == " " { folded.removeLast() }
        return folded == stateFolder
    }

    private static func fold(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "ı", "İ": return "i"
        case "ſ": return "s"
        case "\u{212A}": return "k"
        // Characters that some file systems leave out when they compare names.
        case "\u{200B}"..."\u{200F}", "\u{202A}"..."\u{202E}", "\u{2060}"..."\u{2064}",
            "\u{206A}"..."\u{206F}", "\u{FEFF}":
            return ""
        default: return scalar.properties.lowercaseMapping
        }
    }
}
