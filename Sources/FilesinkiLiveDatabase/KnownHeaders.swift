import FilesinkiModel
import FilesinkiSystem
import Glibc

/// Which header belongs to the content of each database of a replica.
///
/// A user's database is stored with its own header, so that it arrives as it was. But SQLite changes
/// the header when a program only opens the file, when a transaction changes nothing, and when a
/// version is written into a file that programs have open. So the header is kept with which a content
/// was read first, or installed: as long as the file holds that content, it is read with that header.
///
/// A cache, one small file for each database, named after its inode, which a rename keeps. Without
/// it a database that was written in place is read with the header that it has: one new version.
struct KnownHeaders: Sendable {
    private let folder: String

    init(_ folder: String) { self.folder = folder }

    /// The header that belongs to what a file holds. It is kept if the content is a new one.
    ///
    /// - Parameter snapshot: The path of what the file holds, with the normalized header.
    func header(of raw: NamedFile, snapshot: String) throws(Failure) -> DatabaseHeader {
        let file = try NamedFile(snapshot, LiveDatabases.openFlags, of: .local)
        let content = try DatabaseHeader.normalizedContent(of: file)
        let path = try place(of: raw)
        if let known = try? StateFile.read(path),
            known.prefix(ContentID.byteCount).elementsEqual(content.bytes),
            let header = DatabaseHeader(known.dropFirst(ContentID.byteCount))
        {
            return header
        }
        let header = try DatabaseHeader(of: raw) ?? .normalized
        keep(header, content, path)
        return header
    }

    /// Keeps the header of a content for a file that holds it, or will.
    func keep(content: NamedFile, in raw: NamedFile) throws(Failure) {
        try keep(
            DatabaseHeader(of: content) ?? .normalized,
            DatabaseHeader.normalizedContent(of: content), place(of: raw))
    }

    private func keep(_ header: DatabaseHeader, _ content: ContentID, _ path: String) {
        try? StateFile.makeFolder(folder)
        try? StateFile.replace(path, with: content.bytes + header.bytes, durable: false)
    }

    private func place(of raw: NamedFile) throws(Failure) -> String {
        do throws(SystemError) { return try place(raw.handle.stamp().inode) } catch {
            throw error.failure("examine it", raw.path, of: .local)
        }
    }

    fileprivate func place(_ inode: UInt64) -> String { "\(folder)/\(inode)" }
}

extension LiveDatabases {
    /// Whether the header of a database is known.
    ///
    /// - Parameter folder: That of the ``KnownHeaders``.
    package static func knowsHeader(of inode: UInt64, in folder: String) -> Bool {
        FileStamp(at: KnownHeaders(folder).place(inode)) != nil
    }

    /// Forgets the header of a database that is gone.
    package static func forgetHeader(of inode: UInt64, in folder: String) {
        unlink(KnownHeaders(folder).place(inode))
    }
}
