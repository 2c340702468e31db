import FilesinkiCommands
import FilesinkiTesting
import Testing

/// A byte that is another than the one that was sent never becomes content.
///
/// A bit is turned at every so many bytes of each reply, its head included; with
/// `FILESINKI_FLIP_STRIDE` at more of them.
@Suite("Flipped bits", .serialized)
struct FlipSweepTests {
    static let stride = knob("FILESINKI_FLIP_STRIDE", otherwise: 997)

    @Test("in received data", .timeLimit(.minutes(60)), arguments: FaultTarget.kinds)
    func receiving(_ kind: RemoteKind) async throws {
        let world = try await FaultWorld(kind)
        try world.edit("a", bytes: 3000)
        #expect(await world.sync("a").code == .done)
        #expect(await world.sync("b").code == .done)
        for (request, at) in Self.places(world.proxy.exchanges.map(\.bytesDown)) {
            let what = "byte \(at) of reply \(request)"
            let before = try world.tree("b")
            let wanted = try world.edit("a", bytes: 3000)
            #expect(await world.sync("a").code == .done)
            let plan = FaultProxy.at(request, .flip(.down, at: at))
            // What says how long a reply is may be what was turned: then nothing more comes.
            let outcome = await world.sync("b", silence: .milliseconds(500), plan)
            #expect(Self.codes.contains(outcome.code), "\(what): \(outcome)")
            try world.expectNothingWrong("b", before, wanted, what)
            await world.expectCompletion(wanted, what)
        }
        await world.expectSoundStore()
    }

    @Test("in sent data", .timeLimit(.minutes(60)), arguments: FaultTarget.kinds)
    func sending(_ kind: RemoteKind) async throws {
        // Nothing in WebDAV lets a server know what was meant.
        if kind.isWebDAV { return }
        let world = try await FaultWorld(kind)
        try world.edit("a", bytes: 3000)
        #expect(await world.sync("a").code == .done)
        let heads = world.proxy.exchanges.map { $0.head.utf8.count }
        for (request, at) in Self.places(world.proxy.exchanges.map(\.bytesUp))
        // A hash of the bytes does not protect requests; TLS and signatures do.
        where at >= heads[request - 1] {
            let what = "byte \(at) of request \(request)"
            let wanted = try world.edit("a", bytes: 3000)
            let plan = FaultProxy.at(request, .flip(.up, at: at))
            let outcome = await world.sync("a", silence: .milliseconds(500), plan)
            #expect(Self.codes.contains(outcome.code), "\(what): \(outcome)")
            #expect(try world.tree("a") == wanted, "\(what)")
            await world.expectCompletion(wanted, what)
        }
        await world.expectSoundStore()
    }

    @Test(
        "a silent server times out", .timeLimit(.minutes(60)),
        arguments: FaultTarget.kinds, ["a", "b"])
    func stall(_ kind: RemoteKind, _ replica: String) async throws {
        let world = try await FaultWorld(kind)
        try world.edit("a")
        #expect(await world.sync("a").code == .done)
        if replica == "b" { #expect(await world.sync("b").code == .done) }
        for exchange in world.proxy.exchanges {
            for fault in [
                FaultProxy.Fault.stall(.up, after: exchange.bytesUp / 2),
                .stall(.down, after: 0), .stall(.down, after: exchange.bytesDown / 2),
            ] {
                let what = "request \(exchange.number): \(fault)"
                let wanted = try world.edit("a")
                if replica == "b" { #expect(await world.sync("a").code == .done) }
                let outcome = await world.sync(
                    replica, silence: .milliseconds(300), FaultProxy.at(exchange.number, fault))
                #expect([.done, .away].contains(outcome.code), "\(what): \(outcome)")
                await world.expectCompletion(wanted, what)
            }
        }
        await world.expectSoundStore()
    }

    /// What a run may say of bytes that are not what was sent: it is retried, reported as a fault of the
    /// network or of the server, or found corrupt.
    private static let codes: Set<ExitCode> = [
        .done, .away, .corrupt, .partial, .notAllowed, .limit,
    ]

    private static func places(_ sizes: [Int]) -> [(request: Int, at: Int)] {
        sizes.enumerated().flatMap { index, size in
            Swift.stride(from: (index * 37) % stride, to: size, by: stride).map { (index + 1, $0) }
        }
    }
}
