import FilesinkiCommands
import FilesinkiTesting
import Testing

/// A connection that ends in the middle of anything costs a run at most: nothing is lost, nothing is
/// wrong, and the next run completes.
///
/// Each request of a sync is cut at its beginning, its middle and its last byte, and so is its reply;
/// with `FILESINKI_CUT_STRIDE=4096` at every so many bytes, and each in all four ways.
@Suite("Cut connections", .serialized)
struct CutSweepTests {
    /// Bytes between two cuts; 0 for three cuts in each request.
    static let stride = knob("FILESINKI_CUT_STRIDE", otherwise: 0)
    /// The size of the large file that is sent.
    static let bytes = knob("FILESINKI_CUT_BYTES", otherwise: 20_000)

    /// One way to cut.
    struct Cut: CustomStringConvertible {
        var request: Int
        var way: FaultProxy.Way
        var after: Int
        var ending: FaultProxy.Ending
        /// Whether all requests that follow are cut, too.
        var isLasting: Bool
        /// Whether the request is for the note of a store that was moved. A run does not fail without it, but may where
        /// what follows is cut, too.
        var isOfNote: Bool

        var description: String {
            "\(isLasting ? "from " : "")request \(request), \(way) after \(after), by \(ending)"
        }

        var plan: FaultProxy.Plan {
            let fault = FaultProxy.Fault.cut(way, after: after, ending)
            return isLasting ? FaultProxy.from(request, fault) : FaultProxy.at(request, fault)
        }
    }

    @Test("while a run sends", .timeLimit(.minutes(60)), arguments: FaultTarget.kinds)
    func sending(_ kind: RemoteKind) async throws {
        let world = try await FaultWorld(kind)
        try world.edit("a", bytes: Self.bytes)
        #expect(await world.sync("a").code == .done)
        for cut in Self.cuts(world.proxy.exchanges) {
            let wanted = try world.edit("a", bytes: Self.bytes)
            let outcome = await world.sync("a", cut.plan)
            Self.check(outcome, world, cut)
            #expect(try world.tree("a") == wanted, "\(cut)")
            await complete(world, wanted, "\(cut)")
        }
        await proven(world)
    }

    @Test("while a run receives", .timeLimit(.minutes(60)), arguments: FaultTarget.kinds)
    func receiving(_ kind: RemoteKind) async throws {
        let world = try await FaultWorld(kind)
        try world.edit("a", bytes: Self.bytes)
        #expect(await world.sync("a").code == .done)
        #expect(await world.sync("b").code == .done)
        for cut in Self.cuts(world.proxy.exchanges) {
            let before = try world.tree("b")
            let wanted = try world.edit("a", bytes: Self.bytes)
            #expect(await world.sync("a").code == .done)
            let outcome = await world.sync("b", cut.plan)
            Self.check(outcome, world, cut)
            try world.expectNothingWrong("b", before, wanted, "\(cut)")
            await complete(world, wanted, "\(cut)")
        }
        await proven(world)
    }

    /// A cut that happens once is not even seen; one that lasts is said.
    private static func check(
        _ outcome: FaultWorld.Outcome, _ world: FaultWorld, _ cut: Cut
    ) {
        let isAway = cut.isLasting && world.proxy.hasStruck
        let expected: [ExitCode] = !isAway ? [.done] : cut.isOfNote ? [.done, .away] : [.away]
        #expect(expected.contains(outcome.code), "\(cut): \(outcome)")
    }

    /// Where to cut a run that makes these requests.
    private static func cuts(_ exchanges: [FaultProxy.Exchange]) -> [Cut] {
        exchanges.flatMap { exchange in
            [(FaultProxy.Way.up, exchange.bytesUp), (.down, exchange.bytesDown)].flatMap {
                way, size in
                points(size).flatMap { after in
                    kinds.map { ending, isLasting in
                        Cut(
                            request: exchange.number, way: way, after: after, ending: ending,
                            isLasting: isLasting,
                            isOfNote: exchange.target.contains("moved"))
                    }
                }
            }
        }
    }

    private static var kinds: [(FaultProxy.Ending, Bool)] {
        stride == 0
            ? [(.close, true), (.reset, false)]
            : [(.close, true), (.reset, false), (.close, false), (.reset, true)]
    }

    private static func points(_ size: Int) -> [Int] {
        guard size > 0 else { return [] }
        if stride == 0 { return [0, size / 2, size - 1] }
        return Array(Swift.stride(from: 0, to: size - 1, by: stride)) + [size - 1]
    }

    /// Without faults everything arrives.
    private func complete(
        _ world: FaultWorld, _ wanted: TreeFixture, _ what: String
    ) async {
        await world.expectCompletion(wanted, what)
    }

    private func proven(_ world: FaultWorld) async { await world.expectSoundStore() }
}
