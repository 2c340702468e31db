/// OpenDocument: texts, spreadsheets, presentations and drawings.
///
/// Source: Open Document Format for Office Applications, version 1.3, parts 2 and 3.
struct ODFPackage: DocumentPackage {
    static let content = Array("content.xml".utf8)
    static let styles = Array("styles.xml".utf8)
    static let manifest = Array("META-INF/manifest.xml".utf8)

    func refusal(_ version: ArchivePackage) throws(ZipError) -> String? {
        guard let first = version.archive.entries.first, first.name == Array("mimetype".utf8),
            !first.isCompressed, first.data.lowerBound == ZipFormat.localLength + first.name.count
        else { return "does not begin with its media type" }
        let isSigned = version.names.contains { name in
            name.starts(with: "META-INF/".utf8) && name.hasSuffix("signatures.xml")
        }
        guard !isSigned else { return "has a digital signature" }
        guard let manifest = try version.document(Self.manifest),
            manifest.elements.indices.allSatisfy({
                !manifest.isNamed($0, "manifest:encryption-data")
            })
        else { return "is encrypted, or has no manifest" }
        return try version.document(Self.content) == nil ? "cannot be read" : nil
    }

    func modified(_ version: ArchivePackage) throws(ZipError) -> [UInt8]? {
        guard let meta = try version.document("meta.xml"),
            let date = meta.element(["office:document-meta", "office:meta", "dc:date"])
        else { return nil }
        return Array(meta.slice(meta.elements[date].content))
    }

    // MARK: Rules

    func rule(_ name: [UInt8], _ versions: PackageVersions) throws(ZipError) -> PartRule {
        switch String(decoding: name, as: UTF8.self) {
        case "content.xml": .elements(Self.contentRule)
        case "styles.xml": .elements(Self.stylesRule)
        case "meta.xml": .elements(Self.metaRule)
        case "settings.xml": .elements(Self.settingsRule)
        case "META-INF/manifest.xml": .elements(.byAttribute("manifest:full-path"))
        // Pictures of the first page, and where pages end: hints.
        case "Thumbnails/thumbnail.png", "layout-cache": .latest
        default: .whole
        }
    }

    /// Paragraphs, sheets or pages, with the styles that they use.
    private static let contentRule: ElementRule = {
        // Where a page ended when it was saved; identifiers of lists, which are new at each save.
        let blocks = ElementRule.blocks(
            BlockRule(
                fields: ODFFields.computed, ignoredElements: ["text:soft-page-break"]
            ) { part in
                part.hasContinuedLists ? ("", "") : ("text:list", "xml:id")
            })
        let names = ["office:text", "office:spreadsheet", "office:presentation", "office:drawing"]
        let body = ElementRule.byName(
            Dictionary(names.map { ($0, blocks) }, uniquingKeysWith: { one, _ in one }),
            leadsToBlocks: true)
        return .byName(
            [
                "office:font-face-decls": .byAttribute("style:name"),
                "office:automatic-styles": .union { part, child in
                    part.attribute("style:name", of: child).map(Array.init)
                },
                "office:body": body,
            ], isOrdered: true, leadsToBlocks: true)
    }()

    /// The styles with names. Those of pages, with headers and footers, are one value.
    private static let stylesRule = ElementRule.byName(
        [
            "office:font-face-decls": .byAttribute("style:name"),
            "office:styles": .keyed(
                KeyedChildren(
                    key: { part, child in
                        let names = ["style:family", "style:name", "draw:name"].map { name in
                            part.attribute(name, of: child).map(Array.init) ?? []
                        }
                        return Array(([Array(part.name(child))] + names).joined(separator: [0]))
                    }, rule: { _, _ in .whole })),
            "office:master-styles": .wholeBesides(ODFFields.computed),
        ], isOrdered: true)

    private static let metaRule = ElementRule.byName([
        "office:meta": .keyed(
            KeyedChildren(
                key: { part, child in
                    let name = Array(part.name(child))
                    let own = part.attribute("meta:name", of: child).map(Array.init) ?? []
                    let text =
                        part.isNamed(child, "meta:keyword")
                        ? Array(part.slice(part.elements[child].content)) : []
                    return name + [0] + own + [0] + text
                },
                rule: { part, child in
                    latestMeta.contains(String(decoding: part.name(child), as: UTF8.self))
                        ? .latest : .whole
                }))
    ])

