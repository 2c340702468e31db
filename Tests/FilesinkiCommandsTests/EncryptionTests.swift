import FilesinkiCommands
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Foundation
import Synchronization
import Testing

/// Encrypted stores on the command line: nothing to read at the remote, everything as before here.
@Suite("Encrypted stores")
struct EncryptionTests {
    private let world: World

    /// Two replicas of an encrypted store, with small, large and many contents.
    init() async throws {
        world = try World()
        world.set("FILESINKI_PASSPHRASE", to: "correct horse")
        try world.write("a secret plan\n", to: "a/plan.txt")
        try world.write(
            noise(600_000), to: "a/large")
        for number in 0..<40 { try world.write("note \(number)\n", to: "a/notes/\(number)") }
        try await world.expect(["init", "a", "--remote", "store", "--encrypt", "--device", "a"])
        try await world.expect(["sync", "a"])
        try await world.expect(["clone", "store", "b", "--device", "b"])
    }

    /// The files of a folder, by their paths.
    private func files(in folder: String) -> [String: Data] {
        let root = URL(filePath: world.folder).appending(path: folder)
        let found = FileManager.default.enumerator(atPath: root.path) ?? .init()
        var files: [String: Data] = [:]
        for case let name as String in found where !name.hasPrefix(".filesinki") {
            files[name] = try? Data(contentsOf: root.appending(path: name))
        }
        return files
    }

    /// An empty remote that notes whether anything was written to it.
    private struct Untouched: Remote {
        let written: Flag

        var address: String { "http://untouched" }
        func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? { nil }

        func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
            written.set()
            return .mine
        }

