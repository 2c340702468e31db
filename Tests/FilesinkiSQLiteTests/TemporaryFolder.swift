import FilesinkiModel
import FilesinkiSQLite
import FilesinkiSystem
import Glibc

/// A temporary folder, removed with the value.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        var template = Array("/tmp/filesinki-sqlite-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? "/nowhere"
        }
    }

    deinit {
        for name in names { _ = (Array(path.utf8) + [0x2F] + name).withCString { unlink($0) } }
        rmdir(path)
    }

    /// The names of all files, as bytes, in order.
    var names: [[UInt8]] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name != [0x2E], name != [0x2E, 0x2E] { names.append(name) }
        }
        return names.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// A file of the program's own, created when it is missing.
    func own(_ name: String = "own.db") throws -> OwnConnection {
        try OwnConnection(path + "/" + name, .own(.creating, .test))
    }

    /// A copy of a content that is not trusted.
    func untrusted(
        _ name: String = "own.db", isWritable: Bool = true
    ) throws -> Connection<SQLiteError> {
        try Connection(
            path + "/" + name,
            .untrusted(isWritable: isWritable, contentSize: 0, convert: { $0 }))
    }

    func write(_ bytes: [UInt8], to name: String) {
        let file = open(path + "/" + name, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        _ = Glibc.write(file, bytes, bytes.count)
        close(file)
    }
}

extension FilePurpose {
    static let test = FilePurpose(name: "test file", damageRemedy: "Throw it away.")
}