    /// What each save writes: who, when, by which program, and how long the document is.
    private static let latestMeta: Set<String> = [
        "dc:date", "dc:creator", "meta:generator", "meta:editing-cycles", "meta:editing-duration",
        "meta:document-statistic", "meta:print-date", "meta:printed-by",
    ]

    /// Settings by name. What the window showed is of the version that was saved last.
    private static let settingsRule: ElementRule = {
        let name: @Sendable (XMLPart, Int) -> [UInt8]? = { part, child in
            part.attribute("config:name", of: child).map(Array.init)
        }
        let items = ElementRule.keyed(
            KeyedChildren(key: name) { part, child in
                let latest = ["Rsid", "RsidRoot"].contains { found in
                    part.attribute("config:name", of: child)?.elementsEqual(found.utf8) ?? false
                }
                return latest ? .latest : .whole
            })
        let sets = ElementRule.keyed(
            KeyedChildren(key: name) { part, child in
                let isView =
                    part.attribute("config:name", of: child)?.elementsEqual(
                        "ooo:view-settings".utf8)
                    ?? false
                return isView ? .latest : items
            })
        return .byName(["office:settings": sets])
    }()

    /// Gives the automatic styles, which programs number anew at each save, the same names in all versions.
    func aligned(
        _ versions: PackageVersions
    ) throws(PackageError) -> [MergeVersion: [[UInt8]: [UInt8]]] {
        do {
            for side in [MergeVersion.ours, .theirs] {
                if try versions.isUnchanged(Self.content, side) { return [:] }
            }
            if try versions.ours.hasSame(Self.content, versions.theirs) { return [:] }
            guard let texts = try ODFStyleNames.aligned(versions) else {
                throw PackageError(
                    "content.xml", "Both sides changed it, and its styles cannot be told apart.")
            }
            return texts.mapValues { [Self.content: $0] }
        } catch let error as PackageError {
            throw error
        } catch {
            throw PackageError("content.xml", "Both sides changed it, and it cannot be read.")
        }
    }

    // MARK: Checks

    func conflicts(_ merged: MergedPackage) throws(ZipError) -> [MergeConflict] {
        if let conflict = try computedConflict(merged) { return [conflict] }
        var result = try merged.newFaults(Self.manifestFaults).map { name in
            MergeConflict(part: name, "It is not both in the archive and in the manifest.")
        }
        result += try merged.newFaults(Self.missingStyles).map { name in
            MergeConflict(part: name, "One side removed this style, the other uses it.")
        }
        result += try merged.newFaults(Self.repeatedNames).map { name in
            MergeConflict(part: name, "It would be in the document twice, or without its end.")
        }
        for story in merged.stories { result += try changedTargets(story, merged) }
        return result
    }

    /// Results of formulas, pivot tables and charts are stored, so that cells of two sides do not go together.
    private func computedConflict(_ merged: MergedPackage) throws(ZipError) -> MergeConflict? {
        var sides = Set<Int>()
        for name in [Self.content, Self.styles] {
            for side in [MergeVersion.ours, .theirs]
            where try !ODFFields.isOnlySaved(name, side, merged.versions) {
                sides.insert(side.rawValue)
            }
        }
        guard sides.count == 2 else { return nil }
        for version in merged.versions.all {
            guard let part = try version.document(Self.content),
                part.element(["office:document-content", "office:body", "office:spreadsheet"])
                    != nil
            else { continue }
            let isComputed = part.elements.indices.contains { element in
                part.isNamed(element, "table:data-pilot-table")
                    || part.isNamed(element, "draw:object")
                    || part.isNamed(element, "table:scenario")
                    || part.attribute("table:formula", of: element) != nil
            }
            if isComputed {
                return MergeConflict(
                    "content.xml", "Both sides changed a spreadsheet with computed values.")
            }
        }
        return nil
    }

