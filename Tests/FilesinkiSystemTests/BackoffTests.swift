import FilesinkiModel
import FilesinkiSystem
import Testing

@Suite struct BackoffTests {
    private func seconds(_ pauses: [Duration]) -> [Int64] { pauses.map(\.components.seconds) }

    @Test func `H1 doubles from the first pause to the longest, and starts again`() {
        var backoff = Backoff()
        #expect(seconds((0..<8).map { _ in backoff.next() }) == [1, 2, 4, 8, 16, 32, 60, 60])
        backoff.reset()
        #expect(backoff.next() == .seconds(1))
    }

    @Test func `H1 grows by half where it shall grow slowly`() {
        var backoff = Backoff(.seconds(4)...(.seconds(10)), growth: .half)
        #expect(seconds((0..<4).map { _ in backoff.next() }) == [4, 6, 9, 10])
    }

    @Test func `H1 the sum of the pauses never exceeds the limit`() {
        var backoff = Backoff(.seconds(1)...(.seconds(60)), limit: .seconds(10))
        #expect(seconds((0..<4).map { _ in backoff.next() }) == [1, 2, 4, 3])
        #expect(backoff.isOver)
        #expect(backoff.next() == .zero)
    }

    @Test func `H1 respects a remote's Retry-After`() {
        var failure = Failure(.busy, "Too many requests.", remedy: "")
        failure.retryAfter = .seconds(30)
        var backoff = Backoff()
        #expect(backoff.next(after: failure) == .seconds(30))
        #expect(backoff.next() == .seconds(2))
        #expect(!backoff.isOver)
    }

    @Test("H1 random pauses are in the upper half", arguments: [0, 100, 255] as [UInt8])
    func chance(_ byte: UInt8) {
        var backoff = Backoff(.seconds(2)...(.seconds(8)))
        for longest in [2, 4, 8, 8] {
            let pause = backoff.next(chance: byte)
            #expect(pause >= .seconds(longest) / 2 && pause <= .seconds(longest))
        }
    }

    @Test(
        "a random pause is half of the usual one, and a part of the other half",
        arguments: [(0, 2_550), (51, 3_060), (255, 5_100)] as [(UInt8, Int64)])
    func chances(_ byte: UInt8, _ milliseconds: Int64) {
        var backoff = Backoff(.milliseconds(5_100)...(.seconds(60)))
        #expect(backoff.next(chance: byte) == .milliseconds(milliseconds))
        // The next one is twice as long all the same.
        #expect(backoff.next() == .milliseconds(10_200))
    }

    @Test func `what the remote requests counts only where it is longer, and within the limit`() {
        var failure = Failure(.busy, "Too many requests.", remedy: "")
        failure.retryAfter = .seconds(3)
        var backoff = Backoff(limit: .seconds(20))
        #expect(seconds((0..<3).map { _ in backoff.next(after: failure) }) == [3, 3, 4])
        failure.retryAfter = .seconds(100)
        #expect(backoff.next(after: failure) == .seconds(10))
        #expect(backoff.isOver)
        // Another error requests nothing.
        var other = Backoff()
        #expect(other.next(after: SystemError(0)) == .seconds(1))
        #expect(other.next(atLeast: .seconds(9)) == .seconds(9))
    }

    @Test func `a success starts the pauses again, and gives no time back`() {
        var backoff = Backoff(.seconds(1)...(.seconds(60)), limit: .seconds(4))
        #expect(seconds([backoff.next(), backoff.next()]) == [1, 2])
        backoff.reset()
        #expect(backoff.left == .seconds(1))
        #expect(seconds([backoff.next(), backoff.next()]) == [1, 0])
        // A limit of nothing is over before the first pause.
        #expect(Backoff(limit: .zero).isOver && !Backoff(limit: .nanoseconds(1)).isOver)
    }
}
