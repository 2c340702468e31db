import FilesinkiTesting
import Glibc
import Testing

/// The built program on file systems as they are. Few of them by default; all that can be had here
/// with `FILESINKI_FILE_SYSTEMS=all`, as `make file-systems` does.
@Suite("File systems", .onOwnThreads, .serialized)
struct FileSystemTests {
    private static let points = knob("FILESINKI_FILE_SYSTEM_POINTS", otherwise: 2)

    /// Runs a body in a machine whose folder `disk` is on the file system; leaves it out, with a word,
    /// where that cannot be had.
    private func on(_ kind: MountedFileSystem, _ body: (Machine) throws -> Void) throws {
        guard kind.isWanted else { return }
        let machine = try Machine()
        if let reason = try kind.mount(machine) {
            print("left out: \(kind.rawValue): \(reason)")
            return
        }
        defer { kind.unmount(machine) }
        try body(machine)
    }

    @Test(
        "E2.1 two devices sync on this file system, and doctor reports its capabilities",
        arguments: MountedFileSystem.allCases.filter { $0 != .fuseFoldingBelow })
    func roundTrip(_ kind: MountedFileSystem) throws {
        try on(kind) { machine in
            try prepare(machine, kind)
            let sync = try machine.run("sync", "disk/b")
            #expect(sync.code == 0, "\(kind): \(sync)")
            try expectEqual(machine, kind)
            let saved = try machine.shell(
                "echo saved >s; filesinki save --root disk/b f1 s && filesinki sync a && cat a/f1")
            #expect(saved.code == 0 && saved.output.hasSuffix("saved\n"), "\(kind): \(saved)")
            let moved = try machine.shell(
                "cd disk/b; mv f5 g5; rm f6; echo more >>f4; cd ../..; filesinki sync disk/b && "
                    + "filesinki sync a && filesinki sync disk/b")
            #expect(moved.code == 0, "\(kind): \(moved)")
            try expectEqual(machine, kind)
            let quiet = try machine.run("sync", "--json", "disk/b")
            #expect(quiet.code == 0 && !quiet.output.contains("\"step\""), "\(kind): \(quiet)")
            let doctor = try machine.shell("filesinki doctor -v disk/b | grep file-system").output
            for (words, isSaid) in kind.said {
                #expect(doctor.contains(words) == isSaid, "\(kind): '\(words)' in \(doctor)")
            }
            print("\(kind.rawValue): \(doctor)", terminator: "")
        }
    }

    @Test(
        "E2.1 a killed sync needs no repair, and a user's save survives",
        arguments: MountedFileSystem.allCases.filter { $0 != .fuseFoldingBelow })
    func faults(_ kind: MountedFileSystem) throws {
        try on(kind) { machine in
            guard let injector = try Injector(machine) else { return }
            try prepare(machine, kind)
            try machine.shell(
                "mkdir fresh; cp -a a disk/b store fresh/; printf 'the user saves' >u")
            let count = try injector.count(machine, ["sync", "disk/b"])
            try #require(count > 10)
            for (index, point) in Injector.spread(Self.points + 2, to: count).enumerated() {
                try machine.shell(
                    "rm -rf a disk/b store; cp -a fresh/b disk/; cp -a fresh/a fresh/store .")
                let isKill = index.isMultiple(of: 2)
                let save = "cp u disk/b/.u && mv disk/b/.u disk/b/f1"
                let run = try injector.run(
                    machine, at: point, isKill ? .killBefore : .shell(save), ["sync", "disk/b"])
                #expect([137, 0, 3, 5, 99].contains(run.code), "\(kind) at \(point): \(run)")
                for replica in ["disk/b", "a", "disk/b", "a"] {
                    let healed = try machine.run("sync", replica)
                    #expect(healed.code == 0 || healed.code == 3, "\(kind) at \(point): \(healed)")
                }
                let left = try machine.shell("ls -A disk/b/.filesinki/staging").output
                #expect(left == "", "\(kind) at \(point): \(left)")
                try expectEqual(machine, kind)
                if !isKill {
                    let kept = try machine.shell("grep -rlx 'the user saves' a --exclude-dir=.f*")
                    #expect(kept.output != "", "\(kind) at \(point): the save is lost")
                }
            }
        }
    }

