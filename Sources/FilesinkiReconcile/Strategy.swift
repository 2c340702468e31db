package import FilesinkiModel

/// How a conflict is resolved: a chain of links, of which the first that answers decides.
///
/// A link that cannot answer declines, as a merge that would have to guess does, or
/// ``Choice/newest`` between equal times. A chain whose links all decline ends as with ``End/keepBoth``.
package struct Strategy: Hashable, Sendable {
    /// The links in the order in which they are asked; never empty.
    package var links: [StrategyLink]

    package init(_ links: [StrategyLink]) {
        self.links = links
    }

    /// What holds where no rule says otherwise: `auto, keep-both`. It never loses content.
    package static let standard = Strategy([.merge(.auto), .end(.keepBoth)])

    /// Reads links separated by commas, such as `json, greater:/score, keep-both`.
    ///
    /// Spaces around a link do not count. A comma or backslash inside a command or a pointer is
    /// written with a backslash before it.
    ///
    /// - Throws: `Failure` with code ``Failure/Code/usage`` for an unknown or empty link, and for a
    ///   link that is never reached because `keep-both` or `leave` stands before it.
    package init(parsing text: String) throws(Failure) {
        var links: [StrategyLink] = []
        for part in Self.parts(of: text) {
            if case .end(let end)? = links.last, end != .ask {
                throw Failure(
                    .usage, path: "",
                    "The link '\(part)' after '\(end.rawValue)' is never reached.",
                    remedy: "Write '\(end.rawValue)' last.")
            }
            links.append(try StrategyLink(parsing: part))
        }
        self.links = links
    }

    /// Splits at the commas that no backslash precedes, and takes those backslashes away.
    private static func parts(of text: String) -> [String] {
        var parts = [""]
        var isEscaped = false
        for character in text {
            if isEscaped {
                if character != ",", character != "\\" { parts[parts.count - 1].append("\\") }
                parts[parts.count - 1].append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "," {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        if isEscaped { parts[parts.count - 1].append("\\") }
        return parts.map(trimmed)
    }
}

/// The text without the spaces and tabs at its ends.
package func trimmed(_ text: some StringProtocol) -> String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    let start = text.firstIndex { !isBlank($0) } ?? text.endIndex
    let end = text.lastIndex { !isBlank($0) }.map(text.index(after:)) ?? text.endIndex
    return start < end ? String(text[start..<end]) : ""
}

extension Strategy: CustomStringConvertible {
    /// The chain as ``init(parsing:)`` reads it.
    package var description: String {
        links.map { link in
            link.description.reduce(into: "") { text, character in
                if character == "," || character == "\\" { text.append("\\") }
                text.append(character)
            }
        }.joined(separator: ", ")
    }
}
