import FilesinkiTesting
import Testing

/// The built program over the user's rclone.
@Suite(
    "Over rclone", .onOwnThreads, .serialized,
    .enabled(if: RemoteKind.hasRclone, "rclone is not installed"))
struct RcloneTests {
    /// What a shell reads before a command.
    private static let configuration = """
        export RCLONE_CONFIG="$PWD/rclone.conf"
        printf '[disk]\\ntype = local\\n[inner]\\ntype = local\\n[memory]\\ntype = memory\\n' >rclone.conf
        # A server of another rclone: a type at which two devices cannot be kept apart.
        far() {
            rclone serve webdav --addr 127.0.0.1:0 inner:"$PWD/far" >far.log 2>&1 &
            far=$!
            trap 'kill $far 2>/dev/null' EXIT
            until port=$(grep -o 'http://127.0.0.1:[0-9]*' far.log); do kill -0 $far || exit; sleep 0.1; done
            printf '[far]\\ntype = webdav\\nvendor = other\\nurl = %s\\n' "$port" >>rclone.conf
        }

        """

    private func shell(_ machine: Machine, _ lines: String) throws -> Machine.Finished {
        try machine.shell(Self.configuration + lines)
    }

    @Test func `devices share a folder through rclone and by its path, and no rclone is left`()
        throws
    {
        let machine = try Machine()
        let made = try shell(
            machine,
            """
            set -e
            mkdir a; echo x >a/f; head -c 3000000 /dev/urandom >a/large
            filesinki init a --remote "$PWD/store" --device a
            filesinki remote set "rclone:disk:$PWD/store" --root a; filesinki sync a
            filesinki clone "rclone:disk:$PWD/store" b --device b
            echo b >b/g; filesinki sync b; filesinki sync a
            diff -r -x .filesinki a b
            filesinki clone "$PWD/store" c --device c
            diff -r -x .filesinki a c
            mkdir moved; filesinki remote set --migrate "rclone:disk:$PWD/moved/store" --root c
            filesinki check --read-data --root c
            """)
        #expect(made.code == 0, "\(made)")
        let ended = try shell(machine, Self.untilEnded)
        #expect(ended.code == 0, "\(ended)")
    }

    /// An rclone that was told to end may need a moment on a busy machine.
    private static let untilEnded = """
        timeout 20 sh -c 'while pgrep -f "[r]clone serve webdav.*$0" >/dev/null; do sleep 0.1; done' "$PWD"
        """

    @Test func `rclone ends with a run that is killed`() throws {
        let machine = try Machine()
        let ended = try shell(
            machine,
            """
            mkdir a; filesinki init a --remote "$PWD/store" --device a || exit
            filesinki remote set "rclone:disk:$PWD/store" --root a || exit
            "$FILESINKI" watch a >/dev/null 2>&1 &
            watch=$!
            until pgrep -f "[r]clone serve webdav.*$PWD" >/dev/null; do kill -0 $watch || exit; done
            kill -9 $watch
            \(Self.untilEnded)
            """)
        #expect(ended.code == 0, "\(ended)")
    }

    @Test(
        "what is not there, and what cannot be shared, has an exit code and a remedy",
        arguments: [
            ("filesinki remote check rclone:nowhere:x", 2, "rclone listremotes"),
            ("PATH=/nonexistent; filesinki remote check rclone:disk:/x", 2, "Install rclone"),
            ("filesinki remote check rclone:disk", 2, "rclone:REMOTE:PATH"),
            ("filesinki init a --remote store --single-writer", 2, "Leave --single-writer out"),
            ("filesinki remote check rclone:memory:x", 7, "add --single-writer"),
            ("filesinki init a --remote rclone:memory:x", 7, "add --single-writer"),
        ])
    func refused(_ line: String, _ code: Int32, _ remedy: String) throws {
        let machine = try Machine()
        let run = try shell(machine, "mkdir a; \(line)")
        #expect(run.code == code, "\(run)")
        #expect(run.talk.contains(remedy), "\(run)")
    }

    @Test func `one device may declare that it publishes alone, and a second one is refused`()
        throws
    {
        let machine = try Machine()
        let run = try shell(
            machine,
            """
            far
            set -e
            mkdir a; echo x >a/f
            filesinki init a --remote rclone:far:store --device a --single-writer
            filesinki sync a; echo y >a/f; filesinki sync a
            filesinki clone rclone:far:store b --device b --single-writer 2>cloned || [ $? = 3 ]
            diff -r -x .filesinki a b
            code=0; echo b >b/g; filesinki sync b 2>refused || code=$?
            [ $code = 7 ]; grep -q 'Another device publishes there' refused
            filesinki clone rclone:far:store c --device c 2>cloned || [ $? = 3 ]
            code=0; echo c >c/h; filesinki sync c 2>undeclared || code=$?
            [ $code = 7 ]; grep -q 'single-writer' undeclared
            rclone deletefile "far:store/$(cd far/store; echo writers/*)"
            filesinki sync b
            code=0; echo z >a/f; filesinki sync a 2>replaced || code=$?
            [ $code = 7 ]; grep -q 'Another device publishes there' replaced
            kill $far; trap - EXIT
            code=0; filesinki sync b 2>away || code=$?
            [ $code = 75 ]
            """)
        #expect(
            run.code == 0, "\(run) \(machine.read("refused") ?? "") \(machine.read("away") ?? "")")
    }
}
