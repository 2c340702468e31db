import Testing

@Suite("prune", .onOwnThreads)
struct PruneTests {
    @Test("a prune removes what a killed writer left in a folder days ago, and nothing younger")
    func unfinishedUploads() throws {
        let machine = try Machine()
        let finished = try machine.shell(
            """
            set -e
            mkdir w && echo one >w/a
            filesinki init w --remote "$PWD/store" -q && filesinki sync -q w
            mkdir -p store/packs/00
            echo torn >store/packs/00/.t-00000000000000aa
            echo torn >store/packs/00/.t-00000000000000bb
            touch -d '3 days ago' store/packs/00/.t-00000000000000aa
            filesinki prune --root w --keep-last 1 2>&1
            ls -A store/packs/00
            filesinki prune --root w --keep-last 1 --json | grep -c '"removed_uploads":0'
            """)
        #expect(finished.code == 0, "\(finished.talk)")
        #expect(
            finished.output.hasSuffix(
                "Removed 1 unfinished upload.\n.t-00000000000000bb\n1\n"), "\(finished.output)")
    }

    @Test func `a prune by a replica that holds a part of the paths keeps all of them`() throws {
        let machine = try Machine()
        let finished = try machine.shell(
            """
            set -e
            mkdir -p w/docs w/photos && echo 1 >w/docs/a && head -c 300000 /dev/urandom >w/photos/b
            cp w/photos/b expected
            filesinki init w --remote "$PWD/store" -q && filesinki sync -q w
            filesinki clone "$PWD/store" part --only docs -q
            echo 2 >part/docs/a && filesinki sync -q part
            filesinki prune --root part --keep-last 1 -q
            test ! -e part/photos
            filesinki clone "$PWD/store" whole -q
            cmp whole/photos/b expected && cat whole/docs/a
            filesinki check --read-data --root whole -q
            """)
        #expect(finished.code == 0 && finished.output == "2\n", "\(finished)")
    }
}
