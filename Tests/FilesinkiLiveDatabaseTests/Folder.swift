import FilesinkiLiveDatabase
import FilesinkiModel
import Glibc
import Testing

/// A temporary folder with a scratch folder beside it.
final class Folder {
    let path: String
    let scratch: String

    init() {
        var template = Array("/tmp/filesinki-live-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? "/nowhere"
        }
        scratch = path + ".scratch"
        mkdir(scratch, 0o700)
    }

    deinit {
        chmod(path, 0o700)
        for folder in [path, scratch] {
            for name in Self.names(folder) { unlink("\(folder)/\(name)") }
            rmdir(folder)
        }
    }

    var live: LiveDatabases {
        LiveDatabases(scratch: scratch, retries: RetryPolicy(attempts: 3) {})
    }

    static func names(_ folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    static func bytes(_ path: String) -> [UInt8] {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var status = stat()
        fstat(file, &status)
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let count = read(file, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }

    static func write(_ bytes: [UInt8], _ path: String) {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        defer { close(file) }
        #expect(Glibc.write(file, bytes, bytes.count) == bytes.count)
    }

    /// The bytes of a snapshot; nil for what is no database.
    func snapshot(_ path: String) throws -> [UInt8]? {
        let file = try live.snapshot(of: path)
        return file.map { Self.bytes($0.path) }
    }
}
