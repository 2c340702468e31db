import FilesinkiCommands
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

/// What the commands print for a remote that cannot hold a store.
@Suite struct RemoteCheckTests {
    /// Lets everybody win, as a server does that does not look before it writes.
    private struct Flattering: RemoteWrapper {
        let wrapped: any Remote = MemoryRemote()
        var alternative: String { "Use another place." }

        func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
            try await wrapped.put(bytes, to: slot)
            return .mine
        }
    }

    private func world() throws -> World {
        let world = try World()
        let remote = Flattering()
        world.network.connect = { _, _ in remote }
        return world
    }

    @Test func `the table names the missing guarantee, its consequence, and an alternative`()
        async throws
    {
        let world = try world()
        let check = try await world.run("remote", "check", "https://127.0.0.1:1/")
        #expect(check.code == .notAllowed)
        let table = check.lines
        #expect(
            table.prefix(3).map { $0.drop { $0 == " " } } == [
                "one-winner        broken  "
                    + "Of several writers to one slot, exactly one wins, and its bytes never change.",
                table[1].drop { $0 == " " },
                "Of two devices that sync at once, one would lose its changes.",
            ], "\(check.text)")
        #expect(table.contains { $0.hasPrefix("objects           holds   Objects are read back") })
        #expect(check.talk.contains("Use another place."), "\(check.talk)")
    }

    @Test(
        "CK-02 the account has a status, whatever the remote replies",
        arguments: [
            (.available, nil, .done), (.noAccount, .notAllowed, .notAllowed),
            (.restricted, .notAllowed, .notAllowed), (.undetermined, .notAllowed, .notAllowed),
            (.unavailable, .away, .away),
        ] as [(AccountStatus, Failure.Code?, ExitCode)])
    func account(_ status: AccountStatus, _ code: Failure.Code?, _ exit: ExitCode) async throws {
        let world = try World()
        let remote = FaultyRemote(MemoryRemote())
        remote.failure = code.map { code in
            let isTold = status == .noAccount || status == .restricted
            return Failure(code, "It failed.", remedy: "Wait.").about(isTold ? status : nil)
        }
        world.network.connect = { _, _ in remote }
        let check = try await world.run("remote", "check", "https://127.0.0.1:1/", "--json")
        #expect(check.code == exit, "\(check.talk)")
        #expect(check.lines.first == #"{"type":"account","status":"\#(status.rawValue)"}"#)
    }

    @Test func `init refuses such a remote`() async throws {
        let world = try world()
        try world.makeFolder("a")
        let begun = try await world.run("init", "a", "--remote", "https://127.0.0.1:1/")
        #expect(begun.code == .notAllowed)
        #expect(begun.talk.contains("Use another place."), "\(begun.talk)")
        #expect(world.names(in: "a").isEmpty)
    }
}
