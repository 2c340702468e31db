package import FilesinkiModel
import Glibc

/// Small files of the program's own state: read whole, replaced whole and durably.
package enum StateFile {
    /// The largest file that is read, in bytes.
    package static let limit = 64 << 20

    /// The file's bytes; nil when there is none.
    package static func read(_ path: String) throws(Failure) -> [UInt8]? {
        do throws(SystemError) {
            let handle = try FileHandle(path, O_RDONLY | O_NOFOLLOW)
            let size = try handle.stamp().size
            if size <= limit { return try handle.read(upTo: Int(size)) }
        } catch {
            if error.isMissing { return nil }
            throw error.failure("read the file", path)
        }
        throw tooLarge(path)
    }

    private static func tooLarge(_ path: String) -> Failure {
        Failure(
            .corrupt, path: path, "The file is far larger than it should be.",
            remedy: "Remove it; it can be made anew.")
    }

    /// Puts `bytes` in the file's place, mode 0600.
    ///
    /// - Parameter durable: Whether to sync; a cache that can be made anew need not be.
    package static func replace(
        _ path: String, with bytes: [UInt8], durable: Bool = true
    ) throws(Failure) {
        try SystemError.reported("write the file", path.utf8) { () throws(SystemError) in
            try DurableFile.replace(path.utf8, with: bytes, durable ? .full : .none)
        }
    }

    /// Makes a folder and those above it, readable by its owner only where it is new.
    package static func makeFolder(_ path: String) throws(Failure) {
        var made = path.hasPrefix("/") ? "" : "."
        for name in path.split(separator: "/") {
            made += "/" + name
            if mkdir(made, 0o700) != 0, errno != EEXIST, errno != EISDIR {
                throw SystemError.last.failure("create the folder", made)
            }
        }
    }

    /// Makes a folder of a name that nobody else uses, for its owner only.
    ///
    /// - Parameter parent: The folder to make it in.
    package static func makeScratchFolder(in parent: String) throws(Failure) -> String {
        var template = Array("\(parent)/merge-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw SystemError.last.failure("create a folder", parent)
        }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Whether something is at the path, whatever it is.
    package static func exists(_ path: String) -> Bool { FileStamp(at: path) != nil }
}
