/// What the parts of an Office Open XML document refer to, in a merged one and in the side that it is from.
///
/// Programs give parts and identifiers new names when they save: what one side wrote must still lead to what it led to
/// there.
struct OOXMLReferences {
    let merged: MergedPackage

    init(_ merged: MergedPackage) { self.merged = merged }

    func conflicts() throws(ZipError) -> [MergeConflict] {
        var found: Set<[UInt8]> = []
        let stories = Set(merged.stories.map(\.name))
        for (name, side) in try merged.partsOfOneSide() where !stories.contains(name) {
            found.formUnion(try changedTargets(ofPart: name, side))
        }
        for story in merged.stories { found.formUnion(try changedTargets(ofBlocks: story)) }
        return found.sorted { $0.lexicographicallyPrecedes($1) }.map { name in
            MergeConflict(part: name, "One side changed it, the other uses it anew.")
        }
    }

    /// The types of parts that a user edits as such, and that are found by their name.
    private static let independent: Set<String> = [
        "slide", "slideLayout", "slideMaster", "notesMaster", "notesSlide", "handoutMaster",
        "theme", "presProps", "viewProps", "tableStyles", "commentAuthors", "comments", "styles",
        "settings", "webSettings", "fontTable", "numbering", "footnotes", "endnotes", "header",
        "footer", "customXml", "customXmlProps", "glossaryDocument", "worksheet", "sharedStrings",
        "calcChain", "people", "commentsExtended", "commentsIds", "commentsExtensible",
    ]

    /// Where a part that one side changed leads to something else than on that side.
    private func changedTargets(
        ofPart name: [UInt8], _ side: MergeVersion
    ) throws(ZipError) -> Set<[UInt8]> {
        var found: Set<[UInt8]> = []
        let result = try Relationship.all(of: name, in: merged.result)
        for (id, relationship) in try Relationship.all(of: name, in: merged.versions[side]) {
            guard result[id] == relationship else {
                found.insert(PackagePath.relationships(of: name))
                continue
            }
            guard let target = relationship.target,
                !Self.independent.contains(relationship.type)
            else { continue }
            if try !isSame(target, side) { found.insert(target) }
        }
        return found
    }

    /// Where a block that one side changed leads to something else than on that side.
    private func changedTargets(
        ofBlocks story: MergedPackage.Story
    ) throws(ZipError) -> Set<[UInt8]> {
        var found: Set<[UInt8]> = []
        let result = try Relationship.all(of: story.name, in: merged.result)
        for side in [MergeVersion.ours, .theirs] {
            let own = try Relationship.all(of: story.name, in: merged.versions[side])
            guard !own.isEmpty else { continue }
            for block in story.blocks where block.version == side {
                let part = story.parts[side]
                for element in block.element..<part.elements[block.element].end {
                    for attribute in part.attributes(element) {
                        guard let relationship = own[Array(attribute.value)] else { continue }
                        guard result[relationship.id] == relationship else {
                            found.insert(PackagePath.relationships(of: story.name))
                            continue
                        }
                        if let target = relationship.target, try !isSame(target, side) {
                            found.insert(target)
                        }
                    }
                }
            }
        }
        return found
    }

    /// Whether a part, and all that it leads to, is in the result as on a side.
    private func isSame(_ name: [UInt8], _ side: MergeVersion) throws(ZipError) -> Bool {
        var open = [name]
        var seen: Set<[UInt8]> = []
        while let next = open.popLast() {
            guard seen.insert(next).inserted else { continue }
            let list = PackagePath.relationships(of: next)
            for part in [next, list] {
                guard try merged.result.hasSame(part, merged.versions[side]) else { return false }
            }
            let relationships = try Relationship.all(of: next, in: merged.versions[side])
            open += relationships.values.compactMap(\.target)
        }
        return true
    }
}
