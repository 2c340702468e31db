import FilesinkiHashing
package import FilesinkiModel
import FilesinkiSystem
import Glibc

/// What the plan saw at a path, and so what may be replaced or removed there.
package enum Expectation: Hashable, Sendable {
    /// Nothing is there.
    case absent
    /// The file or symlink with this stamp, change time included.
    case stamp(FileStamp)
    /// A regular file with this content.
    case content(ContentID, size: Int64)
    /// A symlink with this target.
    case link([UInt8])
    /// Any file or symlink, or nothing; never a directory or something special.
    case any
}

/// What became of one step on the tree.
package enum InstallOutcome: Hashable, Sendable {
    /// It is done. The status is that of what is at the path now, as seen after the step; of a
    /// removal it is that of what was removed.
    case done(FileStatus)
    /// Something else was there, or came while we were at work. It is there still, or back again;
    /// the path has to be scanned and reconciled anew.
    case surprised
    /// It was done, and another file has been put in its place, or it was removed, a moment later.
    /// The status is that of what was put there first. Whether who did that had seen it cannot be
    /// known.
    case overtaken(FileStatus)
}

extension Expectation {
    /// Whether what is still at its path may be the expected thing. Content is not read: it is
    /// judged when it has been taken out, see ``judge(_:named:in:)``.
    func allows(_ status: FileStatus) -> Bool {
        switch self {
        case .absent: false
        case .stamp(let stamp): status.stamp == stamp && status.isReplaceable
        case .content(_, let size): status.kind == .file && status.stamp.size == size
        case .link: status.kind == .symlink
        case .any: status.isReplaceable
        }
    }

    /// Whether what was taken out of the tree is the expected thing. The change time is not
    /// compared, for the taking out sets it.
    ///
    /// - Parameters:
    ///   - name: The thing's name in `folder`.
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
    /// Whether a step may take its place: a directory never, and nothing special.
    var isReplaceable: Bool { kind == .file || kind == .symlink }
}

/// The identity of a regular file's bytes or of a symlink's target; nil when it is neither, or
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
    /// What the file is.
    func status() throws(SystemError) -> FileStatus { FileStatus(try record()) }

    /// What is under a name in this folder, of a symlink itself; nil when nothing is.
    func status(of name: some Collection<UInt8>) throws(SystemError) -> FileStatus? {
        try record(of: name).map { FileStatus($0) }
    }
}
