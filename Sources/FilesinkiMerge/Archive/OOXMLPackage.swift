/// Office Open XML: texts, workbooks and presentations.
///
/// Source: ISO/IEC 29500, parts 1, 2 and 3.
struct OOXMLPackage: DocumentPackage {
    enum Application { case text, workbook, presentation }

    /// Whether an archive is a document of one of the applications, and no other package such as one for NuGet.
    static func isDocument(_ package: ArchivePackage) -> Bool {
        ((try? mainPart(package)) ?? nil) != nil
    }

    /// The main part, and the application that its type names.
    static func mainPart(
        _ package: ArchivePackage
    ) throws(ZipError) -> (name: [UInt8], application: Application)? {
        guard let types = try OOXMLTypes(package),
            let main = try Relationship.all(of: [], in: package).values.first(where: {
                $0.type == "officeDocument"
            }), let name = main.target, let type = types[name], type.hasSuffix(".main+xml"),
            package.entry(name) != nil
        else { return nil }
        for (word, application) in applications where type.contains(word) {
            return (name, application)
        }
        return nil
    }

    private static let applications: [(String, Application)] = [
        ("wordprocessingml", .text), ("ms-word", .text), ("spreadsheetml", .workbook),
        ("ms-excel", .workbook), ("presentationml", .presentation),
        ("ms-powerpoint", .presentation),
    ]

    func refusal(_ version: ArchivePackage) throws(ZipError) -> String? {
        let isSigned = version.names.contains { $0.starts(with: "_xmlsignatures/".utf8) }
        return isSigned ? "has a digital signature" : nil
    }

    func modified(_ version: ArchivePackage) throws(ZipError) -> [UInt8]? {
        let properties = try Relationship.all(of: [], in: version).values.first {
            $0.type == "core-properties"
        }
        guard let name = properties?.target, let part = try version.document(name),
            let date = part.child("dcterms:modified", of: 0)
        else { return nil }
        return Array(part.slice(part.elements[date].content))
    }

    // MARK: Rules

    func rule(_ name: [UInt8], _ versions: PackageVersions) throws(ZipError) -> PartRule {
        if name == OOXMLTypes.name { return .elements(Self.typesRule) }
        if name.hasSuffix(".rels") { return .elements(.byAttribute("Id")) }
        // A picture of the first page.
        if name.starts(with: "docProps/thumbnail.".utf8) { return .latest }
        guard let type = try OOXMLTypes(versions.ours)?[name],
            try OOXMLTypes(versions.theirs)?[name] == type,
            let rule = Self.rules.first(where: { type.hasSuffix($0.type) })?.rule
        else { return .whole }
        return rule
    }

    private static let typesRule = ElementRule.keyed(
        KeyedChildren(
            key: { part, child in
                if let name = part.attribute("PartName", of: child) { return Array(name) }
                return part.attribute("Extension", of: child).map {
                    [0] + $0.map(\.lowercasedASCII)
                }
            }, rule: { _, _ in .whole }))

    /// The rules of parts, by the end of their type.
    private static let rules: [(type: String, rule: PartRule)] =
        [
            ("core-properties+xml", .elements(.byName(latest: coreNames))),
            ("extended-properties+xml", .elements(.byName(latest: extendedNames))),
            ("presentationml.viewProps+xml", .latest),
            ("ms-powerpoint.revisioninfo+xml", .latest),
            ("ms-powerpoint.changesinfo+xml", .latest),
        ] + WordRules.all + WorkbookRules.all

    /// What each save writes: who, when, and how often.
    private static let coreNames = [
        "dcterms:modified", "cp:lastModifiedBy", "cp:revision", "cp:lastPrinted",
    ]

    /// What each save counts, and the program that did.
    private static let extendedNames = [
        "TotalTime", "Pages", "Words", "Characters", "CharactersWithSpaces", "Lines", "Paragraphs",
        "Slides", "Notes", "HiddenSlides", "MMClips", "HeadingPairs", "TitlesOfParts",
        "Application", "AppVersion",
    ]

    func aligned(
        _ versions: PackageVersions
    ) throws(PackageError) -> [MergeVersion: [[UInt8]: [UInt8]]] {
        do {
            guard let main = try Self.mainPart(versions.ours), main.application == .workbook
            else { return [:] }
            return try WorkbookAlignment(versions).aligned()
        } catch let error as PackageError {
            throw error
        } catch {
            throw PackageError("", "The workbook cannot be read.")
        }
    }

    // MARK: Checks

    func conflicts(_ merged: MergedPackage) throws(ZipError) -> [MergeConflict] {
        var result = try merged.newFaults(Self.structureFaults).map { name in
            MergeConflict(part: name, "One side removed this part, the other uses it.")
        }
        result += try OOXMLReferences(merged).conflicts()
        guard let main = try Self.mainPart(merged.result) else {
            return [MergeConflict("", "The merged parts do not form a document.")]
        }
        switch main.application {
        case .text: result += try WordReferences(merged).conflicts()
        case .workbook: result += try WorkbookAlignment.conflicts(merged)
        case .presentation: break
        }
        return result
    }

    /// The parts without a type or a file, and the targets that do not exist.
    private static func structureFaults(
        _ version: ArchivePackage
    ) throws(ZipError) -> Set<[UInt8]> {
        guard let types = try OOXMLTypes(version) else { return [OOXMLTypes.name] }
        let names = Set(version.names.filter { $0.last != UInt8(ascii: "/") })
        var faults = types.named.subtracting(names)
        for name in names where name != OOXMLTypes.name {
            if types[name] == nil { faults.insert(name) }
            guard let source = PackagePath.source(ofRelationships: name) else { continue }
            if !source.isEmpty, !names.contains(source) { faults.insert(name) }
            for relationship in try Relationship.all(of: source, in: version).values {
                if let target = relationship.target, !names.contains(target) {
                    faults.insert(target)
                }
            }
        }
        return faults
    }
}
