import Glibc
import Testing

/// Disks that are full and folders that may not be read or written: the documented exit code, a
/// message that names the path and what to do, nothing lost, and the other paths done.
@Suite("Full disks and folders without permission", .onOwnThreads, .serialized)
struct HostileDiskTests {
    /// Mounts a small file system in memory over a folder; no, with a word, where that is forbidden.
    private func mount(_ machine: Machine, _ folder: String) throws -> Bool {
        let line = "mkdir -p \(folder) && mount -t tmpfs -o size=1m tmpfs \(folder)"
        if try machine.shell(line).code == 0 { return true }
        print("left out: only root may mount a small disk")
        return false
    }

    private func unmount(_ machine: Machine, _ folder: String) {
        _ = try? machine.shell("umount -l \(folder)")
    }

    @Test("a full disk under the root exits with 5 or 6, completes the rest and needs only space")
    func fullRoot() throws {
        let machine = try Machine()
        guard try mount(machine, "b") else { return }
        defer { unmount(machine, "b") }
        let made = try machine.shell(
            """
            set -e
            mkdir a; echo small >a/small; filesinki init a --remote store --device a; filesinki sync a
            filesinki clone store b --device b
            head -c 3000000 /dev/urandom >a/large; echo more >a/more; filesinki sync a
            """)
        try #require(made.code == 0, "\(made.talk)")
        let full = try machine.run("sync", "b")
        #expect(full.code == 5 || full.code == 6, "\(full)")
        #expect(full.talk.contains("large"), "\(full.talk)")
        #expect(full.talk.contains("Free some space"), "\(full.talk)")
        #expect(machine.read("b/more") == "more\n")
        #expect(machine.read("b/small") == "small\n")
        #expect(machine.read("b/large") == nil)
        #expect(try machine.run("sync", "a").code == 0)
        #expect(try machine.shell("test -s a/large").code == 0)
        let healed = try machine.shell("mount -o remount,size=20m b && filesinki sync b")
        #expect(healed.code == 0, "\(healed.talk)")
        #expect(try machine.shell("diff -r -x .filesinki a b").output == "")
    }

    @Test("a full disk under the store exits with 6, writes nothing partial and needs only space")
    func fullStore() throws {
        let machine = try Machine()
        guard try mount(machine, "disk") else { return }
        defer { unmount(machine, "disk") }
        let made = try machine.shell(
            """
            set -e
            mkdir a; echo small >a/small; filesinki init a --remote disk/store --device a
            filesinki sync a; filesinki clone disk/store b --device b
            head -c 3000000 /dev/urandom >a/large; echo more >a/more
            """)
        try #require(made.code == 0, "\(made.talk)")
        let full = try machine.run("sync", "a")
        #expect(full.code == 6, "\(full)")
        #expect(full.talk.contains("Free some space"), "\(full.talk)")
        #expect(try machine.run("sync", "b").code == 0)
        #expect(machine.read("b/large") == nil)
        #expect(machine.read("a/more") == "more\n")
        let healed = try machine.shell(
            "mount -o remount,size=20m disk && filesinki sync a && filesinki sync b")
        #expect(healed.code == 0, "\(healed.talk)")
        #expect(try machine.shell("diff -r -x .filesinki a b").output == "")
    }

    @Test("what is known is read from a disk that is mounted read-only; what has to write says so")
    func readOnlyDisk() throws {
        let machine = try Machine()
        guard try mount(machine, "b") else { return }
        defer { unmount(machine, "b") }
        let made = try machine.shell(
            """
            set -e
            mkdir a; echo small >a/small; filesinki init a --remote store --device a; filesinki sync a
            filesinki clone store b --device b; mount -o remount,ro b
            """)
        try #require(made.code == 0, "\(made.talk)")
        for (line, output) in [
            ("ls --root b", "small\n"), ("load --root b small", "small\n"),
            ("load --offline --root b small", "small\n"), ("show --root b small@1", "small\n"),
            ("conflicts --root b", ""),
        ] {
            let read = try machine.shell("filesinki \(line)")
            #expect(read.code == 0 && read.output == output, "\(line): \(read)")
        }
        for line in ["status b", "log --root b small"] {
            let read = try machine.shell("filesinki \(line)")
            #expect(read.code == 0 && !read.output.isEmpty, "\(line): \(read)")
        }
        let written = try machine.run("sync", "b")
        #expect(written.code == 4 && written.talk.contains("read-only file system"), "\(written)")
        // A log without its index cannot be read there, and without it the manifest may be half of a transaction.
        let log = try machine.shell(
            "mount -o remount,rw b && echo log >b/.filesinki/manifest.sqlite-wal && mount -o remount,ro b && filesinki ls --root b"
        )
        #expect(log.code == 4 && log.talk.contains("read-only file system"), "\(log)")
    }

    /// Runs a line as somebody who is not root; nil, with a word, where there is no way to.
    private func asUser(_ machine: Machine, _ line: String) throws -> Machine.Finished? {
        guard geteuid() == 0 else { return try machine.shell(line) }
        let words = line.replacing("'", with: "'\\''")
        let user = "setpriv --reuid=65534 --regid=65534 --clear-groups"
        // Through a shell: setpriv itself may still enter a folder that is closed to the user.
        let program = "\(user) sh -c '\"$FILESINKI\" --version'"
        guard try machine.shell(program).code == 0 else {
            print("left out: nobody else may run the program here")
            return nil
        }
        return try machine.shell(
            "\(user) sh -c 'filesinki() { \"$FILESINKI\" \"$@\"; }; \(words)'")
    }

