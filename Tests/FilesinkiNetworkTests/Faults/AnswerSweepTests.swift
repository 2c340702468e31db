import FilesinkiCommands
import FilesinkiTesting
import Glibc
import Testing

/// Whatever is answered in place of a reply: the exit code is a documented one, nothing is lost and
/// nothing wrong comes into a tree or the store, and the next run completes.
@Suite("Wrong replies", .serialized)
struct AnswerSweepTests {
    /// Whether each fault applies to all requests from then on, not only to one.
    static let isThorough = knob("FILESINKI_CUT_STRIDE", otherwise: 0) > 0
    static let isTold = getenv("FILESINKI_TELL") != nil

    @Test("while a run sends", .timeLimit(.minutes(60)), arguments: FaultTarget.kinds)
    func sending(_ kind: RemoteKind) async throws {
        let world = try await FaultWorld(kind)
        try world.edit("a")
        #expect(await world.sync("a").code == .done)
        for wrong in Self.wrongs(requests: world.proxy.exchanges.count) {
            let wanted = try world.edit("a")
            let outcome = await world.sync("a", silence: .seconds(5), wrong.plan)
            tell(kind, wrong, outcome, world)
            #expect(wrong.codes(kind).contains(outcome.code), "\(wrong): \(outcome)")
            #expect(try world.tree("a") == wanted, "\(wrong)")
            await world.expectCompletion(wanted, "\(wrong)")
        }
        await world.expectSoundStore()
    }

    @Test("while a run receives", .timeLimit(.minutes(60)), arguments: FaultTarget.kinds)
    func receiving(_ kind: RemoteKind) async throws {
        let world = try await FaultWorld(kind)
        try world.edit("a")
        #expect(await world.sync("a").code == .done)
        #expect(await world.sync("b").code == .done)
        for wrong in Self.wrongs(requests: world.proxy.exchanges.count) {
            let before = try world.tree("b")
            let wanted = try world.edit("a")
            #expect(await world.sync("a").code == .done)
            let outcome = await world.sync("b", silence: .seconds(5), wrong.plan)
            tell(kind, wrong, outcome, world)
            #expect(wrong.codes(kind).contains(outcome.code), "\(wrong): \(outcome)")
            try world.expectNothingWrong("b", before, wanted, "\(wrong)")
            await world.expectCompletion(wanted, "\(wrong)")
        }
        await world.expectSoundStore()
    }

    /// One answer, and which requests it is given to.
    struct Wrong: CustomStringConvertible {
        var fault: HTTPFault
        var request: Int
        /// Whether the requests that follow are answered so, too.
        var isLasting: Bool

        var description: String { "\(fault) \(isLasting ? "from" : "at") request \(request)" }

        var plan: FaultProxy.Plan {
            isLasting
                ? FaultProxy.from(request, fault.fault) : FaultProxy.at(request, fault.fault)
        }

        /// The exit codes that are documented for it.
        func codes(_ kind: RemoteKind) -> Set<ExitCode> {
            switch fault {
            case .refused(401), .refused(403), .doneButTold(401), .doneButTold(403):
                [.notAllowed, .done]
            case .refused(413), .doneButTold(413): [.limit, .done]
            // A 404 says that an object is absent. Of the store's description, or of the commit that
            // was seen last, that means another store: nothing is done until a person says so.
            case .refused(404), .doneButTold(404): [.done, .away, .notAllowed]
            // A plain server names no hash of what it sends: another page or nothing at all is then an
            // object that is no record, or a folder without the commit that was seen there.
            case .page where kind.isWebDAV, .emptyReply where kind.isWebDAV:
                [.done, .away, .corrupt, .notAllowed]
            case .wrongBytes, .tooShortLength: [.done, .away, .corrupt, .partial]
            default: [.done, .away]
            }
        }
    }

    private static func wrongs(requests: Int) -> [Wrong] {
        var wrongs: [Wrong] = []
        for (index, fault) in HTTPFault.all.enumerated() {
            for request in 1...max(1, requests) {
                // A short run gives each answer to every second request.
                if !isThorough, !(index + request).isMultiple(of: 2) { continue }
                wrongs.append(Wrong(fault: fault, request: request, isLasting: false))
                if !isThorough, request > 1 { continue }
                wrongs.append(Wrong(fault: fault, request: request, isLasting: true))
            }
        }
        return wrongs
    }

    private func tell(
        _ kind: RemoteKind, _ wrong: Wrong, _ outcome: FaultWorld.Outcome, _ world: FaultWorld
    ) {
        guard Self.isTold else { return }
        let struck = world.proxy.hasStruck ? "" : " (not met)"
        print("\(kind): \(wrong)\(struck) -> \(outcome.code.rawValue) \(outcome.talk)")
    }
}
