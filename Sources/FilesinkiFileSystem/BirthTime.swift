import CKernel
package import FilesinkiModel
import FilesinkiSystem
import Glibc

extension RootFolder {
    /// Whether what is at a path is the inode that had a stamp, renamed or edited since: file systems give the inode number of
    /// what was deleted to the next new file, which was made after the stamp.
    ///
    /// One that has the name is taken for it. Where the file system keeps no time of birth, so is a file that has the size.
    ///
    /// - Parameters:
    ///   - status: That of the path.
    ///   - stamp: Of the former path.
    ///   - name: The last part of the former path.
    package func isSameFile(
        _ path: RelativePath, _ status: FileStatus, as stamp: FileStamp,
        named name: ArraySlice<UInt8>
    ) -> Bool {
        let found = status.stamp
        guard found.isSameInode(as: stamp) else { return false }
        if found.isSame(butForChangeOf: stamp) { return true }
        if path.name == name { return true }
        if let born = birthTime(of: path) { return born <= stamp.changed }
        return status.kind == .file && found.size == stamp.size
    }

    /// Whether what is at a path may have been made by a time: so where the file system keeps no time of birth.
    package func mayBeMade(_ path: RelativePath, by time: Timestamp) -> Bool {
        birthTime(of: path).map { $0 <= time } ?? true
    }

    /// When the inode of a path was made; nil if that is unknown.
    package func birthTime(of path: RelativePath) -> Timestamp? {
        guard let file = FileHandle(openBeneath(path, fsk_path_only | O_NOFOLLOW)) else {
            return nil
        }
        var (seconds, nanoseconds) = (Int64(0), UInt32(0))
        guard fsk_birth_time(file.raw, &seconds, &nanoseconds) == 0 else { return nil }
        return Timestamp(seconds: seconds, nanoseconds: Int64(nanoseconds))
    }
}
