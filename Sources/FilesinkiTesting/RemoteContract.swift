package import FilesinkiRemote

/// One promise of ``FilesinkiRemote/Remote``, with the check of it. Each remote's tests run
/// ``all`` on it; the test log then is the contract.
///
/// ```
/// @Test("honours the remote contract", arguments: RemoteContract.all)
/// func contract(_ contract: RemoteContract) async throws {
///     try await contract.check(MemoryRemote())
/// }
/// ```
package struct RemoteContract: Sendable, CustomStringConvertible {
    /// The promise, as a sentence.
    package let description: String
    private let body: @Sendable (RemoteSubject) async throws -> Void

    init(
        _ description: String, _ body: @escaping @Sendable (RemoteSubject) async throws -> Void
    ) {
        self.description = description
        self.body = body
    }

    /// Every promise.
    package static let all = reading + publishing + listing + deleting + waiting

    /// Checks the promise.
    ///
    /// - Parameter connections: One or more ways to the same store, which is empty. Races go through
    ///   all of them.
    /// - Throws: ``ContractViolation``, or what the remote throws.
    package func check(_ connections: any Remote...) async throws {
        guard let first = connections.first else { return }
        try await body(RemoteSubject(remote: first, connections: connections))
    }
}

/// What a check of the contract works on.
struct RemoteSubject: Sendable {
    let remote: any Remote
    let connections: [any Remote]

    /// The way that the writer with this number takes.
    func connection(_ number: Int) -> any Remote { connections[number % connections.count] }
}

/// A promise that a remote broke.
package struct ContractViolation: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// Demands that both are equal.
func demand<Value: Equatable>(_ value: Value, is wanted: Value, _ what: String) throws {
    guard value == wanted else {
        throw ContractViolation("\(what) is \(value), and should be \(wanted)")
    }
}

/// The key, or a ``ContractViolation``'s cause when a test's own key is bad.
func key(_ text: String) throws -> ObjectKey { try ObjectKey(text) }

/// The UTF-8 bytes of a text.
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
