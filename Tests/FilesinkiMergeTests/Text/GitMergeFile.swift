import Glibc
import Testing

@testable import FilesinkiMerge

/// `git merge-file`, the oracle for text merges, in a temporary folder of its own.
final class GitMergeFile {
    struct Answer {
        /// 0 for a clean merge, else how many conflicts there are (at most 127), or 255 when git
        /// refuses.
        var status: Int32
        /// The merged text, with markers where there are conflicts.
        var text: [UInt8]
    }

    private let folder: String

    init() throws {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/filesinki-merge-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        folder = String(
            decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        for name in ["base", "here", "there", "out"] { unlink("\(folder)/\(name)") }
        rmdir(folder)
    }

    func answer(to input: MergeInput) throws -> Answer {
        try write(input.base ?? [], "base")
        try write(input.ours, "here")
        try write(input.theirs, "there")
        let status = try run([
            "git", "-C", folder, "merge-file", "-p", "-q", "-L", "here", "-L", "base", "-L",
            "there", "here",
            "base", "there",
        ])
        return Answer(status: status, text: try read("out"))
    }

    /// Runs a command, with its output in the file `out`.
    private func run(_ arguments: [String]) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(
            &actions, 1, "\(folder)/out", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        let environment = [
            "PATH=\(getenv("PATH").map { String(cString: $0) } ?? "/usr/bin")",
            "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
            "GIT_CEILING_DIRECTORIES=\(folder)",
        ]
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
        defer { for text in words + variables { free(text) } }
        var child: pid_t = 0
        try #require(posix_spawnp(&child, "git", &actions, nil, &words, &variables) == 0)
        var status: Int32 = 0
        try #require(waitpid(child, &status, 0) == child)
        try #require(status & 0x7F == 0, "git was killed by signal \(status & 0x7F)")
        return (status >> 8) & 0xFF
    }

    private func write(_ bytes: [UInt8], _ name: String) throws {
        let file = open("\(folder)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        try #require(file >= 0)
        defer { close(file) }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes {
                Glibc.write(file, $0.baseAddress, $0.count)
            }
            try #require(count > 0)
            written += count
        }
    }

    private func read(_ name: String) throws -> [UInt8] { try wholeFile("\(folder)/\(name)") }
}

/// The bytes of a file.
func wholeFile(_ path: String) throws -> [UInt8] {
    let stream = try #require(fopen(path, "r"), "\(path) cannot be read")
    defer { fclose(stream) }
    var result: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = fread(&chunk, 1, chunk.count, stream)
        if count == 0 { return result }
        result += chunk[..<count]
    }
}
