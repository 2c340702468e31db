import Glibc
import Testing

/// Systems without what newer ones have: older kernels, and sandboxes.
@Suite("Old systems", .onOwnThreads)
struct OldSystemTests {
    /// Runs its arguments with openat2(2) failing as on a kernel that does not have it.
    static let withoutOpenat2 = """
        from ctypes import CDLL, addressof, create_string_buffer
        from os import execvp
        from struct import pack
        from sys import argv, exit
        code = [(0x20, 0, 0, 0), (0x15, 0, 1, 437), (0x06, 0, 0, 0x00050000 | ERROR), (0x06, 0, 0, 0x7fff0000)]
        filters = create_string_buffer(b"".join(pack("HBBI", *each) for each in code))
        program = create_string_buffer(pack("HxxxxxxP", len(code), addressof(filters)))
        libc = CDLL(None)
        if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program, 0, 0): exit("no seccomp")
        execvp(argv[1], argv[1:])
        """

    @Test("without openat2, folders sync and no symlink is followed", arguments: [ENOSYS, EPERM])
    func openat2(_ error: Int32) throws {
        let machine = try Machine()
        try machine.write(
            Self.withoutOpenat2.replacing("ERROR", with: String(error)), to: "without.py")
        let run = try machine.shell(
            """
            set -e
            old() { python3 without.py "$FILESINKI" "$@"; }
            mkdir -p a/d/e outside; echo one >a/d/e/f; ln -s ../outside a/link
            old init a --remote store --device a; old sync a
            old clone store b --device b
            diff -r --no-dereference -x .filesinki a b
            echo two >b/d/e/f; mv b/d/e b/d/g; old sync b; old sync a
            cat a/d/g/f
            # What was a folder leads out of the root now.
            rm -r a/d; ln -s ../outside a/d; echo three >b/d/g/h; old sync b
            old sync a || test $? = 3
            """)
        #expect(run.code == 0, "\(run.talk)")
        #expect(run.output.contains("two\n"), "\(run.output)")
        #expect(try machine.shell("ls -A outside").output == "")
    }

    @Test(
        "without /proc, the program has its arguments",
        .enabled(if: geteuid() == 0, "only root may unmount /proc"))
    func proc() throws {
        let machine = try Machine()
        let run = try machine.shell(
            """
            unshare -m sh -c '
                mount --make-rprivate / && mount -t tmpfs none /proc || exit 99
                set -e
                mkdir a; echo one >a/f
                "$FILESINKI" init a --remote store --device a; "$FILESINKI" sync a
                "$FILESINKI" clone store b --device b
                cat b/f; "$FILESINKI" load --root b none'
            """)
        guard run.code != 99 else {
            print("left out: this system hides no /proc")
            return
        }
        #expect(run.output.hasSuffix("one\n"), "\(run.output)")
        #expect(run.code == 1)
        #expect(run.talk.contains("none: "), "\(run.talk)")
    }
}
