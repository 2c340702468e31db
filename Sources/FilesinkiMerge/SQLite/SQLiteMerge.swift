package import FilesinkiModel
import FilesinkiSystem
import Glibc

/// The merge of two SQLite databases that came from one: rows by their key, and cells within a row.
///
/// It works by SQL over attached databases and not by the session extension. A changeset knows for
/// an updated row the old and new values of the changed cells, but it says nothing of tables without
/// a primary key, cannot be made where the schemas differ, and calls back for a conflict without the
/// base's row. SQL has all three rows wherever two differ, so a cell is decided by the same
/// three-way rule as everywhere else.
///
/// One side is the skeleton: the result is a copy of it, to which the changes of the other are
/// applied. It is the side that changed the schema, else the one whose bytes are greater, so both
/// devices choose the same one, and with the same SQLite make the same bytes. Page size, encoding
/// and journal mode are the skeleton's.
///
/// Rows that both sides inserted under one key decline unless they are equal, also where the key is
/// an automatic number: a new number would break references to the row from inside or outside the
/// database, and SQLite does not know them.
package struct SQLiteMerge: Sendable {
    let settings: MergeSettings
    let oursModified: Timestamp
    let theirsModified: Timestamp
    /// Is told what the merge decides; nil if nobody asks.
    let trace: MergeTrace?

    package init(
        settings: MergeSettings = .init(),
        oursModified: Timestamp = Timestamp(nanoseconds: 0),
        theirsModified: Timestamp = Timestamp(nanoseconds: 0), trace: MergeTrace? = nil
    ) {
        self.settings = settings
        self.oursModified = oursModified
        self.theirsModified = theirsModified
        self.trace = trace
    }

    /// Merges private copies that nobody writes, without a log beside them. Costs a few passes over
    /// all three databases.
    ///
    /// - Parameters:
    ///   - base: What both sides started from; nil when there is no common version.
    ///   - ours: This replica's version.
    ///   - theirs: The committed version.
    ///   - result: A path to create; it exists afterwards only if the outcome is `merged`.
    /// - Throws: `Failure` with code `full` or `io` when the disk refuses. Unsound contents are
    ///   declined, not thrown.
    package func merge(base: String?, ours: String, theirs: String, into result: String)
        throws(Failure) -> FileMergeOutcome
    {
        let sides = try Sides(base: base, ours: ours, theirs: theirs)
        if trace?.isComparison != true, let only = try sides.onlyChanged {
            try only.copy(to: result)
            return .merged
        }
        for content in [sides.base, sides.ours, sides.theirs].compactMap(\.self)
        where try !content.isDatabase {
            return .declined([MergeConflict("", "The content is not an SQLite database.")])
        }
        do {
            try DatabaseMerge(sides: sides, result: result, rules: self).merge()
            return .merged
        } catch {
            unlink(result)
            switch error {
            case .declined(let conflicts): return .declined(conflicts)
            case .failed(let failure): throw failure
            }
        }
    }

    /// Whether a content begins as every SQLite database does.
    static func isDatabase(_ content: [UInt8]) -> Bool {
        content.prefix(16).elementsEqual("SQLite format 3\0".utf8)
    }

    /// The three files of one merge.
    struct Sides {
        let base: FileContent?
        let ours: FileContent
        let theirs: FileContent

        init(base: String?, ours: String, theirs: String) throws(Failure) {
            if let base { self.base = try FileContent(base) } else { self.base = nil }
            self.ours = try FileContent(ours)
            self.theirs = try FileContent(theirs)
        }

        /// The result when no merge is needed: the sides are equal, or one of them equals the base.
        var onlyChanged: FileContent? {
            get throws(Failure) {
                if try ours.compared(to: theirs) == 0 { return ours }
                guard let base else { return nil }
                if try base.compared(to: ours) == 0 { return theirs }
                return try base.compared(to: theirs) == 0 ? ours : nil
            }
        }
    }
}

/// The result of a merge of files.
package enum FileMergeOutcome: Hashable, Sendable {
    /// Both sides are in the result, and nothing was guessed.
    case merged
    /// The merge would have to guess, or the contents are not of its format; there is no result.
    /// Never empty.
    case declined([MergeConflict])
}

/// A private file that nobody writes, read in pieces.
final class FileContent {
    private let file: NamedFile
    let path: String
    let size: Int

    private static let piece = 1 << 18

    init(_ path: String) throws(Failure) {
        self.path = path
        file = try NamedFile(path, O_RDONLY, of: .own)
        size = Int(try file.size)
    }

    /// Up to `count` bytes from an offset; fewer only at the end.
    func bytes(at offset: Int, count: Int) throws(Failure) -> [UInt8] {
        try file.read(from: Int64(offset), count: count)
    }

    /// Whether the content begins as every SQLite database does.
    var isDatabase: Bool {
        get throws(Failure) { try SQLiteMerge.isDatabase(bytes(at: 0, count: 16)) }
    }

    /// Less than 0, 0 or more than 0, as the first difference of the bytes says.
    func compared(to other: FileContent) throws(Failure) -> Int {
        var offset = 0
        while offset < max(size, other.size) {
            let mine = try bytes(at: offset, count: Self.piece)
            let theirs = try other.bytes(at: offset, count: Self.piece)
            if mine != theirs { return mine.lexicographicallyPrecedes(theirs) ? -1 : 1 }
            offset += Self.piece
        }
        return 0
    }

    /// Makes a new file of the same bytes.
    func copy(to path: String) throws(Failure) { try file.copy(to: path) }
}
