import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiMerge

/// The laws of ``MarkedMerge``. `FILESINKI_FUZZ_SEED` makes another run.
@Suite struct MarkedMergeLawTests {
    private static let labels = TextMerge.Labels(ours: "here", theirs: "there")
    /// Longer than any line of the contents that looks like a marker.
    private static let markerSize = 60

    private static func marked(_ input: MergeInput, _ format: DocumentFormat) -> MarkedLines? {
        MarkedMerge(input, format, labels: labels, markerSize: markerSize).bytes
            .map { MarkedLines($0, markerSize: markerSize) }
    }

    // MARK: Keys of which it is plain what becomes of them

    struct Written: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let format: DocumentFormat
        var head = ""
        var end = ""
        let line: @Sendable (Int, Int) -> String
    }

    private static let written = [
        Written(testDescription: "INI", format: .settings(fileName: "x.ini".utf8), head: "[s]\n") {
            "k\($0)=\($1)\n"
        },
        Written(testDescription: "TOML", format: .toml, head: "[s]\n") { "k\($0) = \($1)\n" },
        Written(testDescription: "YAML", format: .yaml) { "k\($0): \($1)\n" },
        Written(testDescription: "XML", format: .xml, head: "<l>\n", end: "</l>\n") {
            "<k\($0) v=\"\($1)\"/>\n"
        },
        Written(testDescription: "JSON5", format: .jsonc, head: "{\n", end: "}\n") {
            "\"k\($0)\": \($1),\n"
        },
        Written(
            testDescription: "vCard", format: .card, head: "BEGIN:VCARD\nUID:1\n",
            end: "END:VCARD\n"
        ) { "X-K\($0):\($1)\n" },
        Written(testDescription: "translations", format: .po) {
            "msgid \"k\($0)\"\nmsgstr \"\($1)\"\n"
        },
    ]

    @Test(
        "each key is outside of markers as it is merged, or between them as each side has it",
        arguments: written)
    func keys(_ written: Written) throws {
        let seed = knob("FILESINKI_FUZZ_SEED", otherwise: 1)
        var dice = Dice(seed: UInt64(clamping: seed))
        var conflicts = 0
        for number in 0..<100 {
            let base = Dictionary(uniqueKeysWithValues: (0..<9).map { ($0, 0) })
            let versions = [base, Self.edited(base, 20, &dice), Self.edited(base, 30, &dice)]
            let keys = Set(versions.flatMap { $0.keys }).sorted()
            func value(_ key: Int, _ version: Int) -> Int? { versions[version][key] }
            let contested = keys.filter { key in
                value(key, 1) != value(key, 2) && value(key, 0) != value(key, 1)
                    && value(key, 0) != value(key, 2)
            }
            guard !contested.isEmpty else { continue }
            conflicts += 1
            let texts = versions.map { version in
                let lines = version.sorted { $0.key < $1.key }.map {
                    written.line($0.key, $0.value)
                }
                return Array((written.head + lines.joined() + written.end).utf8)
            }
            let input = MergeInput(base: texts[0], ours: texts[1], theirs: texts[2])
            let found = try #require(Self.marked(input, written.format))
            let name = "seed \(seed), number \(number)\n\(found.text)"
            for key in keys {
                let isContested = contested.contains(key)
                let merged = value(key, 1) == value(key, 0) ? value(key, 2) : value(key, 1)
                func line(_ value: Int?) -> String? { value.map { written.line(key, $0) } }
                for side in [MarkedSide.ours, .theirs] {
                    let own = value(key, side == .ours ? 1 : 2)
                    let expected = line(isContested ? own : merged)
                    let picked = String(decoding: found.picked(side), as: UTF8.self)
                    #expect(expected.map { picked.contains($0) } ?? true, "\(name)\nkey \(key)")
                    let others = (0..<5).compactMap { line($0) }.filter { $0 != expected }
                    #expect(!others.contains { picked.contains($0) }, "\(name)\nkey \(key)")
                }
                let outside = line(isContested ? nil : merged)
                #expect(outside.map(found.isOutside) ?? true, "\(name)\nkey \(key)")
            }
        }
        #expect(conflicts > 20)
    }

    /// - Parameter new: A key that the version can have more than the base.
    private static func edited(
        _ values: [Int: Int], _ new: Int, _ dice: inout Dice
    ) -> [Int: Int] {
        var result = values
        for key in 1..<8 where dice.once(in: 3) {
            result[key] = dice.once(in: 3) ? nil : 1 + dice.below(4)
        }
        if dice.once(in: 3) { result[new] = 1 }
        return result
    }

    // MARK: Any content

    private static let formats: [(DocumentFormat, [String])] = [
        (.json, FuzzTarget.json.corpus), (.jsonc, FuzzTarget.jsonc.corpus),
        (.toml, FuzzTarget.toml.corpus), (.yaml, FuzzTarget.yaml.corpus),
        (.po, FuzzTarget.po.corpus), (.xml, FuzzTarget.xml.corpus),
        (.notebook, FuzzTarget.notebook.corpus), (.bookmarks, FuzzTarget.bookmarks.corpus),
        (.table, FuzzTarget.csv.corpus), (.lineSet, FuzzTarget.lineSet.corpus),
        (.text, FuzzTarget.text.corpus),
        (.markdown, FuzzTarget.markdown.flatMap(\.corpus)),
        (.calendar, FuzzTarget.contentLines.flatMap(\.corpus)),
        (.card, FuzzTarget.contentLines.flatMap(\.corpus)),
        (.settings(fileName: "x.ini".utf8), FuzzTarget.settings[0].corpus),
    ]

    @Test(
        "between markers are lines of each version, and one side of all is a document",
        arguments: formats.map { $0.0.format })
    func documents(_ content: ContentFormat) throws {
        let made = Self.formats.first { $0.0.format == content }
        let (format, corpus) = try #require(made)
        let seed = knob("FILESINKI_FUZZ_SEED", otherwise: 1)
        var mutator = Mutator(dice: Dice(seed: UInt64(clamping: seed)))
        var conflicts = 0
        for number in 0..<100 {
            let (base, ours, theirs) = mutator.triple(from: corpus)
            let input = MergeInput(base: base, ours: ours, theirs: theirs)
            let outcome = format.mergeDocuments(input) ?? format.textMerge.merge(input)
            guard case .declined = outcome, let found = Self.marked(input, format) else { continue }
            conflicts += 1
            let name = "seed \(seed), number \(number)\n\(found.text)"
            #expect(!found.conflicts.isEmpty, "\(name)")
            for conflict in found.conflicts {
                #expect(MarkedLines.isRun(conflict.ours, of: ours), "\(name)")
                #expect(MarkedLines.isRun(conflict.theirs, of: theirs), "\(name)")
            }
            guard input.versions.allSatisfy(format.reads) else { continue }
            #expect(format.reads(found.picked(.ours)), "\(name)")
            #expect(format.reads(found.picked(.theirs)), "\(name)")
        }
        #expect(conflicts > 0)
    }
}