    private func readable(_ machine: Machine) throws {
        let made = try machine.shell(
            """
            set -e
            chmod 755 .; mkdir a; mkdir a/shut a/open; echo 1 >a/shut/f; echo 2 >a/open/f
            filesinki init a --remote store --device a; filesinki sync a
            filesinki clone store b --device b
            chmod -R a+rwX . ; chmod 755 a/shut b/shut
            """)
        try #require(made.code == 0, "\(made.talk)")
        if geteuid() == 0 { try machine.shell("chown -R 65534:65534 .") }
    }

    @Test("a read-only folder exits with 5 and its path; other paths are synced")
    func readOnly() throws {
        let machine = try Machine()
        try readable(machine)
        try machine.shell(
            "echo 11 >a/shut/f; echo new >a/shut/n; echo 22 >a/open/f; filesinki sync a")
        if geteuid() == 0 { try machine.shell("chown -R 65534:65534 .") }
        try machine.shell("chmod 555 b/shut")
        guard let run = try asUser(machine, "filesinki sync b") else { return }
        #expect(run.code == 5, "\(run)")
        #expect(run.talk.contains("shut/f") && run.talk.contains("shut/n"), "\(run.talk)")
        #expect(run.talk.lowercased().contains("permission"), "\(run.talk)")
        #expect(machine.read("b/open/f") == "22\n")
        #expect(machine.read("b/shut/f") == "1\n")
        try machine.shell("chmod 755 b/shut")
        let healed = try asUser(machine, "filesinki sync b && filesinki sync a")
        #expect(healed?.code == 0, "\(healed?.talk ?? "")")
        #expect(try machine.shell("diff -r -x .filesinki a b").output == "")
    }

    @Test("an unreadable folder or file exits with 5 and its path, and is never a deletion")
    func unreadable() throws {
        let machine = try Machine()
        try readable(machine)
        try machine.shell("chmod 000 b/shut; chmod 000 b/open/f; echo own >b/own")
        if geteuid() == 0 { try machine.shell("chown -R 65534:65534 .") }
        guard let run = try asUser(machine, "filesinki sync b") else { return }
        #expect(run.code == 5, "\(run)")
        #expect(run.talk.contains("shut"), "\(run.talk)")
        guard let other = try asUser(machine, "filesinki sync a") else { return }
        #expect(other.code == 0, "\(other.talk)")
        #expect(machine.read("a/shut/f") == "1\n")
        #expect(machine.read("a/open/f") == "2\n")
        #expect(machine.read("a/own") == "own\n")
        try machine.shell("chmod 755 b/shut; chmod 644 b/open/f")
        let healed = try asUser(machine, "filesinki sync b && filesinki sync a && filesinki sync b")
        #expect(healed?.code == 0, "\(healed?.talk ?? "")")
    }

    @Test("a read-only store exits with 7, and local changes stay pending")
    func readOnlyStore() throws {
        let machine = try Machine()
        try readable(machine)
        try machine.shell("chmod -R a-w store; echo new >a/new")
        if geteuid() == 0 { try machine.shell("chown 65534 a/new") }
        guard let run = try asUser(machine, "filesinki sync a") else { return }
        #expect(run.code == 7, "\(run)")
        #expect(run.talk.contains("permissions"), "\(run.talk)")
        #expect(machine.read("a/new") == "new\n")
        try machine.shell("chmod -R u+w store")
        let healed = try asUser(machine, "filesinki sync a && filesinki sync b")
        #expect(healed?.code == 0, "\(healed?.talk ?? "")")
        #expect(machine.read("b/new") == "new\n")
    }

    @Test("a damaged store has the documented exit codes")
    func damage() throws {
        let machine = try Machine()
        let made = try machine.shell(
            """
            set -e
            mkdir a; echo 1 >a/f; filesinki init a --remote store --device a; filesinki sync a
            head -c 600000 /dev/urandom >a/large; filesinki sync a; cp -a store sound
            """)
        try #require(made.code == 0, "\(made.talk)")
        let cases = [
            ("truncate -s 1000 $(find store/packs -type f | head -1)", "clone store c1", 5),
            (
                "truncate -s 100 $(find store/zones -path '*/log/*' -type f | head -1)",
                "clone store c2", 8
            ),
            (
                "sed -i 's/format = 1/format = 9/' $(find store -path '*filesinki*' -type f | head -1)",
                "clone store c3", 8
            ),
            ("mv store elsewhere", "sync a", 75),
        ]
        for (damage, command, code) in cases {
            let run = try machine.shell("\(damage); filesinki \(command)")
            #expect(Int(run.code) == code, "\(command) after \(damage): \(run)")
            #expect(!run.talk.isEmpty)
            #expect(machine.read("a/f") == "1\n")
            try machine.shell("rm -rf store elsewhere; cp -a sound store")
        }
        #expect(machine.read("c1/f") == "1\n")
        let healed = try machine.shell(
            "filesinki sync c1; filesinki sync a; diff -r -x .filesinki a c1")
        #expect(healed.output.contains("diff") == false, "\(healed)")
        #expect(healed.code == 0, "\(healed)")
    }
}
