import FilesinkiModel
import FilesinkiSystem
import FilesinkiTesting
import Glibc
import Testing

/// Which files of secrets are read, and which are refused.
@Suite struct PrivateFileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder(inMemory: true) }

    private func file(mode: mode_t) throws -> PrivateFile {
        let file = PrivateFile(folder.path("secret"))
        try file.replace(with: Array("hush".utf8), mode: mode)
        return file
    }

    @Test("E7.11 a file that other users can read or change is refused with one code")
    func modes() throws {
        for mode in [0o644, 0o640, 0o604, 0o620, 0o602, 0o601, 0o610] as [mode_t] {
            let file = try file(mode: mode)
            let failure = #expect(throws: Failure.self) { try file.read() }
            #expect(failure?.code == .notAllowed, "\(mode)")
            #expect(failure?.description.contains("hush") == false)
            #expect(try file.readWithMode()?.mode == mode)
        }
        for mode in [0o600, 0o400] as [mode_t] {
            #expect(try file(mode: mode).read() == Array("hush".utf8))
        }
    }

    @Test func `a file that others may use is accepted where that is allowed`() throws {
        #expect(try file(mode: 0o640).read(allowing: 0o040) != nil)
        #expect(throws: Failure.self) { try file(mode: 0o660).read(allowing: 0o040) }
        #expect(throws: Failure.self) { try file(mode: 0o644).read(allowing: 0o040) }
    }

    @Test("E7.11 a FIFO, a device or a folder is refused without waiting", .timeLimit(.minutes(10)))
    func notRegular() throws {
        mkfifo(folder.path("fifo"), 0o600)
        mkdir(folder.path("folder"), 0o700)
        for path in [folder.path("fifo"), folder.path("folder"), "/dev/null"] {
            let failure = #expect(throws: Failure.self) { try PrivateFile(path).read() }
            #expect(failure?.code == .notAllowed, "\(path)")
        }
    }

    @Test func `a missing file is nil`() throws {
        #expect(try PrivateFile(folder.path("none")).read() == nil)
        #expect(try PrivateFile(folder.path("none/none")).read() == nil)
    }

    @Test func `a file of 4 MiB is read, and one more byte is too large`() throws {
        let file = try file(mode: 0o600)
        #expect(truncate(file.path, (4 << 20) + 1) == 0)
        let failure = #expect(throws: Failure.self) { try file.read() }
        #expect(failure?.code == .limit)
        #expect(failure?.path == Array(file.path.utf8))
        #expect(failure?.message == "The file is too large for a file of secrets.")
        #expect(truncate(file.path, 4 << 20) == 0)
        #expect(try file.read()?.count == 4 << 20)
    }

    @Test func `a socket is refused as what it is`() throws {
        let socket = try UnixSocket(folder.path("socket"))
        let failure = #expect(throws: Failure.self) {
            try PrivateFile(folder.path("socket")).read()
        }
        #expect(failure?.code == .notAllowed)
        #expect(failure?.message == "Not a regular file.")
        #expect(failure?.remedy.contains("mode 600") == true)
        withExtendedLifetime(socket) {}
    }

    @Test func `a symlink to a file of the user's own is followed`() throws {
        _ = try file(mode: 0o600)
        symlink("secret", folder.path("link"))
        #expect(try PrivateFile(folder.path("link")).read() == Array("hush".utf8))
        #expect(try PrivateFile(folder.path("link")).readWithMode()?.mode == 0o600)
    }

    /// Only root can give a file away.
    @Test(.enabled(if: geteuid() == 0))
    func `a file of another user is refused, whatever its mode is`() throws {
        let file = try file(mode: 0o600)
        #expect(chown(file.path, 65_534, 65_534) == 0)
        let failure = #expect(throws: Failure.self) { try file.readWithMode() }
        #expect(failure?.code == .notAllowed)
        #expect(failure?.path == Array(file.path.utf8))
        #expect(failure?.message == "The file of secrets belongs to another user.")
    }

    @Test func `a refusal names the file and the remedy`() throws {
        let file = try file(mode: 0o644)
        let failure = #expect(throws: Failure.self) { try file.read() }
        #expect(failure?.path == Array(file.path.utf8))
        #expect(failure?.message == "Other users can read or change this file of secrets.")
        #expect(failure?.remedy == "Run chmod 600 on it, as its owner.")
    }

    @Test func `its folder is made for its owner only, and those above it are not`() throws {
        try PrivateFile(folder.path("keys/secret")).replace(with: [1])
        var record = stat()
        #expect(stat(folder.path("keys"), &record) == 0)
        #expect(record.isFolder && record.st_mode & 0o777 == 0o700)
        // What is left is the file alone.
        #expect(try StateFile.names(in: folder.path("keys")) == ["secret"])
        let path = folder.path("none/keys/secret")
        let failure = #expect(throws: Failure.self) { try PrivateFile(path).replace(with: [1]) }
        #expect(failure?.code == .io && failure?.path == Array(path.utf8))
        #expect(failure?.message == "Cannot create its folder: no such file or directory.")
        #expect(throws: Failure.self) { try PrivateFile(path).locked {} }
    }

    @Test func `a body runs while nobody else has the lock of the folder`() throws {
        let file = PrivateFile(folder.path("keys/secret"))
        let other = try file.locked { () throws(Failure) in
            try NamedFile(folder.path("keys"), O_RDONLY | O_DIRECTORY, of: .own)
        }
        let isLocked = try file.locked { () throws(Failure) in
            (try? other.handle.lock(waits: false)) == false
        }
        #expect(isLocked)
        // Also after a body that has failed.
        let failure = #expect(throws: Failure.self) {
            try file.locked { () throws(Failure) in throw Failure(.busy, "It broke.", remedy: "") }
        }
        #expect(failure?.message == "It broke.")
        #expect(try other.handle.lock(waits: false))
    }
}
