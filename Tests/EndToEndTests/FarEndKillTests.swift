import FilesinkiTesting
import Glibc
import Testing

/// A filesinki at the far end of a connection, and the one that speaks to it: each is killed at any call, and the
/// next plain run goes on by itself.
///
/// There is no ssh. What ssh would run at a host is handed to a process of its own, as sshd is one, so that the two
/// ends do not die together.
///
/// `FILESINKI_FAR_KILL_POINTS` says how many points of each end; 2 unless it is set.
@Suite("Kills at both ends of a connection", .onOwnThreads, .serialized)
struct FarEndKillTests {
    private static let points = knob("FILESINKI_FAR_KILL_POINTS", otherwise: 2)

    /// Which end is killed.
    enum Victim: String, CaseIterable {
        case client = "the client"
        case farEnd = "the far end"
    }

    @Test(
        "a sync of which one end is killed at any system call needs only the next run",
        arguments: Victim.allCases)
    func kills(_ victim: Victim) throws {
        let machine = try Machine()
        guard let injector = try Injector(machine) else { return }
        let host = try FarHost(machine)
        let scene = KillScene(machine, remote: "host:\(machine.folder)/store")
        try scene.prepare()
        let command = ["sync", "b"]
        try scene.start(syncing: "a")
        let count: Int
        switch victim {
        case .client: count = try injector.count(machine, command)
        case .farEnd:
            try host.strike("-c")
            // Both sides have changed the same.
            #expect([0, 3].contains(try machine.run("sync", "b").code))
            count = try host.countOfCalls()
        }
        try #require(count > 10, "\(count)")
        try scene.expectHealed("\(victim.rawValue), not killed")
        for (index, point) in Injector.spread(Self.points + 2, to: count).dropFirst().dropLast()
            .enumerated()
        {
            try scene.start(syncing: "a")
            let isBefore = index.isMultiple(of: 2)
            let run: Machine.Finished
            switch victim {
            case .client:
                run = try injector.run(
                    machine, at: point, isBefore ? .killBefore : .killAfter, command)
                // The number of calls differs a little from run to run.
                #expect([137, 99].contains(run.code), "\(point) of \(count): \(run)")
            case .farEnd:
                try host.strike("-n \(point)\(isBefore ? "" : " -a")")
                run = try machine.run("sync", "b")
                // The client connects again; a far end that has no more to do may have ended well.
                #expect([0, 3, 75].contains(run.code), "\(point) of \(count): \(run)")
                #expect(host.hasStruck, "\(point) of \(count)")
            }
            try scene.expectHealed("\(victim.rawValue) killed at \(point) of \(count)")
        }
    }

    @Test("a clone makes one connection, with the command that the settings name")
    func oneConnection() throws {
        let machine = try Machine()
        let host = try FarHost(machine)
        try withExtendedLifetime(host) {
            let made = try machine.shell(
                """
                mkdir a; echo x >a/f; filesinki init a --remote host:$PWD/store --device a &&
                    filesinki sync a && : >connections && filesinki clone host:$PWD/store b --device b
                """)
            #expect(made.code == 0, "\(made.talk)")
            #expect(machine.read("b/f") == "x\n")
            #expect(machine.read("connections") == "connected\n")
        }
    }
}

/// The process that runs what ssh is asked for, and the command that stands for ssh in the user's settings.
final class FarHost {
    private let machine: Machine
    private let running: Machine.Running

    init(_ machine: Machine) throws {
        self.machine = machine
        try machine.write(Self.shell, to: "far-end")
        try machine.shell("mkdir -p config/filesinki")
        try machine.write(
            "ssh-command = \"python3 '\(Self.faults)/far-bridge.py' '\(machine.folder)'\"\n",
            to: "config/filesinki/config.toml")
        running = try machine.start(
            ["/usr/bin/env", "python3", Self.faults + "/far-host.py"], input: "")
        // It listens when its socket has this name.
        let ready = try machine.shell(
            "for n in $(seq 600); do [ -S host.socket ] && exit; sleep 0.05; done; exit 1")
        try #require(ready.code == 0, "\(machine.read(running.talkFile) ?? "")")
    }

    deinit {
        kill(running.process, SIGTERM)
        _ = try? machine.wait(for: running)
    }

    /// The next filesinki of the far end runs under `killat` with these options.
    func strike(_ options: String) throws { try machine.write(options + "\n", to: "strike") }

    /// The number that a far end under `-c` writes when it ends, which may be after its client.
    func countOfCalls() throws -> Int {
        let text = try machine.shell(
            "for n in $(seq 600); do [ -s points ] && break; sleep 0.05; done; cat points"
        ).output
        return Int(text.prefix { $0.isNumber }) ?? 0
    }

    /// Whether it did.
    var hasStruck: Bool { machine.read("strike") == nil }

    private static let faults = Machine.package + "/Tests/Faults"

    private static let shell = """
        # Runs what ssh was asked for; under killat if a test wants that.
        PATH=${FILESINKI%/*}:$PATH
        if [ -e strike ]; then
            read -r options <strike
            rm strike
            exec ./killat $options /bin/sh -c "$1" 3>points
        fi
        exec /bin/sh -c "$1"

        """
}
