import FilesinkiModel
import Testing

@testable import FilesinkiMerge

/// One merge of tables. A row's texts have no last newline; every version gets one.
struct CSVCase: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var base: String?
    var here: String
    var there: String
    /// The result; nil where it declines.
    var merged: String?
    /// The place of the first conflict.
    var place = ""
    var fields: [String: FieldRule.Resolution] = [:]
    var choice: FieldChoice?
    var keys: [String] = []

    init(
        _ description: String, base: String?, here: String, there: String, merged: String? = nil,
        place: String = "", fields: [String: FieldRule.Resolution] = [:],
        choice: FieldChoice? = nil, keys: [String] = []
    ) {
        testDescription = description
        self.base = base
        self.here = here
        self.there = there
        self.merged = merged
        self.place = place
        self.fields = fields
        self.choice = choice
        self.keys = keys
    }

    func input() throws -> MergeInput {
        var settings = MergeSettings()
        settings.fields = try fields.map { pattern, resolution in
            FieldRule(pattern: try FieldPattern(parsing: pattern), resolution: resolution)
        }
        settings.fieldChoice = choice
        settings.keyColumns = keys
        return MergeInput(
            base: base.map(Self.bytes), here: Self.bytes(here), there: Self.bytes(there),
            hereModified: Timestamp(nanoseconds: 1), thereModified: Timestamp(nanoseconds: 2),
            settings: settings)
    }

    static func bytes(_ text: String) -> [UInt8] { Array((text + "\n").utf8) }
}
