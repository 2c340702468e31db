package import FilesinkiItems
import FilesinkiModel
import FilesinkiRecords

/// Names one state of a record: `12` for what the commit 12 of the zone set, `12+5f3a…-0b1c2d3e` for a change of it
/// that is not published, by the time of the change and the begin of its device's id; `2.12` in the second generation
/// of the zone. A state that was named once is never named again.
package struct ChangeTag: Hashable, Sendable, CustomStringConvertible {
    /// The commit that set the record; 0 when the store does not have it.
    private let version: UInt64
    /// When the record was last changed, and by which device: no device does that twice at one time. Of a deleted
    /// record, the time alone.
    private let change: String
    private let isPending: Bool
    /// Each generation of a zone counts its commits from 1 on.
    private let generation: UInt64

    package init(_ item: Item<RecordState>, generation: UInt64) {
        self.generation = generation
        version = item.version
        let time = String(UInt64(bitPattern: item.ours.time), radix: 16)
        let device = item.ours.record.map { "-" + hexadecimal($0.modified.device.prefix(4)) }
        change = time + (device ?? "")
        isPending = item.isPending
    }

    package var description: String {
        (generation > 1 ? "\(generation)." : "") + String(version)
            + (isPending ? "+" + change : "")
    }

    /// Whether a tag that was printed earlier names this state. The tag of a change that was not published
    /// then names the state after its publication, too.
    package func matches(_ text: String) -> Bool {
        if text == description { return true }
        let parts = text.split(separator: "+", omittingEmptySubsequences: false)
        return parts.count == 2 && parts[1] == change
    }
}
