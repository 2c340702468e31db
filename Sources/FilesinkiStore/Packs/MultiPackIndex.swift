package import FilesinkiModel
import FilesinkiSystem
import Glibc
import Synchronization

/// Says which packs may hold a content without opening the index of each pack.
///
/// A cache of this device, after git's multi-pack index. It is a folder of files, each of which joins the
/// indexes of some packs. Each file has at least twice as many entries as the next smaller one, so that a
/// look-up asks O(log n) files for n entries, and an entry is copied O(log n) times in its life.
///
/// An answer is a hint: the index of the pack, which is verified by its hash, decides. A file that is
/// missing, unreadable or damaged hides contents, and its packs are joined again where it is noticed; a
/// reader that does not find a content must ask all packs before it reports that.
///
/// A file is named after one of its packs. All integers are little-endian:
///
/// | bytes | meaning |
/// |---|---|
/// | 8 | magic: `fsmpidx1` |
/// | 4 | the number of packs |
/// | 4 | the number of entries |
/// | 16 for each pack | its id |
/// | 12 for each entry | the first 8 bytes of a content's id, as a big-endian number stored little-endian; the number of its pack (4) |
///
/// Entries ascend by the first 8 bytes of the id.
package final class MultiPackIndex: Sendable {
    private let folder: String
    /// The files, the largest first; nil before the folder was read.
    private let files = Mutex<[JoinedIndexFile]?>(nil)

    /// - Parameter folder: The path of the folder; made when the first file is written.
    package init(folder: String) { self.folder = folder }

    /// The ids of all packs that were joined.
    package var packs: Set<[UInt8]> {
        withFiles { files in files.reduce(into: []) { $0.formUnion($1.packs) } }
    }

    /// The ids of the packs that may hold a content, those of small files first; empty when the content is
    /// in none of the joined packs.
    package func packs(mayHold content: ContentID) -> [[UInt8]] {
        let prefix = JoinedIndexEntry.prefix(of: content)
        return withFiles { files in files.reversed().flatMap { $0.find(prefix) } }
    }

    /// Adds packs. A pack that is there already is skipped. A file that cannot be written costs time
    /// later and is no failure.
    ///
    /// - Complexity: O(m log m) for m members of the added packs, and in the mean O(log n) for each.
    package func join(_ added: [(pack: [UInt8], index: PackIndex)]) {
        withFiles { files in
            let known = files.reduce(into: Set<[UInt8]>()) { $0.formUnion($1.packs) }
            let fresh = added.filter { !known.contains($0.pack) }
            guard let last = fresh.last else { return }
            let new = JoinedIndexMerge(fresh)
            var count = new.count
            var merged: [JoinedIndexFile] = []
            while let smallest = files.last, smallest.count < 2 * count {
                merged.append(files.removeLast())
                count += smallest.count
            }
            do {
                try StateFile.makeFolder(folder)
                let path = folder + "/" + hexadecimal(last.pack)
                try new.write(merged, to: path)
                files.append(try JoinedIndexFile(path))
                for file in merged where file.path != path { unlink(file.path) }
            } catch {
                files += merged.reversed()
            }
        }
    }

    private func withFiles<Result: Sendable>(
        _ body: (inout [JoinedIndexFile]) -> Result
    ) -> Result {
        files.withLock { files in
            var opened = files ?? Self.open(folder)
            defer { files = opened }
            return body(&opened)
        }
    }

    /// Opens all files of a folder. Removes those that are damaged, and those whose packs are all in
    /// larger files: a merge that was killed left them.
    private static func open(_ folder: String) -> [JoinedIndexFile] {
        guard let handle = try? FileHandle(folder, O_RDONLY | O_DIRECTORY),
            let listing = try? FolderListing(handle)
        else { return [] }
        var found: [JoinedIndexFile] = []
        for entry in listing.entries {
            let name = String(decoding: listing.name(entry), as: UTF8.self)
            guard bytes(hexadecimal: name)?.count == PackReference.idLength else { continue }
            let path = folder + "/" + name
            if let file = try? JoinedIndexFile(path) { found.append(file) } else { unlink(path) }
        }
        found.sort { $0.count > $1.count }
        var known: Set<[UInt8]> = []
        return found.filter { file in
            if known.isSuperset(of: file.packs) {
                unlink(file.path)
                return false
            }
            known.formUnion(file.packs)
            return true
        }
    }
}

