import FilesinkiModel
import FilesinkiSystem
import Glibc
import Synchronization

/// Writes a tree of the history into a new or empty folder.
///
/// Every name in it comes from a store, so nothing is written through a symlink: a folder is only
/// entered when this export made it.
final class TreeExport: Sendable {
    private let folder: [UInt8]
    /// The folders that were made, with the mode and time that they get in the end.
    private let folders = Mutex<[RelativePath: Entry]>([:])

    /// - Throws: `Failure` with code `exists` when the folder holds something.
    init(_ argument: String, in console: Console) throws(Failure) {
        folder = FilePlace.absolute(ArgumentText.bytes(of: argument), in: console.currentFolder)
        guard FileCall.makeFolder(folder, mode: 0o777) != 0 else { return }
        let error = SystemError.last
        guard error.number == EEXIST else {
            throw error.failure("create the folder", folder, of: .argument)
        }
        guard FileCall.isEmptyFolder(folder) else {
            throw Failure(
                .exists, path: folder, "It is there, and is not an empty folder.",
                remedy: "Name a new or an empty folder.")
        }
    }

    /// Writes one entry.
    func write(_ path: RelativePath, _ entry: Entry, _ content: [UInt8]?) throws {
        if let parent = path.parent { try enter(parent) }
        let place = place(path)
        switch entry.kind {
        case .directory:
            try enter(path)
            folders.withLock { $0[path] = entry }
        case .symlink:
            guard FileCall.makeSymlink(entry.target, at: place) == 0 else { throw failure(path) }
            FileCall.setModified(place, entry.modified)
        case .file:
            try writeFile(place, content ?? [], entry, path)
        case .tombstone:
            break
        }
    }

    /// Gives the folders their modes and times, the deepest first, for a write changes a time; then
    /// has everything written to disk.
    func finish() throws {
        let made = folders.withLock { $0 }
        for (path, entry) in made.sorted(by: { $1.key < $0.key }) {
            FileCall.setMode(place(path), entry.mode)
            FileCall.setModified(place(path), entry.modified)
        }
        sync()
    }

    private func enter(_ path: RelativePath) throws {
        if folders.withLock({ $0[path] }) != nil { return }
        if let parent = path.parent { try enter(parent) }
        guard FileCall.makeFolder(place(path), mode: 0o777) == 0 else { throw failure(path) }
        let now = Entry.directory(mode: 0o755, modified: Timestamp(nanoseconds: 0))
        folders.withLock { $0[path] = now }
    }

    private func writeFile(
        _ place: [UInt8], _ content: [UInt8], _ entry: Entry, _ path: RelativePath
    ) throws {
        do throws(SystemError) {
            let file = try FileHandle(
                place, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
            try file.write(content)
            guard fchmod(file.raw, mode_t(entry.mode)) == 0 else { throw .last }
        } catch { throw error.failure("write the file", path.bytes, of: .argument) }
        FileCall.setModified(place, entry.modified)
    }

    private func place(_ path: RelativePath) -> [UInt8] {
        folder + [UInt8(ascii: "/")] + path.bytes
    }

    private func failure(_ path: RelativePath) -> Failure {
        SystemError.last.failure("write the file", path.bytes, of: .argument)
    }
}
