import FilesinkiModel
import FilesinkiReconcile
import Testing

/// How a run goes on when a link that had to be asked has answered.
@Suite struct SettleTests {
    private let ours = file("Y")
    private let theirs = file("Z")

    private func steps(_ chain: String, _ answer: Answer, ours: Entry?, theirs: Entry) throws
        -> [Step]
    {
        let rules = UniformRules(try Strategy(parsing: chain), onDelete: .ask)
        let input = conflict(rules, ours, theirs)
        let step = try #require(reconcile(input).steps.first)
        guard case .undecided(let links) = step.action else { return [step] }
        return settle(step, answer: answer, remaining: Array(links.dropFirst()), input: input)
    }

    @Test(
        "an answer settles it",
        arguments: [
            (Answer.ours, Action.publish(file("Y")), Reason.strategy("text")),
            (.theirs, .take(file("Z")), .strategy("text")),
            (.merged(file("W"), by: "text"), .both(file("W")), .merged("text")),
            (.merged(file("Y"), by: "text"), .publish(file("Y")), .merged("text")),
            (.leave, .leave, .open),
        ])
    func answers(_ answer: Answer, _ action: Action, _ reason: Reason) throws {
        let steps = try steps("text, newest", answer, ours: ours, theirs: theirs)
        #expect(steps.map(\.action) == [action])
        #expect(steps.map(\.reason) == [reason])
        #expect(steps.first?.loser == (action.writesOurs ? ours : nil))
    }

    @Test func `a link that declines gives way to the next`() throws {
        let newer = file("Y", time: 5)
        let won = try steps("text, newest, leave", .declined, ours: newer, theirs: theirs)
        #expect(won.map(\.action) == [.publish(newer)])
        let left = try steps("text, newest, leave", .declined, ours: ours, theirs: theirs)
        #expect(left.map(\.action) == [.leave])
        let next = try steps("text, json, leave", .declined, ours: ours, theirs: theirs)
        #expect(next.map(\.reason) == [.asks("json")])
        #expect(next.first?.contest?.ours == ours)
    }

    @Test(
        "at the end of the chain, or when asked to, both stay",
        arguments: [Answer.declined, .keepBoth])
    func keepsBoth(_ answer: Answer) throws {
        let steps = try steps("text", answer, ours: ours, theirs: theirs)
        #expect(steps.map(\.action) == [.both(ours), .take(theirs)])
        #expect(steps.map(\.path.description) == [copy(of: "f", "Y", by: .ours), "f"])
    }

    @Test(
        "an edit and a deletion", arguments: [Answer.ours, .theirs, .keepBoth, .declined, .leave])
    func deletion(_ answer: Answer) throws {
        let edited = try steps("auto", answer, ours: ours, theirs: .tombstone)
        let deleted = try steps("auto", answer, ours: nil, theirs: theirs)
        switch answer {
        case .ours:
            #expect(edited.map(\.action) == [.publish(ours)])
            #expect(deleted.map(\.action) == [.publish(.tombstone)])
        case .theirs:
            #expect(edited.map(\.action) == [.take(.tombstone)])
            #expect(edited.first?.loser == ours)
            #expect(deleted.map(\.action) == [.take(theirs)])
        case .leave:
            #expect(edited.map(\.action) == [.leave])
            #expect(deleted.map(\.action) == [.leave])
        default:
            #expect(edited.map(\.action) == [.publish(ours)])
            #expect(deleted.map(\.action) == [.take(theirs)])
            #expect(edited.map(\.reason) == [.editBeatsDelete])
        }
    }

    @Test func `a step that is not open is given back`() throws {
        let input = conflict(UniformRules(Strategy([.choice(.ours)])), ours, theirs)
        let step = try #require(reconcile(input).steps.first)
        #expect(settle(step, answer: .theirs, remaining: [], input: input) == [step])
    }
}
