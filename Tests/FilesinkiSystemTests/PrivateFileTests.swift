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
}
