import FilesinkiManifest
import FilesinkiModel
import FilesinkiStore

/// The last commit that each device is known to have published: it had seen the log up to there.
///
/// Kept in the manifest, so that `devices` can tell without reading the log.
struct DevicesSeen: Equatable, Sendable {
    struct Item: Equatable, Sendable {
        var sequence: UInt64
        var time: Timestamp
    }

    /// By the device's id.
    private(set) var items: [[UInt8]: Item] = [:]

    /// So many devices are kept, those that published last.
    private static let limit = 256

    init() {}

    mutating func note(_ commit: Commit) {
        note(commit.device.id, Item(sequence: commit.sequence, time: commit.time))
    }

    mutating func add(_ other: DevicesSeen) {
        for (id, item) in other.items { note(id, item) }
    }

    private mutating func note(_ id: [UInt8], _ item: Item) {
        if let known = items[id], known.sequence >= item.sequence { return }
        items[id] = item
        guard items.count > Self.limit else { return }
        if let oldest = items.min(by: { $0.value.sequence < $1.value.sequence }) {
            items[oldest.key] = nil
        }
    }

    /// Reads ``bytes``; lines that are none do not count.
    init(_ bytes: [UInt8]) {
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 3, let id = FilesinkiModel.bytes(hexadecimal: words[0]),
                let sequence = UInt64(words[1]), let time = Int64(words[2])
            else { continue }
            note(id, Item(sequence: sequence, time: Timestamp(nanoseconds: time)))
        }
    }

    /// A line for each device: its id, the commit's number and time.
    var bytes: [UInt8] {
        let lines = items.sorted { $0.value.sequence < $1.value.sequence }.map {
            "\(hexadecimal($0.key)) \($0.value.sequence) \($0.value.time.nanoseconds)\n"
        }
        return Array(lines.joined().utf8)
    }
}

extension ManifestDatabase {
    /// What is known of the devices' own commits.
    func devicesSeen() throws -> DevicesSeen {
        DevicesSeen(try value(DevicesSeen.name) ?? [])
    }
}

extension ManifestWriter {
    func setDevicesSeen(_ seen: DevicesSeen) throws {
        try setValue(DevicesSeen.name, seen.bytes)
    }
}

extension DevicesSeen {
    fileprivate static let name = "published-by"
}
