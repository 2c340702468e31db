import FilesinkiCommands
import Testing

@Suite("devices and trust")
struct DeviceAnswerTests {
    /// A replica `a` without a remote.
    private static func lone() async throws -> World {
        let world = try World()
        try world.write("1\n", to: "a/x")
        try #require(try await world.run("init", "a").code == .done)
        return world
    }

    @Test("a device is forgotten by its name, and this one comes back with its next sync")
    func forget() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ devices --root a
            a  …  seen @1  …  acknowledged @1  this one
            b  …  seen @1  …  acknowledged @1
            $ devices forget nobody --root a
            ! filesinki: nobody: No device has this name. See them, with their ids, with filesinki devices --root WORLD/a.
            = 1
            $ devices forget b --root a
            ! Forgot b.
            $ devices forget b --root a
            ! filesinki: b: No device has this name. See them, with their ids, with filesinki devices --root WORLD/a.
            = 1
            $ devices forget b --root a --json
            {"type":"failure","path":"b","code":"not-found","message":"No device has this name.","remedy":"See them, with their ids, with filesinki devices."}
            ! filesinki: b: No device has this name. See them, with their ids, with filesinki devices --root WORLD/a.
            = 1
            $ devices forget a --root a
            ! Forgot a.
            ! It is the device of this replica, and the next sync here adds it again. To end the use of the replica, run filesinki deinit --root WORLD/a.
            $ devices --root a
            ! The store knows no device. A device is added by its next sync.
            = 1
            $ sync a
            $ devices --root a
            a  …  seen @1  …  acknowledged @1  this one
            $ devices forget --root a
            ! filesinki: Missing expected argument '<name>'
            ! Help:  <name>  The device's name, or 8 digits of its id or more.
            ! Usage: filesinki devices forget <name> [--root <dir>] [--state <dir>]
            !          [--lock-wait <time>] [--timeout <time>] [--json] [--quiet] [--verbose]
            !          [--color <when>] [--progress <when>]
            !   See 'filesinki devices forget --help' for more information.
            = 2
            $ devices list x --root a
            ! filesinki: Unexpected argument 'x'
            ! To name the replica, add --root DIR.
            ! Usage: filesinki devices list [--root <dir>] [--state <dir>]
            !          [--lock-wait <time>] [--timeout <time>] [--json] [--quiet] [--verbose]
            !          [--color <when>] [--progress <when>]
            !   See 'filesinki devices list --help' for more information.
            = 2
            """#)
    }

    @Test("fewer than 8 digits are no id: another device could have them")
    func shortID() async throws {
        let world = try await ReplicaTests.pair()
        let lines = try await world.expect("devices --root a").lines
        let id = try #require(
            lines.first { $0.hasPrefix("b ") }?.split(separator: " ").dropFirst().first)
        #expect(id.count == 8)
        for digits in [2, 7] {
            try await world.expect("devices forget --root a \(id.prefix(digits))", .negative)
        }
        try await world.expect("devices forget --root a \(id)")
        #expect(try await world.expect("devices --root a").lines.count == 1)
    }

    @Test("the objects of devices")
    func json() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ devices --root a --json
            {"type":"device","device":"a","device_id":"…","seen":1,"time":"…","acknowledged":1,"acknowledged_time":"…","this":true}
            {"type":"device","device":"b","device_id":"…","seen":1,"time":"…","acknowledged":1,"acknowledged_time":"…","this":false}
            $ devices forget b --root a --json
            {"type":"forgotten","device":"b","this":false}
            ! Forgot b.
            $ devices forget a --root a --json
            {"type":"forgotten","device":"a","this":true}
            ! Forgot a.
            ! It is the device of this replica, and the next sync here adds it again. To end the use of the replica, run filesinki deinit --root WORLD/a.
            """#)
    }

    @Test("without a remote there are no devices")
    func lone() async throws {
        try await Self.lone().follow(
            #"""
            $ devices --root a
            ! filesinki: WORLD/a: The replica has no remote. Set one with filesinki remote set --root WORLD/a URL.
            = 1
            $ devices forget a --root a
            ! filesinki: WORLD/a: The replica has no remote. Set one with filesinki remote set --root WORLD/a URL.
            = 1
            $ remote show --root a
            ! The replica WORLD/a has no remote. Set one with filesinki remote set --root WORLD/a URL.
            = 1
            $ remote show --root a --json
            {"type":"remote"}
            = 1
            $ check --root a
            ! filesinki: WORLD/a: The replica has no remote. Set one with filesinki remote set --root WORLD/a URL.
            = 1
            $ stats --root a
            ! filesinki: WORLD/a: The replica has no remote. Set one with filesinki remote set --root WORLD/a URL.
            = 1
            $ du --root a
            ! filesinki: WORLD/a: The replica has no remote. Set one with filesinki remote set --root WORLD/a URL.
            = 1
            $ key list --root a
            ! filesinki: WORLD/a: The replica has no remote. Set one with filesinki remote set --root WORLD/a URL.
            = 1
            $ prune --keep-last 1 --root a
            ! filesinki: WORLD/a: The replica has no remote. Set one with filesinki remote set --root WORLD/a URL.
            = 1
            $ repair --root a
            ! filesinki: WORLD/a: The replica has no remote. Set one with filesinki remote set --root WORLD/a URL.
            = 1
            $ log --root a
            ! filesinki: WORLD/a: The replica has no remote. Set one with filesinki remote set --root WORLD/a URL.
            = 1
            $ sync a
            ! filesinki: No remote is set. Set one with filesinki remote set --root WORLD/a URL.
            = 1
            $ sync a --json
            {"type":"result","exit":1,"plan":"","dry_run":false,"sequence":0,"steps":0,"published_commits":0,"sent_bytes":0,"received_bytes":0,"conflict_copies":0,"conflicts":0,"problems":0,"queued":true,"has_remote":false}
            = 1
            $ sync a -n
            ! filesinki: No remote is set. Set one with filesinki remote set --root WORLD/a URL.
            ! Nothing was changed.
            = 1
            $ status a --short
            1 pending
            """#)
    }

    @Test("trust lists the commands of the synced rules")
    func trust() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ trust --root a
            ! filesinki: .filesinki.toml: There are no synced rules. Rules are kept in this file in the root.
            = 1
            $ trust --show --root a
            ! filesinki: .filesinki.toml: There are no synced rules. Rules are kept in this file in the root.
            = 1
            $ trust --show --revoke --root a
            ! filesinki: Give --revoke or --show.
            ! Usage: filesinki trust [--revoke] [--show] [--root <dir>] [--state <dir>]
            !          [--lock-wait <time>] [--timeout <time>] [--json] [--quiet] [--verbose]
            !          [--color <when>] [--progress <when>]
            !   See 'filesinki trust --help' for more information.
            = 2
            $ write a/.filesinki.toml [[rule]]\nmatch = "*.txt"\nstrategy = "exec:merge-it %A"\n
            $ trust --show --root a
            exec:merge-it %A
            ! No command may run here.
            = 1
            $ trust --root a
            exec:merge-it %A
            ! These commands may run here.
            $ trust --show --root a
            exec:merge-it %A
            ! These commands may run here.
            $ trust --show --root a --json
            {"type":"trust","trusted":true}
            {"type":"command","command":"exec:merge-it %A"}
            ! These commands may run here.
            $ trust --revoke --root a
            exec:merge-it %A
            ! No command may run here.
            $ trust --show --root a --json
            {"type":"trust","trusted":false}
            {"type":"command","command":"exec:merge-it %A"}
            ! No command may run here.
            = 1
            $ trust --root a -q
            exec:merge-it %A
            $ write a/.filesinki.toml [[rule]]\nmatch = "*.txt"\nstrategy = "exec:other %A"\n
            $ trust --show --root a
            exec:other %A
            ! No command may run here.
            = 1
            """#)
    }

    @Test("trust of rules without a command says that there is none")
    func noCommands() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ write a/.filesinki.toml [[rule]]\nmatch = "*.txt"\nstrategy = "newest"\n
            $ trust --root a
            ! The synced rules have no commands.
            $ trust --revoke --root a
            ! No command may run here.
            """#)
    }
}
