import FilesinkiModel
import FilesinkiSystem
import FilesinkiTesting
import Glibc
import Testing

/// Where a secret is read, and what is none.
@Suite("Lines with secrets", .timeLimit(.minutes(10)))
struct SecretLineTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(
        "the secret is the first line, without its end",
        arguments: [
            ("hush", "hush"), ("hush\n", "hush"), ("hush\r\nmore", "hush"), ("hush\n\n", "hush"),
            (" hush ", " hush "), ("hush\r", "hush"), ("a\rb\n", "a\rb"), ("hüsh\n", "hüsh"),
            ("hush\r\r\n", "hush\r"),
        ])
    func lines(_ content: String, _ secret: String) throws {
        try PrivateFile(folder.path("secret")).replace(with: Array(content.utf8))
        #expect(Array(try SecretLine.read(file: folder.path("secret")).utf8) == Array(secret.utf8))
        let command = "cat '\(folder.path("secret"))'"
        #expect(Array(try SecretLine.read(command: command).utf8) == Array(secret.utf8))
    }

    @Test(
        "a first line that is empty or not UTF-8 is no secret",
        arguments: [[], [0x0A], [0x0D, 0x0A, 0x61], [0xFF], [0x61, 0xC3, 0x0A, 0x62]] as [[UInt8]])
    func refused(_ content: [UInt8]) throws {
        let path = folder.path("secret")
        try PrivateFile(path).replace(with: content)
        let failure = #expect(throws: Failure.self) { try SecretLine.read(file: path) }
        #expect(failure?.code == .notAllowed)
        #expect(failure?.path == Array(path.utf8))
        #expect(failure?.message == "The first line is empty or not UTF-8.")
        #expect(failure?.remedy == "Its first line must be the secret.")
        #expect(failure?.account == .noAccount)
    }

    @Test func `a missing file is said to be missing`() {
        let path = folder.path("none")
        let failure = #expect(throws: Failure.self) { try SecretLine.read(file: path) }
        #expect(failure?.code == .notAllowed)
        #expect(failure?.path == Array(path.utf8))
        #expect(failure?.message == "The secret file was not found.")
        #expect(failure?.remedy == "Check its path.")
        #expect(failure?.account == .noAccount)
    }

    @Test func `a file that others can read is refused, and its secret is not repeated`() throws {
        try PrivateFile(folder.path("secret")).replace(with: Array("hush".utf8), mode: 0o644)
        let failure = #expect(throws: Failure.self) {
            try SecretLine.read(file: folder.path("secret"))
        }
        #expect(failure?.code == .notAllowed)
        #expect(failure?.remedy == "Run chmod 600 on it, as its owner.")
        #expect(failure?.description.contains("hush") == false)
    }

    @Test func `a command that fails is named with its exit code, and not with what it printed`() {
        let text = "echo hush; exit 3"
        let failure = #expect(throws: Failure.self) { try SecretLine.read(command: text) }
        #expect(failure?.code == .notAllowed)
        #expect(failure?.path == Array(text.utf8))
        #expect(failure?.message == "The credentials command failed with exit code 3.")
        #expect(failure?.account == .noAccount)
    }

    @Test func `a command prints nothing`() {
        let failure = #expect(throws: Failure.self) { try SecretLine.read(command: "true") }
        #expect(failure?.path == Array("true".utf8))
        #expect(failure?.message == "The first line is empty or not UTF-8.")
    }

    /// A program that has the secrets often finds them by a variable of its own.
    @Test func `a command has the whole environment`() throws {
        let usual = ["PATH=", "HOME=", "USER=", "LOGNAME=", "LANG=", "LC_ALL=", "TMPDIR=", "TZ="]
        let pairs = ChildProcess.inheritedEnvironment.map { String(decoding: $0, as: UTF8.self) }
        for pair in pairs where !usual.contains(where: pair.hasPrefix) {
            guard let (name, value) = variable(pair) else { continue }
            #expect(try SecretLine.read(command: "printf '%s' \"$\(name)\"") == value)
            return
        }
    }

    /// A variable of one line that a shell neither sets nor changes.
    private func variable(_ pair: String) -> (name: Substring, value: Substring)? {
        let parts = pair.split(separator: "=", maxSplits: 1)
        let own = ["PWD", "OLDPWD", "SHLVL", "_", "IFS", "OPTIND", "PPID", "PS1", "PS2", "PS4"]
        guard parts.count == 2, !own.contains(String(parts[0])), !parts[1].contains("\n"),
            parts[0].utf8.allSatisfy({ (65...90).contains($0) || $0 == 95 })
        else { return nil }
        return (parts[0], parts[1])
    }

    // MARK: Terminals

    /// The lines that are read from something that is no terminal.
    private func typed(_ bytes: [UInt8], times: Int) throws -> [String?] {
        try StateFile.replace(folder.path("typed"), with: bytes)
        let file = try FileHandle(folder.path("typed"), O_RDONLY)
        return (0..<times).map { _ in SecretLine.read(terminal: file.raw) }
    }

    @Test func `what is no terminal is read line by line, and not beyond a line`() throws {
        #expect(
            try typed(Array("one\n\ntwo \r\nrest".utf8), times: 4) == ["one", "", "two \r", nil])
        #expect(try typed([0xFF, 0x0A, 0x61, 0x0A], times: 2) == [nil, "a"])
        #expect(try typed([], times: 1) == [nil])
        #expect(SecretLine.read(terminal: -1) == nil)
    }

    @Test(
        "a line has at most 4096 bytes with its end",
        arguments: [(4_095, true), (4_096, false), (10_000, false)])
    func longest(_ count: Int, _ isRead: Bool) throws {
        let line = String(repeating: "x", count: count)
        #expect(try typed(Array((line + "\n").utf8), times: 1) == [isRead ? line : nil])
    }

    @Test func `a terminal does not show what is typed, and is as before afterwards`() async throws
    {
        let terminal = try Terminal()
        let before = try terminal.settings()
        try #require(before.c_lflag & tcflag_t(ECHO) != 0)
        async let secret = offload { SecretLine.read(terminal: terminal.inner) }
        try #require(
            try await eventually { try terminal.settings().c_lflag & tcflag_t(ECHO) == 0 })
        try FileHandle.write(Array("hush\n".utf8), to: terminal.outer)
        #expect(try await secret == "hush")
        try #require(try terminal.settings().c_lflag == before.c_lflag)
        // With the echo on again, what is typed next is what the terminal shows first.
        try FileHandle.write(Array("shown".utf8), to: terminal.outer)
        var shown = [UInt8](repeating: 0, count: 100)
        let count = read(terminal.outer, &shown, shown.count)
        #expect(count > 0 && !String(decoding: shown, as: UTF8.self).contains("hush"))
    }
}

/// A terminal of the kernel's (pty(7)); closed with the value.
private final class Terminal: Sendable {
    /// What a person types at and looks at.
    let outer: Int32
    /// What a program reads from and writes to.
    let inner: Int32

    // TIOCSPTLCK and TIOCGPTPEER of asm-generic/ioctls.h.
    private static let unlock: UInt = 0x4004_5431
    private static let open: UInt = 0x5441

    init() throws {
        outer = Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(outer >= 0)
        var isLocked: Int32 = 0
        try #require(ioctl(outer, Self.unlock, &isLocked) == 0)
        inner = ioctl(outer, Self.open, O_RDWR | O_NOCTTY)
        try #require(inner >= 0)
    }

    deinit {
        close(inner)
        close(outer)
    }

    func settings() throws -> termios {
        var settings = termios()
        try #require(tcgetattr(inner, &settings) == 0)
        return settings
    }
}
