import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile

/// When the versions of other devices arrived in this replica. The log has when they were made; a row of the journal for each
/// file would cost a first checkout more than it tells.
///
/// Of each run that received something there is one range of commits, with the time; only those of the last such runs are kept.
struct Arrivals: Equatable, Sendable {
    struct Range: Equatable, Sendable {
        let first: UInt64
        let last: UInt64
        /// The time since 1970, in seconds.
        let seconds: Int64
    }

    /// The last one is the newest.
    private(set) var ranges: [Range] = []

    static let limit = 500

    init() {}

    /// Adds the versions that a round has received.
    ///
    /// - Parameter started: When its run began. What an earlier round of that run received is one range with this: the
    ///   replica was locked since.
    mutating func add(_ versions: [UInt64], at time: Timestamp, began started: Timestamp) {
        guard var first = versions.min(), var last = versions.max() else { return }
        if let earlier = ranges.last, earlier.seconds >= started.seconds {
            first = min(first, earlier.first)
            last = max(last, earlier.last)
            ranges.removeLast()
        }
        ranges.append(Range(first: first, last: last, seconds: time.seconds))
        if ranges.count > Self.limit { ranges.removeFirst(ranges.count - Self.limit) }
    }

    /// The range of a version; nil where it is not known, also because a run for some paths received a part of the commit, and
    /// another one the rest.
    func range(of version: UInt64) -> Range? {
        let found = ranges.filter { $0.first <= version && version <= $0.last }
        return found.count == 1 ? found.first : nil
    }

    /// Parses ``bytes``. Skips malformed lines.
    init(_ bytes: [UInt8]) {
        for words in bytes.noteLines {
            guard words.count == 3, let first = UInt64(words[0]), let last = UInt64(words[1]),
                let seconds = Int64(words[2]), first <= last
            else { continue }
            ranges.append(Range(first: first, last: last, seconds: seconds))
        }
    }

    /// A line for each run: the first and the last commit, and the time.
    var bytes: [UInt8] {
        Array(ranges.map { "\($0.first) \($0.last) \($0.seconds)\n" }.joined().utf8)
    }
}

extension Arrivals {
    /// Adds to the versions of a path when they arrived here. A version of this device did not, nor one that was followed by
    /// another before a run came, or that waits.
    ///
    /// - Parameters:
    ///   - versions: The newest first.
    ///   - known: The version that was applied last; 0 for none.
    func describe(_ versions: inout [PathVersion], upTo known: UInt64, besides device: Device) {
        var newer: Range?
        for index in versions.indices where versions[index].version <= known {
            guard !versions[index].isSuperseded,
                let range = range(of: versions[index].version)
            else { continue }
            if versions[index].device.id != device.id, range != newer {
                versions[index].received = Timestamp(
                    seconds: range.seconds, nanoseconds: 0)
            }
            newer = range
        }
    }
}

extension ManifestDatabase {
    static let arrivalsName = "arrivals"

    /// When versions arrived here.
    func arrivals() throws -> Arrivals { Arrivals(try value(Self.arrivalsName) ?? []) }
}

extension ManifestWriter {
    /// Notes the versions that a round has received.
    func noteArrivals(
        _ done: [Step], _ run: SyncRun, at now: Timestamp, in manifest: ManifestDatabase
    ) throws {
        let versions = done.compactMap { $0.hasReceived ? run.remote.changes[$0.path] : nil }
            .map(\.entry.version)
        guard !versions.isEmpty else { return }
        var arrivals = try manifest.arrivals()
        arrivals.add(versions, at: now, began: run.started)
        try setValue(ManifestDatabase.arrivalsName, arrivals.bytes)
    }
}

extension Step {
    /// Whether the step has put a version of another device in place, or a merge with it.
    fileprivate var hasReceived: Bool {
        switch action {
        case .take, .both: true
        case .agree, .publish, .undecided, .leave, .skip: false
        }
    }
}
