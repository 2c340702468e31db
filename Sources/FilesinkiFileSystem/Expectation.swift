import FilesinkiHashing
package import FilesinkiModel
import FilesinkiSystem
import Glibc

/// What the plan expects at a path, and so what may be replaced or removed there.
package enum Expectation: Hashable, Sendable {
    /// The path is absent.
    case absent
    /// The file or symlink with this stamp, change time included.
    case stamp(FileStamp)
    /// A regular file with this content.
    case content(ContentID, size: Int64)
    /// A symlink with this target.
    case link([UInt8])
    /// Any file or symlink, or nothing; never a directory or a special file.
    case any
}

/// The result of one step on the tree.
package enum InstallOutcome: Hashable, Sendable {
    /// Done. The status is that of the new file at the path; for a removal that of the removed
    /// file.
    case done(FileStatus)
    /// Something else was at the path, or appeared during the step. It is unchanged or restored;
    /// the path must be scanned and reconciled again.
    case surprised
    /// Done, but another process replaced or removed the file immediately afterwards. The status is
    /// that of the file that was installed. Whether the other process had read it is unknown.
    case overtaken(FileStatus)
}

extension Expectation {
    /// Whether a file at its path may be the expected one. Content is not read; it is compared
    /// after the file was moved out, see ``judge(_:named:in:)``.
    func allows(_ status: FileStatus) -> Bool {
        switch self {
        case .absent: false
        case .stamp(let stamp): status.stamp == stamp && status.isReplaceable
        case .content(_, let size): status.kind == .file && status.stamp.size == size
        case .link: status.kind == .symlink
        case .any: status.isReplaceable
        }
    }

    /// Whether a file that was moved out of the tree is the expected one. The change time is not
    /// compared, because the move sets it.
    ///
    /// - Parameters:
    ///   - name: The file's name in `folder`.
    func judge(
        _ status: FileStatus, named name: [UInt8], in folder: borrowing FileHandle
    ) throws(SystemError) -> Bool {
        guard status.isReplaceable else { return false }
        switch self {
        case .absent: return false
        case .any: return true
        case .stamp(let stamp): return status.stamp.isSame(butForChangeOf: stamp)
        case .content(let content, let size):
            guard status.kind == .file, status.stamp.size == size else { return false }
            return try identity(of: name, in: folder) == content
        case .link(let target):
            guard status.kind == .symlink else { return false }
            let found = try name.withCString { name throws(SystemError) in
                try readLink(folder.raw, name)
            }
            return found == target
        }
    }
}

extension FileStatus {
    /// Whether a step may replace it: never a directory or a special file.
    var isReplaceable: Bool { kind == .file || kind == .symlink }
}

/// The content ID of a regular file or of a symlink's target; nil for anything else, or if the file
/// changed while it was read.
func identity(
    of name: [UInt8], in folder: borrowing FileHandle
) throws(SystemError) -> ContentID? {
    guard let status = try folder.status(of: name) else { return nil }
    switch status.kind {
    case .symlink:
        let target = try name.withCString { name throws(SystemError) in
            try readLink(folder.raw, name)
        }
        return ContentHasher.hash(target)
    case .file: return try identity(ofFile: name, status, in: folder)
    case .directory, .special: return nil
    }
}

private func identity(
    ofFile name: [UInt8], _ status: FileStatus, in folder: borrowing FileHandle
) throws(SystemError) -> ContentID? {
    let file = try folder.open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    var hasher = ContentHasher()
    let capacity = Int(min(max(status.stamp.size, 1), 1 << 18))
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
    defer { buffer.deallocate() }
    while true {
        let count = try file.read(into: buffer)
        if count == 0 { break }
        hasher.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
    return try file.status() == status ? hasher.finish() : nil
}

extension FileHandle {
    /// The status of the open file.
    func status() throws(SystemError) -> FileStatus { FileStatus(try record()) }

    /// The status of a name in this folder, without following a symlink; nil when it does not
    /// exist.
    func status(of name: some Collection<UInt8>) throws(SystemError) -> FileStatus? {
        try record(of: name).map { FileStatus($0) }
    }
}
