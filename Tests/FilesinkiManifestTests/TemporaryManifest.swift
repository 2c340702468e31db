import FilesinkiManifest
import FilesinkiModel
import FilesinkiTesting
import Glibc
import Testing

/// A folder of its own for one test, removed with the value.
final class TemporaryManifest {
    let folder: String
    var path: String { folder + "/manifest" }

    init() throws {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/filesinki-manifest-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Failure(.io, path: base, "No temporary folder could be made.", remedy: "")
        }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { removeTree(Array(folder.utf8)) }

    /// Removes all files.
    func clear() {
        for name in names { unlink(folder + "/" + name) }
    }

    /// What lies in the folder, ordered.
    var names: [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    func open() throws -> ManifestDatabase { try .open(at: path, create: true) }

    /// The bytes of a file in the folder.
    func read(_ name: String = "manifest") throws -> [UInt8] {
        guard let file = fopen(folder + "/" + name, "r") else {
            throw Failure(.io, path: name, "The file cannot be read.", remedy: "")
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
    }

    /// Replaces a file in the folder.
    func write(_ bytes: [UInt8], to name: String = "manifest") throws {
        guard let file = fopen(folder + "/" + name, "w") else {
            throw Failure(.io, path: name, "The file cannot be written.", remedy: "")
        }
        defer { fclose(file) }
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    }
}
