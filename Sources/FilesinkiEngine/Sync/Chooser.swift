import FilesinkiModel
import FilesinkiReconcile
import Glibc

/// Runs a user's command that chooses between two contents.
///
/// The command is run by `sh -c` with the files' names in `$FILESINKI_BASE`, `$FILESINKI_HERE` and
/// `$FILESINKI_THERE` and the path in `$FILESINKI_PATH`; names never become part of the command's
/// text. It prints `here`, `there` or `keep-both`; anything else, or a failure, declines.
final class Chooser {
    enum Role: String, CaseIterable { case base, here, there }

    private let folder: String
    private var descriptors: [Role: Int32] = [:]

    init() throws(Failure) {
        var template = Array("/tmp/filesinki-choose-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Self.failure("could not be made") }
        folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        for role in Role.allCases {
            let descriptor = open(file(role), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw Self.failure("could not be written") }
            descriptors[role] = descriptor
        }
    }

    private static func failure(_ what: String) -> Failure {
        Failure(
            .io, path: "/tmp", "A temporary file \(what).",
            remedy: "Check the space and permissions of /tmp.")
    }

    private func file(_ role: Role) -> String { "\(folder)/\(role.rawValue)" }

    func write(_ bytes: UnsafeRawBufferPointer, as role: Role) throws(Failure) {
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.write(descriptors[role] ?? -1, rest.baseAddress, rest.count)
            guard count > 0 else { throw Self.failure("could not be written") }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// Runs the command and reads its choice.
    func run(_ command: String, path: RelativePath) throws -> Answer {
        for descriptor in descriptors.values { close(descriptor) }
        descriptors = [:]
        let output = try capture(command, path)
        return switch output {
        case "here": .here
        case "there": .there
        case "keep-both": .keepBoth
        default: .declined
        }
    }

    private func capture(_ command: String, _ path: RelativePath) throws(Failure) -> String {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Self.failure("could not be opened") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        let child = spawn(command, path, output: ends[1])
        close(ends[1])
        guard let child else { throw Self.failure("could not be run") }
        var bytes = [UInt8](repeating: 0, count: 256)
        var filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                read(ends[0], buffer.baseAddress?.advanced(by: filled), buffer.count - filled)
            }
            guard count > 0 else { break }
            filled += count
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else { return "" }
        let words = bytes[..<filled].split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: " ") }
        return words.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private func spawn(_ command: String, _ path: RelativePath, output: Int32) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        let arguments: [[UInt8]] = ["sh", "-c", command].map { Array($0.utf8) }
        let surroundings =
            [
                "PATH=/usr/local/bin:/usr/bin:/bin", "FILESINKI_BASE=\(file(.base))",
                "FILESINKI_HERE=\(file(.here))", "FILESINKI_THERE=\(file(.there))",
            ].map { Array($0.utf8) } + [Array("FILESINKI_PATH=".utf8) + path.bytes]
        var child: pid_t = 0
        let result = withCStrings(arguments) { argv in
            withCStrings(surroundings) { envp in
                posix_spawn(&child, "/bin/sh", &actions, nil, argv, envp)
            }
        }
        return result == 0 ? child : nil
    }

    private func withCStrings<Result>(
        _ strings: [[UInt8]], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { bytes in
            bytes.withUnsafeBytes { buffer in
                buffer.baseAddress.flatMap {
                    strndup($0.assumingMemoryBound(to: CChar.self), bytes.count)
                }
            }
        }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }

    /// Removes the files that the command was given.
    func cleanUp() {
        for descriptor in descriptors.values { close(descriptor) }
        for role in Role.allCases { unlink(file(role)) }
        rmdir(folder)
    }
}
