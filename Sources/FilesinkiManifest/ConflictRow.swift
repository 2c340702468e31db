package import FilesinkiModel

/// A path that both sides changed to different contents.
package struct ConflictRow: Hashable, Sendable {
    package enum State: Int64, Sendable, CaseIterable {
        /// Somebody may still want to look.
        case open = 1
        case resolved = 2
    }

    /// The number a user names it by, from 1 on; 0 before the manifest has given one.
    package var id: Int64
    package var path: RelativePath
    /// The entry both sides knew; nil for none.
    package var base: Entry?
    /// The entry of this replica; nil for none.
    package var ours: Entry?
    /// The entry of the remote; nil for none.
    package var theirs: Entry?
    /// Where in the tree the loser is kept; nil when it is not.
    package var copyPath: RelativePath?
    /// The strategy that decided, such as `keep-both`.
    package var rule: String
    /// When it was found.
    package var time: Timestamp
    package var state: State

    package init(
        id: Int64 = 0, path: RelativePath, base: Entry?, ours: Entry?, theirs: Entry?,
        copyPath: RelativePath? = nil, rule: String, time: Timestamp, state: State = .open
    ) {
        self.id = id
        self.path = path
        self.base = base
        self.ours = ours
        self.theirs = theirs
        self.copyPath = copyPath
        self.rule = rule
        self.time = time
        self.state = state
    }

    static let columns =
        "path, base, here, there, copy_path, rule, time, state"

    func write(to writer: inout RowWriter) {
        writer.put(path.bytes)
        for entry in [base, ours, theirs] { writer.put(optional: entry.map(EntryBytes.encode)) }
        writer.put(optional: copyPath?.bytes)
        writer.put(rule)
        writer.put(time)
        writer.put(state.rawValue)
    }

    init(id: Int64, from reader: inout RowReader) {
        self.id = id
        path = reader.path()
        base = Self.entry(&reader)
        ours = Self.entry(&reader)
        theirs = Self.entry(&reader)
        copyPath = reader.optionalPath()
        rule = reader.text()
        time = reader.time()
        let found = State(rawValue: reader.integer())
        if found == nil { reader.reject() }
        state = found ?? .open
    }

    private static func entry(_ reader: inout RowReader) -> Entry? {
        guard let bytes = reader.optionalBytes() else { return nil }
        let entry = EntryBytes.decode(bytes)
        if entry == nil { reader.reject() }
        return entry
    }
}
