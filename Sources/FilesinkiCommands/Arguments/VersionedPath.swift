import FilesinkiModel

/// An argument of the form `PATH@VERSION`.
struct VersionedPath: Equatable {
    /// The path, as the user wrote it.
    var path: String
    /// The number behind the last `@`; nil when there is none.
    var version: UInt64?

    /// A name may hold an `@` itself: only digits behind the last one are a version.
    init(_ argument: String) {
        guard let cut = argument.lastIndex(of: "@"), cut > argument.startIndex,
            let version = Self.number(argument[argument.index(after: cut)...])
        else {
            path = argument
            return
        }
        path = String(argument[..<cut])
        self.version = version
    }

    /// Both parts.
    ///
    /// - Throws: `Failure` with code `usage` when the version is missing.
    func required() throws(Failure) -> (path: String, version: UInt64) {
        guard let version else {
            throw Failure(
                .usage, path: ArgumentText.bytes(of: path), "The version is missing.",
                remedy: "Write PATH@VERSION, such as notes/a@12; filesinki log PATH lists them.")
        }
        return (path, version)
    }

    private static func number(_ digits: Substring) -> UInt64? {
        digits.allSatisfy { $0.isASCII && $0.isNumber } ? UInt64(digits) : nil
    }
}
