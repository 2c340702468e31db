import FilesinkiTesting
import Testing

/// A user who saves, at any moment of a run, the very file that the run is about to change.
///
/// Every 47th call is tried, from another one on for each kind; `FILESINKI_RACE_STRIDE=1` tries all.
@Suite("A user's save during a run", .onOwnThreads, .serialized)
struct UserRaceTests {
    private static let stride = knob("FILESINKI_RACE_STRIDE", otherwise: 47)

    private func prepare(_ machine: Machine) throws {
        let made = try machine.shell(
            """
            set -e
            mkdir a; for n in edited deleted moved other; do echo "base $n" >a/$n; done
            filesinki init a --remote store --device a; filesinki sync a
            filesinki clone store b --device b
            echo 'a edits' >a/edited; rm a/deleted; echo 'a creates' >a/created; mv a/moved a/target
            filesinki sync a
            printf 'the user saves' >user; mkdir fresh; mv a b store fresh/
            """)
        try #require(made.code == 0, "\(made.talk)")
    }

    private func start(_ machine: Machine) throws {
        try machine.shell("rm -rf a b store; cp -a fresh/a fresh/b fresh/store .")
    }

    /// How a user's program saves a file.
    private static func save(_ style: String, _ file: String) -> String {
        switch style {
        case "in place": "cat user >b/\(file)"
        case "by renaming": "cp user b/.user.tmp && mv b/.user.tmp b/\(file)"
        default: "rm -f b/\(file) && cp user b/\(file)"
        }
    }

    @Test(
        "stays at the path, in a copy or in the history, and reaches the other replica",
        arguments: ["edited", "deleted", "created", "moved", "target"],
        ["in place", "by renaming"])
    func races(_ file: String, _ style: String) throws {
        try expectSaveKept(file, style, .whole, stride: Self.stride)
    }

    @Test(
        "E2.1 the same on a file system without rename flags",
        arguments: ["edited", "deleted", "created", "moved", "target"])
    func racesWithoutFlags(_ file: String) throws {
        try expectSaveKept(
            file, "by renaming", .noFlags, stride: Self.stride == 1 ? 1 : Self.stride + 6)
    }

    private func expectSaveKept(
        _ file: String, _ style: String, _ fileSystem: Injector.FileSystem, stride: Int
    ) throws {
        let machine = try Machine()
        guard let injector = try Injector(machine, playing: fileSystem) else { return }
        try prepare(machine)
        try start(machine)
        let count = try injector.count(machine, ["sync", "b"])
        try #require(count > 10, "\(count)")
        let line = Self.save(style, file)
        let first = 1 + (file.utf8.count * 7 + style.utf8.count * 3) % stride
        for point in Swift.stride(from: first, through: count, by: stride) {
            try start(machine)
            let what = "\(file), saved \(style), \(fileSystem.rawValue), at \(point) of \(count)"
            let run = try injector.run(machine, at: point, .shell(line), ["sync", "b"])
            #expect([0, 3, 5].contains(run.code), "\(what): \(run.talk)")
            for replica in ["b", "a", "b", "a"] {
                let code = try machine.run("sync", replica).code
                #expect(code == 0 || code == 3, "\(what)")
            }
            let equal = try machine.shell("diff -r -x .filesinki a b")
            #expect(equal.output == "", "\(what)")
            let kept = try machine.shell(
                "grep -rlx 'the user saves' a --exclude-dir=.filesinki | head -1"
            ).output
            #expect(kept != "", "\(what): the save is lost")
            let others = try machine.shell("grep -rhx 'a edits\\|a creates' a/edited* a/created*")
            let isReplaced = file == "edited" || file == "created"
            #expect(
                others.output.split(separator: "\n").count == 2 || isReplaced, "\(what)")
        }
    }
}
