import FilesinkiModel
import FilesinkiReconcile
import Testing

/// How a run goes on when a link that had to be asked has answered.
@Suite struct SettleTests {
    private let here = file("Y")
    private let there = file("Z")

    private func steps(_ chain: String, _ answer: Answer, here: Entry?, there: Entry) throws
        -> [Step]
    {
        let rules = UniformRules(try Strategy(parsing: chain), onDelete: .ask)
        let input = conflict(rules, here, there)
        let step = try #require(reconcile(input).steps.first)
        guard case .undecided(let links) = step.action else { return [step] }
        return settle(step, answer: answer, remaining: Array(links.dropFirst()), input: input)
    }

    @Test(
        "an answer settles it",
        arguments: [
            (Answer.here, Action.publish(file("Y")), Reason.strategy("text")),
            (.there, .take(file("Z")), .strategy("text")),
            (.merged(file("W"), by: "text"), .both(file("W")), .merged("text")),
            (.merged(file("Y"), by: "text"), .publish(file("Y")), .merged("text")),
            (.leave, .leave, .open),
        ])
    func answers(_ answer: Answer, _ action: Action, _ reason: Reason) throws {
        let steps = try steps("text, newest", answer, here: here, there: there)
        #expect(steps.map(\.action) == [action])
        #expect(steps.map(\.reason) == [reason])
        #expect(steps.first?.loser == (action.writesHere ? here : nil))
    }

    @Test func `a link that declines gives way to the next`() throws {
        let newer = file("Y", time: 5)
        let won = try steps("text, newest, leave", .declined, here: newer, there: there)
        #expect(won.map(\.action) == [.publish(newer)])
        let left = try steps("text, newest, leave", .declined, here: here, there: there)
        #expect(left.map(\.action) == [.leave])
        let next = try steps("text, json, leave", .declined, here: here, there: there)
        #expect(next.map(\.reason) == [.asks("json")])
        #expect(next.first?.contest?.here == here)
    }

    @Test(
        "at the end of the chain, or when asked to, both stay",
        arguments: [Answer.declined, .keepBoth])
    func keepsBoth(_ answer: Answer) throws {
        let steps = try steps("text", answer, here: here, there: there)
        #expect(steps.map(\.action) == [.both(here), .take(there)])
        #expect(steps.map(\.path.description) == [copy(of: "f", "Y", by: .ours), "f"])
    }

    @Test("an edit and a deletion", arguments: [Answer.here, .there, .keepBoth, .declined, .leave])
    func deletion(_ answer: Answer) throws {
        let edited = try steps("auto", answer, here: here, there: .tombstone)
        let deleted = try steps("auto", answer, here: nil, there: there)
        switch answer {
        case .here:
            #expect(edited.map(\.action) == [.publish(here)])
            #expect(deleted.map(\.action) == [.publish(.tombstone)])
        case .there:
            #expect(edited.map(\.action) == [.take(.tombstone)])
            #expect(edited.first?.loser == here)
            #expect(deleted.map(\.action) == [.take(there)])
        case .leave:
            #expect(edited.map(\.action) == [.leave])
            #expect(deleted.map(\.action) == [.leave])
        default:
            #expect(edited.map(\.action) == [.publish(here)])
            #expect(deleted.map(\.action) == [.take(there)])
            #expect(edited.map(\.reason) == [.editBeatsDelete])
        }
    }

    @Test func `a step that is not open is given back`() throws {
        let input = conflict(UniformRules(Strategy([.choice(.here)])), here, there)
        let step = try #require(reconcile(input).steps.first)
        #expect(settle(step, answer: .there, remaining: [], input: input) == [step])
    }
}
