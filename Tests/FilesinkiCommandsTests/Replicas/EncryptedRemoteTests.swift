import FilesinkiCommands
import Foundation
import Testing

/// What `remote set` says of stores of which one is encrypted.
@Suite struct EncryptedRemoteTests {
    private let world: World

    /// `a` is at the encrypted copy of the store `plain`, at which `b` is still.
    init() async throws {
        world = try World()
        world.set("FILESINKI_PASSPHRASE", to: "correct horse")
        try world.write("one\n", to: "a/one")
        try await world.expect("init a --remote plain --device a")
        try await world.expect("sync a")
        try await world.expect("clone plain b --device b")
        try await world.expect("remote set sealed --migrate --encrypt --root a")
    }

    @Test("a copy of an encrypted store is said to be encrypted, with the option that opens it")
    func keptKeys() async throws {
        let told =
            "copy before it syncs again. The copy is encrypted, too, with the same keys: a device that has not "
            + "opened them yet adds --passphrase-file FILE.\n"
        try await world.expect("remote set sealed --root b")
        let copied = try await world.expect("remote set copy --migrate --root a")
        #expect(copied.talk.contains(told), "\(copied.talk)")
        // Also by who completes the move.
        let completed = try await world.expect("remote set copy --migrate --root b")
        #expect(completed.talk.contains(told), "\(completed.talk)")
        // The option does no harm where the key is known, and is needed where it is not.
        world.set("FILESINKI_PASSPHRASE", to: nil)
        try world.write("correct horse\n", to: "pass")
        chmod(world.folder + "/pass", 0o600)
        try await world.expect("remote set copy --passphrase-file pass --root b")
        try await world.expect("clone copy c --device c --passphrase-file pass")
        #expect(world.readText("c/one") == "one\n")
    }

    @Test("of a copy that only a key file opens, the option is that one")
    func keyFile() async throws {
        try world.write((0..<32).map { UInt8($0) }, to: "key")
        chmod(world.folder + "/key", 0o600)
        try world.write("two\n", to: "d/two")
        try await world.expect("init d --remote other --encrypt --key-file key --device d")
        try await world.expect("sync d")
        let copied = try await world.expect("remote set others --migrate --root d")
        #expect(copied.talk.contains("opened them yet adds --key-file FILE.\n"), "\(copied.talk)")
    }

    @Test("a store that is not encrypted is said not to be, where the former one is")
    func decrypted() async throws {
        try await world.expect("remote set sealed --root b")
        try await world.expect("sync b")
        let back = "filesinki remote set --root \(world.folder)/b \(world.folder)/sealed"
        let said =
            "The store is not encrypted; the former one is. Whoever can read \(world.folder)/"
        try await world.expect("remote set plain --migrate --no-encrypt --root a")
        let set = try await world.expect("remote set plain --root b")
        #expect(
            set.talk.contains("\(said)plain can read what is sent from now on."), "\(set.talk)")
        #expect(set.talk.contains("run \(back).\n"), "\(set.talk)")
        let again = try await world.expect("remote set plain --json --root b")
        #expect(!again.text.contains("decrypted"), "\(again.text)")
        #expect(!again.talk.contains("not encrypted"), "\(again.talk)")
        // And the way back.
        let encrypted = try await world.expect("remote set sealed --root b")
        #expect(!encrypted.talk.contains("not encrypted"), "\(encrypted.talk)")
        let json = try await world.expect("remote set plain --json --root b")
        #expect(json.text.contains(#""decrypted":true"#), "\(json.text)")
    }

    @Test("so it is of another store")
    func accepted() async throws {
        try world.write("two\n", to: "e/two")
        try await world.expect("init e --remote other --device e")
        try await world.expect("sync e")
        let set = try await world.expect("remote set other --accept --root a")
        #expect(
            set.talk.contains("The store is not encrypted; the former one is."), "\(set.talk)")
        #expect(set.talk.contains("\(world.folder)/sealed --accept.\n"), "\(set.talk)")
    }
}
