package import FilesinkiModel
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
        var template = Array("\(parent)/merge-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Self.failure(parent, "made") }
        self.path = String(
            decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
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
    func writer(_ role: Role) throws(Failure) -> Writer { try Writer(file(role)) }

    /// Writes one of the files.
    func write(_ bytes: [UInt8], as role: Role) throws {
        let writer = try writer(role)
        try bytes.withUnsafeBytes { try writer.write($0) }
    }

    /// Removes the folder and all that programs left in it.
    package func remove() { Self.removeTree(path) }

    /// Removes a folder with everything in it; does nothing where there is none.
    static func removeTree(_ path: String) {
        if let folder = opendir(path) {
            while let entry = readdir(folder) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                guard name != ".", name != ".." else { continue }
                let child = "\(path)/\(name)"
                if unlink(child) != 0 { removeTree(child) }
            }
            closedir(folder)
        }
        rmdir(path)
    }

    fileprivate static func failure(_ path: String, _ what: String) -> Failure {
        Failure(
            errno == ENOSPC || errno == EDQUOT ? .full : .io, path: path,
            "A file for a merge could not be \(what): \(String(cString: strerror(errno))).",
            remedy: "Check the space and permissions there.")
    }

    /// Writes one file from its beginning.
    final class Writer {
        private let descriptor: Int32
        private let path: String

        init(_ path: String) throws(Failure) {
            self.path = path
            descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw MergeFolder.failure(path, "written") }
        }

        deinit { close(descriptor) }

        func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
            var rest = bytes
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw MergeFolder.failure(path, "written") }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }
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
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return [] }
            throw failure(path, "read")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(path, "read") }
        let size = min(Int(status.st_size), count)
        var isBad = false
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
            while filled < size {
                let count = Glibc.read(
                    descriptor, buffer.baseAddress?.advanced(by: filled), size - filled)
                if count < 0, errno == EINTR { continue }
                if count <= 0 {
                    isBad = count < 0
                    break
                }
                filled += count
            }
        }
        guard !isBad else { throw failure(path, "read") }
        return bytes
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
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path, "read") }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(path, "read") }
            guard count > 0 else { return }
            try buffer.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
    }
}
