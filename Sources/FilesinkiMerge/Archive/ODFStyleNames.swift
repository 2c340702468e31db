/// The automatic styles of the three versions of an ODF document under common names.
///
/// A program that saves a document makes such a style for each formatting that is no style of the user's, and numbers
/// them: `P1` can be another style in each version. What a style says identifies it. The names of the frame stay; the
/// styles of the others have the name of the same style there, or one that nothing else has.
enum ODFStyleNames {
    /// - Returns: The contents under common names; nil where a name could mean two styles.
    static func aligned(_ versions: PackageVersions) throws(ZipError) -> [MergeVersion: [UInt8]]? {
        var styles: [MergeVersion: AutomaticStyles] = [:]
        for version in MergeVersion.allCases {
            guard let part = try versions[version].document(ODFPackage.content),
                let found = AutomaticStyles(
                    part, common: try commonNames(versions[version].document(ODFPackage.styles)))
            else { return nil }
            styles[version] = found
        }
        guard let frame = styles[versions.frame] else { return nil }
        var names = CommonNames(of: frame)
        var result: [MergeVersion: [UInt8]] = [versions.frame: frame.part.bytes]
        for version in [versions.frame.other, .base] {
            guard let other = styles[version], let text = other.renamed(names.names(of: other))
            else { return nil }
            result[version] = text
        }
        return result
    }

    /// The names of the styles that the user sees.
    private static func commonNames(_ part: XMLPart?) -> Set<[UInt8]> {
        guard let part, let styles = part.element(["office:document-styles", "office:styles"])
        else { return [] }
        let names = part.elements[styles].children.compactMap { child in
            part.attribute("style:name", of: child).map(Array.init)
        }
        return Set(names)
    }

    /// Whether the value of an attribute is the name of a style, a master page or the like.
    static func usesName(_ attribute: XMLPart.Attribute) -> Bool {
        let name = attribute.name.split(separator: UInt8(ascii: ":")).last ?? []
        return suffixes.contains { suffix in
            name.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
                && (name.count == suffix.utf8.count
                    || name[name.endIndex - suffix.utf8.count - 1] == UInt8(ascii: "-"))
        }
    }

    private static let suffixes = ["style-name", "page-layout-name", "master-page-name"]
}

/// The automatic styles of one version.
private struct AutomaticStyles {
    let part: XMLPart
    /// The names in their order, and what each style says: its text with what other styles say in place of their names.
    private(set) var styles: [(name: [UInt8], meaning: [UInt8])] = []

    /// - Returns: nil where a name could mean two styles, or styles use each other.
    init?(_ part: XMLPart, common: Set<[UInt8]>) {
        self.part = part
        guard let parent = part.child("office:automatic-styles", of: 0) else { return nil }
        var elements: [[UInt8]: Int] = [:]
        for child in part.elements[parent].children {
            guard let name = part.attribute("style:name", of: child).map(Array.init),
                elements.updateValue(child, forKey: name) == nil, !common.contains(name)
            else { return nil }
        }
        var meanings: [[UInt8]: [UInt8]] = [:]
        for child in part.elements[parent].children {
            guard let name = part.attribute("style:name", of: child).map(Array.init),
                let meaning = Self.meaning(name, part, elements, &meanings, depth: 0)
            else { return nil }
            styles.append((name, meaning))
        }
    }

    /// What a style says, after what the styles say that it uses.
    private static func meaning(
        _ name: [UInt8], _ part: XMLPart, _ elements: [[UInt8]: Int],
        _ known: inout [[UInt8]: [UInt8]], depth: Int
    ) -> [UInt8]? {
        if let meaning = known[name] { return meaning }
        guard depth < 8, let element = elements[name] else { return nil }
        for index in element..<part.elements[element].end {
            for attribute in part.attributes(index) where ODFStyleNames.usesName(attribute) {
                let used = Array(attribute.value)
                guard elements[used] != nil else { continue }
                guard meaning(used, part, elements, &known, depth: depth + 1) != nil else {
                    return nil
                }
            }
        }
        let found = known
        let meaning = part.text(
            element,
            edit: { index, attribute in
                if index == element, attribute.isNamed("style:name") { return .remove }
                guard ODFStyleNames.usesName(attribute), let used = found[Array(attribute.value)]
                else { return .keep }
                return .replace(Array("{".utf8) + used + Array("}".utf8))
            })
        known[name] = meaning
        return meaning
    }

    /// The document with other names of the styles; nil where a list of names has one of them.
    func renamed(_ names: [[UInt8]: [UInt8]]) -> [UInt8]? {
        guard let parent = part.child("office:automatic-styles", of: 0) else { return nil }
        var isCertain = true
        let root = part.text(
            0,
            edit: { element, attribute in
                let isName =
                    attribute.isNamed("style:name") && part.elements[element].parent == parent
                guard isName || ODFStyleNames.usesName(attribute) else {
                    let isList = attribute.name.suffix(11).elementsEqual("class-names".utf8)
                    isCertain = isCertain && !isList
                    return .keep
                }
                guard let name = names[Array(attribute.value)], name[...] != attribute.value else {
                    return .keep
                }
                return .replace(name)
            })
        let range = part.elements[0].range
        return isCertain
            ? Array(part.slice(0..<range.lowerBound)) + root
                + part.slice(range.upperBound..<part.bytes.count) : nil
    }
}

/// The names that styles get, by what they say.
private struct CommonNames {
    private var byMeaning: [[UInt8]: [UInt8]] = [:]
    private var taken: Set<[UInt8]> = []

    init(of frame: AutomaticStyles) {
        for style in frame.styles {
            taken.insert(style.name)
            if byMeaning[style.meaning] == nil { byMeaning[style.meaning] = style.name }
        }
    }

    /// A name for each style of another version, by the name that it has there.
    mutating func names(of version: AutomaticStyles) -> [[UInt8]: [UInt8]] {
        var result: [[UInt8]: [UInt8]] = [:]
        for style in version.styles {
            let name = byMeaning[style.meaning] ?? unused(style.name)
            byMeaning[style.meaning] = name
            taken.insert(name)
            result[style.name] = name
        }
        return result
    }

    private func unused(_ name: [UInt8]) -> [UInt8] {
        var candidate = name
        var number = 1
        while taken.contains(candidate) {
            number += 1
            candidate = name + Array("_\(number)".utf8)
        }
        return candidate
    }
}
