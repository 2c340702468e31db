package import FilesinkiModel
package import FilesinkiSQLite

/// A kind of items in a zone: how they are encoded and merged. The rest is the same for every kind:
/// the local file, the exchange with the store, the events.
///
/// A kind writes no code for the log. The smallest one is `ToyKind`, in the tests.
package protocol ItemKind: Sendable {
    /// An item on one side.
    associatedtype State: ItemState
    /// What ``merge(_:_:)`` throws when it needs an answer that takes longer than a transaction may;
    /// ``NoQuestion`` for a kind whose merge never does.
    associatedtype Question: Error & Hashable = NoQuestion
    associatedtype Answer: Sendable = NoAnswer

    static var names: ItemNames { get }
    static var file: ItemFileFormat { get }
    /// Whether items name assets. The file then has the tables of ``ItemTables/assets``.
    static var hasAssets: Bool { get }

    /// Brings a file of an older version up to date. Called in a transaction.
    static func migrate(_ file: OwnConnection, from version: Int64) throws(Failure)

    /// Whether what was fetched may be the content of an item with this key.
    static func isValid(_ state: State, _ key: ItemKey) -> Bool

    /// Merges an item that both sides may have changed. Called in the transaction that applies it.
    ///
    /// - Throws: A ``Question`` that is not among the context's answers.
    static func merge(
        _ merge: ItemMerge<State>, _ context: inout MergeContext<Self>
    ) throws -> ItemOutcome<State>

    /// Answers a question of a merge. Called outside of every transaction.
    ///
    /// - Parameter folder: A folder for temporary files, which exists.
    static func answer(_ question: Question, in folder: String) async throws -> Answer

    /// Called before each exchange, for what decides which log the zone has.
    ///
    /// - Returns: What the report of the exchange has to tell.
    static func willExchange(
        _ zone: isolated ItemZone<Self>, _ options: ExchangeOptions
    ) async throws -> [Failure]

    /// Called in the transaction in which the local item changed, for what is derived from it.
    static func didChange(_ item: Item<State>, in database: ItemDatabase<Self>) throws

    /// Called in the transaction that applies what was fetched, after the last item.
    ///
    /// - Parameter keys: The items that were fetched.
    static func didApply(_ keys: [ItemKey], _ context: inout MergeContext<Self>) throws

    /// Called in the transaction in which changes of other devices were applied and became an event, not
    /// for those of a first exchange.
    static func didReceive(
        _ changes: [ReceivedChange<State>], event: Int64, in database: ItemDatabase<Self>,
        at time: Timestamp
    ) throws

    /// Whether the zone exceeds the limits of this device, as a merge may cause.
    static func isOverLimits(_ database: ItemDatabase<Self>) throws -> Bool
}

extension ItemKind {
    package static var hasAssets: Bool { false }
    package static func migrate(_ file: OwnConnection, from version: Int64) throws(Failure) {}
    package static func isValid(_ state: State, _ key: ItemKey) -> Bool { true }
    package static func willExchange(
        _ zone: isolated ItemZone<Self>, _ options: ExchangeOptions
    ) async throws -> [Failure] { [] }
    package static func didChange(_ item: Item<State>, in database: ItemDatabase<Self>) throws {}
    package static func didApply(
        _ keys: [ItemKey], _ context: inout MergeContext<Self>
    ) throws {}
    package static func didReceive(
        _ changes: [ReceivedChange<State>], event: Int64, in database: ItemDatabase<Self>,
        at time: Timestamp
    ) throws {}
    package static func isOverLimits(_ database: ItemDatabase<Self>) throws -> Bool { false }
}

extension ItemKind where Question == NoQuestion, Answer == NoAnswer {
    /// Is never called.
    package static func answer(_ question: Question, in folder: String) async throws -> Answer {}
}

/// The question of a kind whose merge never asks one.
package enum NoQuestion: Error, Hashable {}

/// The answer to ``NoQuestion``.
package enum NoAnswer: Sendable {}

/// An item on one side: its content, or its removal.
package protocol ItemState: Hashable, Sendable {
    /// An item that was removed at a time, or never set.
    static func removed(at time: Int64) -> Self

    /// The content of an encoding.
    ///
    /// - Parameters:
    ///   - bytes: Of any origin.
    ///   - time: When the content was set.
    /// - Returns: nil for invalid bytes.
    init?(encoded bytes: [UInt8], time: Int64)

    /// Whether the bytes were written by a newer version of the program, with another layout.
    static func isNewer(_ bytes: [UInt8]) -> Bool

    /// The content's encoding; nil when it was removed. Without the time.
    var encoded: [UInt8]? { get }
    /// The hybrid logical time of the change: see ``HybridClock``.
    var time: Int64 { get }
    /// How many bytes count for limits; 0 when it was removed.
    var size: Int { get }

    /// Whether both have the same content, regardless of when and where it was set.
    func hasSameContent(as other: Self) -> Bool

    /// Whether the change from a former item to this one is reported to observers.
    func isReported(after former: Self) -> Bool

    /// Whether there is no content.
    var isRemoved: Bool { get }

    /// What the content names of what is stored beside it: see ``ItemKind/hasAssets``.
    var assets: [ItemAsset] { get }

    /// The item as it is published in the place of a former one. It has the same content and time.
    func published(over former: Self) -> Self
}

