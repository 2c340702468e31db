import FilesinkiModel
import FilesinkiSystem
import FilesinkiTesting
import Glibc
import Testing

/// The socket of a program that others ask.
@Suite("Unix sockets", .timeLimit(.minutes(10)))
struct UnixSocketTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A path in the folder that has so many bytes.
    private func path(ofLength length: Int) throws -> String {
        let rest = length - folder.path("").utf8.count
        try #require(rest > 0)
        return folder.path(String(repeating: "s", count: rest))
    }

    /// A connection to the socket; nil when it is refused.
    private func connect(_ path: String) -> NamedFile? {
        guard let handle = FileHandle(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)) else {
            return nil
        }
        let file = NamedFile(handle, path: Array(path.utf8), of: .own)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(file.handle.raw, $0, size)
            }
        }
        return result == 0 ? file : nil
    }

    @Test func `a connection is accepted, and bytes pass in both directions`() async throws {
        let (readiness, path) = (try Readiness(), folder.path("s"))
        let listening = try UnixSocket(path)
        let client = try #require(connect(path))
        let server = try #require(try await listening.accept(readiness))
        #expect(fcntl(server.raw, F_GETFD) & FD_CLOEXEC != 0)
        try client.write([1, 2])
        #expect(try await readiness.read(from: server.raw, limit: 9) == [1, 2])
        try await readiness.write([3], to: server.raw)
        #expect(try client.read(upTo: 1) == [3])
    }

    @Test func `only its owner can connect to it`() throws {
        let socket = try UnixSocket(folder.path("s"))
        var record = stat()
        #expect(lstat(folder.path("s"), &record) == 0)
        #expect(record.st_mode & S_IFMT == S_IFSOCK)
        #expect(record.st_mode & 0o777 == 0o600)
        withExtendedLifetime(socket) {}
    }

    @Test func `the socket of a process that has ended is replaced`() throws {
        let path = folder.path("s")
        _ = try UnixSocket(path)
        // It is closed, and its file is there.
        #expect(connect(path) == nil && StateFile.exists(path))
        let second = try UnixSocket(path)
        #expect(connect(path) != nil)
        withExtendedLifetime(second) {}
    }

    @Test func `a file of another kind is not replaced`() throws {
        let tree: TreeFixture = ["file": .file("kept"), "link": .symlink("file")]
        try tree.write(to: folder.path)
        for name in ["file", "link"] {
            let failure = #expect(throws: Failure.self) { try UnixSocket(folder.path(name)) }
            #expect(failure?.code == .io)
            #expect(failure?.path == Array(folder.path(name).utf8))
            #expect(failure?.message == "Cannot create the socket: address already in use.")
        }
        #expect(try TreeFixture.read(folder.path) == tree)
    }

    @Test func `a socket that is removed leaves no file, and its connections stay`() async throws {
        let (readiness, path) = (try Readiness(), folder.path("s"))
        let listening = try UnixSocket(path)
        let client = try #require(connect(path))
        let server = try #require(try await listening.accept(readiness))
        listening.remove()
        #expect(!StateFile.exists(path))
        try client.write([7])
        #expect(try await readiness.read(from: server.raw, limit: 9) == [7])
    }

    @Test func `a path of 107 bytes is taken, and one more is too long for a socket`() throws {
        _ = try UnixSocket(path(ofLength: 107))
        let path = try path(ofLength: 108)
        let failure = #expect(throws: Failure.self) { try UnixSocket(path) }
        #expect(failure?.code == .usage)
        #expect(failure?.path == Array(path.utf8))
        #expect(failure?.message == "The path is too long for a socket.")
        #expect(failure?.remedy.contains("--state") == true)
    }

    @Test func `a missing folder is a failure with its path and cause`() {
        let path = folder.path("none/s")
        let failure = #expect(throws: Failure.self) { try UnixSocket(path) }
        #expect(failure?.code == .io)
        #expect(failure?.path == Array(path.utf8))
        #expect(failure?.cause as? SystemError == SystemError(ENOENT))
    }
}
