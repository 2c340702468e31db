import FilesinkiTesting
import Glibc
import Testing

/// The same days in the life of three devices, over every kind of remote.
@Suite("Three devices and a remote", .onOwnThreads, .serialized)
struct RemoteScenarioTests {
    /// How large the one large file is, in MiB; `FILESINKI_LARGE_FILE=300` is the documented figure.
    static let large = knob("FILESINKI_LARGE_FILE", otherwise: 3)
    /// How often a sync of each device is killed.
    static let kills = knob("FILESINKI_REMOTE_KILLS", otherwise: 2)

    @Test(
        "edits, conflicts, renames, deletions, kills and a large file reach every device",
        .timeLimit(.minutes(60)), arguments: RemoteKind.chosen)
    func scenario(_ kind: RemoteKind) async throws {
        let devices = try await ThreeDevices(kind)
        try devices.begin(largeMiB: Self.large)
        try devices.editEach()
        try devices.editOneFile()
        try devices.rename()
        try devices.deleteAndEdit()
        try devices.killSyncs(Self.kills)
        try devices.saveAndLoad(rounds: 2)
        try devices.expectProof()
    }

    /// Objects are sealed before a remote sees them: two kinds stand for all, unless somebody names the kinds.
    static let sealedKinds: [RemoteKind] =
        getenv("FILESINKI_REMOTES") == nil ? [.directory, .server] : RemoteKind.chosen

    @Test(
        "the same with an encrypted store, in which old versions are removed",
        .timeLimit(.minutes(60)), arguments: sealedKinds)
    func encrypted(_ kind: RemoteKind) async throws {
        let devices = try await ThreeDevices(kind, isEncrypted: true)
        try devices.begin(largeMiB: Self.large)
        try devices.editEach()
        try devices.editOneFile()
        try devices.rename()
        try devices.killSyncs(1)
        try devices.prune()
        try devices.expectProof()
    }
}

/// Replicas `a`, `b` and `c` of one store, and every line that a user wrote into their files.
final class ThreeDevices {
    private let machine: Machine
    private let place: RemotePlace
    private let isEncrypted: Bool
    private var lines: [String] = []

    init(_ kind: RemoteKind, isEncrypted: Bool = false) async throws {
        self.isEncrypted = isEncrypted
        machine = try Machine()
        place = try await RemotePlace.make(kind, for: machine)
    }

    // MARK: The days

    /// The first one syncs with an empty store, the others with its files.
    func begin(largeMiB: Int) throws {
        let (create, open) =
            isEncrypted
            ? ("--encrypt --passphrase-file secret", "--passphrase-file secret") : ("", "")
        try succeed("(umask 077; echo 'correct horse battery' >secret)")
        try machine.write(
            (1...400).map { "line \($0)" }.joined(separator: "\n") + "\n", to: "shared")
        try succeed(
            """
            mkdir -p a/d/e && cp shared a/text && cp shared a/d/plan && ln -s text a/link
            for n in $(seq 40); do seq $n $((n * 30)) >a/d/e/f$n; done; chmod 755 a/d/e/f1
            head -c \(largeMiB)M /dev/urandom >a/large
            filesinki init a --remote '\(place.address)' --device a \(create) && filesinki sync a
            filesinki clone '\(place.address)' b --device b \(open)
            filesinki clone '\(place.address)' c --device c \(open)
            """)
        try expectEqual("after the first sync")
    }

    /// Each device changes files that no other one does.
    func editEach() throws {
        for (device, file) in [("a", "d/e/f1"), ("b", "d/e/f2"), ("c", "new")] {
            try note("\(device) in its own file", in: "\(device)/\(file)")
        }
        try succeed("printf x | dd of=b/large bs=1 seek=1000000 conv=notrunc 2>/dev/null")
        try rest()
        try expectEqual("after edits")
    }

    /// The versions of the large file are removed that no device needs any more.
    func prune() throws {
        try succeed("head -c 1M /dev/urandom >a/large && filesinki sync a")
        try succeed(
            "filesinki prune --root a --keep-versions 1 -n && filesinki prune --root a --keep-versions 1"
        )
        try rest()
        try expectEqual("after a prune")
    }

    /// All change one text, in different places and in the same; and one file that cannot be merged.
    func editOneFile() throws {
        for (number, device) in ["a", "b", "c"].enumerated() {
            lines.append("\(device) in its own line")
            try succeed(
                "sed -i '\(100 * number + 50)s/$/ \(device) in its own line/' \(device)/text")
            try note("\(device) at the same end", in: "\(device)/d/plan")
            lines.append("\(device) in bytes")
            try succeed("printf '\\0\\377 \(device) in bytes\\n' >\(device)/binary")
        }
        try rest()
        try expectEqual("after conflicts")
    }

