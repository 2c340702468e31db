/// The parts of a text in Office Open XML (WordprocessingML: ISO/IEC 29500-1, section 17).
enum WordRules {
    static let all: [(type: String, rule: PartRule)] = [
        ("wordprocessingml.document.main+xml", .elements(document)),
        ("wordprocessingml.template.main+xml", .elements(document)),
        ("ms-word.document.macroEnabled.main+xml", .elements(document)),
        ("ms-word.template.macroEnabledTemplate.main+xml", .elements(document)),
        ("wordprocessingml.header+xml", .elements(blocks)),
        ("wordprocessingml.footer+xml", .elements(blocks)),
        ("wordprocessingml.styles+xml", .elements(styles)),
        ("wordprocessingml.settings+xml", .elements(settings)),
        ("wordprocessingml.fontTable+xml", .elements(.byAttribute("w:name"))),
        ("wordprocessingml.footnotes+xml", .elements(.byAttribute("w:id"))),
        ("wordprocessingml.endnotes+xml", .elements(.byAttribute("w:id"))),
        ("wordprocessingml.comments+xml", .elements(.byAttribute("w:id"))),
        ("wordprocessingml.commentsExtended+xml", .elements(.byAttribute("w15:paraId"))),
        ("wordprocessingml.commentsIds+xml", .elements(.byAttribute("w16cid:paraId"))),
        ("wordprocessingml.commentsExtensible+xml", .elements(.byAttribute("w16cex:durableId"))),
        ("wordprocessingml.people+xml", .elements(.byAttribute("w15:author"))),
    ]

    private static let document = ElementRule.byName(
        ["w:body": blocks], isOrdered: true, leadsToBlocks: true)

    /// Paragraphs and tables. Where a page ended when it was saved, and which words were unknown, says nothing.
    private static let blocks = ElementRule.blocks(
        BlockRule(ignoredElements: ["w:lastRenderedPageBreak", "w:proofErr"]))

    private static let styles = ElementRule.keyed(
        KeyedChildren(
            key: { part, child in
                let id = part.attribute("w:styleId", of: child).map(Array.init) ?? []
                return Array(part.name(child)) + [0] + id
            }, rule: { _, _ in .whole }))

    /// What each save writes: the view, what was checked, and numbers of sessions.
    private static let settings = ElementRule.byName(
        latest: ["w:zoom", "w:proofState", "w:rsids", "w:view"], isOrdered: true)
}

/// What a text in Office Open XML refers to by numbers and names.
struct WordReferences {
    let merged: MergedPackage

    init(_ merged: MergedPackage) { self.merged = merged }

    func conflicts() throws(ZipError) -> [MergeConflict] {
        var result = try merged.newFaults(Self.missing).map { name in
            MergeConflict(part: name, "One side removed it, the other uses it.")
        }
        result += try merged.newFaults(Self.repeated).map { name in
            MergeConflict(part: name, "It would be in the document twice, or without its end.")
        }
        var other: [MergeVersion: [String: Set<[UInt8]>]] = [:]
        if !merged.stories.isEmpty {
            for side in [MergeVersion.ours, .theirs] { other[side] = try changedNumbers(side) }
        }
        for story in merged.stories {
            result += changed(story, other).map { name in
                MergeConflict(part: name, "It means something else on the other side.")
            }
        }
        return result
    }

    /// What an element names by an attribute, and the element of another part that has this name.
    private struct Link {
        let element: String
        let attribute: String
        /// The end of the type of the other part.
        let type: String
        let target: String
        let name: String
        /// Whether both sides must mean the same, since programs number these anew.
        var isNumber = false
    }

    private static let links =
        [
            Link(
                element: "w:numId", attribute: "w:val", type: "numbering+xml", target: "w:num",
                name: "w:numId", isNumber: true),
            Link(
                element: "w:footnoteReference", attribute: "w:id", type: ".footnotes+xml",
                target: "w:footnote", name: "w:id", isNumber: true),
            Link(
                element: "w:endnoteReference", attribute: "w:id", type: ".endnotes+xml",
                target: "w:endnote", name: "w:id", isNumber: true),
            Link(
                element: "w:commentReference", attribute: "w:id", type: ".comments+xml",
                target: "w:comment", name: "w:id", isNumber: true),
        ]
        + ["w:pStyle", "w:rStyle", "w:tblStyle", "w:basedOn", "w:next", "w:link"].map { element in
            Link(
                element: element, attribute: "w:val", type: "wordprocessingml.styles+xml",
                target: "w:style", name: "w:styleId")
        }

    /// The parts with text.
    private static func texts(_ version: ArchivePackage) throws(ZipError) -> [XMLPart] {
        guard let types = try OOXMLTypes(version) else { return [] }
        var result: [XMLPart] = []
        for name in version.names {
            guard let type = types[name], type.contains("word"), type.hasSuffix("+xml"),
                let part = try version.document(name)
            else { continue }
            result.append(part)
        }
        return result
    }

