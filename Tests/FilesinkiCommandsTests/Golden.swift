import Glibc
import Testing

/// A file that holds what a command has to print, byte by byte.
struct Golden {
    let name: String

    /// Tests/FilesinkiCommandsTests/Golden
    private var path: String {
        "/" + #filePath.split(separator: "/").dropLast().joined(separator: "/") + "/Golden/" + name
    }

    /// Compares a text with the file; with `FILESINKI_GOLDEN=write` the file is made anew.
    func expect(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        if getenv("FILESINKI_GOLDEN").map({ String(cString: $0) }) == "write" {
            guard let file = fopen(path, "w") else { throw WorldError.noFile(errno) }
            fputs(text, file)
            fclose(file)
        }
        #expect(text == content, "\(name) is not what it was.", sourceLocation: sourceLocation)
    }

    private var content: String? {
        GoldenFile.read(path).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// Files of the package that tests read.
enum GoldenFile {
    /// The bytes of a file; nil if it cannot be opened.
    static func read(_ path: String) -> [UInt8]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
            bytes += buffer[..<count]
        }
        return bytes
    }
}
