import FilesinkiRecords

/// The first of the records that are given in any order. Of all others none is kept.
struct BestRecords {
    private let order: SortOrder
    private let wanted: Int
    /// Only records behind this one count; nil for all.
    private let last: Record?
    private var kept: [StoredRecord] = []
    /// Sorting now and then, and not for each record, keeps the comparisons few.
    private let room: Int
    /// The last one of those that were sorted, once there are enough.
    private var worst: Record?

    init(_ wanted: Int, by order: SortOrder, after last: Record?) {
        self.wanted = wanted
        self.order = order
        self.last = last
        let (room, isTooLarge) = wanted.addingReportingOverflow(max(wanted, 32))
        self.room = isTooLarge ? .max : room
    }

    /// How many are kept.
    var count: Int { kept.count }

    /// Whether there are as many as wanted.
    var isFull: Bool { count >= wanted }

    mutating func add(_ stored: StoredRecord) {
        if let last, !order.precedes(last, stored.record) { return }
        if let worst, !order.precedes(stored.record, worst) { return }
        kept.append(stored)
        guard kept.count >= room else { return }
        kept = records
        worst = kept.last?.record
    }

    /// Those that were wanted, in their order.
    var records: [StoredRecord] {
        Array(kept.sorted { order.precedes($0.record, $1.record) }.prefix(wanted))
    }
}
