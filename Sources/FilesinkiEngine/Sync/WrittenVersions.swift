import FilesinkiManifest
import FilesinkiModel
import FilesinkiSystem
import Glibc
import Synchronization

/// The versions that a run has written to the root and not yet recorded in the manifest.
///
/// What a killed run has written is newer than its base. Untouched, the next run finds it equal to what was committed.
/// But an edit of it would be compared with the older base, and what had come with the version would count as
/// made here: a sum would count it twice, and where others have gone on, there would be a conflict. So each file is noted
/// as soon as it has its name, and the next run begins with the base moved to what is noted.
///
/// Used by runs that put each name on disk before they go on. So after a power cut, too, nothing is noted that is
/// not in the root. The note itself is not synced: without it the next run compares as described.
final class WrittenVersions: Sendable {
    struct Item: Equatable {
        var path: RelativePath
        /// What was committed, and is here now, or went into what is here.
        var committed: VersionedEntry
    }

    private let path: String
    private let file = Mutex<AppendedFile?>(nil)

    init(path: String) { self.path = path }

    /// Notes that a version of a file is in the root. An error is ignored; see above.
    func add(_ item: Item) {
        file.withLock { file in
            do throws(SystemError) {
                if file == nil { file = try AppendedFile(path) }
                try file?.append(Array((Self.line(item) + "\n").utf8))
            } catch {
                file = nil
            }
        }
    }

    /// What is noted in a file, in order. Skips malformed lines, such as one that was cut.
    static func items(_ bytes: [UInt8]) -> [Item] {
        bytes.noteLines.compactMap(item)
    }

    private static func line(_ item: Item) -> String {
        "\(hexadecimal(item.path.bytes)) \(item.committed.version) "
            + item.committed.entry.fileWords
    }

    private static func item(_ words: [String]) -> Item? {
        guard words.count == 6, let path = RelativePath(noteWord: words[0]),
            let version = UInt64(words[1]),
            let entry = Entry(fileWords: words.dropFirst(2))
        else { return nil }
        return Item(path: path, committed: VersionedEntry(entry, version: version))
    }
}

extension SyncEngine {
    /// Moves the base to what a killed run has written, as that run would have recorded it. A manifest that was lost
    /// meanwhile is recovered from the log.
    func recordWritten() throws {
        guard replica.lock != nil, let bytes = try StateFile.read(state.written) else { return }
        guard try manifest.token != nil else { return forgetWritten() }
        let newer = try WrittenVersions.items(bytes).filter { item in
            try (manifest.base(item.path)?.version ?? 0) < item.committed.version
        }
        if !newer.isEmpty {
            try manifest.write { writer in
                for item in newer {
                    try writer.agree(on: item.committed, at: item.path, former: [], stamp: nil)
                }
            }
        }
        forgetWritten()
    }

    /// Forgets the note, once the manifest has what is in it.
    func forgetWritten() { unlink(state.written) }
}
