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
}
