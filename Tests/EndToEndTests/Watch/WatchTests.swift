import FilesinkiTesting
import Glibc
import Testing

@Suite("The watch as a process", .onOwnThreads, .serialized)
struct WatchTests {
    @Test("two watches keep two replicas in sync")
    func inStep() throws {
        let machine = try Machine.pair("mkdir a/d; echo 1 >a/f; echo 2 >a/d/g")
        let watches = [try machine.watch("a"), try machine.watch("b")]
        try machine.shell("echo edited >a/f; mkdir -p b/x/y/z; echo deep >b/x/y/z/n; mv b/d b/e")
        #expect(
            try pollUntil {
                try machine.difference.isEmpty && machine.read("b/f") == "edited\n"
                    && machine.read("a/x/y/z/n") == "deep\n" && machine.read("a/e/g") == "2\n"
            }, "\((try? machine.difference) ?? "")")
        try machine.shell("rm -r b/x; echo more >>b/f")
        #expect(pollUntil { machine.read("a/f") == "edited\nmore\n" })
        #expect(pollUntil { machine.read("a/x/y/z/n") == nil })
        for watch in watches { try machine.end(watch) }
        try machine.expectEqual()
        try machine.expectNoCopies()
    }

    @Test("SIGTERM and SIGINT end a watch with 0", arguments: [SIGTERM, SIGINT])
    func signals(_ signal: Int32) throws {
        let machine = try Machine.pair("echo 1 >a/f")
        let finished = try machine.end(try machine.watch("a"), signal)
        #expect(finished.output == "")
    }

    @Test("SIGTERM during a run lets the run and the user's command finish")
    func finishing() throws {
        let machine = try Machine.pair("echo 1 >a/f")
        try machine.shell("mkfifo go")
        // The command waits until it may go on.
        let watch = try machine.watch("a", "--exec", "cat >heard; cat go; echo done >done")
        try machine.shell("head -c 64M /dev/urandom >large; mv large a/large")
        let isInFlight = try pollUntil {
            try !machine.shell("find store -type f -size +1M").output.isEmpty
        }
        #expect(isInFlight)
        #expect(kill(watch.running.process, SIGTERM) == 0)
        try #require(pollUntil { machine.read("heard")?.contains("large") == true })
        try machine.shell("echo >go")
        let finished = try machine.wait(for: watch.running)
        #expect(finished.code == 0, "\(finished)")
        #expect(machine.read("done") == "done\n")
        try machine.sync("b")
        try machine.expectEqual(seconds: 1)
    }

    @Test("a second watch exits with 75 and names the process that watches")
    func second() throws {
        let machine = try Machine.pair("echo 1 >a/f")
        let watch = try machine.watch("a")
        let other = try machine.run("watch", "a")
        #expect(other.code == 75)
        #expect(other.talk.contains("process \(watch.running.process)"))
        try machine.end(watch)
    }

    @Test("other commands work while a watch runs")
    func beside() throws {
        let machine = try Machine.pair("echo 1 >a/f")
        let watch = try machine.watch("a")
        for number in 0..<10 {
            try machine.write("\(number)", to: "a/n\(number)")
            #expect(try machine.run("sync", "a", "--lock-wait", "60s").code == 0)
            let save = try machine.run(
                "save", "--root", "a", "--lock-wait", "60s", "s\(number)", input: "saved")
            #expect(save.code == 0, "\(save.talk)")
            #expect(try machine.run("status", "a").code == 0)
        }
        // Its manifest is still the one that the other commands use.
        let files = "/proc/\(watch.running.process)/fd"
        let removed = try machine.shell("ls -l \(files) | grep 'manifest.*(deleted)' || true")
        #expect(removed.output == "")
        try machine.write("later", to: "a/later")
        let isSent = try pollUntil {
            try machine.run("sync", "b").code == 0 && machine.read("b/later") == "later"
        }
        #expect(isSent, "\(machine.talk(of: watch.running))")
        let finished = try machine.end(watch)
        #expect(!finished.talk.contains("Cannot use"))
        try machine.sync("a", "b", "a")
        try machine.expectEqual()
    }

    @Test("a killed watch leaves nothing to clean up")
    func killed() throws {
        let machine = try Machine.pair("for n in $(seq 50); do echo $n >a/f$n; done")
        let other = try machine.watch("b")
        for round in 0..<5 {
            let watch = try machine.watch("a")
            try machine.shell(
                "for n in $(seq 1 3 50); do echo \(round) >>a/f$n; done; rm -f a/f\(round + 40)")
            // The moment of the kill is what varies.
            usleep(UInt32.random(in: 0...150_000))
            #expect(kill(watch.running.process, SIGKILL) == 0)
            #expect(try machine.wait(for: watch.running).code == 128 + SIGKILL)
        }
        let watch = try machine.watch("a")
        try machine.expectEqual()
        for watch in [watch, other] { try machine.end(watch) }
        try machine.expectNoCopies()
    }

    @Test("a watch retries while the store is unavailable, and misses nothing")
    func away() throws {
        let machine = try Machine.pair("echo 1 >a/f")
        let watches = [try machine.watch("a"), try machine.watch("b")]
        #expect(rename(machine.folder + "/store", machine.folder + "/gone") == 0)
        try machine.write("while away", to: "a/f")
        try machine.write("also", to: "b/g")
        #expect(
            pollUntil {
                machine.talk(of: watches[0].running).contains("The changes are kept here")
            })
        #expect(rename(machine.folder + "/gone", machine.folder + "/store") == 0)
        #expect(
            pollUntil {
                machine.read("b/f") == "while away" && machine.read("a/g") == "also"
            })
        for watch in watches { try machine.end(watch) }
        #expect(machine.talk(of: watches[0].running).contains("Connected again"))
    }

    @Test("the --exec command reads each batch as JSON lines on its standard input")
    func hook() throws {
        let machine = try Machine.pair("echo 1 >a/f; echo 2 >a/gone")
        let watch = try machine.watch("b", "--exec", "cat >>events")
        let hook = try machine.watch("a", "--exec", "cat >>\(machine.folder)/own")
        let name = "it's; $(touch hacked) \"é"
        try machine.write("x", to: "a/" + name)
        unlink(machine.folder + "/a/gone")
        #expect(
            pollUntil {
                let events = machine.read("events") ?? ""
                return events.contains(
                    "\"type\":\"changed\",\"path\":\"it's; $(touch hacked) \\\"é\"")
                    && events.contains("\"type\":\"deleted\",\"path\":\"gone\"")
            }, "\(machine.read("events") ?? "none")")
        #expect(pollUntil { machine.read("own")?.contains("\"own\":true") == true })
        for watch in [watch, hook] { try machine.end(watch) }
        #expect(access(machine.folder + "/hacked", F_OK) != 0)
        #expect(access(machine.folder + "/b/hacked", F_OK) != 0)
    }

    @Test("the --on-conflict command is run once for a conflict, here and on the other device")
    func conflictHook() throws {
        let machine = try Machine.pair("echo 1 >a/f")
        try machine.shell("echo 2 >a/f; echo 3 >b/f")
        try machine.sync("a")
        let watches = try ["b", "a"].map { name in
            try machine.watch(
                name, "--on-conflict", "echo \"$FILESINKI_ROOT: $FILESINKI_PATH\" >>heard-\(name)")
        }
        func isHeard(_ name: String) -> Bool {
            machine.read("heard-" + name) == "\(machine.folder)/\(name): f\n"
        }
        #expect(pollUntil { isHeard("b") && isHeard("a") })
        try machine.write("x", to: "b/later")
        #expect(pollUntil { machine.read("a/later") == "x" })
        for watch in watches { try machine.end(watch) }
        #expect(isHeard("b") && isHeard("a"))
    }

    @Test func `its command blocks no signal, and a broken pipe ends it`() throws {
        let machine = try Machine.pair("echo 1 >a/f")
        let command = """
            grep SigBlk /proc/self/status >signals; sh -c 'kill -PIPE $$'; echo $? >>signals
            """
        let watch = try machine.watch("a", "--exec", command)
        try machine.write("2", to: "a/f")
        let wanted = "SigBlk:\t0000000000000000\n\(128 + SIGPIPE)\n"
        #expect(pollUntil { machine.read("signals") == wanted })
        try machine.end(watch)
    }

    @Test("with --json events are printed as they happen")
    func json() throws {
        let machine = try Machine.pair("echo 1 >a/f")
        let watch = try machine.watch("b", "--json")
        try machine.write("2", to: "a/f")
        try machine.sync("a")
        #expect(
            pollUntil {
                let lines = machine.output(of: watch.running).split(separator: "\n")
                return lines.contains { $0.hasPrefix("{\"type\":\"changed\",\"path\":\"f\"") }
                    && lines.contains { $0.hasPrefix("{\"type\":\"result\"") }
            })
        try machine.end(watch)
    }

    @Test("a watch runs with an empty environment and no standard input")
    func bare() throws {
        let machine = try Machine.pair("echo 1 >a/f")
        let running = try machine.start(
            ["/usr/bin/env", "-i", Machine.binary, "watch", "a", "-v"], input: "")
        #expect(pollUntil { machine.talk(of: running).contains("Watching") })
        try machine.write("2", to: "a/f")
        #expect(
            try pollUntil {
                try machine.run("sync", "b").code == 0 && machine.read("b/f") == "2"
            })
        #expect(kill(running.process, SIGTERM) == 0)
        #expect(try machine.wait(for: running).code == 0)
    }

    @Test("rules are reloaded when they change, and on SIGHUP")
    func rules() throws {
        let machine = try Machine.pair("echo 1 >a/f")
        let watch = try machine.watch("a")
        #expect(kill(watch.running.process, SIGHUP) == 0)
        #expect(
            pollUntil {
                machine.talk(of: watch.running).contains("Reloaded the rules")
            })
        try machine.shell("echo '*.log' >a/.filesinkiignore; sleep 0; echo x >a/x.log; echo y >a/y")
        #expect(
            try pollUntil {
                try machine.run("sync", "b").code == 0 && machine.read("b/y") == "y\n"
            })
        #expect(machine.read("b/x.log") == nil)
        try machine.end(watch)
    }
}
