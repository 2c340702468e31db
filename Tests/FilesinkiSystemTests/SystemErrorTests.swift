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

    @Test(
        "the remedy says what to do about the error, and a role may have one of its own",
        arguments: [
            (ENOSPC, .own, "Free some space and run again."),
            (EDQUOT, .local, "Free some of your quota and run again."),
            (EPERM, .own, "Check the permissions of the file and of its folder."),
            (EROFS, .secret, "Mount the file system read-write."),
            (ENOENT, .local, "Run again; it may have been moved."),
            (ENOENT, .argument, "Check the spelling."),
            (ENOENT, .store, "Check that its folder exists."),
            (ENOTDIR, .argument, "Check the path: a part of it is a file, not a folder."),
            (EISDIR, .argument, "Name a file, not a folder."),
            (EISDIR, .own, "A folder is in its place. Rename or remove one of them."),
            (ELOOP, .argument, "Check the symlinks of the path: they lead in a circle."),
            (ELOOP, .local, "A symlink is in its place. Replace it with a file or a folder."),
            (ENAMETOOLONG, .local, "Use a shorter name."),
            (EMFILE, .own, "Raise the limit of open files (ulimit -n)."),
            (ENFILE, .local, "Raise the limit of open files (ulimit -n)."),
            (ENOMEM, .own, "Check the limits of memory and processes."),
            (EAGAIN, .own, "Check the limits of memory and processes."),
            (EXDEV, .local, "Make the mounted folder a root of its own."),
            (EPIPE, .argument, "Run again."),
            (EBADF, .argument, "The stream is closed; redirect it."),
            (EBADF, .own, "Run again; if it fails again, check the disk."),
            (EIO, .local, "Check the disk."),
            (EINVAL, .own, "Run again; if it fails again, check the disk."),
            (EACCES, .store, "Check the permissions of the folder that holds the store."),
            (EROFS, .store, "Mount the disk that holds the store read-write."),
            (
                EHOSTDOWN, .store,
                "Check that the disk or the share that holds the store is mounted."
            ),
            (EIO, .store, "Check the disk that holds the store, and run again."),
            (EMFILE, .store, "Check the disk that holds the store, and run again."),
        ] as [(Int32, FileRole, String)])
    func remedies(_ number: Int32, _ role: FileRole, _ remedy: String) {
        #expect(SystemError(number).failure("open the file", "f", of: role).remedy == remedy)
    }

    @Test(
        "a share that is not mounted is away, whatever the kernel calls that",
        arguments: [
            ESTALE, ENOTCONN, ETIMEDOUT, EHOSTDOWN, EHOSTUNREACH, ENODEV, ENXIO, ECONNREFUSED,
        ])
    func away(_ number: Int32) {
        #expect(SystemError(number).failure("read the file", "f", of: .store).code == .away)
        #expect(SystemError(number).failure("read the file", "f", of: .own).code == .io)
    }

    @Test(
        "what should not be in a store's folder is damage, and the message says what is there",
        arguments: [
            (ELOOP, "A symlink stands where the store keeps its own files."),
            (ENOTDIR, "The store contains something that filesinki did not write."),
            (EISDIR, "The store contains something that filesinki did not write."),
        ])
    func strangers(_ number: Int32, _ message: String) {
        let failure = SystemError(number).failure("open the file", "s/log", of: .store)
        #expect(failure.code == .corrupt)
        #expect(failure.message == message)
        #expect(failure.remedy.contains("filesinki check"))
    }

    @Test func `only at a store a refusal says something about the account`() {
        func account(_ number: Int32, _ role: FileRole) -> AccountStatus? {
            SystemError(number).failure("write the file", "f", of: role).account
        }
        for number in [EACCES, EPERM, EROFS] {
            #expect(account(number, .store) == .restricted)
            #expect([FileRole.local, .own, .secret].allSatisfy { account(number, $0) == nil })
        }
        #expect(account(ENOSPC, .store) == nil && account(ESTALE, .store) == nil)
    }

    @Test(
        "a symlink on the way to a path of a tree is no error of the disk",
        arguments: [(ELOOP, true), (EXDEV, true), (ENOENT, false), (EACCES, false)])
    func opening(_ number: Int32, _ isSymlink: Bool) throws {
        let path = try RelativePath("a/b")
        let failure = SystemError(number).failure(opening: path)
        #expect(failure.path == path.bytes)
        #expect(failure.cause as? SystemError == SystemError(number))
        #expect((failure.code == .badPath) == isSymlink)
        #expect((failure.message == "The path leads through a symlink.") == isSymlink)
        let usual = SystemError(number).failure("open the file", path)
        #expect((failure.message == usual.message) == !isSymlink)
        #expect(failure.remedy != usual.remedy || !isSymlink)
    }

    @Test func `a read-only disk is known by the cause`() {
        #expect(SystemError(EROFS).failure("write the file", "f").isOfReadOnlyDisk)
        #expect(!SystemError(EACCES).failure("write the file", "f").isOfReadOnlyDisk)
        #expect(!Failure(.io, "It broke.", remedy: "").isOfReadOnlyDisk)
    }

    @Test func `a number that the system does not know is in the message`() {
        let failure = SystemError(4_095).failure("open the file", "f")
        #expect(failure.message.contains("4095"))
        #expect(failure.code == .io)
    }

    @Test func `what is missing is a path or a part of it that is no folder`() {
        let numbers = [ENOENT, ENOTDIR, EACCES, ELOOP, EXDEV].map { SystemError($0) }
        #expect(numbers.map(\.isMissing) == [true, true, false, false, false])
        #expect(numbers.map(\.isBehindSymlink) == [false, false, false, true, true])
    }

    @Test func `a call is repeated while a signal interrupts it, and for no other reason`() {
        /// The calls until the result, where each of the results fails with the error before.
        func calls(_ results: [(Int, Int32)]) -> (count: Int, result: Int) {
            var count = 0
            let result = unlessInterrupted { () -> Int in
                errno = results[count].1
                count += 1
                return results[count - 1].0
            }
            return (count, result)
        }
        #expect(calls([(-1, EINTR), (-1, EINTR), (3, 0)]) == (3, 3))
        #expect(calls([(-1, EAGAIN), (3, 0)]) == (1, -1))
        // A result is no failure, whatever the number was before.
        #expect(calls([(0, EINTR), (3, 0)]) == (1, 0))
    }

    @Test func `calls on a file give their result, or a failure of that file`() throws {
        #expect(try SystemError.reported("open the file", "f".utf8) { 7 } == 7)
        let failure = #expect(throws: Failure.self) {
            try SystemError.reported("open the file", "f".utf8, of: .local) {
                () throws(SystemError) in throw SystemError(ENOENT)
            }
        }
        #expect(failure?.code == .notFound && failure?.path == [0x66])
    }
}
