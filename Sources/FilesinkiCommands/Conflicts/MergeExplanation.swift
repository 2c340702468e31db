import FilesinkiMerge
import FilesinkiModel
import FilesinkiText

/// What `merge --explain` prints: which version each part of the result is from, and why. Of two versions, what
/// `diff --explain` prints: where they differ.
struct MergeExplanation {
    private let trace: MergeTrace

    init(_ trace: MergeTrace) { self.trace = trace }

    /// The format of a merge, without the link `auto`; nil if no merge was tried.
    private var format: String? {
        trace.rule.isEmpty ? nil : trace.rule.split(separator: ":").last.map(String.init)
    }

    private var steps: [MergeTrace.Step] {
        trace.isComparison ? trace.differences : trace.steps
    }

    /// - Parameter asOutput: Whether it is the command's output, and not a message.
    func write(asOutput: Bool, in console: Console) throws {
        for line in lines {
            if asOutput { try console.output.line(line) } else { console.say(line) }
        }
    }

    /// What told the format, and a line for each place.
    var lines: [String] {
        var table = TextTable()
        for step in steps {
            let place = step.place.isEmpty ? "(all)" : printable(step.place.utf8)
            if trace.isComparison {
                table.add(place, printable(step.change.utf8))
            } else {
                table.add(
                    place, step.source == .none ? "conflict" : step.source.rawValue,
                    printable(step.reason.text.utf8))
            }
        }
        let isNone = trace.isComparison && steps.isEmpty
        return heading + (isNone ? [Self.noPlace] : table.lines)
            + (trace.isCut ? ["There are more places, which are left out."] : [])
    }

    private static let noPlace = "The versions differ in no place that has a name."

    private static let unreadYAML =
        " Anchors, aliases and several documents are not read."

    private var heading: [String] {
        guard let format, let source = trace.formatSource else { return [] }
        if let unread = trace.unreadFormat {
            return [
                "Format: \(format): a version is not \(unread) that can be merged as such."
                    + (unread == "yaml" ? Self.unreadYAML : "")
            ]
        }
        switch source {
        case .rule: return ["Format: \(format), by a rule."]
        case .content: return ["Format: \(format), by the content."]
        case .name: return ["Format: \(format), by the name."]
        }
    }

    func add(to object: inout JSONObject) {
        object.add("format", trace.formatSource == nil ? nil : format)
        object.add("format_by", trace.formatSource?.rawValue)
        object.add("unread_format", trace.unreadFormat)
        let parts = steps.map { step -> JSONValue in
            var part: JSONObject = ["place": .string(step.place)]
            part.add("from", step.source.rawValue)
            part.add("reason", step.reason.word)
            part.add("detail", step.reason.detail)
            part.add("cell", step.cell.map { .object($0.json) })
            return .object(part)
        }
        object.add("explanation", .array(parts))
        object.add("cut", trace.isCut)
    }
}

extension MergeCell {
    fileprivate var json: JSONObject {
        var object: JSONObject = [:]
        object.add("table", table)
        object.add("key", key)
        object.add("column", column)
        object.add("base", base)
        object.add("here", ours)
        object.add("there", theirs)
        return object
    }
}

extension MergeTrace.Step {
    /// What the newer of two versions has otherwise; of a cell, both values.
    fileprivate var change: String {
        guard reason == .edited, let old = cell?.base, let new = cell?.ours else {
            return reason.text
        }
        return "\(old) -> \(new)"
    }
}

extension MergeTrace.Reason {
    fileprivate var text: String {
        switch self {
        case .edited, .added, .removed: word
        case .alike: "the same change on both sides"
        case .combined: "the changes of both sides"
        case .rule(let resolution): "by the rule \(resolution.rawValue)"
        case .fieldChoice: "by the choice for fields"
        case .format: "by what belongs together in this format"
        case .copied: "its file, with the changes of the other side"
        case .strategy(let rule): "by the strategy: \(rule)"
        case .conflict(let reason): reason
        }
    }
}
