import Foundation
import Glibc
import Testing

/// The page of `ui`, served by the built program.
@Suite("The page", .onOwnThreads)
struct PageTests {
    private static let hasBrowser = access("/usr/bin/chromedriver", X_OK) == 0

    private static let versions = Machine.package + "/Tests/Browser/versions.py"

    /// Two replicas with five conflicts, a deleted folder, one in which something was deleted, a file with a hostile name
    /// and content, and a device with a hostile name.
    private func conflicts() throws -> Machine {
        let machine = try Machine.pair(
            #"""
            printf 'one\ntwo\nthree\n' >a/plan.txt; echo '{"size":1,"tab":1,"wrap":1}' >a/settings.json
            mkdir a/folder; echo x >a/folder/x; echo y >a/folder/y
            mkdir -p a/living/old; echo x >a/living/old/x; echo y >a/living/y; echo z >a/living/z
            python3 '\#(Self.versions)' a 0
            echo "<script>document.title='owned'</script>" \
                >"a/<img src=x onerror=\"document.title='owned'\">.html"
            """#)
        let made = try machine.shell(
            #"""
            filesinki delete --root a -r folder; filesinki delete --root a -r living/old living/y
            printf 'ONE\ntwo\n' >a/plan.txt; printf 'eins\ntwo\nthree\n' >b/plan.txt
            echo '{"size":5,"tab":2,"wrap":1}' >a/settings.json
            echo '{"size":7,"tab":1,"wrap":3}' >b/settings.json
            python3 '\#(Self.versions)' a 100; python3 '\#(Self.versions)' b 200
            filesinki init b --device '<i>desk'
            filesinki sync b; filesinki sync a
            """#)
        try #require(made.code == 3, "\(made)")
        return machine
    }

    /// Starts `ui`, and waits for its address.
    private func start(
        _ machine: Machine, _ replica: String = "a"
    ) throws -> (Machine.Running, address: String) {
        let running = try machine.start([Machine.binary, "ui", replica], input: "")
        for _ in 0..<600 {
            let text = machine.read(running.outputFile) ?? ""
            if text.hasSuffix("\n") { return (running, String(text.dropLast())) }
            usleep(100_000)
        }
        throw MachineError.noFile(ETIMEDOUT)
    }

    @Test(
        "a person resolves a conflict, restores a folder and sees what happens, in a browser",
        .enabled(if: hasBrowser, "chromedriver is not installed"))
    func browser() throws {
        let machine = try conflicts()
        let (running, address) = try start(machine)
        let script = Machine.package + "/Tests/Browser/page.py"
        let driven = try machine.shell("python3 '\(script)' '\(address)' a b")
        #expect(driven.code == 0, "\(driven.talk)")
        kill(running.process, SIGTERM)
        let ended = try machine.wait(for: running)
        #expect(ended.code == 0, "\(ended)")
    }

    @Test(
        "each conflict of one path is shown with its own version, and resolved alone, in a browser",
        .enabled(if: hasBrowser, "chromedriver is not installed"), arguments: ["a", "d"])
    func browserOfThree(_ replica: String) throws {
        let machine = try Machine.pair("echo race >a/race.txt")
        let made = try machine.shell(
            #"""
            filesinki clone store c --device c; filesinki clone store d --device d
            for name in a b c; do echo "race $name" >$name/race.txt; done
            filesinki sync a; filesinki sync b; filesinki sync c
            filesinki sync \#(replica)
            """#)
        try #require(made.code == 0, "\(made)")
        let (running, address) = try start(machine, replica)
        let driven = try machine.shell(
            "python3 '\(Machine.package)/Tests/Browser/three.py' '\(address)' \(replica) b c")
        #expect(driven.code == 0, "\(driven.talk)")
        kill(running.process, SIGTERM)
        _ = try machine.wait(for: running)
    }

    /// Drives the page of `a` with a script of `Tests/Browser`.
    private func drive(_ machine: Machine, _ script: String, _ words: String) throws {
        let (running, address) = try start(machine)
        let driven = try machine.shell(
            "python3 '\(Machine.package)/Tests/Browser/\(script)' '\(address)' a \(words)")
        #expect(driven.code == 0, "\(driven.talk)")
        kill(running.process, SIGTERM)
        _ = try machine.wait(for: running)
    }

    @Test(
        "the page says that the store was moved, and what came back all the same, in a browser",
        .enabled(if: hasBrowser, "chromedriver is not installed"))
    func browserOfMovedStore() throws {
        let machine = try Machine.pair("echo gone >a/gone; echo kept >a/kept")
        let made = try machine.shell(
            #"""
            set -e
            filesinki delete --root a gone; filesinki sync b
            filesinki remote set --root b "$PWD/new" --migrate
            """#)
        try #require(made.code == 0, "\(made)")
        try drive(machine, "moved.py", "new")
    }

    @Test(
        "a folder comes back after a question, as its last deletion or whole, in a browser",
        .enabled(if: hasBrowser, "chromedriver is not installed"))
    func browserOfDeletedFolders() throws {
        let machine = try Machine.pair(
            "mkdir a/photos a/notes a/again a/taken; touch a/taken/t a/again/u a/again/v a/photos/old a/photos/a a/photos/b a/notes/x a/notes/y a/notes/z; echo 1 >a/other"
        )
        let made = try machine.shell(
            #"""
            set -e
            filesinki delete --root a photos/old; echo 2 >a/other; filesinki sync a
            filesinki delete --root a -r photos; filesinki delete --root a notes/x notes/y
            filesinki delete --root a -r again; mkdir a/again; touch a/again/u a/again/v
            filesinki delete --root a -r taken; echo 1 >a/taken
            """#)
        try #require(made.code == 0, "\(made)")
        try drive(machine, "folders.py", "")
    }

    @Test(
        "what is not sent is listed by what happened to it, and what was deleted comes back, in a browser",
        .enabled(if: hasBrowser, "chromedriver is not installed"))
    func browserOfUnsentChanges() throws {
        let machine = try Machine.pair(
            "mkdir -p a/src a/twice/empty; touch a/src/x a/src/y a/other a/twice/first a/twice/second; echo 1 >a/edited"
        )
        let made = try machine.shell(
            #"""
            filesinki delete --root a twice/first
            rm -r a/src a/twice; echo 22 >a/edited; echo 1 >a/made
            """#)
        try #require(made.code == 0, "\(made)")
        try drive(machine, "unsent.py", "")
    }

    @Test(
        "the page says that the file in place of a conflict was deleted, in a browser",
        .enabled(if: hasBrowser, "chromedriver is not installed"))
    func browserOfEndedConflict() throws {
        let machine = try Machine.pair("echo base >a/file")
        let made = try machine.shell(
            "echo other >b/file; echo mine >a/file; filesinki sync b; filesinki sync a; true")
        try #require(made.code == 0, "\(made)")
        try drive(machine, "ended.py", "b")
    }

    @Test(
        "what was merged by hand in place is replaced after a question only, in a browser",
        .enabled(if: hasBrowser, "chromedriver is not installed"))
    func browserOfHandMerge() throws {
        let machine = try Machine.pair(
            "for name in one two three four; do echo base >a/$name; done")
        let made = try machine.shell(
            #"""
            for name in one two three; do echo other >b/$name; echo mine >a/$name; done
            filesinki sync b; filesinki sync a
            echo mine >a/four; filesinki sync a
            echo other >b/four; filesinki sync b; filesinki sync a
            echo 'by hand' >a/one; echo 'by hand' >a/four
            """#)
        try #require(made.code == 0, "\(made)")
        try drive(machine, "merged.py", "")
    }

    @Test(
        "what was merged by hand and synced is replaced after a question only, in a browser",
        .enabled(if: hasBrowser, "chromedriver is not installed"))
    func browserOfSyncedMerge() throws {
        let machine = try Machine.pair(
            "for name in place copy text left; do echo base >a/$name; done")
        let made = try machine.shell(
            #"""
            for name in place copy text; do echo mine >a/$name; echo other >b/$name; done
            filesinki sync a; filesinki sync b; filesinki sync a
            echo 'by hand' >b/place; echo other >b/left; filesinki sync b
            echo mine >a/left; filesinki sync a --strategy leave
            """#)
        try #require(made.code == 3, "\(made)")
        try drive(machine, "synced.py", "")
    }

    @Test(
        "the versions of other devices are listed by their names, in a browser",
        .enabled(if: hasBrowser, "chromedriver is not installed"))
    func browserOfOtherDevices() throws {
        let machine = try Machine.pair("for name in one two own; do echo base >a/$name; done")
        let made = try machine.shell(
            #"""
            filesinki clone store c --device c
            for name in one two; do echo from-b >b/$name; echo by-c >c/$name; done
            filesinki sync b; filesinki sync c; filesinki sync b; filesinki sync a
            """#)
        try #require(made.code == 0, "\(made)")
        try drive(machine, "others.py", "")
    }

    @Test(
        "the page says what a prune by the settings would free, in a browser",
        .enabled(if: hasBrowser, "chromedriver is not installed"))
    func browserOfPrune() throws {
        let machine = try Machine.pair("head -c 400000 /dev/urandom >a/big")
        let made = try machine.shell("head -c 400000 /dev/urandom >a/big; filesinki sync a")
        try #require(made.code == 0, "\(made)")
        try drive(machine, "prune.py", "")
    }

    @Test(
        "a person who has a token sees what a server holds, in a browser",
        .enabled(if: hasBrowser, "chromedriver is not installed"))
    func browserOfServer() throws {
        let machine = try Machine.pair(
            #"""
            printf 'one\n' >a/plan.txt
            echo "<script>document.title='owned'</script>" \
                >"a/<img src=x onerror=\"document.title='owned'\">.html"
            """#)
        let made = try machine.shell(
            #"""
            set -e
            printf 'one\ntwo\n' >a/plan.txt; filesinki sync a
            printf 'one\nthree\n' >a/plan.txt; filesinki sync a
            filesinki serve token make store anna --rights read -o anna.token
            """#)
        try #require(made.code == 0, "\(made)")
        let running = try machine.start(
            [Machine.binary, "serve", "store", "--listen", "127.0.0.1:0", "--ui", "--json"],
            input: "")
        let script = Machine.package + "/Tests/Browser/store.py"
        let driven = try machine.shell(
            #"""
            for _ in $(seq 600); do [ -s \#(running.outputFile) ] && break; sleep 0.1; done
            address=$(sed -n 's/.*"page":"\([^"]*\)".*/\1/p' \#(running.outputFile))
            python3 '\#(script)' "$address" "$(cat anna.token)"
            """#)
        #expect(driven.code == 0, "\(driven.talk)")
        kill(running.process, SIGTERM)
        let ended = try machine.wait(for: running)
        #expect(ended.code == 0, "\(ended)")
    }

    @Test func `the page ends with the command, also while it is open`() throws {
        let machine = try conflicts()
        let (running, address) = try start(machine)
        let script = #"""
            from http.client import HTTPConnection
            from os import kill
            from signal import SIGINT
            from sys import argv
            host, token = argv[1].removeprefix("http://").split("/#")
            def ask(method, path, body=None, secret=None):
                connection = HTTPConnection(host, timeout=60)
                fields = {"Authorization": f"Bearer {secret}"} if secret else {}
                connection.request(method, path, body, fields)
                return connection.getresponse()
            secret = ask("POST", "/session", token).read().decode()
            changes = ask("GET", "/changes", secret=secret)
            assert changes.readline() == b"hello\n"
            print(ask("POST", "/call/status", "{}", secret).read().decode())
            kill(int(argv[2]), SIGINT)
            while changes.readline(): pass
            """#
        try machine.write(script, to: "client.py")
        let client = try machine.shell("python3 client.py '\(address)' \(running.process)")
        #expect(client.code == 0, "\(client.talk)")
        #expect(client.output.contains(#""type":"status""#), "\(client)")
        #expect(client.output.contains(#""conflicts":5"#), "\(client)")
        let ended = try machine.wait(for: running)
        #expect(ended.code == 0, "\(ended)")
    }
}
