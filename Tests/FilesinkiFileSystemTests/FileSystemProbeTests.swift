import CKernel
import FilesinkiModel
import Glibc
import Testing

@testable import FilesinkiFileSystem

/// What `doctor` finds out about a file system by trying it.
@Suite struct FileSystemProbeTests {
    let tree: TemporaryTree

    init() throws { tree = try TemporaryTree() }

    @Test func `finds what the file system can do`() throws {
        try tree.write("1", to: "one")
        try tree.write("2", to: "two")
        let (one, two) = (tree.absolute("one"), tree.absolute("two"))
        let exchanges = fsk_rename(AT_FDCWD, one, AT_FDCWD, two, fsk_rename_exchange) == 0
        let renames =
            fsk_rename(AT_FDCWD, one, AT_FDCWD, tree.absolute("new"), fsk_rename_new) == 0
        let links = link(two, tree.absolute("second")) == 0
        let traits = try FileSystemProbe(in: tree.base).traits()
        #expect(
            traits
                == FileSystemTraits(
                    exchanges: exchanges, renamesToFree: renames, links: links,
                    foldsCase: access(tree.absolute("TWO"), F_OK) == 0))
    }

    @Test("removes what it has made, and what a killed one left", arguments: [false, true])
    func leftovers(_ wasKilled: Bool) throws {
        if wasKilled {
            let folder = tree.base + "/probe-\(getpid())"
            #expect(mkdir(folder, 0o700) == 0)
            try TemporaryTree.write([1], absolute: folder + "/one")
        }
        do {
            let probe = try FileSystemProbe(in: tree.base)
            _ = try probe.traits()
            _ = try probe.time()
        }
        #expect(try TemporaryTree.names(tree.base) == ["root", "staging"])
    }

    @Test func `the time is that of a file made now`() throws {
        let before = time(nil)
        let found = try FileSystemProbe(in: tree.base).time()
        // A file system's clock may be coarse.
        #expect(Int(found.seconds) >= before - 2 && Int(found.seconds) <= time(nil) + 2)
    }

    @Test func `the failure names the folder that cannot be written to`() throws {
        let failure = #expect(throws: Failure.self) {
            _ = try FileSystemProbe(in: tree.base + "/none").traits()
        }
        #expect(failure?.path == Array((tree.base + "/none").utf8))
    }
}