    /// What is in the archive or in the manifest and not in both.
    private static func manifestFaults(
        _ version: ArchivePackage
    ) throws(ZipError) -> Set<[UInt8]> {
        guard let manifest = try version.document(manifest) else { return [Self.manifest] }
        var listed: Set<[UInt8]> = []
        for element in manifest.elements.indices {
            guard let path = manifest.attribute("manifest:full-path", of: element) else { continue }
            listed.insert(PackagePath.unescaped(path))
        }
        let files = Set(
            version.names.filter { name in
                name.last != UInt8(ascii: "/") && name != Array("mimetype".utf8)
                    && !name.starts(with: "META-INF/".utf8)
            })
        let paths = listed.filter { path in
            path.last != UInt8(ascii: "/") && !path.starts(with: "META-INF/".utf8)
        }
        return files.symmetricDifference(paths)
    }

    /// The names of styles that are used and nowhere defined.
    private static func missingStyles(_ version: ArchivePackage) throws(ZipError) -> Set<[UInt8]> {
        var (used, defined): (Set<[UInt8]>, Set<[UInt8]>) = ([], [])
        for name in [content, styles] {
            guard let part = try version.document(name) else { continue }
            for element in part.elements.indices {
                for attribute in part.attributes(element) {
                    if attribute.isNamed("style:name") || attribute.isNamed("draw:name") {
                        defined.insert(Array(attribute.value))
                    } else if ODFStyleNames.usesName(attribute), !attribute.value.isEmpty {
                        used.insert(Array(attribute.value))
                    }
                }
            }
        }
        return used.subtracting(defined)
    }

    /// Identifiers, and the names of what references name, that occur more than once.
    private static func repeatedNames(_ version: ArchivePackage) throws(ZipError) -> Set<[UInt8]> {
        guard let part = try version.document(content) else { return [] }
        var seen = RepeatedAttributes()
        for element in part.elements.indices {
            let name = String(decoding: part.name(element), as: UTF8.self)
            for attribute in part.attributes(element) {
                let isNamed =
                    attribute.isNamed("xml:id") || attribute.isNamed("text:id")
                    || attribute.isNamed("draw:id")
                    || namedElements[name].map(attribute.isNamed) ?? false
                if isNamed { seen.add(name, attribute) }
            }
        }
        return seen.repeated.union(PairedMarks.unpaired(marks, part))
    }

    private static let marks = [
        PairedMarks(start: "text:bookmark-start", end: "text:bookmark-end", attribute: "text:name"),
        PairedMarks(
            start: "text:reference-mark-start", end: "text:reference-mark-end",
            attribute: "text:name"),
        PairedMarks(
            start: "text:change-start", end: "text:change-end", attribute: "text:change-id"),
    ]

    private static let namedElements = [
        "text:bookmark": "text:name", "text:bookmark-start": "text:name",
        "text:section": "text:name", "table:table": "table:name", "draw:frame": "draw:name",
        "draw:page": "draw:name", "text:reference-mark": "text:name",
        "text:reference-mark-start": "text:name", "office:annotation": "office:name",
    ]

    /// The parts that a block names and that are others in the result than in the version of the block.
    private func changedTargets(
        _ story: MergedPackage.Story, _ merged: MergedPackage
    ) throws(ZipError) -> [MergeConflict] {
        var found: Set<[UInt8]> = []
        for block in story.blocks {
            let (part, version) = (story.parts[block.version], merged.versions[block.version])
            for element in block.element..<part.elements[block.element].end {
                guard let link = part.attribute("xlink:href", of: element) else { continue }
                var path = PackagePath.unescaped(link)
                if path.starts(with: "./".utf8) { path.removeFirst(2) }
                for name in version.names where name == path || name.starts(with: path + [0x2F]) {
                    if try !version.hasSame(name, merged.result) { found.insert(name) }
                }
            }
        }
        return found.sorted { $0.lexicographicallyPrecedes($1) }.map { name in
            MergeConflict(part: name, "One side changed it, the other uses it anew.")
        }
    }
}

extension XMLPart {
    /// Whether a list names the one that it continues.
    fileprivate var hasContinuedLists: Bool {
        elements.indices.contains { attribute("text:continue-list", of: $0) != nil }
    }
}

extension [UInt8] {
    func hasSuffix(_ text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
