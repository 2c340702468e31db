import Glibc

/// Tests a condition again and again, for what another thread or process does in its own time.
///
/// - Parameter seconds: The time limit. A bound, not a measure: a busy machine may take some minutes.
/// - Returns: Whether the condition held before the time limit.
package func eventually(
    seconds: Int64 = 180, _ condition: () async throws -> Bool
) async throws -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while true {
        if try await condition() { return true }
        guard ContinuousClock.now < end else { return false }
        try await Task.sleep(for: .milliseconds(10))
    }
}

/// As ``eventually(seconds:_:)``, blocking the thread: for tests of processes.
package func pollUntil(seconds: Int64 = 180, _ condition: () throws -> Bool) rethrows -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while true {
        if try condition() { return true }
        guard ContinuousClock.now < end else { return false }
        usleep(20_000)
    }
}
