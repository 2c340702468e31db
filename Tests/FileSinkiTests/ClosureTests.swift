import Dispatch
import FileSinki
import Foundation
import Testing

/// The calls with closures. They share what `FileSinki.setup` has said, so that one test runs at a time.
@Suite("Calls with closures", .serialized)
struct ClosureTests {
    static let queue = DispatchQueue(label: "calls")
}

extension Meeting {
    /// Makes this process's calls with closures those of a device; the one call that FileSinki's users
    /// have to change.
    func setUp(_ name: String, isConnected: Bool = true) {
        FileSinki.setup(
            remote: isConnected ? address : nil, root: root(name), device: name,
            queue: ClosureTests.queue
        ) { [failures] in failures.note($0) }
    }
}

/// What a `load` closure was called with.
struct Answer<Item: Sendable & Equatable>: Sendable, Equatable, CustomStringConvertible {
    var item: Item?
    var wasRemote: Bool

    init(_ item: Item?, _ wasRemote: Bool) {
        self.item = item
        self.wasRemote = wasRemote
    }

    var description: String { "(\(item.map { "\($0)" } ?? "nil"), \(wasRemote))" }
}