    @Test(
        "E2.3 of two names that fold to one here, or in a folder here, neither is lost on any device",
        arguments: MountedFileSystem.allCases.filter { $0.foldingFolder != nil })
    func folding(_ kind: MountedFileSystem) throws {
        let place = try #require(kind.foldingFolder)
        try on(kind) { machine in
            let made = try machine.shell(
                """
                set -e
                mkdir -p a/\(place)Docs a/\(place)docs
                (
                    cd a/\(place).; echo upper >README; echo lower >readme
                    echo 1 >Docs/one; echo 2 >docs/two; echo plain >plain
                )
                filesinki init a --remote store --device a; filesinki sync a
                """)
            try #require(made.code == 0, "\(made.talk)")
            let cloned = try machine.run("clone", "store", "disk/b", "--device", "b")
            #expect(cloned.code == 5, "\(cloned)")
            #expect(cloned.talk.contains("does not distinguish"), "\(cloned)")
            let log = try machine.shell("ls store/zones/files/log | wc -l").output
            for replica in ["disk/b", "a", "disk/b", "a"] { try machine.run("sync", replica) }
            // Nothing was published.
            #expect(try machine.shell("ls store/zones/files/log | wc -l").output == log)
            let whole = "cd a/\(place).; cat README readme Docs/one docs/two plain"
            #expect(try machine.shell(whole).output == "upper\nlower\n1\n2\nplain\n")
            try expectTwins(machine, place)
        }
    }

    /// Edits, deletions and renames of two names that are one in the folder `place` of `disk/b`.
    private func expectTwins(_ machine: Machine, _ place: String) throws {
        let (there, home) = ("a/\(place)", "disk/b/\(place)")
        let here = try machine.shell("cd \(home).; ls | grep -ix readme").output
        let (mine, twin) =
            here == "README\n" ? ("README", "readme") : ("readme", "README")
        try machine.shell("echo edited >\(home)\(mine)")
        for replica in ["disk/b", "a"] { try machine.run("sync", replica) }
        #expect(machine.read("\(there)\(mine)") == "edited\n")
        let other = machine.read("\(there)\(twin)")
        #expect(other == "upper\n" || other == "lower\n")
        let refused = try machine.shell("echo x >x; filesinki save --root disk/b \(place)\(twin) x")
        #expect(refused.code != 0, "\(refused)")
        #expect(machine.read("\(home)\(mine)") == "edited\n")
        try machine.shell(
            "echo 'edited there' >\(there)\(twin); filesinki sync a; filesinki sync disk/b")
        #expect(machine.read("\(home)\(mine)") == "edited\n")
        // When one of the two goes, the other one comes.
        try machine.shell("rm \(there)\(mine); filesinki sync a; filesinki sync disk/b")
        #expect(machine.read("\(home)\(twin)") == "edited there\n")
        #expect(try machine.shell("cd \(home).; ls | grep -ix readme").output == "\(twin)\n")
        // A name that only changes its case is renamed here, too.
        try machine.shell("mv \(there)plain \(there)Plain; filesinki sync a")
        for _ in 0..<2 { try machine.run("sync", "disk/b") }
        #expect(try machine.shell("cd \(home).; ls | grep -ix plain").output == "Plain\n")
        for replica in ["a", "disk/b", "a"] { try machine.run("sync", replica) }
        #expect(machine.read("\(there)Plain") == "plain\n")
        #expect(machine.read("\(there)\(twin)") == "edited there\n")
        let docs = "cat \(there)Docs/one \(there)docs/two"
        #expect(try machine.shell(docs).output == "1\n2\n")
    }

    /// Two replicas, of which `a` is ahead by one of everything.
    private func prepare(_ machine: Machine, _ kind: MountedFileSystem) throws {
        let links = kind.hasLinks ? "ln -s f1 link" : ":"
        let made = try machine.shell(
            """
            set -e
            mkdir -p a/d; cd a; for n in 1 2 3 4 5 6; do echo "base $n" >f$n; done
            echo x >d/x; \(links); cd ..
            filesinki init a --remote store --device a; filesinki sync a
            filesinki clone store disk/b --device b
            cd a; echo 'a edits' >f1; rm f2; mv f3 g3; mv d e; echo new >n
            \(kind.hasLinks ? "rm link; ln -s g3 link" : ":"); cd ..
            filesinki sync a
            """)
        try #require(made.code == 0, "\(kind): \(made.talk)")
    }

    private func expectEqual(_ machine: Machine, _ kind: MountedFileSystem) throws {
        let difference = try machine.shell("diff -r --no-dereference -x .filesinki a disk/b")
        #expect(difference.output == "", "\(kind)")
    }
}
