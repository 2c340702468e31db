package import FilesinkiModel
import FilesinkiText

/// Who changed the state of a zone, and when.
package struct ZoneMark: Hashable, Sendable {
    /// The hybrid logical time in nanoseconds.
    package var time: Int64
    package var device: Device

    package init(time: Int64, device: Device) {
        self.time = time
        self.device = device
    }
}

/// The end of one generation of a zone.
package struct ZoneEnding: Hashable, Sendable {
    package var cause: ZoneCause
    /// The last commit of the generation that the device knew which ended it; 0 for none.
    package var sequence: UInt64
    package var mark: ZoneMark

    package init(cause: ZoneCause, sequence: UInt64, mark: ZoneMark) {
        self.cause = cause
        self.sequence = sequence
        self.mark = mark
    }
}

/// What the catalogue has about a zone: how each of its generations ended, and whether there is one now.
/// A zone without an entry is live in generation 1.
package struct ZoneEntry: Hashable, Sendable {
    /// The generations that ended, in order.
    package var endings: [ZoneEnding] = []
    /// The last generation that was created.
    package var created: UInt64 = 1
    /// Who created it; nil if nobody had to.
    package var creation: ZoneMark?

    /// More are refused.
    package static let maximumEndings = 1_000

    /// The name of the catalogue, in the store and on devices. No zone of records or of values has it, as they have a
    /// prefix.
    package static let catalogue = "_catalog"

    package init() {}

    /// The generation that is used, or that would be created next.
    package var generation: UInt64 { UInt64(endings.count) + 1 }

    /// Whether the zone can be used.
    package var isLive: Bool { created == generation }

    /// What happened last; nil for a zone that was never ended.
    package var state: ZoneCause? {
        guard let last = endings.last?.cause else { return nil }
        // After a deletion it is live again once it was created.
        return last == .reset || !isLive ? last : nil
    }

    /// Whether a generation was deleted or purged, itself or after resets, so that nobody has its records any more.
    package func isDeleted(generation: UInt64) -> Bool {
        endings.dropFirst(Int(clamping: max(generation, 1) - 1)).contains { $0.cause != .reset }
    }

    /// Who changed the state last, and when.
    package var lastMark: ZoneMark? {
        let marks = [endings.last?.mark, creation].compactMap { $0 }
        return marks.max { $0.time < $1.time }
    }

    /// How the former generations ended: see ``ItemDatabase/way()``.
    package var way: String { endings.map { $0.cause == .reset ? "r" : "d" }.joined() }

    /// The entry that both sides come to. What was published first counts; an ending of the same
    /// generation by another device is that one. A deletion and a reset at once are a deletion.
    package static func merged(ours: ZoneEntry, theirs: ZoneEntry) -> ZoneEntry {
        var result = theirs
        let isSame = zip(ours.endings, theirs.endings).allSatisfy { one, other in
            (one.cause == .reset) == (other.cause == .reset)
        }
        if isSame {
            result.endings += ours.endings.dropFirst(theirs.endings.count)
            if ours.created > theirs.created {
                (result.created, result.creation) = (ours.created, ours.creation)
            } else if ours.created == theirs.created, theirs.creation == nil {
                result.creation = ours.creation
            }
        } else if !ours.isLive, theirs.isLive, var ending = ours.endings.last {
            ending.sequence = 0
            result.endings.append(ending)
        }
        return result
    }
}

extension ZoneEntry {
    // MARK: Bytes

    /// The version of this layout: a byte for it, then the entry as text.
    private static let version: UInt8 = 1

    /// - Parameter bytes: Of any origin.
    /// - Returns: nil for invalid bytes.
    package init?(encoded bytes: [UInt8]) {
        guard bytes.first == Self.version,
            let text = String(validating: bytes.dropFirst(), as: UTF8.self)
        else { return nil }
        self.init(text: text)
    }

    /// Whether the bytes were written by a newer version of the program, with another layout.
    package static func isNewer(_ bytes: [UInt8]) -> Bool {
        bytes.first.map { $0 > version } ?? false
    }

    package var encoded: [UInt8] { [Self.version] + Array(text.utf8) }

    /// A line for what is created, and one for each ending, in order.
    package var text: String {
        var lines = ["live \(created)"]
        if let creation { lines[0] += " " + creation.text }
        lines += endings.map { "\($0.cause.rawValue) \($0.sequence) \($0.mark.text)" }
        return lines.joined(separator: "\n")
    }

    /// - Returns: nil for what ``text`` does not write.
    package init?(text: some StringProtocol) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count <= Self.maximumEndings + 1, let first = lines.first else { return nil }
        let words = first.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count >= 2, words[0] == "live", let created = UInt64(words[1]) else {
            return nil
        }
        self.created = created
        if words.count > 2 {
            guard let mark = ZoneMark(words: words[2...].map { String($0) }) else { return nil }
            creation = mark
        }
        for line in lines.dropFirst() {
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            guard words.count > 2, let cause = ZoneCause(rawValue: String(words[0])),
                let sequence = UInt64(words[1]),
                let mark = ZoneMark(words: words[2...].map { String($0) })
            else { return nil }
            endings.append(ZoneEnding(cause: cause, sequence: sequence, mark: mark))
        }
        guard (1...generation).contains(created), self.text == text else { return nil }
    }
}

extension ZoneMark {
    fileprivate var text: String {
        "\(time) \(hexadecimal(device.id)) \(PercentCoding.encode(Array(device.name.utf8)))"
    }

    fileprivate init?(words: [String]) {
        guard words.count == 3, let time = Int64(words[0]), let id = bytes(hexadecimal: words[1]),
            id.count == 16, let name = PercentCoding.decode(words[2])
        else { return nil }
        self.time = time
        device = Device(id: id, name: String(decoding: name, as: UTF8.self))
    }
}
