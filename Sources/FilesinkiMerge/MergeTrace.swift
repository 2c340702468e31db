import FilesinkiModel
import Synchronization

/// What a merge decided, place by place, for a user who asks why: see ``MergeInput/trace``.
///
/// Merges tell it only what a side changed. Where a part of the result is one side's as a whole, it is one step.
package final class MergeTrace: Sendable {
    /// How a place of the result came to what it is.
    package struct Step: Hashable, Sendable {
        /// As in ``MergeConflict/place``. Lines are counted in the version that they come from.
        package var place: String
        package var source: Source
        package var reason: Reason
        /// The cell or row of a database; nil for any other place.
        package var cell: MergeCell?

        package init(
            _ place: String, _ source: Source, _ reason: Reason, cell: MergeCell? = nil
        ) {
            self.place = place
            self.source = source
            self.reason = reason
            self.cell = cell
        }
    }

    /// The version that decided.
    package enum Source: String, Sendable {
        case ours = "here"
        case theirs = "there"
        case both
        /// No version: a conflict remains.
        case none
    }

    package enum Reason: Hashable, Sendable {
        /// The side changed it, and the other did not.
        case edited
        case added
        case removed
        /// Both sides made the same change.
        case alike
        /// The changes of both sides are in it.
        case combined
        /// Both sides changed it, and a rule for the field decided.
        case rule(FieldRule.Resolution)
        /// Both sides changed it, and the side that the user chose for fields decided.
        case fieldChoice
        /// Both sides changed it, and a property of the format decided, such as the run of a notebook's cell.
        case format
        /// The result is a copy of this version, into which the changes of the other were put.
        case copied
        /// A link of the strategy chose the whole version, or made the whole content.
        case strategy(String)
        /// Why it cannot be merged: a sentence.
        case conflict(String)
    }

    /// What told `auto` the format.
    package enum FormatSource: String, Sendable { case rule, content, name }

    private struct State {
        var rule = ""
        var formatSource: FormatSource?
        var unreadFormat: String?
        var steps: [Step] = []
        var isCut = false
    }

    /// What is said of contents for which `auto` finds no format.
    package static let noFormat =
        "The contents are neither databases, nor documents, nor JSON, nor text."

    /// Whether the versions of a file are of one format that has no lines, and of which `auto` tells the places:
    /// databases, or documents of one kind that are archives.
    ///
    /// - Parameter base: What both sides started from; empty for none.
    package static func hasPlaces(_ sides: [[UInt8]], base: [UInt8]) -> Bool {
        guard let first = sides.first else { return false }
        let versions = sides + (base.isEmpty ? [] : [base])
        if versions.allSatisfy(SQLiteMerge.isDatabase) { return true }
        guard let kind = ArchiveKind(of: first) else { return false }
        return versions.allSatisfy { ArchiveKind(of: $0) == kind }
    }

    /// The most steps that are kept, besides conflicts.
    private static let mostSteps = 100_000

    private let state = Mutex(State())

    /// Whether two versions of a file are compared: ours is the newer one, and the base and theirs are the older one.
    /// Then merges look for what differs also in what only one side changed.
    package let isComparison: Bool

    package init(isComparison: Bool = false) { self.isComparison = isComparison }

    /// A trace for a part of the content, which is added to this one.
    func ofPart() -> MergeTrace { MergeTrace(isComparison: isComparison) }

    /// The rule that merged last, such as `json` or `auto:json`; empty without a merge.
    package var rule: String { state.withLock { $0.rule } }

    /// What told `auto` the format; nil for any other link.
    package var formatSource: FormatSource? { state.withLock { $0.formatSource } }

    /// The format that a rule or the name told, where a version cannot be read as such, so that all were merged as text.
    package var unreadFormat: String? { state.withLock { $0.unreadFormat } }

    /// The steps of the last merge, in the order of its result.
    package var steps: [Step] { state.withLock { $0.steps } }

    /// Whether there were more steps than are kept.
    package var isCut: Bool { state.withLock { $0.isCut } }

    /// Forgets the steps of an earlier merge.
    ///
    /// - Parameter unread: See ``unreadFormat``.
    package func begin(
        _ rule: String, _ source: FormatSource? = nil, unread: String? = nil
    ) {
        state.withLock { $0 = State(rule: rule, formatSource: source, unreadFormat: unread) }
    }

    package func add(_ place: String, _ source: Source, _ reason: Reason) {
        add([Step(place, source, reason)])
    }

    package func add(_ conflicts: [MergeConflict]) {
        let steps = conflicts.map { Step($0.place, .none, .conflict($0.reason), cell: $0.cell) }
        state.withLock { $0.steps += steps }
    }

    func add(_ steps: [Step]) {
        state.withLock { state in
            let room = max(0, Self.mostSteps - state.steps.count)
            state.isCut = state.isCut || steps.count > room
            state.steps += steps.prefix(room)
        }
    }

    /// Adds the steps of a part of the content under other names.
    func add(_ part: MergeTrace?, renamed name: (String) -> String) {
        add((part?.steps ?? []).map { Step(name($0.place), $0.source, $0.reason) })
    }

    // MARK: Merges that try several ways

    /// The number of steps, for ``discard(from:)``.
    var count: Int { state.withLock { $0.steps.count } }

    /// Forgets the steps from a number on: those of a way that was not taken.
    func discard(from count: Int) {
        state.withLock { $0.steps.removeLast(max(0, $0.steps.count - count)) }
    }
}

extension MergeTrace.Source {
    init(_ side: MergeVersion) { self = side == .ours ? .ours : side == .theirs ? .theirs : .none }
}

extension MergeInput {
    /// Notes a content that at most one side changed, or both alike, as a whole.
    func noteWhole() {
        guard let trace, ours != theirs || ours != base else { return }
        let isBoth = ours == theirs
        trace.add("", isBoth ? .both : theirs == base ? .ours : .theirs, isBoth ? .alike : .edited)
    }
}

extension MergeTrace {
    func add(_ place: MergePlace, _ side: MergeVersion, _ reason: Reason) {
        add(place.pointer, Source(side), reason)
    }

    /// Notes how an item is resolved that not both sides have.
    func add(_ entry: MergeTrio<Int>, _ resolution: ItemResolution, at place: MergePlace) {
        switch resolution {
        case .merged: break
        case .taken(let side): add(place, side, entry.base == nil ? .added : .fieldChoice)
        case .dropped:
            let isBoth = entry.ours == nil && entry.theirs == nil
            let remover: Source = isBoth ? .both : entry.ours == nil ? .ours : .theirs
            add(place.pointer, remover, .removed)
        }
    }
}

extension MergeTrace.Reason {
    /// The reason in one word, for programs.
    package var word: String {
        switch self {
        case .edited: "edited"
        case .added: "added"
        case .removed: "removed"
        case .alike: "alike"
        case .combined: "combined"
        case .rule: "rule"
        case .fieldChoice: "field-choice"
        case .format: "format"
        case .copied: "copied"
        case .strategy: "strategy"
        case .conflict: "conflict"
        }
    }

    /// The rule or the sentence that belongs to the word; nil if nothing does.
    package var detail: String? {
        switch self {
        case .rule(let resolution): resolution.rawValue
        case .strategy(let rule), .conflict(let rule): rule
        default: nil
        }
    }
}
