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
}
