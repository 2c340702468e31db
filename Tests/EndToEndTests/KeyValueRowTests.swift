import FilesinkiTesting
import Foundation
import Glibc
import Testing

/// Rows of the key-value store that need a process which is at work, or several of them.
@Suite("Rows of the key-value store, with processes", .onOwnThreads)
struct KeyValueRowTests {
    private func pair() throws -> Machine {
        let machine = try Machine()
        let made = try machine.shell(
            """
            set -e
            filesinki init a --remote store --device a; filesinki init b --remote store --device b
            """)
        try #require(made.code == 0, "\(made.talk)")
        return machine
    }

    @Test("KV-05 a value set by a running process survives a kill of it")
    func killedWhileRunning() throws {
        let machine = try pair()
        try machine.shell("mv store away")
        // It has stored the value, and waits for the remote.
        let setting = try machine.start(
            [
                Machine.binary, "kv", "set", "--root", "a", "k", "1", "--wait", "--timeout", "10m",
            ], input: "")
        #expect(
            try pollUntil { try machine.run("kv", "get", "--root", "a", "k").output == "1\n" })
        // Nobody has ended it: the signal reaches a process that is at work.
        #expect(kill(setting.process, 0) == 0)
        #expect(kill(setting.process, SIGKILL) == 0)
        #expect(try machine.wait(for: setting).code == 128 + SIGKILL)
        #expect(try machine.run("kv", "get", "--root", "a", "k").output == "1\n")
        try machine.shell("mv away store; filesinki kv sync --root a; filesinki kv sync --root b")
        #expect(try machine.run("kv", "get", "--root", "b", "k").output == "1\n")
    }

    @Test("KV-05 kv set killed at any system call has either happened or not")
    func killedAtEachCall() throws {
        let machine = try pair()
        guard let injector = try Injector(machine) else { return }
        try machine.run("kv", "set", "--root", "a", "k", "first")
        let arguments = ["kv", "set", "--root", "a", "k"]
        let last = try injector.count(machine, arguments + ["first-again"])
        #expect(last > 5)
        var former = "first-again"
        let wanted = knob("FILESINKI_KILL_POINTS", otherwise: 5)
        for point in Injector.spread(wanted, to: last) {
            let run = try injector.run(machine, at: point, .killBefore, arguments + ["v\(point)"])
            #expect(run.code == 128 + SIGKILL || run.code == Injector.neverReached || run.code == 0)
            let found = try machine.run("kv", "get", "--root", "a", "k").output
            #expect(found == former + "\n" || found == "v\(point)\n", "at call \(point)")
            former = String(found.dropLast())
        }
        // What was acknowledged after all the kills is published, and comes to the other device.
        #expect(try machine.run("kv", "set", "--root", "a", "k", "end").code == 0)
        #expect(try machine.run("kv", "sync", "--root", "b").code == 0)
        #expect(try machine.run("kv", "get", "--root", "b", "k").output == "end\n")
    }

    @Test(
        "ZE-05 a watching bridge syncs its own keys, each to its file, and no others")
    func bridgedKeys() throws {
        let machine = try pair()
        try machine.write(#"{"theme": "dark", "mine": 1}"#, to: "one.json")
        try machine.write("size=7\nother=1\n", to: "two.env")
        let bridges = try [("one.json", "theme"), ("two.env", "size")].map { file, keys in
            try machine.start(
                [
                    Machine.binary, "kv", "bridge", "--root", "b", file, "--keys", keys, "--watch",
                    "-v",
                ], input: "")
        }
        let list = {
            try machine.shell("filesinki kv sync --root a; filesinki kv list --root a").output
        }
        #expect(try pollUntil { try list() == "size\t7\ntheme\tdark\n" })
        // From another device into each file, and only the keys that are its own.
        try machine.shell("filesinki kv set --root a theme=light size=8 mine=2 other=2")
        #expect(pollUntil { machine.read("one.json")?.contains(#""theme": "light""#) == true })
        #expect(pollUntil { machine.read("two.env")?.contains("size=8") == true })
        // From a file to the store, and only that key; a deletion, too.
        try machine.write(#"{"theme": "blue", "mine": 3, "new": 4}"#, to: "new.json")
        try machine.shell("mv new.json one.json")
        try machine.write("other=5\n", to: "new.env")
        try machine.shell("mv new.env two.env")
        #expect(try pollUntil { try list() == "mine\t2\nother\t2\ntheme\tblue\n" })
        #expect(machine.read("one.json")?.contains(#""mine": 3"#) == true)
        #expect(machine.read("two.env") == "other=5\n")
        for bridge in bridges {
            kill(bridge.process, SIGTERM)
            let ended = try machine.wait(for: bridge)
            #expect(ended.code == 143)
            // What `debugEnabled` is there.
            #expect(ended.talk.contains("keys read from the file"), "\(ended.talk)")
        }
    }

    @Test("KV-14 a merge command of this device merges a key on this device only")
    func mergeCommand() throws {
        let machine = try pair()
        let run = try machine.shell(
            #"""
            set -e; kv() { filesinki kv "$@"; }
            kv set --root a k base; kv sync --root b
            # Only b merges by a command; its text is no part of what is published.
            kv set --root b k --merge 'exec:printf "%%s" "$(cat %O)+$(cat %A)+$(cat %B)" >%A'
            kv set --root a k there
            mv store away; kv set --root b k here; mv away store
            kv sync --root b; kv sync --root a
            kv get --root a k; kv get --root b k
            kv get --root b k --json | grep -c '"merge":"newest".*"merge_command":"printf'
            kv get --root a k --json | grep -c merge_command || true
            grep -r 'printf' store | wc -l
            """#)
        #expect(run.code == 0, "\(run.talk)")
        #expect(run.output == "base+here+there\nbase+here+there\n1\n0\n0\n")
    }

    @Test(
        "KV-14 when a merge command declines, fails or prints garbage, the published rule decides")
    func decliningCommand() throws {
        let machine = try pair()
        let run = try machine.shell(
            #"""
            kv() { filesinki kv "$@"; }
            kv set --root a declines=1 fails=1 nonsense=1 kept=1 --type int; kv sync --root b
            kv set --root b declines --merge 'exec:exit 1'
            kv set --root b fails --merge 'exec:exit 7'
            kv set --root b nonsense --merge 'exec:echo many >%A'
            kv set --root b kept --merge 'exec:echo 77 >%A'; kv set --root b kept --merge max
            kv set --root a declines=5 fails=5 nonsense=5 kept=5 --type int
            mv store away
            kv set --root b declines=9 fails=9 nonsense=9 kept=9 --type int
            mv away store
            kv sync --root b; echo $?; kv list --root b
            kv set --root b none --merge max; echo $?; kv set --root b k v --merge bogus; echo $?
            """#)
        // 5: two commands did not do what they were to do, and that is said.
        #expect(
            run.output == "5\ndeclines\t9\nfails\t9\nkept\t9\nnonsense\t9\n2\n2\n", "\(run.talk)")
        #expect(run.talk.contains("fails: The merge command failed with exit code 7."))
        #expect(run.talk.contains("nonsense: The merge command left a result"))
        #expect(!run.talk.contains("declines:"))
    }

    @Test("KV-06 a watch polls the remote once per interval, and reports local changes at once")
    func minimumInterval() throws {
        let machine = try pair()
        try machine.run("kv", "set", "--root", "a", "first", "1")
        let watch = try machine.start(
            [
                Machine.binary, "kv", "watch", "--root", "b", "--min-interval", "1h", "--own",
            ], input: "")
        // The first exchange is made at once; the next one would be in an hour.
        #expect(pollUntil { machine.read(watch.outputFile)?.contains("first") == true })
        try machine.run("kv", "set", "--root", "a", "second", "2")
        // Who sets something here while the remote is away brings nothing from there.
        try machine.shell("mv store away; filesinki kv set --root b own 1; mv away store")
        #expect(pollUntil { machine.read(watch.outputFile)?.contains("own") == true })
        #expect(machine.read(watch.outputFile)?.contains("second") == false)
        // Another process of this device fetches it: that is reported without an exchange.
        try machine.shell("filesinki kv sync --root b")
        #expect(pollUntil { machine.read(watch.outputFile)?.contains("second") == true })
        kill(watch.process, SIGTERM)
        #expect(try machine.wait(for: watch).code == 143)
        #expect(
            try machine.run("kv", "watch", "--root", "b", "--min-interval", "soon").code == 2)
    }
}
