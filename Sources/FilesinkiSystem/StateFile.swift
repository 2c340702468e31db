package import FilesinkiModel
import Glibc

/// Small files of the program's own state. They are read and replaced as a whole.
package enum StateFile {
    /// The maximum size of a file that is read, in bytes.
    package static let limit = 64 << 20

    /// The bytes of the file; nil when it does not exist.
    ///
    /// - Parameter follows: Whether to follow a symlink, as one in the place of a user's own file.
    package static func read(
        _ path: String, followingSymlinks follows: Bool = false
    ) throws(Failure) -> [UInt8]? {
        do throws(SystemError) {
            let handle = try FileHandle(path, O_RDONLY | (follows ? 0 : O_NOFOLLOW))
            let size = try handle.stamp().size
            if size <= limit { return try handle.read(upTo: Int(size)) }
        } catch {
            if error.isMissing {
                if follows, exists(path) { throw leadsNowhere(path) }
                return nil
            }
            throw error.failure("read the file", path)
        }
        throw tooLarge(path)
    }

    private static func leadsNowhere(_ path: String) -> Failure {
        Failure(
            .io, path: path, "The symlink leads to a file that does not exist.",
            remedy: "Mount the disk of that file, or remove the symlink.")
    }

    private static func tooLarge(_ path: String) -> Failure {
        Failure(
            .corrupt, path: path, "The file is too large.",
            remedy: "Remove it; it is created again.")
    }

    /// Replaces the file atomically, with mode 0600.
    ///
    /// - Parameter durable: Whether to sync to disk; false for a cache.
    package static func replace(
        _ path: String, with bytes: [UInt8], durable: Bool = true
    ) throws(Failure) {
        try SystemError.reported("write the file", path.utf8) { () throws(SystemError) in
            try DurableFile.replace(path.utf8, with: bytes, durable ? .full : .none)
        }
    }

    /// The names in a folder, in no order.
    package static func names(in folder: String) throws(Failure) -> [String] {
        try SystemError.reported("read the folder", folder.utf8) { () throws(SystemError) in
            let listing = try FolderListing(FileHandle(folder, O_RDONLY | O_DIRECTORY))
            return listing.entries.map { String(decoding: listing.name($0), as: UTF8.self) }
        }
    }

    /// Creates a folder and its missing parents.
    ///
    /// - Parameter mode: Theirs, as far as the umask allows.
    package static func makeFolder(_ path: String, mode: UInt32 = 0o700) throws(Failure) {
        var made = path.hasPrefix("/") ? "" : "."
        for name in path.split(separator: "/") {
            made += "/" + name
            if mkdir(made, mode) != 0, errno != EEXIST, errno != EISDIR {
                throw SystemError.last.failure("create the folder", made)
            }
        }
    }

    /// Creates a folder with a unique name and mode 0700.
    ///
    /// - Parameters:
    ///   - parent: The folder to create it in.
    ///   - purpose: What its name begins with.
    package static func makeScratchFolder(
        in parent: String, for purpose: String = "merge"
    ) throws(Failure) -> String {
        var template = Array("\(parent)/\(purpose)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw SystemError.last.failure("create a folder", parent)
        }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Whether the path exists, as any kind of file.
    package static func exists(_ path: String) -> Bool { FileStamp(at: path) != nil }
}
