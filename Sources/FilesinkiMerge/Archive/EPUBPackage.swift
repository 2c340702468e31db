/// Books in the EPUB format.
///
/// Source: EPUB 3.3, sections 4 (the container) and 5 (package documents).
struct EPUBPackage: DocumentPackage {
    func refusal(_ version: ArchivePackage) throws(ZipError) -> String? {
        guard let first = version.archive.entries.first, first.name == Array("mimetype".utf8),
            !first.isCompressed, first.data.lowerBound == ZipFormat.localLength + first.name.count
        else { return "does not begin with its media type" }
        if version.has("META-INF/signatures.xml") { return "has a digital signature" }
        if version.has("META-INF/encryption.xml") || version.has("META-INF/rights.xml") {
            return "is encrypted"
        }
        return try Self.book(version) == nil ? "cannot be read" : nil
    }

    /// The package document, which lists the parts of the book.
    private static func book(
        _ version: ArchivePackage
    ) throws(ZipError) -> (name: [UInt8], part: XMLPart)? {
        guard let container = try version.document("META-INF/container.xml"),
            let file = container.element(["container", "rootfiles", "rootfile"]),
            let path = container.attribute("full-path", of: file)
        else { return nil }
        let name = PackagePath.unescaped(path)
        return try version.document(name).map { (name, $0) }
    }

    func modified(_ version: ArchivePackage) throws(ZipError) -> [UInt8]? {
        guard let part = try Self.book(version)?.part,
            let metadata = part.element(["package", "metadata"]),
            let date = part.elements[metadata].children.first(where: { Self.isDate(part, $0) })
        else { return nil }
        return Array(part.slice(part.elements[date].content))
    }

    private static func isDate(_ part: XMLPart, _ element: Int) -> Bool {
        part.attribute("property", of: element)?.elementsEqual("dcterms:modified".utf8) ?? false
    }

    // MARK: Rules

    func rule(_ name: [UInt8], _ versions: PackageVersions) throws(ZipError) -> PartRule {
        let books = [try Self.book(versions.ours)?.name, try Self.book(versions.theirs)?.name]
        if books == [name, name] { return .elements(Self.bookRule) }
        return Self.isDocument(name) ? .content(TreeMerge(format: XMLFormat())) : .whole
    }

    /// Whether a part is a chapter, a table of contents or a picture in XML, which can refer to others.
    private static func isDocument(_ name: [UInt8]) -> Bool {
        [".xhtml", ".html", ".htm", ".svg", ".ncx"].contains(where: name.hasSuffix)
    }

    private static let bookRule = ElementRule.byName(
        [
            "metadata": .keyed(
                KeyedChildren(
                    key: { part, child in
                        let names = ["id", "property", "refines", "name"].map { name in
                            part.attribute(name, of: child).map(Array.init) ?? []
                        }
                        return Array(([Array(part.name(child))] + names).joined(separator: [0]))
                    }, rule: { part, child in isDate(part, child) ? .latest : .whole })),
            "manifest": .byAttribute("id"), "spine": .blocks(BlockRule()),
        ], isOrdered: true)

    func aligned(
        _ versions: PackageVersions
    ) throws(PackageError) -> [MergeVersion: [[UInt8]: [UInt8]]] { [:] }

    // MARK: Checks

    func conflicts(_ merged: MergedPackage) throws(ZipError) -> [MergeConflict] {
        var result = try merged.newFaults(Self.listFaults).map { name in
            MergeConflict(part: name, "It is not both in the archive and in the list of its parts.")
        }
        result += try merged.newFaults(Self.missingTargets).map { name in
            MergeConflict(part: name, "One side removed it, the other refers to it.")
        }
        return result
    }

    /// What is in the archive or in the list of parts and not in both, and chapters that are not in the list.
    private static func listFaults(_ version: ArchivePackage) throws(ZipError) -> Set<[UInt8]> {
        guard let (name, part) = try book(version) else { return [Array("container".utf8)] }
        var listed: Set<[UInt8]> = []
        var (identifiers, chapters): (Set<[UInt8]>, Set<[UInt8]>) = ([], [])
        for element in part.elements.indices {
            if part.isNamed(element, "item"), let link = part.attribute("href", of: element) {
                let path = PackagePath.unescaped(link)
                if !path.contains(UInt8(ascii: ":")) {
                    listed.insert(PackagePath.resolved(path, from: name) ?? [])
                }
                identifiers.formUnion(part.attribute("id", of: element).map { [Array($0)] } ?? [])
            } else if part.isNamed(element, "itemref") {
                chapters.formUnion(part.attribute("idref", of: element).map { [Array($0)] } ?? [])
            }
        }
        let files = Set(
            version.names.filter { file in
                file.last != UInt8(ascii: "/") && file != Array("mimetype".utf8) && file != name
                    && !file.starts(with: "META-INF/".utf8)
            })
        return files.symmetricDifference(listed).union(chapters.subtracting(identifiers))
    }

    /// The parts that documents refer to and that do not exist.
    private static func missingTargets(_ version: ArchivePackage) throws(ZipError) -> Set<[UInt8]> {
        let names = Set(version.names)
        var result: Set<[UInt8]> = []
        for name in version.names where isDocument(name) {
            guard let part = try version.document(name) else { continue }
            for element in part.elements.indices {
                for attribute in part.attributes(element)
                where ["href", "src", "xlink:href"].contains(where: attribute.isNamed) {
                    let link = PackagePath.unescaped(attribute.value)
                    guard !link.contains(UInt8(ascii: ":")), link.first != UInt8(ascii: "#"),
                        let target = PackagePath.resolved(link, from: name),
                        !names.contains(target)
                    else { continue }
                    result.insert(target)
                }
            }
        }
        return result
    }
}
