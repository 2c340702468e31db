package import FilesinkiItems
import FilesinkiRecords

/// Names one state of a record: `12` for what the commit 12 of the zone set, `12+5f3a…` for a change of it
/// that is not published; `2.12` in the second generation of the zone. A state that was named once is never
/// named again.
package struct ChangeTag: Hashable, Sendable, CustomStringConvertible {
    /// The commit that set the record; 0 when the store does not have it.
    private let version: UInt64
    /// The time of the change that is not published; nil when there is none.
    private let pending: Int64?
    /// The time of the record's last change.
    private let time: Int64
    /// Each generation of a zone counts its commits from 1 on.
    private let generation: UInt64

    package init(_ item: Item<RecordState>, generation: UInt64) {
        self.generation = generation
        version = item.version
        time = item.ours.time
        pending = item.isPending ? time : nil
    }

    package var description: String {
        (generation > 1 ? "\(generation)." : "") + String(version)
            + (pending.map { "+" + Self.digits($0) } ?? "")
    }

    /// Whether a tag that was printed earlier names this state. The tag of a change that was not published
    /// then names the state after its publication, too.
    package func matches(_ text: String) -> Bool {
        if text == description { return true }
        let parts = text.split(separator: "+", omittingEmptySubsequences: false)
        return parts.count == 2 && parts[1] == Self.digits(time)
    }

    private static func digits(_ time: Int64) -> String {
        String(UInt64(bitPattern: time), radix: 16)
    }
}
