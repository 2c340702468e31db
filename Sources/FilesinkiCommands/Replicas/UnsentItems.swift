import FilesinkiItems
import FilesinkiKeyValue
import FilesinkiModel
import FilesinkiRecordZones
import FilesinkiText

/// Values and records that are changed here and not yet sent, as `status` shows them.
struct UnsentItems {
    private let values: [PendingZone]
    private let records: [PendingZone]
    private let left: LeftItems

    /// How many zones of a kind are named at most.
    private static let named = 5

    /// - Parameters:
    ///   - state: The replica's state folder.
    ///   - store: The id of its store, to find also what is of another one; empty if that is not asked.
    /// - Throws: `Failure` if a zone's file cannot be read.
    init(state: String, store: [UInt8] = []) throws(Failure) {
        values = try LocalZones<ValueKind>.pending(state: state)
        records = try LocalZones<RecordKind>.pending(state: state)
        left = try LeftItems(state: state, store: store)
    }

    var isEmpty: Bool { values.isEmpty && records.isEmpty }

    /// How many values and records.
    var count: Int { Self.count(of: values) + Self.count(of: records) }

    func describe(in object: inout JSONObject) {
        if !values.isEmpty { object.add("pending_values", Self.count(of: values)) }
        if !records.isEmpty { object.add("pending_records", Self.count(of: records)) }
    }

    /// A line for each zone, each in the parts between which it may be broken: `1 value not yet sent` and the command that
    /// sends it.
    func lines(_ hints: CommandHints) -> [(parts: [String], separator: String)] {
        let ofValues = values.map { zone in
            let command = zone.isOff ? "kv on" : "sync"
            let options = zone.isOff ? zone.options("store") : ""
            return line(zone, "value", hints.text("filesinki \(command)") + options)
        }
        let ofRecords = records.map { zone in
            line(zone, "record", hints.text("filesinki rec sync") + zone.options("zone"))
        }
        let ofOtherStore = left.notices().map { notice in
            (
                parts: MessageText.units(of: hints.text("\(notice.message) \(notice.remedy)")),
                separator: " "
            )
        }
        return (Self.first(ofValues) + Self.first(ofRecords)).map { ($0, "    ") } + ofOtherStore
    }

    private func line(_ zone: PendingZone, _ item: String, _ next: String) -> [String] {
        let isStandard = zone.name == KeyValuePlace.standardName && zone.scope == .private
        let place = isStandard ? "" : " of \(zone.title)"
        let off = zone.isOff ? ", as syncing is off" : ""
        return [
            "\(CountText.text(zone.count, item))\(place) changed here, not yet sent\(off)",
            "to send: \(next)",
        ]
    }

    private static func first(_ lines: [[String]]) -> [[String]] {
        let more = lines.count - named
        return lines.prefix(named) + (more > 0 ? [["and of \(more) more"]] : [])
    }

    private static func count(of zones: [PendingZone]) -> Int {
        zones.reduce(0) { $0 + $1.count }
    }
}

extension PendingZone {
    /// The zone for a person.
    fileprivate var title: String { scope == .private ? name : "\(scope)/\(name)" }

    /// The options with which a command uses the zone, each behind a blank.
    fileprivate func options(_ option: String) -> String {
        let choice = name == KeyValuePlace.standardName ? "" : " --\(option) \(name)"
        return choice + (scope == .private ? "" : " --db \(scope)")
    }
}
