import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile

/// Who had committed the version in place when a conflict was resolved here. An undo publishes that version again, so
/// that the log alone would name this device.
///
/// Of the last conflicts only, so that a resolve costs the same however many there were before it.
struct ResolvedWriters: Equatable, Sendable {
    private struct Entry: Equatable {
        let path: RelativePath
        let device: Device
    }

    /// The last one is the newest.
    private var entries: [Entry] = []

    private static let limit = 200

    init() {}

    /// Who had committed the version in place at a path.
    subscript(path: RelativePath) -> Device? {
        get { entries.last { $0.path == path }?.device }
        set {
            entries.removeAll { $0.path == path }
            if let newValue { entries.append(Entry(path: path, device: newValue)) }
            if entries.count > Self.limit { entries.removeFirst() }
        }
    }

    var isEmpty: Bool { entries.isEmpty }

    /// Parses ``bytes``. Skips malformed lines.
    init(_ bytes: [UInt8]) {
        for words in bytes.noteLines {
            guard words.count == 3, let path = FilesinkiModel.bytes(hexadecimal: words[0]),
                let path = try? RelativePath(path),
                let id = FilesinkiModel.bytes(hexadecimal: words[1]),
                let name = FilesinkiModel.bytes(hexadecimal: words[2])
            else { continue }
            self[path] = Device(id: id, name: String(decoding: name, as: UTF8.self))
        }
    }

    /// One line for each path: the path, and the device's id and name, in hexadecimal.
    var bytes: [UInt8] {
        Array(
            entries.map { entry in
                "\(hexadecimal(entry.path.bytes)) \(hexadecimal(entry.device.id)) "
                    + "\(hexadecimal(Array(entry.device.name.utf8)))\n"
            }.joined().utf8)
    }

    fileprivate static let resolved = "resolved-writers"
    fileprivate static let reopened = "reopened-writers"
}

extension ManifestDatabase {
    /// The writers at the resolved conflicts of this replica.
    func resolvedWriters() throws -> ResolvedWriters {
        ResolvedWriters(try value(ResolvedWriters.resolved) ?? [])
    }

    /// The writers at the conflicts that an undo has opened again.
    func reopenedWriters() throws -> ResolvedWriters {
        ResolvedWriters(try value(ResolvedWriters.reopened) ?? [])
    }
}

extension ManifestWriter {
    /// Notes who had committed the version in place of a conflict that is resolved now; nil if that is not known.
    func noteResolved(_ path: RelativePath, _ writer: Device?, in manifest: ManifestDatabase) throws
    {
        var (resolved, reopened) = try (manifest.resolvedWriters(), manifest.reopenedWriters())
        resolved[path] = writer
        reopened[path] = nil
        try setValue(ResolvedWriters.resolved, resolved.valueBytes)
        try setValue(ResolvedWriters.reopened, reopened.valueBytes)
    }

    /// Notes that the version in place of a conflict is again that of who had committed it before the resolve.
    func noteReopened(_ path: RelativePath, in manifest: ManifestDatabase) throws {
        var reopened = try manifest.reopenedWriters()
        reopened[path] = try manifest.resolvedWriters()[path]
        try setValue(ResolvedWriters.reopened, reopened.valueBytes)
    }
}

extension ResolvedWriters {
    /// Nil, which removes the value, for none.
    fileprivate var valueBytes: [UInt8]? { isEmpty ? nil : bytes }
}

extension Conflicts {
    /// The device that wrote the version in place of a conflict; nil if it is not known.
    func writer(
        of row: ConflictRow, _ writers: VersionWriters, _ reopened: ResolvedWriters
    ) throws -> Device? {
        guard let base = try manifest.base(row.path) else { return nil }
        if let device = reopened[row.path], let theirs = row.theirs,
            base.entry.hasSameContent(as: theirs)
        {
            return device
        }
        return writers.writer(of: base)
    }
}
