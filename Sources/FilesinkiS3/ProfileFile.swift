/// The text of one of AWS's files of profiles: sections of names and values.
///
/// The form is https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-files.html. As the
/// command line of AWS does, what follows a value is part of it: there are no comments behind values.
struct ProfileFile: Sendable {
    /// The values of each section; an indented line goes on with the value before it.
    private(set) var sections: [String: [String: String]] = [:]

    init(_ text: String = "") {
        var section: String?
        var name: String?
        // Scalars, for a line may end in a return and a line feed, which are one character.
        for line in text.unicodeScalars.split(whereSeparator: { $0 == "\n" || $0 == "\r" }) {
            let content = String(line).trimmingSpace
            guard let first = content.first, first != "#", first != ";" else { continue }
            if let section, let name, line.first?.properties.isWhitespace == true {
                sections[section]?[name, default: ""] += "\n" + content
            } else if first == "[" {
                section = Self.sectionName(content)
                name = nil
                if let section { sections[section, default: [:]] = sections[section] ?? [:] }
            } else if let section, let pair = Self.pair(content) {
                sections[section]?[pair.name] = pair.value
                name = pair.name
            }
        }
    }

    /// The values below a name, each on an indented line of its own.
    static func nested(_ value: String?) -> [String: String] {
        let lines = (value ?? "").split(separator: "\n").compactMap { pair(String($0)) }
        return Dictionary(lines.map { ($0.name, $0.value) }) { $1 }
    }

    /// The values of a profile, which the file of settings calls `[profile name]` unless it is the
    /// default, and the file of credentials `[name]`; nil when there is no such section.
    func profile(_ name: String, isCredentials: Bool) -> [String: String]? {
        if isCredentials { return sections[name] }
        return sections["profile \(name)"] ?? (name == "default" ? sections[name] : nil)
    }

    private static func sectionName(_ line: String) -> String? {
        guard let end = line.lastIndex(of: "]") else { return nil }
        let words = line[line.index(after: line.startIndex)..<end]
            .split(maxSplits: 1, whereSeparator: \.isWhitespace)
        return words.map { String($0).trimmingSpace.filter { $0 != "\"" && $0 != "'" } }
            .joined(separator: " ")
    }

    private static func pair(_ line: String) -> (name: String, value: String)? {
        let halves = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let name = String(halves[0]).trimmingSpace.lowercased()
        return name.isEmpty ? nil : (name, String(halves[1]).trimmingSpace)
    }
}

extension String {
    /// Without white space at its ends.
    fileprivate var trimmingSpace: String {
        let kept = drop(while: \.isWhitespace)
        guard let last = kept.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(kept[...last])
    }
}
