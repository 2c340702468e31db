import FilesinkiModel
import Glibc
import Testing

/// A new folder below the system's temporary folder, removed with the value.
final class ScratchFolder {
    let path: String

    init() throws {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/filesinki-rules-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { _ = system("rm -rf '\(path)'") }

    /// What `git check-ignore` says about every path of every world, in their order, as
    /// `file:line:pattern`; nil when no rule matches. One process answers for all.
    func gitAnswers(for worlds: [IgnoreWorld]) throws -> [String?] {
        var questions: [UInt8] = []
        for (number, world) in worlds.enumerated() {
            let top = Array("w\(number)".utf8)
            makeFolders([top])
            makeFolders(world.folders.sorted { $0.count < $1.count }.map { top + [0x2F] + $0 })
            for (folder, rules) in world.rules {
                try write(rules, to: top + [0x2F] + folder + [0x2F] + ".gitignore".utf8)
            }
            for path in world.paths { questions += top + [0x2F] + path + [0] }
        }
        try write(questions, to: Array("questions".utf8))
        try run("git init -q .")
        try run(
            "git -c core.excludesFile=/dev/null -c core.ignoreCase=false"
                + " check-ignore --no-index -v -n -z --stdin < questions > answers")
        return parse(try read("answers"))
    }

    private func parse(_ output: [UInt8]) -> [String?] {
        let fields = output.split(separator: 0, omittingEmptySubsequences: false).dropLast()
        return stride(from: fields.startIndex, to: fields.endIndex - 3, by: 4).map { index in
            if fields[index].isEmpty { return nil }
            let file = fields[index].drop { $0 != UInt8(ascii: "/") }.dropFirst()
            let line = String(decoding: fields[index + 1], as: UTF8.self)
            return "\(printable(file)):\(line):\(printable(fields[index + 2]))"
        }
    }

    /// Runs a command in the folder; a status of 1 says that no path matched.
    private func run(_ command: String) throws {
        let clean = "unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE; cd '\(path)' && \(command)"
        let status = system(clean)
        try #require(status == 0 || status == 256, "\(command) failed with \(status)")
    }

    private func makeFolders(_ folders: [[UInt8]]) {
        for folder in folders { _ = withCString(folder) { mkdir($0, 0o755) } }
    }

    private func write(_ bytes: [UInt8], to file: [UInt8]) throws {
        let stream = try #require(withCString(file) { fopen($0, "w") })
        defer { fclose(stream) }
        try #require(fwrite(bytes, 1, bytes.count, stream) == bytes.count)
    }

    private func read(_ file: String) throws -> [UInt8] {
        let stream = try #require(withCString(Array(file.utf8)) { fopen($0, "r") })
        defer { fclose(stream) }
        var result: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&chunk, 1, chunk.count, stream)
            if count == 0 { return result }
            result += chunk[..<count]
        }
    }

    private func withCString<Result>(_ name: [UInt8], _ body: (UnsafePointer<CChar>) -> Result)
        -> Result
    {
        let full = Array(path.utf8) + [0x2F] + name + [0]
        return full.map(CChar.init(bitPattern:)).withUnsafeBufferPointer { buffer in
            // The buffer holds at least the final NUL.
            buffer.baseAddress.map(body) ?? body("")
        }
    }
}
