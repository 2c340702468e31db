import FilesinkiManifest
import FilesinkiModel

/// Values of every shape, hostile ones first.
enum Samples {
    /// Paths that a text, a C string or a collation would take for others.
    static let paths: [RelativePath] = [
        [0x61], [0xFF, 0xFE], [0x80, 0x2F, 0xC0], Array("caf\u{E9}".utf8),
        Array("cafe\u{301}".utf8),
        Array("a\nb'\";--".utf8), Array("A".utf8), Array("%_*?[".utf8), Array("1".utf8),
        Array("x'00'".utf8), [UInt8](repeating: 0x7A, count: 255),
    ].map { RelativePath(unchecked: $0) }

    static func content(_ number: Int) -> ContentID {
        let bytes = (0..<32).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0 &* 7 &+ 1) }
        return ContentID(bytes) ?? .none
    }

    static let entries: [Entry] = [
        .file(
            content(1), size: 5, mode: 0o644,
            modified: Timestamp(nanoseconds: 1_700_000_000_123_456_789)),
        .file(content(2), size: .max, mode: 0o777, modified: Timestamp(nanoseconds: .min)),
        .directory(mode: 0o755, modified: Timestamp(nanoseconds: -1)),
        .symlink(to: [0xFF, 0x2E, 0x2E], modified: Timestamp(nanoseconds: .max)),
    ]

    static let stamps: [FileStamp?] = [
        nil,
        FileStamp(
            device: .max, inode: .max, size: 5, modified: Timestamp(nanoseconds: 3),
            changed: Timestamp(nanoseconds: 0)),
        FileStamp(
            device: 0, inode: 1, size: 0, modified: Timestamp(nanoseconds: .min),
            changed: Timestamp(nanoseconds: .max)),
    ]

    /// A row for each path, with each entry and stamp among them.
    static let base: [BaseRow] = paths.enumerated().map { index, path in
        BaseRow(
            path: path, entry: entries[index % entries.count],
            version: index.isMultiple(of: 2) ? UInt64.max - UInt64(index) : UInt64(index),
            stamp: stamps[index % stamps.count])
    }

    static let local: [LocalRow] = paths.enumerated().map { index, path in
        LocalRow(
            path: path, entry: index.isMultiple(of: 3) ? nil : entries[index % entries.count],
            stamp: stamps[index % stamps.count],
            movedFrom: index.isMultiple(of: 4) ? paths[0] : nil)
    }

    static let remote: [RemoteRow] = paths.enumerated().map { index, path in
        RemoteRow(
            path: path,
            entry: VersionedEntry(
                index.isMultiple(of: 3) ? .tombstone : entries[index % entries.count],
                version: UInt64(index) + 1),
            movedFrom: index.isMultiple(of: 4) ? paths[1] : nil)
    }

    static let tombstones: [TombstoneRow] = paths.enumerated().map { index, path in
        TombstoneRow(
            path: path, version: UInt64(index), contents: (0..<(index % 4)).map(content))
    }

    static let packs: [PackRow] = (0..<5).map {
        PackRow(
            id: [UInt8($0), 0, 0xFF], size: Int64($0) << 40, indexHash: content($0),
            sequence: UInt64($0))
    }

    static let inline: [InlineRow] = (0..<5).map {
        InlineRow(content: content($0), sequence: UInt64($0))
    }

    /// A setting of the caller.
    static let setting = (name: "näme\n", value: [UInt8]([0, 1, 0xFF]))

    static let token = ChangeToken(sequence: 0x0102_0304_0506_0708, hash: content(9))

    static let conflicts: [ConflictRow] = paths.enumerated().map { index, path in
        ConflictRow(
            id: Int64(index) + 1, path: path, base: index.isMultiple(of: 2) ? nil : entries[0],
            ours: entries[index % entries.count],
            theirs: index.isMultiple(of: 3) ? nil : entries[3],
            copyPath: index.isMultiple(of: 4) ? paths[2] : nil, rule: "newest, keep-both",
            time: Timestamp(nanoseconds: Int64(index)))
    }

    /// Puts everything above into a manifest.
    static func fill(_ manifest: ManifestDatabase) throws {
        try manifest.write { writer in
            for row in base { try writer.putBase(row) }
            for row in local { try writer.putLocal(row) }
            for row in remote { try writer.putRemote(row) }
            for row in tombstones { try writer.putTombstone(row) }
            for row in packs { try writer.addPack(row) }
            for row in inline { try writer.addInline(row.content, sequence: row.sequence) }
            for row in conflicts { try writer.addConflict(row) }
            try writer.setValue(setting.name, setting.value)
            try writer.setToken(token)
        }
    }
}

/// Everything that a manifest answers with checks, for comparing.
struct Contents: Equatable {
    var base: Set<BaseRow>
    var local: Set<LocalRow>
    var remote: Set<RemoteRow>
    var tombstones: Set<TombstoneRow>
    var packs: Set<PackRow>
    var inline: Set<InlineRow>
    var counts: [Int]

    static let samples = Contents(
        base: Set(Samples.base), local: Set(Samples.local), remote: Set(Samples.remote),
        tombstones: Set(Samples.tombstones), packs: Set(Samples.packs), inline: Set(Samples.inline),
        counts: [
            Samples.base.count, Samples.local.count, Samples.remote.count, Samples.tombstones.count,
            Samples.packs.count, Samples.inline.count,
        ])

    /// Reads a manifest; the counts reveal rows that occur twice.
    init(of manifest: ManifestDatabase) throws {
        let base = try manifest.loadBase()
        let local = try manifest.loadLocal()
        let remote = try manifest.loadRemote()
        let tombstones = try manifest.loadTombstones()
        let packs = try manifest.loadPacks()
        var inline: [InlineRow] = []
        let pages = manifest.inlinePages()
        while case let page = try pages.next(), !page.isEmpty { inline += page }
        self.init(
            base: Set(base), local: Set(local), remote: Set(remote), tombstones: Set(tombstones),
            packs: Set(packs), inline: Set(inline),
            counts: [
                base.count, local.count, remote.count, tombstones.count, packs.count, inline.count,
            ])
    }

    private init(
        base: Set<BaseRow>, local: Set<LocalRow>, remote: Set<RemoteRow>,
        tombstones: Set<TombstoneRow>, packs: Set<PackRow>, inline: Set<InlineRow>, counts: [Int]
    ) {
        self.base = base
        self.local = local
        self.remote = remote
        self.tombstones = tombstones
        self.packs = packs
        self.inline = inline
        self.counts = counts
    }
}
