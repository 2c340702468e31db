/// The types of the parts of an Office Open XML document.
///
/// Source: ISO/IEC 29500-2, Open Packaging Conventions, sections 10 and 9.3.
struct OOXMLTypes {
    static let name = Array("[Content_Types].xml".utf8)

    private var byExtension: [[UInt8]: String] = [:]
    private var byName: [[UInt8]: String] = [:]

    /// - Returns: nil where the types cannot be read.
    init?(_ package: ArchivePackage) throws(ZipError) {
        guard let part = try package.document(Self.name), part.isNamed(0, "Types") else {
            return nil
        }
        for child in part.elements[0].children {
            guard let type = part.attribute("ContentType", of: child) else { return nil }
            let text = String(decoding: type, as: UTF8.self)
            if let name = part.attribute("PartName", of: child) {
                byName[Array(PackagePath.unescaped(name).drop { $0 == UInt8(ascii: "/") })] = text
            } else if let ending = part.attribute("Extension", of: child) {
                byExtension[ending.map(\.lowercasedASCII)] = text
            }
        }
    }

    /// The type of a part; nil for one that has none.
    subscript(name: [UInt8]) -> String? {
        if let type = byName[name] { return type }
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        return byExtension[name[(dot + 1)...].map(\.lowercasedASCII)]
    }

    /// The parts that have a type of their own.
    var named: Set<[UInt8]> { Set(byName.keys) }

    /// The first part of a type, in the order of names.
    func part(ofType ending: String) -> [UInt8]? {
        byName.filter { $0.value.hasSuffix(ending) }.keys
            .min { $0.lexicographicallyPrecedes($1) }
    }
}

/// What a part refers to by an identifier.
struct Relationship: Hashable {
    let id: [UInt8]
    /// The last word of its type, such as `image`.
    let type: String
    /// The part; nil for what is outside of the document.
    let target: [UInt8]?
    /// The element as it is written.
    let text: [UInt8]

    /// The relationships of a part by their identifiers; empty without any.
    static func all(
        of part: [UInt8], in package: ArchivePackage
    ) throws(ZipError) -> [[UInt8]: Relationship] {
        let name = PackagePath.relationships(of: part)
        guard let list = try package.document(name) else { return [:] }
        var result: [[UInt8]: Relationship] = [:]
        for child in list.elements[0].children {
            guard let id = list.attribute("Id", of: child),
                let type = list.attribute("Type", of: child),
                let target = list.attribute("Target", of: child)
            else { continue }
            let isExternal =
                list.attribute("TargetMode", of: child)?.elementsEqual("External".utf8) ?? false
            let word = type.split(separator: UInt8(ascii: "/")).last ?? []
            result[Array(id)] = Relationship(
                id: Array(id), type: String(decoding: word, as: UTF8.self),
                target: isExternal
                    ? nil : PackagePath.resolved(PackagePath.unescaped(target), from: part) ?? [],
                text: Array(list.text(child)))
        }
        return result
    }
}