    /// What is used and nowhere defined.
    private static func missing(_ version: ArchivePackage) throws(ZipError) -> Set<[UInt8]> {
        guard let types = try OOXMLTypes(version) else { return [] }
        var defined: [String: Set<[UInt8]>] = [:]
        for link in links where defined[link.target] == nil {
            var names: Set<[UInt8]> = []
            if let name = types.part(ofType: link.type), let part = try version.document(name) {
                for element in part.elements.indices where part.isNamed(element, link.target) {
                    names.formUnion(
                        part.attribute(link.name, of: element).map { [Array($0)] } ?? [])
                }
            }
            defined[link.target] = names
        }
        var result: Set<[UInt8]> = []
        for part in try texts(version) {
            for element in part.elements.indices {
                let name = part.name(element)
                for link in links where name.elementsEqual(link.element.utf8) {
                    guard let value = part.attribute(link.attribute, of: element),
                        defined[link.target]?.contains(Array(value)) == false
                    else { continue }
                    result.insert(Array("\(link.target) ".utf8) + value)
                }
            }
        }
        return result
    }

    /// The numbers that a part has more than once.
    private static func repeated(_ version: ArchivePackage) throws(ZipError) -> Set<[UInt8]> {
        var result: Set<[UInt8]> = []
        for part in try texts(version) {
            var seen = RepeatedAttributes()
            for element in part.elements.indices {
                let attributes = part.attributes(element)
                guard !attributes.isEmpty else { continue }
                let name = String(decoding: part.name(element), as: UTF8.self)
                for attribute in attributes {
                    let isNumber =
                        attribute.isNamed("w:id") || attribute.isNamed("w14:paraId")
                        || name == "wp:docPr" && attribute.isNamed("id")
                        || name == "w:bookmarkStart" && attribute.isNamed("w:name")
                    if isNumber { seen.add(name, attribute) }
                }
            }
            result.formUnion(seen.repeated)
            result.formUnion(PairedMarks.unpaired(marks, part))
            result.formUnion(unpairedFields(part))
        }
        return result
    }

    private static let marks = ["bookmark", "commentRange", "moveFromRange", "moveToRange"].map {
        PairedMarks(start: "w:\($0)Start", end: "w:\($0)End", attribute: "w:id")
    }

    /// A field that begins and does not end, or the other way round.
    private static func unpairedFields(_ part: XMLPart) -> Set<[UInt8]> {
        var depth = 0
        for element in part.elements.indices where part.isNamed(element, "w:fldChar") {
            let type = part.attribute("w:fldCharType", of: element) ?? []
            if type.elementsEqual("begin".utf8) { depth += 1 }
            if type.elementsEqual("end".utf8) { depth -= 1 }
            if depth < 0 { break }
        }
        return depth == 0 ? [] : [Array("w:fldChar".utf8)]
    }

    /// The numbers in blocks that one side changed and that mean something else in the result.
    private func changed(
        _ story: MergedPackage.Story, _ other: [MergeVersion: [String: Set<[UInt8]>]]
    ) -> Set<[UInt8]> {
        var result: Set<[UInt8]> = []
        for block in story.blocks {
            guard let targets = other[block.version], !targets.isEmpty else { continue }
            let part = story.parts[block.version]
            for element in block.element..<part.elements[block.element].end {
                for link in Self.links where part.isNamed(element, link.element) {
                    guard let numbers = targets[link.target],
                        let value = part.attribute(link.attribute, of: element),
                        numbers.contains(Array(value))
                    else { continue }
                    result.insert(Array("\(link.target) ".utf8) + value)
                }
            }
        }
        return result
    }

    /// By the name of their elements, the numbers that mean something else in a version than in the result.
    private func changedNumbers(
        _ version: MergeVersion
    ) throws(ZipError) -> [String: Set<[UInt8]>] {
        var result: [String: Set<[UInt8]>] = [:]
        for link in Self.links where link.isNumber {
            let own = try Self.meanings(link, merged.versions[version])
            let new = try Self.meanings(link, merged.result)
            let numbers = Set(own.keys).union(new.keys).filter { own[$0] != new[$0] }
            if !numbers.isEmpty { result[link.target] = numbers }
        }
        return result
    }

    /// What a number stands for.
    private struct Meaning: Equatable {
        let text: ArraySlice<UInt8>
        /// Of a list, the definition of its levels.
        let levels: ArraySlice<UInt8>?
    }

    /// What the numbers of a version stand for. Of several elements with one number the first counts.
    ///
    /// A long text refers to a few lists from thousands of paragraphs: each part is read once.
    private static func meanings(
        _ link: Link, _ version: ArchivePackage
    ) throws(ZipError) -> [[UInt8]: Meaning] {
        guard let types = try OOXMLTypes(version), let name = types.part(ofType: link.type),
            let part = try version.document(name)
        else { return [:] }
        func elements(_ target: String, _ attribute: String) -> [[UInt8]: Int] {
            var found: [[UInt8]: Int] = [:]
            for element in part.elements.indices where part.isNamed(element, target) {
                guard let value = part.attribute(attribute, of: element).map(Array.init),
                    found[value] == nil
                else { continue }
                found[value] = element
            }
            return found
        }
        let levels = elements("w:abstractNum", "w:abstractNumId")
        return elements(link.target, link.name).mapValues { element in
            let number = part.child("w:abstractNumId", of: element).flatMap {
                part.attribute("w:val", of: $0)
            }
            return Meaning(
                text: part.text(element),
                levels: number.flatMap { levels[Array($0)] }.map(part.text))
        }
    }
}
