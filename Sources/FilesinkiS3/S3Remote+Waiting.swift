import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem

extension S3Remote {
    /// Looks now and then whether there is a key behind the last one, which is what happens to a log.
    /// The last one is remembered, so that what came between two waits ends the second at once.
    package func wait(prefix: String, timeout: Duration) async throws {
        let start = await end(of: prefix, from: pollCursor[prefix])
        if let former = pollCursor.advance(prefix, to: start), former != start { return }
        var backoff = Backoff(.seconds(1)...(.seconds(30)), growth: .half, limit: timeout)
        while !backoff.isOver {
            try Task.checkCancellation()
            try await systemContext.sleep(backoff.next())
            if !backoff.isOver, try await isBehind(start, prefix) { return }
        }
    }

    /// The last key below a prefix as far as it can be found out; one that is known saves pages.
    private func end(of prefix: String, from known: String?) async -> String {
        var last = known ?? ""
        while !Task.isCancelled {
            let page = try? await page(prefix, after: last, size: S3Listing.largestPage)
            guard let page, let key = page.objects.last?.key else { break }
            last = key
            guard page.isCut else { break }
        }
        return last
    }

    private func isBehind(_ last: String, _ prefix: String) async throws -> Bool {
        do {
            return try await !page(prefix, after: last, size: 1).objects.isEmpty
        } catch let failure as Failure where failure.code == .away || failure.code == .busy {
            // A hint may come later.
            return false
        }
    }
}
