import FilesinkiModel
import Testing

@testable import FilesinkiMerge

/// One merge of tables. A row's texts have no last newline; every version gets one.
struct CSVCase: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var base: String?
    var ours: String
    var theirs: String
    /// The result; nil where it declines.
    var merged: String?
    /// The place of the first conflict.
    var place = ""
    var fields: [String: FieldRule.Resolution] = [:]
    var choice: FieldChoice?
    var keys: [String] = []

    init(
        _ description: String, base: String?, ours: String, theirs: String, merged: String? = nil,
        place: String = "", fields: [String: FieldRule.Resolution] = [:],
        choice: FieldChoice? = nil, keys: [String] = []
    ) {
        testDescription = description
        self.base = base
        self.ours = ours
        self.theirs = theirs
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
            base: base.map(Self.bytes), ours: Self.bytes(ours), theirs: Self.bytes(theirs),
            oursModified: Timestamp(nanoseconds: 1), theirsModified: Timestamp(nanoseconds: 2),
            settings: settings)
    }

    static func bytes(_ text: String) -> [UInt8] { Array((text + "\n").utf8) }
}
