import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore

/// Who wrote the versions in place of conflicts. The log names who committed a version, and an undo, or who brings a deleted
/// file back, commits what another device has written.
struct VersionWriters: Equatable, Sendable {
    struct Item: Equatable, Sendable {
        var version: UInt64
        /// Nil if it is not known.
        var device: Device?
        /// The version in which that device committed it: an earlier one, if another one has put it in place again.
        var origin: UInt64
        /// What the version is, by which it is known in another store; nil if that is not known.
        var content: ContentID?
        /// Whether a resolve of another conflict of the path has put it in place, from a conflict copy:
        /// nobody has edited it.
        var isChosen = false
    }

    /// Those of open conflicts.
    var items: [RelativePath: Item] = [:]
    /// What was in place of conflicts that have ended, the newest last: they may be opened again.
    private var ended: [(path: RelativePath, item: Item)] = []
    /// The versions in which conflict copies were made, also after edits of them.
    var copies: [RelativePath: UInt64] = [:]
    /// Whether a run has changed versions, and has not looked up their writers yet.
    var isStale = false

    private static let endedLimit = 100

    init() {}

    static func == (first: VersionWriters, second: VersionWriters) -> Bool {
        first.items == second.items && first.copies == second.copies
            && first.isStale == second.isStale && first.ended.elementsEqual(second.ended, by: ==)
    }

    /// Parses ``bytes``. Skips malformed lines.
    init(_ bytes: [UInt8]) {
        for words in bytes.noteLines {
            if words == [Self.stale] { isStale = true }
            if words.count == 3, words[0] == Self.copy, let path = RelativePath(noteWord: words[1]),
                let version = UInt64(words[2])
            {
                copies[path] = version
            } else if [7, 8].contains(words.count), words[0] == Self.ended,
                let (path, item) = Self.item(words.dropFirst())
            {
                ended.append((path, item))
            } else if let (path, item) = Self.item(words[...]) {
                items[path] = item
            }
        }
    }

    private static func item(_ words: ArraySlice<String>) -> (RelativePath, Item)? {
        let words = Array(words)
        guard (4...7).contains(words.count), let path = RelativePath(noteWord: words[0]),
            let version = UInt64(words[1])
        else { return nil }
        var device: Device?
        if words[2] != none {
            guard let id = FilesinkiModel.bytes(hexadecimal: words[2]),
                let name = FilesinkiModel.bytes(hexadecimal: words[3])
            else { return nil }
            device = Device(id: id, name: String(decoding: name, as: UTF8.self))
        }
        let origin = words.count > 4 ? UInt64(words[4]) : version
        let content = words.count > 5 ? ContentID(hexadecimal: words[5]) : nil
        let item = Item(
            version: version, device: device, origin: origin ?? version, content: content,
            isChosen: words.last == chosen)
        return (path, item)
    }

    /// One line for each path: the path, the version, and the device's id and name, in hexadecimal, the origin, and the content
    /// where it is known, and a word if a resolve has put it in place. The same behind a word for what has
    /// ended. One line for each conflict copy: a word, the path, and the version.
    var bytes: [UInt8] {
        let open = items.sorted { $0.key < $1.key }.map { Self.line($0.key, $0.value) }
        let closed = ended.map { "\(Self.ended) " + Self.line($0.path, $0.item) }
        let made = copies.sorted { $0.key < $1.key }.map { path, version in
            "\(Self.copy) \(hexadecimal(path.bytes)) \(version)\n"
        }
        let marks = isStale ? [Self.stale + "\n"] : []
        return Array((marks + closed + open + made).joined().utf8)
    }

    private static func line(_ path: RelativePath, _ item: Item) -> String {
        let device = item.device.map {
            "\(hexadecimal($0.id)) \(hexadecimal(Array($0.name.utf8)))"
        }
        let end =
            item.isChosen
            ? " \(item.content?.description ?? none) \(chosen)"
            : item.content.map { " \($0)" } ?? ""
        return "\(hexadecimal(path.bytes)) \(item.version) \(device ?? "\(none) \(none)")"
            + " \(item.origin)\(end)\n"
    }

    private static let none = "-"
    private static let ended = "ended"
    private static let stale = "stale"
    private static let copy = "copy"
    private static let chosen = "chosen"

    /// The device that committed a version of a path; nil if it is not known.
    func writer(of version: UInt64, at path: RelativePath) -> Device? {
        items[path].flatMap { version > 0 && $0.version == version ? $0.device : nil }
    }

    /// The version in which the content of a version of a path was committed by its writer.
    func origin(of version: UInt64, at path: RelativePath) -> UInt64 {
        items[path].flatMap { $0.version == version ? $0.origin : nil } ?? version
    }

    /// Whether a resolve of another conflict of the path has put a version in place.
    func isChosen(_ version: UInt64, at path: RelativePath) -> Bool {
        items[path].map { $0.version == version && $0.isChosen } ?? false
    }

    /// Who wrote a content that was in place of a conflict; nil if that is not known.
    func item(of content: ContentID?, at path: RelativePath) -> Item? {
        guard let content else { return nil }
        let known = [items[path], ended.last { $0.path == path }?.item]
        return known.compactMap { $0 }.first { $0.content == content }
    }

    /// The paths of ended conflicts of which it is known who wrote what was in place.
    var endedPaths: Set<RelativePath> { Set(ended.map(\.path)) }

    /// Goes on with what was known of conflicts that have ended since, and of what is not in place any more.
    mutating func keepEnded(of known: VersionWriters) {
        ended = known.ended
        for (path, item) in known.items.sorted(by: { $0.key < $1.key })
        where item.device != nil && item.content != nil && item.content != items[path]?.content {
            ended.removeAll { $0.path == path }
            ended.append((path, item))
        }
        ended.removeFirst(max(0, ended.count - Self.endedLimit))
    }

    /// Forgets the numbers of versions, as they are of a store that is left. Who wrote which content stays known.
    mutating func forgetVersions() {
        items = items.mapValues(\.unnumbered)
        ended = ended.map { ($0.path, $0.item.unnumbered) }
        copies = [:]
        isStale = true
    }

    static let name = "conflict-writers"
}

extension VersionWriters.Item {
    /// In another store it was never edited.
    fileprivate var unnumbered: VersionWriters.Item {
        VersionWriters.Item(
            version: 0, device: device, origin: 0, content: content, isChosen: isChosen)
    }
}

extension ManifestDatabase {
    func conflictWriters() throws -> VersionWriters {
        VersionWriters(try value(VersionWriters.name) ?? [])
    }
}

extension ManifestWriter {
    /// Forgets the versions of conflicts in a store that is left: see ``VersionWriters/forgetVersions()``.
    func forgetConflictVersions(in manifest: ManifestDatabase) throws {
        var known = try manifest.conflictWriters()
        guard known != VersionWriters() else { return }
        known.forgetVersions()
        try setValue(VersionWriters.name, known.bytes)
    }
}