/// A content by the first bytes of its id, and its pack by its number in a file.
struct JoinedIndexEntry {
    static let length = 12

    var prefix: UInt64
    var pack: UInt32

    static func prefix(of content: ContentID) -> UInt64 {
        content.withBytes { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) }
    }

    init(prefix: UInt64, pack: UInt32) {
        self.prefix = prefix
        self.pack = pack
    }

    init(at index: Int, in bytes: UnsafeRawBufferPointer) {
        prefix = bytes.littleEndian(at: index * Self.length)
        pack = bytes.littleEndian(at: index * Self.length + 8)
    }

    func append(to bytes: inout [UInt8]) {
        bytes.appendLittleEndian(prefix)
        bytes.appendLittleEndian(pack)
    }
}

/// One file of a ``MultiPackIndex``, open for look-ups.
final class JoinedIndexFile: Sendable {
    static let magic = Array("fsmpidx1".utf8)
    static let headLength = 16

    let path: String
    /// The ids of the packs, in the order of their numbers.
    let packs: [[UInt8]]
    /// The number of entries.
    let count: Int
    private let handle: FileHandle

    /// The number of entries that a search reads at its end: 3 KiB.
    private static let searchWindow = 256
    /// The most packs that a look-up names for one content.
    private static let maximumCopies = 16

    /// - Throws: A `SystemError`, or a `Failure` with code `corrupt` for a file that is damaged.
    init(_ path: String) throws {
        let handle = try FileHandle(path, O_RDONLY | O_NOFOLLOW)
        let size = try handle.stamp().size
        let head = try handle.read(from: 0, count: Self.headLength)
        guard head.count == Self.headLength, head.starts(with: Self.magic) else {
            throw Self.damage(path)
        }
        let (packCount, count) = head.withUnsafeBytes {
            (
                Int($0.littleEndian(at: 8, as: UInt32.self)),
                Int($0.littleEndian(at: 12, as: UInt32.self))
            )
        }
        let tableLength = packCount * PackReference.idLength
        guard Int64(Self.headLength + tableLength + count * JoinedIndexEntry.length) == size else {
            throw Self.damage(path)
        }
        let table = try handle.read(from: Int64(Self.headLength), count: tableLength)
        guard table.count == tableLength else { throw Self.damage(path) }
        packs = stride(from: 0, to: tableLength, by: PackReference.idLength).map {
            Array(table[$0..<($0 + PackReference.idLength)])
        }
        self.path = path
        self.count = count
        self.handle = handle
    }

    static func damage(_ path: String) -> Failure {
        Failure(
            .corrupt, path: path, "The multi-pack index is damaged.",
            remedy: "Remove it; it is created again.")
    }

    /// The ids of the packs that have an entry with this prefix; empty also when the file cannot be read.
    func find(_ prefix: UInt64) -> [[UInt8]] {
        var low = 0
        var high = count
        while high - low > Self.searchWindow {
            let middle = (low + high) / 2
            guard let entry = try? entries(middle..<(middle + 1)).first else { return [] }
            if entry.prefix < prefix { low = middle + 1 } else { high = middle }
        }
        let found = try? entries(low..<min(high + Self.maximumCopies, count))
        return (found ?? []).filter { $0.prefix == prefix && Int($0.pack) < packs.count }
            .map { packs[Int($0.pack)] }
    }

