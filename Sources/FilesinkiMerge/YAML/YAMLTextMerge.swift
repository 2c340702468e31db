/// Merges YAML as text, and declines where the merged lines are not a sound document.
///
/// For documents that ``YAMLFormat`` does not read. Lines that merge can put a key twice into a mapping, or a line
/// below another parent.
struct YAMLTextMerge: ContentMerge {
    func merge(_ input: MergeInput) -> MergeOutcome {
        let outcome = TextMerge().merge(input)
        guard case .merged(let bytes) = outcome, input.obvious == nil else { return outcome }
        let versions = [input.base, input.ours, input.theirs].compactMap(\.self)
        // What was not sound before is merged as any text.
        guard versions.allSatisfy(YAMLBlocks.areSound), !YAMLBlocks.areSound(bytes) else {
            return outcome
        }
        return .declined([
            MergeConflict(
                "", "The merged lines are not valid YAML, such as when both sides added a key.")
        ])
    }
}

/// The mappings and sequences of a document as their indentation shows them.
///
/// It does not read scalars: what it does not understand it takes for a part of a scalar, so that it may miss what
/// is wrong with a document.
struct YAMLBlocks {
    private struct Level {
        var column: Int
        var keys: Set<[UInt8]> = []
        var isList = false
    }

    private var levels: [Level] = []
    /// Whether the line before ended in a colon or a dash, so that a block may begin.
    private var canOpen = true
    /// Whether a comment stands above the line; it ends a plain scalar.
    private var isBelowComment = false
    /// The lines that are indented more than this belong to a block scalar.
    private var scalarColumn: Int?
    /// How many brackets and braces are open.
    private var flowDepth = 0
    /// The quote of a scalar that is open.
    private var quote: UInt8?

    /// Whether every line belongs to a block, and no mapping has a key twice.
    static func areSound(_ bytes: [UInt8]) -> Bool {
        var blocks = YAMLBlocks()
        for line in bytes.split(separator: 10) where !blocks.read(line) { return false }
        return blocks.flowDepth == 0 && blocks.quote == nil
    }

    private mutating func read(_ line: ArraySlice<UInt8>) -> Bool {
        let column = line.prefix { $0 == 0x20 }.count
        if let scalarColumn {
            if line.isBlank || column > scalarColumn { return true }
            self.scalarColumn = nil
        }
        if quote != nil || flowDepth > 0 {
            scan(line)
            return true
        }
        let text = line.dropFirst(column)
        if text.first == UInt8(ascii: "#") { isBelowComment = true }
        guard !line.isBlank, text.first != UInt8(ascii: "#"), !text.starts(with: "%".utf8) else {
            return true
        }
        defer { isBelowComment = false }
        if text.starts(with: "---".utf8) || text.starts(with: "...".utf8) {
            levels = []
            canOpen = true
            return true
        }
        return text.first != 0x09 && read(text, at: column)
    }

    /// Reads a line from its first character that is not a space, or from behind a dash.
    private mutating func read(_ text: ArraySlice<UInt8>, at column: Int) -> Bool {
        let isDash =
            text.first == UInt8(ascii: "-") && text.dropFirst().first.map(\.isSpace) ?? true
        let key = isDash ? nil : Self.key(text)
        guard isDash || key != nil else {
            let isPart = canOpen || !isBelowComment || levels.isEmpty
            scan(text)
            canOpen = false
            return isPart
        }
        while let level = levels.last, level.column > column { levels.removeLast() }
        // A list may stand below a key of the same indentation.
        if !isDash, levels.last?.column == column, levels.last?.isList == true {
            levels.removeLast()
        }
        if let level = levels.last, level.column == column, level.isList == isDash {
        } else {
            guard canOpen else { return false }
            levels.append(Level(column: column, isList: isDash))
        }
        if isDash {
            let rest = text.dropFirst().drop { $0 == 0x20 }
            canOpen = true
            if rest.isBlank || rest.first == UInt8(ascii: "#") { return true }
            return read(rest, at: column + rest.startIndex - text.startIndex)
        }
        guard let (name, rest) = key, levels[levels.count - 1].keys.insert(name).inserted else {
            return false
        }
        let value = rest.trimmed
        canOpen = value.isEmpty || "#&!".utf8.contains(value.first ?? 0)
        if value.first == UInt8(ascii: "|") || value.first == UInt8(ascii: ">") {
            scalarColumn = column
        } else {
            scan(value)
        }
        return true
    }

    /// The name of a member, and what follows its colon.
    private static func key(
        _ text: ArraySlice<UInt8>
    ) -> (name: [UInt8], rest: ArraySlice<UInt8>)? {
        var place = text.startIndex
        if let quote = text.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            guard let end = text.dropFirst().firstIndex(of: quote) else { return nil }
            place = end + 1
        } else if let first = text.first, "[{#|>@`".utf8.contains(first) {
            return nil
        }
        while place < text.endIndex {
            let isLast = place + 1 == text.endIndex || text[place + 1].isSpace
            if text[place] == UInt8(ascii: ":"), isLast {
                return (Array(text[..<place].trimmed), text[(place + 1)...])
            }
            place += 1
        }
        return nil
    }

    /// Follows brackets and quotes to the end of a line.
    private mutating func scan(_ text: ArraySlice<UInt8>) {
        let isFlow = flowDepth > 0 || quote != nil
        let first = text.drop { $0 == 0x20 }.first ?? 0
        guard isFlow || "[{\"'".utf8.contains(first) else { return }
        var isEscaped = false
        var previous: UInt8 = 0x20
        for byte in text {
            defer { previous = byte }
            if let open = quote {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\"), open == UInt8(ascii: "\"") {
                    isEscaped = true
                } else if byte == open {
                    quote = nil
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                if previous.isSpace || "[{,:".utf8.contains(previous) || previous == byte {
                    quote = byte
                }
            case UInt8(ascii: "["), UInt8(ascii: "{"): flowDepth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): flowDepth = max(0, flowDepth - 1)
            case UInt8(ascii: "#"): if previous.isSpace { return }
            default: break
            }
        }
    }
}