        func put(_ bytes: [UInt8], to key: ObjectKey) async throws { written.set() }
        func list(
            prefix: String, after: ObjectKey?, limit: Int
        ) async throws -> [ObjectInfo] { [] }
        func delete(_ key: ObjectKey) async throws { written.set() }
        func wait(prefix: String, timeout: Duration) async throws {}
    }

    @Test("a passphrase that is missing is asked for before the remote is tested")
    func passphraseFirst() async throws {
        let written = Flag()
        let world = try World()
        world.network.connect = { _, _ in Untouched(written: written) }
        for place in ["http://untouched", "rclone:disk:x"] {
            // Where nobody sees the progress, and a provider may be slow, a line says so before.
            let outcome = try await world.run("init", "d", "--remote", place, "--encrypt")
            #expect(
                outcome.talk.contains("may take half a minute") == (place != "http://untouched"))
        }
        let outcome = try await world.run("init", "c", "--remote", "http://untouched", "--encrypt")
        #expect(outcome.code == .usage, "\(outcome.talk)")
        #expect(outcome.talk.contains("An encrypted store needs a passphrase."))
        #expect(!written.isSet)
    }

    @Test("two devices sync, save, restore and merge as with a plain store")
    func everyday() async throws {
        #expect(files(in: "a") == files(in: "b"))
        try world.write("first\nsame\nlast\n", to: "a/text")
        try await world.expect(["sync", "a"])
        try await world.expect(["sync", "b"])
        try world.write("FIRST\nsame\nlast\n", to: "a/text")
        try world.write("first\nsame\nLAST\n", to: "b/text")
        try await world.expect(["sync", "a"])
        try await world.expect(["sync", "b"])
        try await world.expect(["sync", "a"])
        #expect(world.readText("a/text") == "FIRST\nsame\nLAST\n")
        #expect(files(in: "a") == files(in: "b"))
        try await world.expect(["kv", "set", "colour", "blue", "--root", "a"])
        try await world.expect(["kv", "sync", "--root", "b"])
        #expect(
            try await world.expect(["kv", "get", "colour", "--root", "b"]).text.hasPrefix("blue"))
        try await world.expect(["restore", "--root", "b", "text@2"])
        let old = try await world.expect(["show", "--root", "b", "text@2"])
        #expect(old.text == "first\nsame\nlast\n")
        try await world.expect(["check", "--root", "a", "--read-data"])
    }

    @Test("the store shows no name and no content")
    func hidden() throws {
        let words = ["secret plan", "plan.txt", "notes", "note 1", "text"].map { Data($0.utf8) }
        for (name, bytes) in files(in: "store") {
            #expect(words.allSatisfy { bytes.range(of: $0) == nil }, "\(name)")
        }
    }

    @Test("without the passphrase, and with another one, nothing is read: 7")
    func locked() async throws {
        for passphrase in [nil, "correct horsf"] {
            world.set("FILESINKI_PASSPHRASE", to: passphrase)
            let outcome = try await world.expect(["clone", "store", "c"], .notAllowed)
            #expect(outcome.talk.contains("passphrase"))
            #expect(world.names(in: "c").isEmpty)
        }
        // The replica keeps the key.
        try world.write("more", to: "a/more")
        try await world.expect(["sync", "a"])
        world.remove("a/.filesinki/store-key")
        let lost = try await world.expect(["sync", "a"], .notAllowed)
        #expect(lost.talk.contains("lost the key"))
        world.set("FILESINKI_PASSPHRASE", to: "correct horse")
        try await world.expect(["remote", "set", "store", "--root", "a"])
        try await world.expect(["sync", "a"])
    }

    @Test("a plain store is refused where an encrypted one is expected: 7")
    func plainStore() async throws {
        try world.write("correct horse\n", to: "pass")
        chmod(world.folder + "/pass", 0o600)
        try await world.expect(["init", "p", "--remote", "plain"])
        try await world.expect(["clone", "plain", "c", "--passphrase-file", "pass"], .notAllowed)
        try await world.expect(["init", "d", "--remote", "plain", "--encrypt"], .notAllowed)
        try await world.expect(["clone", "plain", "e"])
        // A passphrase without --encrypt makes no plain store.
        try await world.expect(
            ["init", "f", "--remote", "none", "--passphrase-file", "pass"], .notAllowed)
        #expect(files(in: "none").isEmpty)
        // A hostile remote offers a plain description with the same id.
        let text = try #require(world.readText("store/filesinki/c"))
        let plain = try #require(world.readText("plain/filesinki/c"))
        try world.write(plain, to: "store/filesinki/c")
        try world.write("new", to: "a/new")
        #expect(try await world.run("sync", "a").code == .done, "the description is not read again")
        try await world.expect(["remote", "set", "store", "--root", "b"], .notAllowed)
        try world.write(text, to: "store/filesinki/c")
        let stored = files(in: "store").values
        #expect(stored.allSatisfy { $0.range(of: Data("new".utf8)) == nil })
    }

    @Test("keys are added, changed and removed, and the last one stays")
    func keys() async throws {
        try world.write("another one\n", to: "pass")
        try world.write((0..<32).map { UInt8($0) }, to: "key")
        for file in ["pass", "key"] { chmod(world.folder + "/" + file, 0o600) }
        let first = try await world.expect(["key", "--root", "a"]).text.prefix(8)
        let last = try await world.expect(["key", "remove", String(first), "--root", "a"], .usage)
        #expect(last.talk.contains("only key"))
        try await world.expect(["key", "add", "--root", "b", "--key-file", "key"])
        let ids = try await world.expect(["key", "list", "--root", "a"]).lines.map { $0.prefix(8) }
        #expect(ids.count == 2)
        let added = try #require(ids.first { $0 != first })
        try await world.expect([
            "key", "change", String(first), "--root", "a", "--passphrase-file", "pass",
        ])
        try await world.expect(["clone", "store", "c"], .notAllowed)
        try await world.expect(["clone", "store", "c", "--passphrase-file", "pass"])
        try await world.expect(["clone", "store", "d", "--key-file", "key"])
        #expect(files(in: "d") == files(in: "a"))
        try await world.expect(["key", "remove", "zz", "--root", "a"], .negative)
        try await world.expect(["key", "remove", String(added), "--root", "a"])
        try await world.expect(["clone", "store", "e", "--key-file", "key"], .notAllowed)
        #expect(try await world.expect(["key", "list", "--root", "a"]).lines.count == 1)
    }

    @Test("a changed bit, an exchanged or a cut object of the store is found: 8")
    func tampered() async throws {
        let sound = files(in: "store")
        let names = sound.keys.filter { !$0.hasPrefix("keys/") && !$0.hasPrefix("filesinki") }
            .sorted()
        for name in names {
            let bytes = [UInt8](try #require(sound[name]))
            for place in [9, bytes.count / 2, bytes.count - 1] {
                var damaged = bytes
                damaged[place] ^= 1
                try world.write(damaged, to: "store/" + name)
                try await world.expect(["check", "--root", "a", "--read-data"], .corrupt)
            }
            try world.write(bytes.dropLast(40), to: "store/" + name)
            try await world.expect(["check", "--root", "a", "--read-data"], .corrupt)
            try world.write(bytes, to: "store/" + name)
        }
        try await world.expect(["check", "--root", "a", "--read-data"])
    }

    @Test(
        "a changed bit of a key object is found: 8; repair removes it if the store has another key")
    func damagedKeys() async throws {
        let name = "store/keys/" + (try #require(world.names(in: "store/keys").first))
        let sound = try #require(world.read(name))
        for place in sound.indices {
            var damaged = sound
            damaged[place] ^= 1 << (place % 8)
            try world.write(damaged, to: name)
            try await world.expect(["check", "--root", "a"], .corrupt)
        }
        // The only key is kept: what is left of it may be of use.
        let kept = try await world.expect(["repair", "--root", "a"], .corrupt)
        #expect(kept.talk.contains("none of its keys can be read"))
        #expect(world.read(name) != nil)
        try world.write((0..<32).map { UInt8($0) }, to: "key")
        chmod(world.folder + "/key", 0o600)
        try await world.expect(["key", "add", "--root", "a", "--key-file", "key"])
        try await world.expect(["check", "--root", "a"], .corrupt)
        try await world.expect(["repair", "--root", "a"])
        #expect(world.read(name) == nil && world.names(in: "store/keys").count == 1)
        try await world.expect(["check", "--root", "a", "--read-data"])
        try await world.expect(["clone", "store", "c", "--key-file", "key"])
        // A key that is gone is a loss only if it was the last one.
        world.remove("store/keys/" + (try #require(world.names(in: "store/keys").first)))
        try await world.expect(["check", "--root", "a"], .corrupt)
    }

    @Test("statistics count the keys as a part of the store")
    func counted() async throws {
        let line = try await world.expect(["stats", "--root", "a", "--json"]).text
        #expect(line.contains(#"{"kind":"keys","count":1,"#) && !line.contains("foreign"))
    }

    @Test("repair heals a pack that was changed")
    func repaired() async throws {
        let pack = try #require(files(in: "store").keys.first { $0.hasPrefix("packs/") })
        var bytes = try #require(world.read("store/" + pack))
        bytes[bytes.count / 2] ^= 1
        try world.write(bytes, to: "store/" + pack)
        try await world.expect(["repair", "--root", "a"])
        try await world.expect(["check", "--root", "b", "--read-data"])
        try await world.expect(["clone", "store", "c"])
        #expect(files(in: "c") == files(in: "a"))
    }

    @Test("a decryptor in Python, written from the description of the format, reads the store")
    func python() async throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent()
        func run(_ script: String, _ arguments: String...) throws {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments =
                ["python3", tests.appending(path: "Reader/" + script).path] + arguments
            process.currentDirectoryURL = URL(filePath: world.folder)
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "\(script) \(arguments)")
        }
        try run("filesinki_unseal.py", "store", "plain", "--passphrase", "correct horse")
        try run("filesinki_reader.py", "verify", "plain")
        try run("filesinki_reader.py", "extract", "plain", "out")
        #expect(files(in: "out") == files(in: "a"))
    }

    @Test("a plain store is copied to an encrypted one, history included; devices go on there")
    func migrated() async throws {
        try world.write("one\n", to: "p/document")
        try await world.expect(["init", "p", "--remote", "plain", "--device", "p"])
        try await world.expect(["sync", "p"])
        try world.write("two\n", to: "p/document")
        try await world.expect(["sync", "p"])
        try await world.expect(["clone", "plain", "q", "--device", "q"])
        let moved = try await world.expect(
            ["remote", "set", "new", "--migrate", "--encrypt", "--root", "p"])
        #expect(
            moved.talk.contains("/new --passphrase-file FILE before it syncs"), "\(moved.talk)")
        let told = try await world.expect(["sync", "q"])
        #expect(told.talk.contains("/new --passphrase-file FILE."), "\(told.talk)")
        let status = try await world.expect(["status", "q"])
        #expect(status.text.contains("/new --passphrase-file FILE"), "\(status.text)")
        let json = try await world.expect(["status", "--json", "q"])
        #expect(json.text.contains(#""moved_option":"--passphrase-file FILE""#), "\(json.text)")
        #expect(try await world.expect(["remote", "--root", "p"]).text.contains("/new"))
        try world.write("three\n", to: "p/document")
        try await world.expect(["sync", "p"])
        #expect(try await world.expect(["show", "--root", "p", "document@1"]).text == "one\n")
        try await world.expect(["check", "--root", "p", "--read-data"])
        try await world.expect(["remote", "set", "new", "--root", "q"])
        try await world.expect(["sync", "q"])
        #expect(world.readText("q/document") == "three\n")
        #expect(files(in: "new").values.allSatisfy { $0.range(of: Data("document".utf8)) == nil })
        // To another encrypted place: the keys go with it.
        try await world.expect(["remote", "set", "newer", "--migrate", "--root", "q"])
        #expect(files(in: "newer").values.allSatisfy { $0.range(of: Data("document".utf8)) == nil })
        try await world.expect(["clone", "newer", "r"])
        #expect(files(in: "r") == files(in: "q"))
        // Another store is not overwritten.
        try await world.expect(["remote", "set", "store", "--migrate", "--root", "q"], .negative)
    }

    @Test("into a store that is not encrypted, an encrypted one is copied with --no-encrypt only")
    func copiedInPlainText() async throws {
        try world.write("one\n", to: "p/document")
        try await world.expect(["init", "p", "--remote", "plain", "--device", "p"])
        try await world.expect(["sync", "p"])
        try await world.expect(["remote", "set", "new", "--migrate", "--encrypt", "--root", "p"])
        try world.write("a secret\n", to: "p/hidden")
        try await world.expect(["sync", "p"])
        let before = files(in: "plain")
        let command = "filesinki remote set --root \(world.folder)/p"
        let back = ["remote", "set", "plain", "--migrate", "--root", "p"]
        for line in [back, back + ["--encrypt"]] {
            let refused = try await world.expect(line, .notAllowed).talk
            #expect(refused.contains("would be readable there. Nothing was copied."), "\(refused)")
            #expect(refused.contains("\(command) NEW --migrate."), "\(refused)")
            #expect(
                refused.contains("\(command) \(world.folder)/plain --migrate --no-encrypt."),
                "\(refused)")
        }
        let lacking = try await world.expect(
            ["remote", "set", "plain", "--root", "p"], .notAllowed)
        #expect(
            lacking.talk.contains(
                "in plain text, run \(command) \(world.folder)/plain --migrate --no-encrypt."),
            "\(lacking.talk)")
        #expect(files(in: "plain") == before)
        // Nor where an encrypted store is, or none.
        for place in ["new", "none"] {
            let line = ["remote", "set", place, "--migrate", "--no-encrypt", "--root", "p"]
            let refused = try await world.expect(line, .notAllowed)
            #expect(refused.talk.contains("eave --no-encrypt out."), "\(refused.talk)")
            #expect(files(in: "none").isEmpty)
        }
        #expect(try await world.expect(["remote", "--root", "p"]).text.contains("/new"))
        let copied = try await world.expect(back + ["--no-encrypt", "--json"])
        #expect(copied.text.contains(#""decrypted":true"#), "\(copied.text)")
        #expect(copied.talk.contains("The copy is not encrypted: whoever can"), "\(copied.talk)")
        try await world.expect(["clone", "plain", "s"])
        #expect(world.readText("s/hidden") == "a secret\n")
    }

    @Test("of a copy that only a key file opens, the note says so, also by who completes the move")
    func keyFileOfCopy() async throws {
        try world.write("one\n", to: "p/document")
        try await world.expect(["init", "p", "--remote", "plain", "--device", "p"])
        try await world.expect(["sync", "p"])
        for name in ["q", "r"] {
            try await world.expect(["clone", "plain", name, "--device", name])
        }
        try world.write((0..<32).map { UInt8($0) }, to: "key")
        chmod(world.folder + "/key", 0o600)
        let command = ["remote", "set", "new", "--migrate", "--encrypt", "--key-file", "key"]
        for name in ["p", "q"] {
            try await world.expect(command + ["--root", name])
            let told = try await world.expect(["sync", "r"])
            #expect(told.talk.contains("/new --key-file FILE."), "\(name): \(told.talk)")
            let json = try await world.expect(["status", "--json", "r"])
            #expect(json.text.contains(#""moved_option":"--key-file FILE""#), "\(json.text)")
            // The note is lost.
            removeTree(Array((world.folder + "/plain/moved").utf8))
            #expect(try await !world.expect(["sync", "r"]).talk.contains("was moved"))
        }
    }

    @Test("a migration that was interrupted is completed by the next one")
    func interruptedMigration() async throws {
        try await world.expect(["remote", "set", "new", "--migrate", "--root", "a"])
        for name in files(in: "new").keys where name.hasPrefix("filesinki") || name.contains("log")
        {
            world.remove("new/" + name)
        }
        for folder in ["new/filesinki", "new/zones/files/log/00000000000000000001"] {
            rmdir(world.folder + "/" + folder)
        }
        try await world.expect(["clone", "new", "c"], .negative)
        try await world.expect(["remote", "set", "new", "--migrate", "--root", "b"])
        try await world.expect(["clone", "new", "c"])
        #expect(files(in: "c") == files(in: "a"))
    }
}

/// Set once by any task.
private final class Flag: Sendable {
    private let value = Mutex(false)

    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
}