    /// One renames a folder while another one edits in it.
    func rename() throws {
        try succeed("mv a/d/e a/moved && mv b/link b/link2")
        try note("b edits what a moves", in: "b/d/e/f5")
        try rest()
        try expectEqual("after renames")
    }

    /// One deletes a file that another one edits, and one that none edits.
    func deleteAndEdit() throws {
        try succeed("rm a/moved/f6 c/moved/f7 c/moved/f8")
        try note("b edits what a deletes", in: "b/moved/f6")
        try rest()
        try expectEqual("after deletions")
        try succeed("test ! -e a/moved/f7 && test ! -e b/moved/f8")
    }

    /// Syncs are killed at moments of chance, and simply run again.
    func killSyncs(_ count: Int) throws {
        var chance = SystemRandomNumberGenerator()
        for round in 0..<count {
            for device in ["a", "b", "c"] {
                try note("\(device) before kill \(round)", in: "\(device)/killed \(device)")
                try succeed("head -c 300K /dev/urandom >'\(device)/random \(device)'")
                let running = try machine.start(
                    [
                        "/bin/sh", "-c",
                        ". ./\(RemotePlace.environmentFile); exec \"$FILESINKI\" sync \(device)",
                    ], input: "")
                // Not a wait for something: the moment of the kill is what varies.
                usleep(UInt32.random(in: 10_000...400_000, using: &chance))
                kill(running.process, SIGKILL)
                _ = try machine.wait(for: running)
            }
        }
        try rest()
        try expectEqual("after kills")
        let copies = try machine.shell("ls a | grep 'conflict'; ls a | grep 'killed' | wc -l")
        #expect(!copies.output.contains("killed a (conflict"), "\(copies.output)")
    }

    /// A value goes from one device to the others without a sync.
    func saveAndLoad(rounds: Int) throws {
        for round in 1...rounds {
            try succeed("echo 'value \(round)' | filesinki save --root a --wait notes/value")
            for device in ["b", "c"] {
                let loaded = try machine.remotely("filesinki load --root \(device) notes/value")
                #expect(loaded.output == "value \(round)\n", "\(place.kind): \(loaded)")
            }
        }
        lines.append("value \(rounds)")
        try rest()
        try expectEqual("after saves")
    }

    /// The store is sound, nothing that was written is lost, and then there is nothing to do.
    func expectProof() throws {
        let check = try machine.remotely("filesinki check --read-data --root c")
        #expect(check.code == 0, "\(place.kind): \(check)")
        for line in lines {
            let found = try machine.shell(
                "grep -raqF --exclude-dir=.filesinki --exclude=large -- '\(line)' a")
            #expect(found.code == 0, "\(place.kind): \(line) is lost")
        }
        for device in ["a", "b", "c"] {
            let quiet = try machine.remotely("filesinki sync \(device)")
            #expect(quiet.code == 0 && quiet.talk.isEmpty && quiet.output.isEmpty, "\(quiet)")
        }
    }

    // MARK: What they are made of

    /// A user adds a line to a file.
    private func note(_ line: String, in file: String) throws {
        lines.append(line)
        try succeed("echo '\(line)' >>'\(file)'")
    }

    private func succeed(
        _ line: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let done = try machine.remotely("set -e; \(line)")
        try #require(
            done.code == 0, "\(place.kind): \(line)\n\(done)", sourceLocation: sourceLocation)
    }

    /// Syncs each device until none has anything to report: 3 means a conflict copy.
    private func rest(sourceLocation: SourceLocation = #_sourceLocation) throws {
        for _ in 0..<3 {
            for device in ["a", "b", "c"] {
                let run = try machine.remotely("filesinki sync \(device)")
                #expect(
                    run.code == 0 || run.code == 3, "\(place.kind), \(device): \(run)",
                    sourceLocation: sourceLocation)
            }
        }
    }

    private func expectEqual(
        _ what: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for other in ["b", "c"] {
            let difference = try machine.shell(
                "diff -r --no-dereference -x .filesinki a \(other) 2>&1")
            #expect(
                difference.output.isEmpty, "\(place.kind) \(what): \(difference.output)",
                sourceLocation: sourceLocation)
        }
    }
}
