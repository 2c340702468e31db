import FilesinkiTesting
import Glibc
import Testing

/// Many processes on three devices set the same keys at once; what was acknowledged holds by each
/// key's rule, over every kind of remote.
///
/// `FILESINKI_KV_E2E_PROCESSES` and `FILESINKI_KV_E2E_SECONDS` make it larger, and so do
/// `FILESINKI_KV_E2E_WATCHERS` and `FILESINKI_KV_E2E_KEYS`: see `make kv-processes`.
@Suite("The key-value store with many processes", .serialized, .onOwnThreads)
struct KeyValueProcessTests {
    /// How many work on each device.
    static func processes(_ kind: RemoteKind) -> Int {
        // Each request to a server costs a debug build much; races there are between devices.
        knob("FILESINKI_KV_E2E_PROCESSES", otherwise: kind == .directory ? 2 : 1)
    }
    /// 0 for a few rounds, whatever time they take.
    static let seconds = knob("FILESINKI_KV_E2E_SECONDS", otherwise: 0)
    static let watchers = knob("FILESINKI_KV_E2E_WATCHERS", otherwise: 3)
    static let watchedKeys = knob("FILESINKI_KV_E2E_KEYS", otherwise: 40)

    /// Sets keys until its time is over, and notes what was acknowledged in files.
    private static let worker = #"""
        device=$1 name=$1$2 seconds=$3 rounds=$4
        kv() { command=$1; shift; "$FILESINKI" kv "$command" --root "$device" "$@"; }
        end=$(($(date +%s) + seconds)) round=0
        while [ $round -lt $rounds ] || [ $(date +%s) -lt $end ]; do
            round=$((round + 1))
            kv set n=1 "u=[\"$name-$round\"]" --type json --add && echo "$name-$round" >>acked-add
            kv set "m=$round" --type int --merge max && echo $round >>acked-m
            kv set "plain=$name-$round" "own-$name=$round" && echo "$name-$round" >>acked-plain &&
                echo $round >acked-own-$name
            [ "$(kv get "own-$name")" = "$(cat acked-own-$name)" ] || echo "$name $round" >>lost
        done
        """#

    @Test(
        "KV-14 acknowledged writes of processes on three devices persist by each key's rule",
        .timeLimit(.minutes(30)), arguments: RemoteKind.chosen)
    func converge(_ kind: RemoteKind) async throws {
        let machine = try Machine()
        let place = try await RemotePlace.make(kind, for: machine)
        try machine.write(Self.worker, to: "worker")
        try set(on: machine, place)
        let held = try machine.values(of: "c")
        #expect(machine.read("lost") == nil)
        let added = machine.lines("acked-add")
        let names = names(kind)
        #expect(added.count >= names.count)
        #expect(held["n"] == String(added.count))
        #expect(held["u"]?.elements.sorted() == added.sorted())
        #expect(held["m"] == machine.lines("acked-m").compactMap(Int.init).max().map(String.init))
        #expect(held["plain"].map(machine.lines("acked-plain").contains) == true)
        for name in names {
            let own = try #require(machine.lines("acked-own-\(name)").first)
            #expect(held["own-\(name)"] == own)
        }
        #expect(held.count == 4 + names.count)
    }

    /// One for each process: its device's name and a number.
    private func names(_ kind: RemoteKind) -> [String] {
        ["a", "b", "c"].flatMap { device in (1...Self.processes(kind)).map { "\(device)\($0)" } }
    }

    /// Lets all processes work to their end, and every device read what the others have published.
    private func set(on machine: Machine, _ place: RemotePlace) throws {
        let rounds = place.kind == .directory ? 2 : 1
        let run = try machine.remotely(
            """
            set -e
            for d in a b c; do filesinki init $d --remote '\(place.address)' --device $d; done 2>&1
            for name in \(names(place.kind).joined(separator: " ")); do
                d=${name%${name#?}}
                sh worker $d ${name#?} \(Self.seconds) \(rounds) >>talk 2>&1 & started="$started $!"
            done
            for one in $started; do wait $one; done
            for d in a b c a b; do filesinki kv sync --root $d; done
            for d in a b c; do filesinki kv export --root $d >$d.json; done
            cmp a.json b.json; cmp a.json c.json
            """)
        #expect(run.code == 0, "\(run)")
        #expect(machine.read("talk") == "")
    }

    @Test("KV-10 each of many watching processes reports each change once")
    func watch() throws {
        let machine = try Machine()
        let made = try machine.shell(
            """
            set -e
            filesinki init a --remote store --device a; filesinki init b --remote store --device b
            filesinki kv sync --root a; filesinki kv sync --root b
            """)
        try #require(made.code == 0, "\(made.talk)")
        let status = try machine.run("kv", "status", "--root", "b", "--json").output
        let token = try #require(status.member("token"))
        let watching = try (0..<Self.watchers).map { _ in
            try machine.start(
                [Machine.binary, "kv", "watch", "--root", "b", "--since", token], input: "")
        }
        let keys = (0..<Self.watchedKeys).map { "k\($0)" }
        // In four writes, the last of which says that it is the last.
        for part in 0..<4 {
            var wanted = keys.indices.filter { $0 % 4 == part }.map { keys[$0] }
            if part == 3 { wanted.append("last") }
            let pairs = wanted.map { "\($0)=\(part)" }.joined(separator: " ")
            let set = try machine.shell("filesinki kv set --root a \(pairs)")
            try #require(set.code == 0, "\(set.talk)")
        }
        for running in watching {
            let isTold = pollUntil {
                machine.read(running.outputFile)?.contains("\"last\"") == true
            }
            try #require(isTold)
            kill(running.process, SIGTERM)
            let told = try machine.wait(for: running)
            let heard = told.output.members.filter { $0.hasPrefix("\"k") }
            #expect(heard.sorted() == keys.map { "\"\($0)\"" }.sorted(), "\(told)")
        }
    }
}

extension Machine {
    fileprivate func lines(_ name: String) -> [String] {
        (read(name) ?? "").split(separator: "\n").map(String.init)
    }

    /// What a device's store holds, as text.
    fileprivate func values(of device: String) throws -> [String: String] {
        let listed = try run("kv", "list", "--root", device).output.split(separator: "\n")
        let pairs = listed.map { $0.split(separator: "\t", maxSplits: 1).map(String.init) }
        return Dictionary(pairs.map { ($0[0], $0.count > 1 ? $0[1] : "") }) { $1 }
    }
}

extension String {
    /// The texts in a JSON array of texts.
    fileprivate var elements: [String] {
        split { "[\",]".contains($0) }.map(String.init)
    }

    /// The elements of the lists in JSON lines, as they are written.
    fileprivate var members: [String] {
        split(separator: "\n").flatMap { line in
            line.drop { $0 != "[" }.prefix { $0 != "]" }.dropFirst().split(separator: ",")
        }.map(String.init)
    }

    /// The text of a JSON member.
    fileprivate func member(_ name: String) -> String? {
        guard let start = firstRange(of: "\"\(name)\":\"") else { return nil }
        return String(self[start.upperBound...].prefix { $0 != "\"" })
    }
}
