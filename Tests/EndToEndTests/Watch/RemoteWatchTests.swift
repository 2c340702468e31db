import FilesinkiTesting
import Glibc
import Testing

@Suite("Watches over every kind of remote", .onOwnThreads, .serialized)
struct RemoteWatchTests {
    /// Replicas `a` and `b` of a store at the place.
    private func join(_ machine: Machine, at place: RemotePlace) throws {
        let made = try machine.remotely(
            """
            set -e; mkdir a; echo 1 >a/f
            filesinki init a --remote '\(place.address)' --device a; filesinki sync a
            filesinki clone '\(place.address)' b --device b
            """)
        try #require(made.code == 0, "\(made.talk)")
    }

    /// Without the remote's own word, or looks at it in growing distances, nothing would come within
    /// the bound: it is asked once a day.
    private func watches(_ machine: Machine) throws -> [Machine.Watch] {
        try ["a", "b"].map { try machine.watch($0, "--poll", "86400s") }
    }

    @Test("a change on one side reaches the other", arguments: RemoteKind.chosen)
    func arrives(_ kind: RemoteKind) async throws {
        let machine = try Machine()
        let place = try await RemotePlace.make(kind, for: machine)
        try join(machine, at: place)
        let watches = try watches(machine)
        for number in 0..<3 {
            try machine.write("a \(number)", to: "a/f")
            #expect(pollUntil { machine.read("b/f") == "a \(number)" }, "\(kind)")
            try machine.write("b \(number)", to: "b/n\(number)")
            #expect(pollUntil { machine.read("a/n\(number)") == "b \(number)" }, "\(kind)")
        }
        unlink(machine.folder + "/b/f")
        #expect(pollUntil { machine.read("a/f") == nil }, "\(kind)")
        for watch in watches { try machine.end(watch) }
        try machine.expectEqual()
        try machine.expectNoCopies()
        withExtendedLifetime(place) {}
    }

    @Test(
        "a watch reconnects to a restarted server and misses nothing",
        arguments: [RemoteKind.server, .secureServer])
    func away(_ kind: RemoteKind) async throws {
        let machine = try Machine()
        let place = try await RemotePlace.make(kind, for: machine)
        try join(machine, at: place)
        let watches = try watches(machine)
        try machine.write("before", to: "a/f")
        #expect(pollUntil { machine.read("b/f") == "before" })
        try place.away()
        try machine.write("while away", to: "a/f")
        #expect(
            pollUntil {
                machine.talk(of: watches[0].running).contains("The changes are kept here")
            })
        try place.back()
        #expect(pollUntil { machine.read("b/f") == "while away" }, "\(kind)")
        try machine.write("after", to: "b/g")
        #expect(pollUntil { machine.read("a/g") == "after" }, "\(kind)")
        for watch in watches { try machine.end(watch) }
        try machine.expectEqual()
    }
}
