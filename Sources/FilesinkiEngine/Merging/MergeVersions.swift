import FilesinkiHashing
package import FilesinkiModel
import FilesinkiSystem
import Glibc

/// The versions of a file that is being merged, and what came of it.
///
/// Versions that have no more than ``heldLimit`` bytes together are held in memory, and are written
/// only for links that need files: programs and SQLite. Larger ones are in files of a private folder
/// from the beginning. The files keep the extension of the path, for programs that go by it.
package final class MergeVersions {
    package enum Role: String, CaseIterable { case base, ours = "here", theirs = "there", result }

    /// The most bytes of all versions together that are held in memory.
    static let heldLimit: Int64 = 32 << 20
    /// A merge in memory takes no content larger than this, in bytes.
    package static let readLimit = 128 << 20

    private let parent: String
    private let suffix: String
    /// The folder with the files; nil until the first is made.
    private var folder: String?
    private var held: [Role: [UInt8]] = [:]
    private var lent: [Role: String] = [:]
    /// Roles whose file is in the folder.
    private var written: Set<Role> = []
    private var loading: [Role: NamedFile] = [:]
    /// Whether there is a base; else its content is empty.
    private(set) var hasBase = false
    /// Whether the versions can be read.
    private(set) var isLoaded = false

    /// - Parameter parent: Where the folder is made when files are needed.
    package init(in parent: String, for path: RelativePath) {
        self.parent = parent
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

    /// Removes the files, and all that programs left beside them.
    package func remove() {
        if let folder { TreeRemoval.remove(folder) }
        folder = nil
        written = []
    }

    /// Removes the files that a link may have written to. Versions that are not in memory must be
    /// loaded again.
    func discardFiles() {
        let versions = written.subtracting([.result])
        if !versions.subtracting(held.keys).subtracting(lent.keys).isEmpty { isLoaded = false }
        remove()
    }
}

/// Loading.
extension MergeVersions {
    /// Begins to load the three versions.
    func load(inMemory: Bool, hasBase: Bool) throws(Failure) {
        remove()
        self.hasBase = hasBase
        for role in [Role.base, .ours, .theirs] {
            if inMemory {
                held[role] = []
            } else {
                loading[role] = try NamedFile(
                    newFile(role), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, of: .own)
            }
        }
    }

    /// Adds the next bytes of a version.
    func append(_ bytes: UnsafeRawBufferPointer, to role: Role) throws {
        if let file = loading[role] {
            try file.write(bytes)
        } else {
            held[role, default: []].append(contentsOf: bytes)
        }
    }

    func finishLoading() {
        loading = [:]
        isLoaded = true
    }

    /// Takes three files from elsewhere for the versions. They are read, and never written.
    func lend(base: String, ours: String, theirs: String, hasBase: Bool) {
        lent = [.base: base, .ours: ours, .theirs: theirs]
        self.hasBase = hasBase
        isLoaded = true
    }

    /// Takes bytes for a version.
    func hold(_ bytes: [UInt8], as role: Role) { held[role] = bytes }
}

/// Files.
extension MergeVersions {
    /// A file with the version, which a link may write to.
    func file(_ role: Role) throws -> String {
        if written.contains(role) { return try place(of: role) }
        let target = try newFile(role)
        let file = try NamedFile(target, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, of: .own)
        if let source = lent[role] {
            try Self.stream(source) { try file.write($0) }
        } else {
            try file.write(held[role] ?? [])
        }
        return target
    }

    /// Where a link makes the file of a version; nothing is there yet.
    func newFile(_ role: Role) throws(Failure) -> String {
        written.insert(role)
        return try place(of: role)
    }

    private func place(of role: Role) throws(Failure) -> String {
        let folder = if let folder { folder } else { try StateFile.makeScratchFolder(in: parent) }
        self.folder = folder
        return "\(folder)/\(role.rawValue)\(suffix)"
    }

    /// Where the version is read.
    private func source(of role: Role) throws(Failure) -> String {
        if let file = lent[role] { return file }
        return try place(of: role)
    }

    /// Takes for the result what a program has made of the file of ours.
    func takeOursAsResult() throws(Failure) {
        try move(.ours, to: newFile(.result))
        written.remove(.ours)
    }

    /// Puts the result elsewhere on the same file system.
    func moveResult(to target: String) throws {
        guard let bytes = held[.result] else { return try move(.result, to: target) }
        try NamedFile(target, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, of: .own).write(bytes)
    }

    private func move(_ role: Role, to target: String) throws(Failure) {
        let source = try place(of: role)
        guard rename(source, target) == 0 else {
            throw SystemError.last.failure("keep the merged file", source)
        }
    }

    /// The identity and the number of bytes of the result.
    func identifyResult() throws -> (ContentID, Int64) {
        if let bytes = held[.result] { return (ContentHasher.hash(bytes), Int64(bytes.count)) }
        var hasher = ContentHasher()
        var size: Int64 = 0
        try Self.stream(place(of: .result)) { bytes in
            hasher.update(bytes)
            size += Int64(bytes.count)
        }
        return (hasher.finish(), size)
    }
}

/// Reading.
extension MergeVersions {
    /// The bytes of a version; nil when there are more than `limit`. A base that there is not is empty.
    func read(_ role: Role, limit: Int) throws(Failure) -> [UInt8]? {
        if let bytes = held[role] { return bytes.count > limit ? nil : bytes }
        return try Self.read(source(of: role), limit: limit)
    }

    /// The first bytes of a version.
    func read(_ role: Role, first count: Int) throws(Failure) -> [UInt8] {
        if let bytes = held[role] { return Array(bytes.prefix(count)) }
        return try Self.read(source(of: role), first: count)
    }

    /// The bytes of a file; nil when there are more than `limit`.
    package static func read(_ path: String, limit: Int) throws(Failure) -> [UInt8]? {
        let bytes = try read(path, first: limit == .max ? limit : limit + 1)
        return bytes.count > limit ? nil : bytes
    }

    /// The first bytes of a file; none where there is no file.
    private static func read(_ path: String, first count: Int) throws(Failure) -> [UInt8] {
        do throws(SystemError) {
            let file = try FileHandle(path, O_RDONLY | O_NOFOLLOW)
            return try file.read(upTo: min(Int(try file.stamp().size), count))
        } catch {
            if error.number == ENOENT { return [] }
            throw error.failure("read the file", path)
        }
    }

    /// Gives a file's bytes piece by piece.
    package static func stream(
        _ path: String, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try NamedFile(path, O_RDONLY, of: .own).forEachPiece(body)
    }
}
