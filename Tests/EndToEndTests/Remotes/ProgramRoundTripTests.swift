import FilesinkiTesting
import Testing

/// What the built program costs in round trips to its own server, as a proxy between them counts.
@Suite("Round trips of the program", .onOwnThreads, .serialized)
struct ProgramRoundTripTests {
    /// How many files `manyFiles` makes; `FILESINKI_MANY_FILES=10000` is the documented figure.
    static let many = knob("FILESINKI_MANY_FILES", otherwise: 400)

    /// A machine with a replica `a` that is in step with its own server, and the proxy before it.
    struct Counted {
        let machine: Machine
        let place: RemotePlace
        let proxy: FaultProxy

        init(_ prepare: String = "") async throws {
            machine = try Machine()
            place = try await RemotePlace.make(.server, for: machine)
            proxy = try FaultProxy(to: try #require(place.port))
            let made = try machine.remotely(
                """
                set -e; mkdir a; for n in $(seq 50); do echo $n >a/f$n; done; \(prepare)
                filesinki init a --remote '\(place.address(through: proxy.port))' --device a
                filesinki sync a; filesinki sync a
                """)
            try #require(made.code == 0, "\(made)")
        }

        /// The requests of a line of shell.
        func requests(of line: String) throws -> [String] {
            proxy.begin()
            let run = try machine.remotely(line)
            #expect(run.code == 0, "\(run)")
            let requests = proxy.exchanges.map { "\($0.method) \($0.target)" }
            print("\(line): \(requests.count) requests, \(proxy.connections) connections")
            return requests
        }
    }

    @Test("a sync that finds nothing changed makes one request") func noChange() async throws {
        let counted = try await Counted()
        let requests = try counted.requests(of: "filesinki sync a")
        #expect(requests.count <= 1, "\(requests)")
    }

    @Test("a small save makes two requests at most") func save() async throws {
        let counted = try await Counted()
        let line = "echo saved | filesinki save --root a --wait notes/x"
        let requests = try counted.requests(of: line)
        #expect(requests.count <= 2, "\(requests)")
    }

    @Test("many new small files take 40 requests at most, there and back", .timeLimit(.minutes(30)))
    func manyFiles() async throws {
        let counted = try await Counted()
        try counted.machine.shell(
            """
            mkdir a/many; cd a/many; for d in $(seq 0 99); do mkdir $d; done
            for n in $(seq \(Self.many)); do echo "file $n of many" >$((n % 100))/$n; done
            """)
        let sent = try counted.requests(of: "filesinki sync a")
        #expect(sent.count <= 40, "\(sent)")
        let address = counted.place.address(through: counted.proxy.port)
        let received = try counted.requests(of: "filesinki clone '\(address)' b --device b")
        #expect(received.count <= 40, "\(received)")
        let count = try counted.machine.shell("find b/many -type f | wc -l").output
        #expect(count == "\(Self.many)\n")
    }
}