/// A text with markers, read again.
private struct MarkedLines {
    let text: String
    private(set) var conflicts: [(ours: [[UInt8]], theirs: [[UInt8]])] = []
    private var outside: [UInt8] = []
    private var sides: [MarkedSide: [UInt8]] = [.ours: [], .theirs: []]

    init(_ bytes: [UInt8], markerSize: Int) {
        text = String(decoding: bytes, as: UTF8.self)
        var side: MarkedSide?
        for line in Self.lines(bytes) {
            func isMarker(_ character: Character) -> Bool {
                line.starts(with: String(repeating: character, count: markerSize).utf8)
            }
            if isMarker("<") {
                side = .ours
                conflicts.append(([], []))
            } else if side == .ours, isMarker("=") {
                side = .theirs
            } else if side == .theirs, isMarker(">") {
                side = nil
            } else {
                if side == nil { outside += line }
                for pick in [MarkedSide.ours, .theirs] where side == nil || side == pick {
                    sides[pick, default: []] += line
                }
                guard let place = conflicts.indices.last else { continue }
                if side == .ours { conflicts[place].ours.append(line) }
                if side == .theirs { conflicts[place].theirs.append(line) }
            }
        }
    }

    func picked(_ side: MarkedSide) -> [UInt8] { sides[side] ?? [] }

    func isOutside(_ line: String) -> Bool {
        String(decoding: outside, as: UTF8.self).contains(line)
    }

    private static func lines(_ bytes: [UInt8]) -> [[UInt8]] {
        var result: [[UInt8]] = []
        var place = 0
        while place < bytes.count {
            let end = bytes.lineEnd(from: place)
            result.append(Array(bytes[place..<end]))
            place = end
        }
        return result
    }

    /// Whether a version has these lines one behind the other, if its last one had an end.
    static func isRun(_ run: [[UInt8]], of version: [UInt8]) -> Bool {
        let all = lines(version)
        func isSame(_ line: [UInt8], _ place: Int) -> Bool {
            guard place < all.count else { return false }
            return line == all[place]
                || place == all.count - 1 && line.starts(with: all[place]) && all[place].last != 10
        }
        return run.isEmpty
            || all.indices.contains { start in
                run.enumerated().allSatisfy { isSame($1, start + $0) }
            }
    }
}
