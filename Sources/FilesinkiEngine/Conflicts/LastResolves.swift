import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile

/// The last resolve of each path here: what an undo needs, beside the rows of the conflicts that ended.
///
/// Of the last conflicts only, so that a resolve costs the same however many there were before it.
struct LastResolves: Equatable, Sendable {
    struct Resolve: Equatable, Sendable {
        /// Who had committed the version in place. An undo publishes that version again, so that the log alone would
        /// name this device. Nil if it is not known.
        var device: Device?
        /// The conflicts that ended together.
        var conflicts: [Int64] = []
        /// The copies of the path's other conflicts, which stayed open.
        var others: [RelativePath] = []
        /// The content that was chosen; nil if it is not known.
        var chosen: ContentID?
    }

    private struct Entry: Equatable {
        let path: RelativePath
        let resolve: Resolve
    }

    /// The last one is the newest.
    private var entries: [Entry] = []

    private static let limit = 200

    init() {}

    subscript(path: RelativePath) -> Resolve? {
        get { entries.last { $0.path == path }?.resolve }
        set {
            entries.removeAll { $0.path == path }
            if let newValue { entries.append(Entry(path: path, resolve: newValue)) }
            if entries.count > Self.limit { entries.removeFirst() }
        }
    }

    var isEmpty: Bool { entries.isEmpty }

    var paths: [RelativePath] { entries.map(\.path) }

    /// Parses ``bytes``. Skips malformed lines. Lines of earlier versions end behind the device.
    init(_ bytes: [UInt8]) {
        for words in bytes.noteLines {
            guard words.count == 3 || words.count == 6, let path = RelativePath(noteWord: words[0])
            else {
                continue
            }
            var resolve = Resolve()
            if let id = FilesinkiModel.bytes(hexadecimal: words[1]), !id.isEmpty,
                let name = FilesinkiModel.bytes(hexadecimal: words[2])
            {
                resolve.device = Device(id: id, name: String(decoding: name, as: UTF8.self))
            }
            if words.count == 6 {
                resolve.conflicts = words[3].split(separator: ",").compactMap { Int64($0) }
                resolve.others = words[4].split(separator: ",").compactMap {
                    RelativePath(noteWord: $0)
                }
                resolve.chosen = ContentID(hexadecimal: words[5])
            }
            self[path] = resolve
        }
    }

    /// One line for each path: the path, the device's id and name, the numbers of the conflicts, the other copies, and the content.
    /// Bytes are in hexadecimal, `-` stands for nothing.
    var bytes: [UInt8] {
        Array(
            entries.map { entry in
                let resolve = entry.resolve
                let words = [
                    hexadecimal(entry.path.bytes), resolve.device.map { hexadecimal($0.id) } ?? "",
                    resolve.device.map { hexadecimal(Array($0.name.utf8)) } ?? "",
                    resolve.conflicts.map(String.init).joined(separator: ","),
                    resolve.others.map { hexadecimal($0.bytes) }.joined(separator: ","),
                    resolve.chosen?.description ?? "",
                ]
                return words.map { $0.isEmpty ? "-" : $0 }.joined(separator: " ") + "\n"
            }.joined().utf8)
    }

    fileprivate static let resolved = "resolved-writers"
    fileprivate static let reopened = "reopened-writers"
}

extension ManifestDatabase {
    /// The last resolves of this replica.
    func lastResolves() throws -> LastResolves {
        LastResolves(try value(LastResolves.resolved) ?? [])
    }

    /// The writers at the conflicts that an undo has opened again.
    func reopenedWriters() throws -> LastResolves {
        LastResolves(try value(LastResolves.reopened) ?? [])
    }
}

extension ManifestWriter {
    /// Notes how conflicts of a path have ended.
    func noteResolved(
        _ path: RelativePath, _ resolve: LastResolves.Resolve, in manifest: ManifestDatabase
    ) throws {
        var (resolved, reopened) = try (manifest.lastResolves(), manifest.reopenedWriters())
        resolved[path] = resolve
        reopened[path] = nil
        try setValue(LastResolves.resolved, resolved.valueBytes)
        try setValue(LastResolves.reopened, reopened.valueBytes)
    }

    /// Notes that the version in place of a conflict is again that of who had committed it before the resolve.
    ///
    /// - Parameters:
    ///   - ended: The numbers of the conflicts, which another resolve than the last one here may have ended.
    ///   - opened: Their numbers from now on.
    func noteReopened(
        _ path: RelativePath, _ ended: [Int64], as opened: [Int64], in manifest: ManifestDatabase
    ) throws {
        var reopened = try manifest.reopenedWriters()
        let last = try manifest.lastResolves()[path]
        // Lines of earlier versions do not tell the numbers.
        let isLast =
            last?.conflicts.isEmpty ?? true
            || ended.contains { last?.conflicts.contains($0) == true }
        reopened[path] = isLast ? last?.device.map { .init(device: $0, conflicts: opened) } : nil
        try setValue(LastResolves.reopened, reopened.valueBytes)
    }
}

extension LastResolves {
    /// Nil, which removes the value, for none.
    fileprivate var valueBytes: [UInt8]? { isEmpty ? nil : bytes }

    /// Who had written what was in place of a conflict that an undo has opened again; nil for any other conflict, also a later one
    /// of the path.
    func writer(of row: ConflictRow) -> Device? {
        // Lines of earlier versions do not tell the numbers.
        guard let reopened = self[row.path],
            reopened.conflicts.isEmpty || reopened.conflicts.contains(row.id)
        else { return nil }
        return reopened.device
    }
}

extension Conflicts {
    /// The device that wrote the version in place of a conflict; nil if it is not known.
    func writer(
        of row: ConflictRow, _ writers: VersionWriters, _ reopened: LastResolves,
        _ renames: LeftRenames
    ) throws -> Device? {
        if row.copyPath != nil, let device = reopened.writer(of: row), let theirs = row.theirs,
            try manifest.base(row.path)?.entry.hasSameContent(as: theirs) == true
        {
            return device
        }
        // What a rule ignores by now has no version in the base.
        if row.copyPath != nil, try manifest.base(row.path) == nil {
            return writers.item(of: row.theirs?.identity, at: row.path)?.device
        }
        return try otherVersion(of: row, renames).flatMap { writers.writer(of: $0, at: row.path) }
    }

    /// The version in place of a conflict; of one without a copy, the version of the store, which this replica does not have in
    /// place. Nil for none.
    func otherVersion(of row: ConflictRow, _ renames: LeftRenames) throws -> UInt64? {
        if row.copyPath == nil,
            let waiting = try manifest.remote(renames.place(of: .theirs, in: row))
        {
            return waiting.entry.version
        }
        return try manifest.base(row.path)?.version
    }
}
