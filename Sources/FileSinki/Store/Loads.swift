/// The answers to one load: what is here at once, and then, if the remote has made something else of it,
/// that.
///
/// It ends after the second one, or without a second one when nothing has changed. It throws code `away`
/// behind the first one when the remote cannot be asked, `coding` when the remote has a content that is
/// not a value of the type, and ends with `cancelled` with its task.
public struct Loads<Item: Sendable>: AsyncSequence, Sendable {
    /// One answer.
    public typealias Element = Loaded<Item>
    /// What it may throw.
    public typealias Failure = FileSinkiError

    let here: @Sendable () throws(FileSinkiError) -> Item?
    /// What is there after the remote was asked; nil when nothing has changed.
    let there: @Sendable () async throws(FileSinkiError) -> Loaded<Item>?

    /// Begins a load; each iterator is one of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(loads: self) }

    /// Asks as it is asked.
    public struct Iterator: AsyncIteratorProtocol {
        private enum Place { case here, there, end }

        let loads: Loads
        private var place = Place.here

        init(loads: Loads) { self.loads = loads }

        /// The next answer; nil when there is none any more.
        ///
        /// - Throws: As ``FileSinki/load(_:from:compressed:)`` does; code `away` also where something is
        ///   here.
        public mutating func next() async throws(FileSinkiError) -> Loaded<Item>? {
            switch place {
            case .here:
                place = .there
                return Loaded(item: try loads.here(), wasRemote: false, isFinal: false)
            case .there:
                place = .end
                return try await loads.there()
            case .end: return nil
            }
        }
    }
}
