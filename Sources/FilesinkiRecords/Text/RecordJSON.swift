import FilesinkiModel
package import FilesinkiText

/// Records as JSON. ``RecordInput`` reads it.
///
/// ```
/// {"name":"a","type":"Note","tag":"12","zone":"notes",
///  "created":{"time":"2024-05-01T09:30:00.250000000Z","device":"…"},"modified":…,
///  "fields":{"count":{"type":"int","value":3}}}
/// ```
package enum RecordJSON {
    /// A record as an object, which may get more members.
    ///
    /// - Parameters:
    ///   - tag: The change tag; nil for a record that was not published.
    ///   - zone: The zone's name; nil leaves it out.
    ///   - fields: The fields that are written; nil means all.
    ///   - file: The file that has the bytes of an asset, which is written in its place; nil for none.
    package static func object(
        _ record: Record, tag: String? = nil, zone: String? = nil, fields: Set<FieldName>? = nil,
        file: (Asset) -> String? = { _ in nil }
    ) -> JSONObject {
        var object: JSONObject = ["name": .string(record.name.text)]
        object.add("type", record.type.text)
        object.add("tag", tag)
        object.add("zone", zone)
        object.add("created", value(record.created))
        object.add("modified", value(record.modified))
        var members: JSONObject = [:]
        for name in record.fieldNames where fields?.contains(name) ?? true {
            members.add(name.text, record[name].map { value($0, file) })
        }
        object.add("fields", .object(members))
        return object
    }

    private static func value(_ stamp: Stamp) -> JSONValue {
        var object: JSONObject = [:]
        object.add("time", Timestamp(nanoseconds: stamp.time))
        object.add("device", hexadecimal(stamp.device))
        return .object(object)
    }

    /// A value with its type: `{"type":"int","value":3}`.
    package static func value(
        _ value: FieldValue, _ file: (Asset) -> String? = { _ in nil }
    ) -> JSONValue {
        .object([
            "type": .string(value.type.name), "value": fileValue(value, file) ?? plain(value),
        ])
    }

    /// Assets as the files that have their bytes; nil unless all have one.
    private static func fileValue(
        _ value: FieldValue, _ file: (Asset) -> String?
    ) -> JSONValue? {
        let assets = value.assets
        let files = assets.compactMap(file)
        guard !files.isEmpty, files.count == assets.count else { return nil }
        let values = files.map { JSONValue.object(["file": .string($0)]) }
        if case .list = value { return .array(values) }
        return values.first
    }

    /// A value without its type: numbers as they are, data as base 64, dates as text in UTC.
    package static func plain(_ value: FieldValue) -> JSONValue {
        switch value {
        case .string(let text): .string(text)
        case .integer(let number): .integer(number)
        case .double(let number):
            number.isInfinite
                ? .string(number < 0 ? "-inf" : "inf") : .written(Array(number.description.utf8))
        case .data(let bytes): .string(Base64.encode(bytes))
        case .date(let milliseconds): .string(DateText.text(milliseconds))
        case .location(let location):
            .object([
                "latitude": plain(.double(location.latitude)),
                "longitude": plain(.double(location.longitude)),
            ])
        case .reference(let reference):
            .object([
                "name": .string(reference.target.text), "action": .string(reference.action.name),
            ])
        case .asset(let asset):
            .object([
                "sha256": .string(asset.content.description),
                "size": .written(Array(String(asset.size).utf8)),
            ])
        case .list(let list): .array(list.elements.map(plain))
        }
    }
}

extension Reference.Action {
    /// The name in commands and JSON.
    package var name: String {
        switch self {
        case .none: "none"
        case .deleteSelf: "delete"
        }
    }

    /// The action of a name; nil for another text.
    init?(name: String) {
        switch name {
        case "none": self = .none
        case "delete": self = .deleteSelf
        default: return nil
        }
    }
}
