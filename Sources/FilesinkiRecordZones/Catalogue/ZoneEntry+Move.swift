package import FilesinkiItems
import FilesinkiModel
package import FilesinkiRecords

extension ZoneEntry {
    /// What a device has to do that went a way; nil for nothing.
    ///
    /// A device goes a way as soon as its user ends a generation. If another device was first and ended it in
    /// another manner, what is on the device belongs to no generation.
    package func move(from former: String) -> ZoneMove? {
        guard !former.hasPrefix(way) else { return nil }
        guard way.hasPrefix(former) else {
            let cause = endings.last { $0.cause != .reset }?.cause ?? .deleted
            return ZoneMove(way: way, cause: cause, sequence: 0, isLive: isLive)
        }
        let passed = endings[former.utf8.count...]
        // Behind a deletion, a reset has nothing to send.
        let cause = passed.first { $0.cause != .reset }?.cause ?? .reset
        return ZoneMove(
            way: way, cause: cause, sequence: passed.first?.sequence ?? 0, isLive: isLive)
    }
}
