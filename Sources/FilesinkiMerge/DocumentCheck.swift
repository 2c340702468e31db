package import FilesinkiModel

/// Whether a content that a person or a program wrote for a file is still a document of the file's format.
///
/// The name or a rule selects the format, as for a merge, and the reader of the format's merge decides. A format that can hold any
/// text, such as Markdown, and a name that says nothing have nothing to check. JSON that has a key twice can be read,
/// but is hardly what its writer means. A database is looked at for its first bytes only.
package struct DocumentCheck: Sendable {
    /// The readers, the strictest first: of a file of JSON with comments, whose versions may have none, that of JSON, too.
    private let formats: [DocumentFormat]
    /// Whether the file is an SQLite database, which no document format reads.
    private let isDatabase: Bool

    /// - Parameter format: The format that a rule of the user names; nil to go by the name.
    package init(fileName: some Sequence<UInt8>, format: ContentFormat? = nil) {
        let name = Array(fileName)
        let selected = format.map { DocumentFormat($0, fileName: name) }
        let known = selected ?? DocumentFormat(fileName: name)
        isDatabase = (format ?? FormatNames.format(of: name)) == .sqlite
        formats = (known?.format == .jsonc ? [.json] : []) + [known].compactMap(\.self)
    }

    /// Whether the content cannot be read as one of the formats. Needs no version to be read.
    package func isDoubtful(_ content: [UInt8]) -> Bool {
        if isDatabase { return !SQLiteMerge.isDatabase(content) }
        return formats.contains {
            $0.format == .csv ? TableCheck.isDoubtful(content) : !$0.reads(content)
        } || repeatedKey(in: content) != nil
    }

    /// Why the content is not a valid document although all versions are, as a sentence. Nil if it is valid, or if a version
    /// is not valid either.
    ///
    /// - Parameter versions: Those of the file that there are.
    package func problem(of content: [UInt8], beside versions: [[UInt8]]) -> String? {
        guard !versions.isEmpty else { return nil }
        if isDatabase {
            let isBroken =
                !SQLiteMerge.isDatabase(content) && versions.allSatisfy(SQLiteMerge.isDatabase)
            return isBroken ? Self.words("an SQLite database") + "." : nil
        }
        if formats.first?.format == .csv {
            return TableCheck.refusal(of: content, beside: versions).map {
                "\(Self.words("CSV")): \($0)."
            }
        }
        let broken = formats.first { format in
            !format.reads(content) && versions.allSatisfy(format.reads)
        }
        guard let broken else { return repetition(in: content, beside: versions) }
        return Self.words(broken.title) + (broken.refusal(of: content).map { ": \($0)." } ?? ".")
    }

    /// Where lines of two sides are joined, both may have a member, and the object then has its key twice.
    private func repeatedKey(in content: [UInt8]) -> RepeatedKey? {
        formats.first?.isJSON == true ? RepeatedKey(in: content) : nil
    }

    private func repetition(in content: [UInt8], beside versions: [[UInt8]]) -> String? {
        guard let key = repeatedKey(in: content),
            versions.allSatisfy({ JSONMerge.isDocument($0) && RepeatedKey(in: $0) == nil })
        else { return nil }
        return
            "The content has the key '\(printable(key.name))' twice in an object, again in line \(key.line), "
            + "and the versions of the conflict have none twice."
    }

    private static func words(_ format: String) -> String {
        "The content cannot be read as \(format), and the versions of the conflict can"
    }
}

extension DocumentFormat {
    /// What a JSON text has that it must not have, and where; nil for other formats.
    fileprivate func refusal(of content: [UInt8]) -> String? {
        isJSON ? JSONMerge.refusal(of: content) : nil
    }

    fileprivate var isJSON: Bool { format == .json || format == .ipynb }
}
