import Testing

@testable import FilesinkiMerge

/// Random edits of documents: the laws hold, and each side's paragraphs are in the result.
@Suite struct ArchiveLawTests {
    private static let count = 60

    private static func texts(_ dice: inout Dice, _ texts: [String], _ tag: String) -> [String] {
        var result = texts
        for number in 0..<(1 + dice.below(3)) {
            let place = dice.below(result.count + 1)
            switch dice.below(4) {
            case 0: result.insert("\(tag)\(number)", at: place)
            case 1 where place < result.count && result.count > 1: result.remove(at: place)
            default:
                if place < result.count { result[place] = "\(tag)\(number)e" }
            }
        }
        return result
    }

    /// A document of some paragraphs, with random parts beside them.
    private static func document(
        _ kind: ArchiveKind, _ texts: [String], _ dice: inout Dice, _ tag: String
    ) -> SampleArchive {
        var result =
            kind == .odf ? ODFSample.text(texts).saved(1 + dice.below(5)) : OOXMLSample.text(texts)
        if kind == .ooxml {
            result["docProps/core.xml"] = OOXMLSample.core(1 + dice.below(5))
            result["word/settings.xml"] = OOXMLSample.settings(rsid: dice.below(3))
        }
        if dice.once(in: 4) {
            result =
                kind == .odf
                ? result.listing("Pictures/\(tag).png", tag)
                : result.with([("word/media/\(tag).png", tag)])
        }
        result.time = UInt16(dice.below(3))
        result.hasDescriptors = dice.once(in: 2)
        return result
    }

    @Test("random edits of texts", arguments: [ArchiveKind.odf, .ooxml])
    func edits(_ kind: ArchiveKind) throws {
        var dice = Dice(seed: 7)
        var merged = 0
        for _ in 0..<Self.count {
            let base = (0..<(4 + dice.below(4))).map { dice.once(in: 5) ? "" : "p\($0)" }
            let (ours, theirs) = (Self.texts(&dice, base, "o"), Self.texts(&dice, base, "t"))
            let outcome = try SampleArchive.merged(
                kind, Self.document(kind, base, &dice, "b").with([]),
                Self.document(kind, ours, &dice, "o"), Self.document(kind, theirs, &dice, "t"))
            guard case .merged = outcome else { continue }
            merged += 1
            let result =
                kind == .odf
                ? try outcome.paragraphs().map { String($0.dropFirst("Text:".count)) }
                : try outcome.wordParagraphs()
            for text in Set(base + ours + theirs).subtracting([""]) {
                let isKept = ours.contains(text) && theirs.contains(text)
                let isAdded = !base.contains(text)
                #expect(
                    result.contains(text) == (isKept || isAdded),
                    "\(base) \(ours) \(theirs) \(result)")
            }
        }
        #expect(merged > Self.count / 5)
    }

    @Test("bytes that are changed at random", arguments: [ArchiveKind.odf, .ooxml, .epub])
    func damage(_ kind: ArchiveKind) throws {
        var dice = Dice(seed: 11)
        let base = kind == .odf ? ODFSample.text(["a", "b"]) : OOXMLSample.text(["a", "b"])
        let ours = kind == .odf ? ODFSample.text(["A", "b"]) : OOXMLSample.text(["A", "b"])
        let other = try (kind == .odf ? ODFSample.text(["a", "B"]) : OOXMLSample.text(["a", "B"]))
            .bytes()
        for _ in 0..<120 {
            var theirs = other
            for _ in 0..<(1 + dice.below(3)) {
                let place = dice.below(theirs.count)
                switch dice.below(3) {
                case 0: theirs[place] ^= 1 << UInt8(dice.below(8))
                case 1: theirs.remove(at: place)
                default: theirs.insert(UInt8(dice.below(256)), at: place)
                }
            }
            let input = MergeInput(base: try base.bytes(), ours: try ours.bytes(), theirs: theirs)
            if case .merged(let bytes) = ArchiveMerge(kind: kind).merge(input) {
                let archive = try ZipArchive(bytes)
                for entry in archive.entries { _ = try archive.content(entry) }
            }
        }
    }
}
