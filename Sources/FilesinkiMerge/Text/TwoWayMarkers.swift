extension TextMerge {
    /// A text with both versions between markers wherever they differ, as ``marked(_:labels:markerSize:)`` writes conflicts.
    ///
    /// - Returns: Nil if one of the contents is not text.
    package static func marked(
        _ ours: [UInt8], against theirs: [UInt8], labels: Labels
    ) -> [UInt8]? {
        let input = MergeInput(base: ours, ours: ours, theirs: theirs)
        guard input.refusalAsText == nil else { return nil }
        let base = baseOfConflicts(ours, theirs)
        return TextWriter(MergeInput(base: base, ours: ours, theirs: theirs)).bytes(labels)
    }

    /// A base that has, in place of the lines that differ, a line that neither text has: both have changed that.
    private static func baseOfConflicts(_ ours: [UInt8], _ theirs: [UInt8]) -> [UInt8] {
        let texts = ThreeTexts(base: ours, ours: theirs, theirs: ours)
        let end: [UInt8] =
            ours.firstIndex(of: 10).map { $0 > 0 && ours[$0 - 1] == 13 } == true
            ? [13, 10] : [10]
        // A text has no zero byte near its beginning; of one that has it later, this line is longer than any.
        let line = [UInt8](repeating: 0, count: longestZeros(in: texts.bytes) + 1) + end
        var base: [UInt8] = []
        var next = 0
        for change in texts.oursChanges {
            base += texts.bytes[texts.base.bytes(next..<change.old.lowerBound)]
            base += line
            next = change.old.upperBound
        }
        return base + texts.bytes[texts.base.bytes(next..<texts.base.classes.count)]
    }

    private static func longestZeros(in bytes: [UInt8]) -> Int {
        var (longest, current) = (0, 0)
        for byte in bytes {
            current = byte == 0 ? current + 1 : 0
            longest = max(longest, current)
        }
        return longest
    }
}
