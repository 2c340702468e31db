import Testing

@testable import FilesinkiMerge

/// An element of a made-up sequence: nothing identifies it but what it says.
struct MadeElement: Hashable {
    var name: Int
    /// Edits of an element have other numbers.
    var edit = 0

    /// What stands for the edit, which is another number in each element.
    var mark: Int { name * 10 + edit }
}

/// A way in which a format writes a sequence.
struct WrittenSequence: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let merge: any ContentMerge
    let write: @Sendable ([MadeElement]) -> String
    /// Whether an element may be there twice, and is not merged as in a text.
    var canRepeat = true
    /// Whether the sequence is a block of a text, which is another one where most of it is.
    var isBlock = false

    /// Every format that has sequences without an identity has a line here.
    static let all: [WrittenSequence] =
        json + trees + [
            WrittenSequence(
                testDescription: "cells of notebooks", merge: NotebookMerge(),
                write: { elements in
                    let cells = elements.map {
                        #"{"cell_type":"code","source":["e\#($0.name)\n"],"metadata":{"w":"r\#($0.mark)"}}"#
                    }
                    return "{\"cells\":[\(cells.joined(separator: ","))],\"nbformat\":4}\n"
                }),
            WrittenSequence(
                testDescription: "rows of CSV", merge: CSVMerge(needsKey: true),
                write: { "key,n\n" + $0.map { "e\($0.name)r\($0.mark),x\n" }.joined() },
                canRepeat: false),
            WrittenSequence(
                testDescription: "lines of a set", merge: TreeMerge(format: LineSetFormat()),
                write: { $0.map { "e\($0.name)r\($0.mark)\n" }.joined() }, canRepeat: false),
        ]

    private static let json = [
        WrittenSequence(
            testDescription: "JSON strings", merge: JSONMerge(),
            write: { elements in list(elements) { "\"e\($0.name)r\($0.mark)\"" } }),
        WrittenSequence(
            testDescription: "JSON objects", merge: JSONMerge(),
            write: { elements in
                list(elements) { #"{"u":"e\#($0.name)","w":"r\#($0.mark)","x":1}"# }
            }),
        WrittenSequence(
            testDescription: "JSON arrays", merge: JSONMerge(),
            write: { elements in list(elements) { #"["e\#($0.name)","r\#($0.mark)",true]"# } }),
    ]

    private static func list(
        _ elements: [MadeElement], _ text: (MadeElement) -> String
    ) -> String {
        "[\n" + elements.map { "  " + text($0) }.joined(separator: ",\n") + "\n]\n"
    }

    private static let trees = [
        tree("JSONC objects", JSONCFormat()) { elements in
            list(elements) { #"{"u":"e\#($0.name)","w":"r\#($0.mark)"}"# }
        },
        tree("YAML strings", YAMLFormat()) { elements in
            elements.map { "- e\($0.name)r\($0.mark)\n" }.joined()
        },
        tree("YAML mappings", YAMLFormat()) { elements in
            elements.map { "- u: e\($0.name)\n  w: r\($0.mark)\n" }.joined()
        },
        tree("TOML strings", TOMLFormat()) { elements in
            "k = [\(elements.map { "\"e\($0.name)r\($0.mark)\"" }.joined(separator: ", "))]\n"
        },
        tree("TOML tables", TOMLFormat()) { elements in
            elements.map { "[[s]]\nu = \"e\($0.name)\"\nw = \"r\($0.mark)\"\nx = 1\n" }
                .joined(separator: "\n")
        },
        tree("XML elements", XMLFormat()) { elements in
            "<l>\n" + elements.map { "<p><u>e\($0.name)</u><w>r\($0.mark)</w></p>\n" }.joined()
                + "</l>\n"
        },
        tree("Markdown paragraphs", MarkdownFormat(), canRepeat: false) { elements in
            elements.map { "P e\($0.name)\nr\($0.mark)\n" }.joined(separator: "\n")
        },
        tree("Markdown items", MarkdownFormat(), isBlock: true) { elements in
            elements.map { "- e\($0.name)\n  r\($0.mark)\n" }.joined()
        },
        tree("Markdown rows", MarkdownFormat(), isBlock: true) { elements in
            "| k | v |\n|---|---|\n"
                + elements.map { "| e\($0.name)r\($0.mark) | x |\n" }.joined()
        },
    ]

    private static func tree(
        _ name: String, _ format: some SyntaxFormat, canRepeat: Bool = true, isBlock: Bool = false,
        _ write: @escaping @Sendable ([MadeElement]) -> String
    ) -> WrittenSequence {
        WrittenSequence(
            testDescription: name, merge: TreeMerge(format: format), write: write,
            canRepeat: canRepeat, isBlock: isBlock)
    }

    /// The elements of a merged sequence; nil for a conflict.
    func elements(of outcome: MergeOutcome) -> [MadeElement]? {
        guard case .merged(let bytes) = outcome else { return nil }
        return read(bytes)
    }

    /// The elements of a written sequence.
    func read(_ bytes: [UInt8]) -> [MadeElement] {
        var result: [MadeElement] = []
        var name: Int?
        var place = 0
        while place < bytes.count {
            let digits = bytes[(place + 1)...].prefix { 0x30...0x39 ~= $0 }
            let number = Int(String(decoding: digits, as: UTF8.self))
            if bytes[place] == UInt8(ascii: "e"), let number {
                name = number
            } else if bytes[place] == UInt8(ascii: "r"), let number, let found = name {
                result.append(MadeElement(name: found, edit: number % 10))
                name = nil
            }
            place += 1
        }
        return result
    }
}

/// Three versions of a sequence.
struct MadeSequences: CustomStringConvertible {
    var base: [MadeElement]
    var ours: [MadeElement]
    var theirs: [MadeElement]

    var swapped: MadeSequences { MadeSequences(base: base, ours: theirs, theirs: ours) }

    var description: String {
        [base, ours, theirs].map { version in
            version.map { "e\($0.name)r\($0.mark)" }.joined(separator: " ")
        }.joined(separator: " | ")
    }

    func input(_ format: WrittenSequence) -> MergeInput {
        MergeInput(
            base: Array(format.write(base).utf8), ours: Array(format.write(ours).utf8),
            theirs: Array(format.write(theirs).utf8))
    }

    /// No version has an element twice, and nothing is moved. Both sides add of the same few elements.
    static func plain(_ dice: inout Dice) -> MadeSequences {
        let base = (0..<(1 + dice.below(6))).map { MadeElement(name: $0) }
        return MadeSequences(
            base: base, ours: edited(base, &dice), theirs: edited(base, &dice))
    }

    private static func edited(_ base: [MadeElement], _ dice: inout Dice) -> [MadeElement] {
        var added = (10..<14).map { MadeElement(name: $0) }
        added.shuffle(using: &dice)
        var result: [MadeElement] = []
        for element in base {
            if dice.once(in: 6), let new = added.popLast() { result.append(new) }
            switch dice.below(10) {
            case 0: break
            case 1: result += added.popLast().map { [$0] } ?? []
            case 2, 3: result.append(MadeElement(name: element.name, edit: 1 + dice.below(2)))
            default: result.append(element)
            }
        }
        if dice.once(in: 4), let new = added.popLast() { result.append(new) }
        return result
    }

    /// Few elements, each of which can be there several times.
    static func repeating(_ dice: inout Dice) -> MadeSequences {
        let base = (0..<dice.below(6)).map { _ in MadeElement(name: dice.below(3)) }
        func edited(_ dice: inout Dice) -> [MadeElement] {
            var result = base
            for _ in 0..<(1 + dice.below(2)) {
                let range = dice.range(in: result.count, atMost: 2)
                let new = (0..<dice.below(3)).map { _ in MadeElement(name: dice.below(4)) }
                result.replaceSubrange(range, with: new)
            }
            return result
        }
        return MadeSequences(base: base, ours: edited(&dice), theirs: edited(&dice))
    }
}