extension ItemState {
    package func isReported(after former: Self) -> Bool { !hasSameContent(as: former) }
    package var assets: [ItemAsset] { [] }
    package func published(over former: Self) -> Self { self }
}

/// What a kind is called.
package struct ItemNames: Sendable {
    /// The folder of the files in the state folder, such as `kv`.
    package var folder: String
    /// The prefix of the zones in the store, such as `kv-`.
    package var zonePrefix: String
    /// The command of the kind, such as `kv`.
    package var command: String
    /// A zone of the kind, such as `key-value store`.
    package var zone: String
    /// An item's name, such as `key`.
    package var key: String
    /// An item's content, such as `value`.
    package var content: String
    /// The command that prints everything, and the token to continue with; nil if the kind's `list` and `status` do.
    package var resync: String?
    /// The option that names a zone to the kind's commands, such as `store`; nil if none does.
    package var option: String?
    /// Whether the kind's commands `export` and `import` write all items to a file and set them again.
    package var canExport: Bool

    package init(
        folder: String, zonePrefix: String, command: String, zone: String, key: String,
        content: String, resync: String? = nil, option: String? = nil, canExport: Bool = false
    ) {
        self.folder = folder
        self.zonePrefix = zonePrefix
        self.command = command
        self.zone = zone
        self.key = key
        self.content = content
        self.resync = resync
        self.option = option
        self.canExport = canExport
    }
}

extension ItemNames {
    /// How to take what another store has in place of what is here, and how to keep that.
    ///
    /// - Parameters:
    ///   - name: The zone's name.
    ///   - database: The option that names its database, behind a blank.
    func accepting(of name: String, _ database: String) -> String {
        let choice = name == "default" ? "" : option.map { " --\($0) \(name)" } ?? ""
        let options = choice + database
        let replacing =
            "run filesinki \(command) sync\(options) --accept-account: its \(content)s then replace the "
            + "local ones, which are archived."
        guard canExport else { return replacing }
        return replacing
            + " To keep the local ones, run filesinki \(command) export\(options) -o FILE before, and filesinki "
            + "\(command) import\(options) FILE after it, which replaces also what is newer there."
    }

    /// The zone's name in the store, behind the prefix of its database.
    func storeZone(_ name: String, generation: UInt64) -> String {
        guard generation > 1 else { return zonePrefix + name }
        return "\(zonePrefix.dropLast())\(generation)-\(name)"
    }
}

/// An item that was fetched, beside the local one and the last common one.
package struct ItemMerge<State: ItemState>: Sendable {
    package var key: ItemKey
    package var base: State
    package var ours: State
    package var theirs: State
    /// The note of our pending change: see ``Item/note``.
    package var note: [UInt8]
    /// Whether our item is not published.
    package var isPending: Bool
    /// Whether the log has the base; not so after a reset.
    package var isBaseStored: Bool
    /// Whether our item was set before the store was known, or has not changed since a reset, and the store has it, too.
    package var isUnknown: Bool
    /// Which side an unknown item follows.
    package var initial: InitialPolicy
}

/// An item that changed on this device by what other devices did.
package struct ReceivedChange<State: ItemState>: Sendable {
    package var key: ItemKey
    package var former: State
    package var present: State
}

/// The result of a merge.
package enum ItemOutcome<State: ItemState>: Sendable {
    /// Our item stays, and must be published.
    case ours
    /// Their item stays. Ours is kept in the history, with the reason why it gave way.
    case theirs(reason: String)
    /// A third item that combines both.
    ///
    /// - Parameter reason: Why a part of our item gave way, so that it is kept in the history; nil if
    ///   nothing did.
    case both(State, reason: String?)
    /// Their item stays, as our change may not be combined with it. Ours is kept in the history, and
    /// so are the changes of its batch.
    case refused(reason: String)
}

/// What merges share in the transaction that applies what was fetched.
package struct MergeContext<Kind: ItemKind> {
    package let database: ItemDatabase<Kind>
    /// The id of this device.
    package let device: [UInt8]
    package let now: Timestamp
    package let answers: [Kind.Question: Kind.Answer]
    /// Problems to report.
    package var problems: [Failure] = []
    package var clock: HybridClock

    /// A time for a change that the merge makes.
    package mutating func tick() -> Int64 { clock.tick(now) }
}
