import FilesinkiModel
import FilesinkiSystem
import Glibc
import Testing

/// The one table of error numbers.
@Suite struct SystemErrorTests {
    @Test(
        "H1 an errno has one code for each role",
        arguments: [
            (ENOSPC, [.full, .full, .full, .full, .full]),
            (EDQUOT, [.full, .full, .full, .full, .full]),
            (EFBIG, [.io, .io, .full, .io, .io]),
            (ENOENT, [.notFound, .io, .io, .io, .notFound]),
            (ENOTDIR, [.notFound, .io, .corrupt, .io, .notFound]),
            (EACCES, [.io, .io, .notAllowed, .notAllowed, .io]),
            (EROFS, [.io, .io, .notAllowed, .notAllowed, .io]),
            (ENAMETOOLONG, [.badPath, .io, .io, .io, .io]),
            (ELOOP, [.io, .io, .corrupt, .io, .io]),
            (ESTALE, [.io, .io, .away, .io, .io]),
            (EPIPE, [.io, .io, .io, .io, .readerGone]),
            (EIO, [.io, .io, .io, .io, .io]),
        ] as [(Int32, [Failure.Code])])
    func codes(_ number: Int32, _ expected: [Failure.Code]) {
        let roles: [FileRole] = [.local, .own, .store, .secret, .argument]
        let failures = roles.map { SystemError(number).failure("open the file", "f", of: $0) }
        #expect(failures.map(\.code) == expected)
        for failure in failures {
            #expect(!failure.remedy.isEmpty && failure.remedy.hasSuffix("."))
            #expect(failure.message.hasSuffix("."))
        }
    }

    @Test func `H1 a message names the action and the reason`() {
        let failure = SystemError(EACCES).failure("open the file", "a/b", of: .own)
        #expect(failure.message == "Cannot open the file: permission denied.")
        #expect(failure.path == Array("a/b".utf8))
        #expect(failure.cause as? SystemError == SystemError(EACCES))
    }
}