    /// Some entries, in their order.
    ///
    /// - Throws: A `SystemError`, or a `Failure` when the file has become shorter.
    func entries(_ range: Range<Int>) throws -> [JoinedIndexEntry] {
        let start = Self.headLength + packs.count * PackReference.idLength
        let bytes = try handle.read(
            from: Int64(start + range.lowerBound * JoinedIndexEntry.length),
            count: range.count * JoinedIndexEntry.length)
        guard bytes.count == range.count * JoinedIndexEntry.length else { throw Self.damage(path) }
        return bytes.withUnsafeBytes { bytes in
            range.indices.map { JoinedIndexEntry(at: $0 - range.lowerBound, in: bytes) }
        }
    }
}

/// The members of new packs, and the writing of them together with existing files. At most the new
/// members and a piece of each file are in memory.
private struct JoinedIndexMerge {
    private let packs: [[UInt8]]
    private let entries: [JoinedIndexEntry]

    /// Entries that are read and written at once: 48 KiB.
    private static let pieceLength = 4096

    var count: Int { entries.count }

    init(_ added: [(pack: [UInt8], index: PackIndex)]) {
        packs = added.map(\.pack)
        var entries: [JoinedIndexEntry] = []
        entries.reserveCapacity(added.reduce(0) { $0 + $1.index.memberCount })
        for (number, pack) in added.enumerated() {
            pack.index.forEachMember { id, _ in
                entries.append(
                    JoinedIndexEntry(
                        prefix: JoinedIndexEntry.prefix(of: id), pack: UInt32(number)))
            }
        }
        self.entries = entries.sorted { $0.prefix < $1.prefix }
    }

    /// Writes one file that holds the new members and those of `files`.
    func write(_ files: [JoinedIndexFile], to path: String) throws {
        let allPacks = files.reduce(packs) { $0 + $1.packs }
        var head = JoinedIndexFile.magic
        head.appendLittleEndian(UInt32(allPacks.count))
        head.appendLittleEndian(UInt32(files.reduce(entries.count) { $0 + $1.count }))
        let file = try DurableFile(path.utf8)
        try file.handle.write(head + allPacks.flatMap(\.self))
        var sources = [Source(piece: entries[...])]
        var base = packs.count
        for file in files {
            sources.append(Source(file: file, base: UInt32(base)))
            base += file.packs.count
        }
        try Self.merge(&sources) { try file.handle.write($0) }
        try file.commit(.none)
    }

    private static func merge(
        _ sources: inout [Source], _ write: ([UInt8]) throws -> Void
    ) throws {
        var output: [UInt8] = []
        while true {
            var least: (source: Int, entry: JoinedIndexEntry)?
            for index in sources.indices {
                guard let entry = try sources[index].head() else { continue }
                if least.map({ entry.prefix < $0.entry.prefix }) ?? true { least = (index, entry) }
            }
            guard let least else { return try write(output) }
            least.entry.append(to: &output)
            sources[least.source].removeHead()
            if output.count >= pieceLength * JoinedIndexEntry.length {
                try write(output)
                output.removeAll(keepingCapacity: true)
            }
        }
    }

    /// Entries in ascending order: some in memory, or those of a file.
    private struct Source {
        var piece: ArraySlice<JoinedIndexEntry> = []
        var file: JoinedIndexFile?
        /// What is added to the numbers of the file's packs.
        var base: UInt32 = 0
        private var position = 0

        init(piece: ArraySlice<JoinedIndexEntry>) { self.piece = piece }

        init(file: JoinedIndexFile, base: UInt32) {
            self.file = file
            self.base = base
        }

        mutating func head() throws -> JoinedIndexEntry? {
            if piece.isEmpty, let file, position < file.count {
                let end = min(position + pieceLength, file.count)
                piece = try file.entries(position..<end)[...]
                position = end
            }
            guard let entry = piece.first else { return nil }
            return JoinedIndexEntry(prefix: entry.prefix, pack: entry.pack &+ base)
        }

        mutating func removeHead() { piece.removeFirst() }
    }
}
