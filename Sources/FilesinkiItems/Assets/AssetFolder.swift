import FilesinkiHashing
package import FilesinkiModel
import FilesinkiSystem
import Glibc
import Synchronization

/// The bytes of assets that are not published, in a folder beside the zone's file: a file for each, named by its
/// content.
///
/// A file gets its name in the transaction that makes an item name it, and is removed in one that finds nothing which
/// does. So it is there for whoever sees the item, in any process.
package struct AssetFolder: Sendable {
    package let path: String

    package init(path: String) { self.path = path }

    /// The end of the name of a file that is being written.
    private static let stagedSuffix = ".new"

    func file(of content: ContentID) -> String { "\(path)/\(content)" }

    /// Begins a new file.
    ///
    /// - Parameter chance: Random bytes for its name.
    func stage(_ chance: [UInt8]) throws -> StagedAsset {
        if !StateFile.exists(path) {
            try StateFile.makeFolder(path)
            try SystemError.reported("sync the folder", path.utf8) { () throws(SystemError) in
                try FileHandle.syncFolder(of: path.utf8)
            }
        }
        let name = "\(path)/\(hexadecimal(chance))\(Self.stagedSuffix)"
        return try StagedAsset(
            NamedFile(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, of: .own), in: self)
    }

    /// The bytes of an asset; nil when they are not on this device.
    func open(_ content: ContentID) throws(Failure) -> NamedFile? {
        let path = file(of: content)
        guard StateFile.exists(path) else { return nil }
        do { return try NamedFile(path, O_RDONLY | O_NOFOLLOW, of: .own) } catch {
            // Another process has published it meanwhile.
            guard StateFile.exists(path) else { return nil }
            throw error
        }
    }

    func remove(_ content: ContentID) { unlink(file(of: content)) }

    /// Gives the files further names in another folder, which are kept.
    ///
    /// - Parameter contents: Those that are kept, where they are here.
    /// - Returns: The paths of those that are here.
    package func keep(
        _ contents: some Sequence<ContentID>, in folder: String
    ) throws(Failure) -> [ContentID: String] {
        var kept: [ContentID: String] = [:]
        for content in contents where StateFile.exists(file(of: content)) {
            if kept.isEmpty { try StateFile.makeFolder(folder) }
            let path = "\(folder)/\(content)"
            guard link(file(of: content), path) == 0 || errno == EEXIST else {
                throw SystemError.last.failure("create the file", path)
            }
            kept[content] = path
        }
        guard !kept.isEmpty else { return [:] }
        try SystemError.reported("sync the folder", folder.utf8) { () throws(SystemError) in
            try FileHandle(folder, O_RDONLY | O_DIRECTORY).syncFolder()
            try FileHandle.syncFolder(of: folder.utf8)
        }
        return kept
    }

    /// Removes the files of assets that nothing needs, and what killed processes were writing.
    func sweep(_ isWaiting: (ContentID) throws -> Bool) throws {
        guard StateFile.exists(path) else { return }
        for name in try StateFile.names(in: path) {
            if let content = ContentID(hexadecimal: name) {
                if try !isWaiting(content) { remove(content) }
            } else if name.hasSuffix(Self.stagedSuffix),
                let file = try? FileHandle("\(path)/\(name)", O_RDWR | O_NOFOLLOW),
                (try? file.lock(waits: false)) == true
            {
                unlink("\(path)/\(name)")
            }
        }
    }
}

/// An asset whose bytes are being written to this device. Without ``install()`` they are removed with the value.
package final class StagedAsset: Sendable {
    private let file: NamedFile
    private let folder: AssetFolder
    private let progress = Mutex(Progress())

    private struct Progress {
        var hasher = ContentHasher()
        var size: Int64 = 0
        var content: ContentID?
        var isInstalled = false
        var readCount: Int64 = 0
    }

    fileprivate init(_ file: NamedFile, in folder: AssetFolder) throws {
        self.file = file
        self.folder = folder
        // As long as it is locked, no sweep takes it for that of a killed process.
        let isLocked = try SystemError.reported("lock the file", file.path) {
            () throws(SystemError) in try file.handle.lock(waits: false)
        }
        guard isLocked, file.handle.isStill(at: file.name) else {
            throw Failure(
                .busy, path: file.path, "Another process removed the file.",
                remedy: "Run the command again.")
        }
    }

    deinit {
        if !progress.withLock({ $0.isInstalled }) { unlink(file.name) }
    }

    /// Adds bytes.
    package func write(_ bytes: UnsafeRawBufferPointer) throws {
        try file.write(bytes)
        progress.withLock { progress in
            progress.hasher.update(bytes)
            progress.size += Int64(bytes.count)
        }
    }

    /// Ends the bytes, which are on disk when this returns.
    package func finish() throws -> (content: ContentID, size: Int64) {
        try file.sync()
        return progress.withLock { progress in
            let content = progress.content ?? progress.hasher.finish()
            progress.content = content
            return (content, progress.size)
        }
    }

    /// Reads from the beginning on; fewer bytes only at the end.
    func read(upTo count: Int) throws -> [UInt8] {
        let offset = progress.withLock { $0.readCount }
        let bytes = try file.read(from: offset, count: count)
        progress.withLock { $0.readCount += Int64(bytes.count) }
        return bytes
    }

    /// The content of a finished asset.
    private var content: ContentID? { progress.withLock { $0.content } }

    /// Whether the finished asset is one of these.
    package func isOne(of contents: Set<ContentID>) -> Bool {
        content.map(contents.contains) ?? false
    }

    /// Gives the finished file its name. Must be called in the transaction of the zone's file that makes an item
    /// name it.
    package func install() throws {
        guard let content, !progress.withLock({ $0.isInstalled }) else { return }
        let path = folder.file(of: content)
        guard rename(file.name, path) == 0 else {
            throw SystemError.last.failure("rename the file", path)
        }
        progress.withLock { $0.isInstalled = true }
        file.handle.unlock()
        try SystemError.reported("sync the folder", folder.path.utf8) { () throws(SystemError) in
            try FileHandle(folder.path, O_RDONLY | O_DIRECTORY).syncFolder()
        }
    }
}
