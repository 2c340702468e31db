/// Merges Markdown: the YAML between `---` at its beginning as YAML, and the rest by ``MarkdownTextMerge``.
///
/// Where only some versions have front matter that ``YAMLFormat`` reads as a mapping, all is merged by lines.
struct FrontMatterMerge: ContentMerge {
    private static let matterMerge = TreeMerge(format: YAMLFormat())

    func merge(_ input: MergeInput) -> MergeOutcome {
        let versions = [input.base ?? [], input.ours, input.theirs].map(FrontMatter.init)
        guard input.refusalAsText == nil, input.obvious == nil, input.base != nil,
            let base = versions[0], let ours = versions[1], let theirs = versions[2],
            base.opening == ours.opening, base.opening == theirs.opening
        else {
            let contents = [input.base ?? [], input.ours, input.theirs]
            return contents.contains(where: FrontMatter.begins)
                ? TextMerge().merge(input) : MarkdownTextMerge().merge(input)
        }
        func parts(_ part: (FrontMatter) -> ArraySlice<UInt8>) -> MergeInput {
            var result = input
            result.base = Array(part(base))
            (result.ours, result.theirs) = (Array(part(ours)), Array(part(theirs)))
            return result
        }
        var (matter, rest) = (parts(\.matter), parts(\.rest))
        matter.trace = input.trace?.ofPart()
        rest.trace = input.trace?.ofPart()
        defer {
            input.trace?.add(matter.trace) { $0.isEmpty ? "front matter" : $0 }
            input.trace?.add(rest.trace) { "\($0) below the front matter" }
        }
        switch (Self.matterMerge.merge(matter), MarkdownTextMerge().merge(rest)) {
        case (.merged(let matter), .merged(let rest)): return .merged(base.opening + matter + rest)
        case (.declined(let conflicts), _): return .declined(conflicts)
        case (_, .declined(let conflicts)):
            // In the whole text the conflicts are named by the lines of the file.
            var input = input
            input.trace = nil
            let outcome = TextMerge().merge(input)
            if case .declined = outcome { return outcome }
            return .declined(conflicts)
        }
    }
}

/// A text that begins with a mapping in YAML between two lines.
private struct FrontMatter {
    /// The byte order mark and the first line.
    let opening: ArraySlice<UInt8>
    let matter: ArraySlice<UInt8>
    /// From the closing line on.
    let rest: ArraySlice<UInt8>

    /// Whether the first line is one that begins front matter.
    static func begins(_ bytes: [UInt8]) -> Bool {
        var text = bytes
        let start = TextFrame(removingFrom: &text).hasByteOrderMark ? 3 : 0
        return isLine(bytes[start..<bytes.lineEnd(from: start)], "---")
    }

    init?(_ bytes: [UInt8]) {
        var text = bytes
        let lineStart = TextFrame(removingFrom: &text).hasByteOrderMark ? 3 : 0
        let start = bytes.lineEnd(from: lineStart)
        guard Self.isLine(bytes[lineStart..<start], "---") else { return nil }
        var end = start
        while end < bytes.count {
            let line = bytes[end..<bytes.lineEnd(from: end)]
            if Self.isLine(line, "---") || Self.isLine(line, "...") { break }
            end = line.endIndex
        }
        guard end < bytes.count, let tree = YAMLFormat().read(Array(bytes[start..<end])),
            tree.root.kind == .map
        else { return nil }
        (opening, matter, rest) = (bytes[..<start], bytes[start..<end], bytes[end...])
    }

    /// Whether a line has this text, with nothing but white space behind it.
    private static func isLine(_ line: ArraySlice<UInt8>, _ text: String) -> Bool {
        line.starts(with: text.utf8) && line.dropFirst(text.utf8.count).isBlank
    }
}
