import Foundation
import Glibc
import Testing

/// Rows about saving that are seen only with the built program.
@Suite("Rows of saving, with scripts and at a terminal", .onOwnThreads)
struct SaveRowTests {
    @Test(
        "FI-06 contents of up to 256 KiB are stored in the commit, larger ones in a pack",
        arguments: [(-1, 0), (0, 0), (1, 1)])
    func threshold(_ more: Int, _ packs: Int) throws {
        let machine = try Machine.pair("echo one >a/one")
        try machine.shell("head -c \((256 << 10) + more) /dev/urandom >content")
        func objects(_ kind: String) throws -> Int {
            let found = try machine.shell("find store -path 'store/\(kind)' -type f | wc -l").output
            return Int(found.prefix { $0.isNumber }) ?? -1
        }
        let (packsBefore, commitsBefore) = (
            try objects("packs/*"), try objects("zones/files/log/*")
        )
        #expect(commitsBefore > 0)
        #expect(try machine.run("save", "--root", "a", "new", "content").code == 0)
        #expect(try objects("packs/*") - packsBefore == packs)
        #expect(try objects("zones/files/log/*") - commitsBefore == 1)
        #expect(try machine.shell("filesinki load --root b new | cmp - content").code == 0)
    }

    @Test("FS-04 --final receives a merge's result, and nothing when the saved content stays")
    func final() throws {
        let machine = try Machine.pair("seq 9 >a/text")
        let run = try machine.shell(
            """
            set -e
            seq 9 | sed s/1/one/ | filesinki save --root a text --final none
            test ! -e none
            seq 9 | sed s/9/nine/ | filesinki save --root b text --final merged
            filesinki load --root a text | cmp - merged
            cat merged
            """)
        #expect(run.code == 0, "\(run.talk)")
        #expect(run.output == "one\n2\n3\n4\n5\n6\n7\n8\nnine\n")
    }

    @Test("FS-04 --final receives the content that replaced the saved one")
    func finalOfAnother() throws {
        let machine = try Machine.pair("echo base >a/choice")
        let run = try machine.shell(
            """
            echo 'larger wins' | filesinki save --root a choice --strategy larger; echo $?
            echo small | filesinki save --root b choice --strategy larger --final winner; echo $?
            cat winner b/choice
            """)
        #expect(run.output == "0\n0\nlarger wins\nlarger wins\n", "\(run.talk)")
    }

    @Test(
        "FS-10 --ask asks at the terminal, and applies the answer",
        .enabled(if: Screen.isThere, "tmux is not installed"),
        arguments: [("h", "from b"), ("t", "from a")])
    func ask(_ answer: String, _ kept: String) throws {
        let machine = try Machine.pair("echo base >a/choice")
        try machine.write(
            "[[rule]]\nmatch = \"choice\"\nstrategy = \"ask\"\n", to: "a/.filesinki.toml")
        try machine.sync("a", "b")
        try machine.shell("echo 'from a' >a/choice; echo 'from b' >b/choice")
        try machine.sync("a")
        // Without a terminal there is no question, and the conflict stays open.
        #expect(try machine.run("sync", "b").code == 3)
        #expect(try machine.run("sync", "b", "--ask").code == 2)
        let screen = try Screen(machine, columns: 80)
        try screen.type("filesinki sync b --ask; echo \"exit $?\"")
        let asked = try screen.text { $0.contains("[h/t/b/l]") }
        #expect(asked.contains("choice"), "\(asked)")
        try screen.type("what?")
        let again = try screen.text { $0.components(separatedBy: "[h/t/b/l]").count == 3 }
        #expect(again.components(separatedBy: "[h/t/b/l]").count == 3, "\(again)")
        try screen.type(answer)
        let end = try screen.text { $0.contains("\nexit ") }
        #expect(end.contains("\nexit 0"), "\(end)")
        try machine.sync("a")
        #expect(machine.read("a/choice") == kept + "\n")
        #expect(machine.read("b/choice") == kept + "\n")
    }

    @Test("FS-07 FB-06 a compressed save is one ordinary compressed file, offline too")
    func compressed() throws {
        let machine = try Machine.pair("echo one >a/one")
        let run = try machine.shell(
            """
            set -e
            seq 20000 >plain; head -c 5000 /dev/urandom >noise; mv store away
            filesinki save --root a --compress notes/text plain
            filesinki save --root a --compress=xz notes/text plain
            filesinki save --root a noise noise --compress
            filesinki load --root a --offline --compressed notes/text | cmp - plain
            filesinki load --root a --offline --compressed=xz notes/text -o out; cmp out plain
            filesinki load --root a --offline --compressed notes/text.zst | cmp - plain
            filesinki load --root a --offline --compressed noise | cmp - noise
            mv away store; filesinki sync a >&2; filesinki sync b >&2
            filesinki load --root b notes/text --compressed | cmp - plain
            # Other programs read it, and what already is compressed stays as it is.
            filesinki decompress b/notes/text.xz | cmp - plain
            filesinki compress --format zstd plain -o made.zst; filesinki save --root a made.zst made.zst
            cmp made.zst a/made.zst; cmp made.zst a/notes/text.zst
            test $(wc -c <a/notes/text.zst) -lt $(($(wc -c <plain) / 2))
            test $(wc -c <a/noise.zst) -lt 5100
            find a -name .filesinki -prune -o -type f -print | sort
            """)
        #expect(run.code == 0, "\(run.talk)")
        #expect(
            run.output == "a/made.zst\na/noise.zst\na/notes/text.xz\na/notes/text.zst\na/one\n")
    }

    @Test("FS-07 a compressed path and the plain path of the same name are separate")
    func namesakes() throws {
        let machine = try Machine.pair("echo one >a/one")
        let run = try machine.shell(
            """
            echo plain | filesinki save --root a x; echo packed | filesinki save --root a x --compress
            filesinki load --root a x; filesinki load --root a x --compressed
            filesinki delete --root a x --compressed >&2; filesinki load --root a x --compressed; echo $?
            filesinki load --root a x
            # A plain file under such a name is read as it is, and is no compressed one.
            echo raw | filesinki save --root a y.zst; filesinki load --root a y.zst
            filesinki load --root a y --compressed; echo $?
            filesinki save --root a z one --compress=lz4; echo $?
            """)
        #expect(run.output == "plain\npacked\n1\nplain\nraw\n8\n2\n", "\(run.talk)")
        #expect(run.talk.contains("y.zst: "), "\(run.talk)")
    }
}
