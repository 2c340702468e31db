import Testing

@testable import FileSinki

@Suite("Observers that have no starting point yet")
struct ObserverStartsTests {
    @Test func `FS-13 a fetch waits until each observer that was added has its starting point`()
        async
    {
        let starts = ObserverStarts()
        var pending: [ObserverStart] = [starts.begin(), starts.begin()]
        let fetches = Calls<String>()
        let fetch = Task {
            await starts.wait()
            fetches.note("fetched")
        }
        while !starts.isAwaited { await Task.yield() }
        pending.removeLast()
        for _ in 0..<100 { await Task.yield() }
        #expect(fetches.count == 0)
        pending.removeLast()
        await fetch.value
        #expect(fetches.count == 1)
    }

    @Test func `without such observers nothing waits`() async {
        let starts = ObserverStarts()
        _ = starts.begin()
        await starts.wait()
        #expect(!starts.isAwaited)
    }
}
