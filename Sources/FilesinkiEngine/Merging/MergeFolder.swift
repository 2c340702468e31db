package import FilesinkiModel
import FilesinkiSystem
import Glibc

/// A private folder with the versions of the file that is being merged, and what came of it.
///
/// The files keep the extension of the path, for programs that go by it.
package final class MergeFolder {
    package enum Role: String, CaseIterable { case base, here, there, result }

    /// The folder's absolute path.
    package let path: String
    private let suffix: String
    private var lent: [Role: String] = [:]

    /// Makes the folder.
    ///
    /// - Parameter parent: The folder to make it in.
    package init(in parent: String, for path: RelativePath) throws(Failure) {
        self.path = try StateFile.makeScratchFolder(in: parent)
        suffix = Self.suffix(of: path.name)
    }

    /// The name's extension with its dot, when it is short and plain.
    private static func suffix(of name: ArraySlice<UInt8>) -> String {
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else {
            return ""
        }
        let letters = name[(dot + 1)...]
        let isPlain = letters.allSatisfy { byte in
            let scalar = UnicodeScalar(byte)
            return scalar.isASCII && scalar.properties.isAlphabetic
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        return isPlain && (1...16).contains(letters.count)
            ? "." + String(decoding: letters, as: UTF8.self) : ""
    }

    /// Where a version is.
    package func file(_ role: Role) -> String {
        lent[role] ?? "\(path)/\(role.rawValue)\(suffix)"
    }

    /// Lets a version be a file from elsewhere, which is read and never written; nil to take it back.
    func lend(_ file: String?, as role: Role) { lent[role] = file }

    /// A writer of one of the files; closes it when it goes.
    func writer(_ role: Role) throws(Failure) -> NamedFile {
        try NamedFile(file(role), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, of: .own)
    }

    /// Writes one of the files.
    func write(_ bytes: [UInt8], as role: Role) throws {
        try writer(role).write(bytes)
    }

    /// Removes the folder and all that programs left in it.
    package func remove() { TreeRemoval.remove(path) }
}

extension MergeFolder {
    /// The bytes of one of the files; nil when there are more than `limit`.
    package func read(_ role: Role, limit: Int) throws(Failure) -> [UInt8]? {
        try Self.read(file(role), limit: limit)
    }

    /// The first bytes of one of the files; none where there is no file.
    func read(_ role: Role, first count: Int) throws(Failure) -> [UInt8] {
        try Self.read(file(role), first: count)
    }

    /// The bytes of a file; nil when there are more than `limit`.
    package static func read(_ path: String, limit: Int) throws(Failure) -> [UInt8]? {
        let bytes = try read(path, first: limit == .max ? limit : limit + 1)
        return bytes.count > limit ? nil : bytes
    }

    private static func read(_ path: String, first count: Int) throws(Failure) -> [UInt8] {
        do throws(SystemError) {
            let file = try FileHandle(path, O_RDONLY | O_NOFOLLOW)
            return try file.read(upTo: min(Int(try file.stamp().size), count))
        } catch {
            if error.number == ENOENT { return [] }
            throw error.failure("read the file", path)
        }
    }
}

extension MergeFolder {
    /// Copies a file from elsewhere into one of the roles.
    func copy(_ source: String, as role: Role) throws {
        let writer = try writer(role)
        try Self.stream(source) { try writer.write($0) }
    }

    /// Gives a file's bytes piece by piece.
    package static func stream(
        _ path: String, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try NamedFile(path, O_RDONLY, of: .own).forEachPiece(body)
    }
}
