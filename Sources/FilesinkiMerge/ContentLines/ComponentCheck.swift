/// Finds what both sides changed in a component that does not go together.
struct ComponentCheck {
    typealias Contents = MergeTrio<ComponentContents>

    private let trees: MergeTrio<SyntaxTree>
    private let dialect: ContentLineDialect
    private(set) var conflicts: [MergeConflict] = []
    private var place = MergePlace()

    init(_ trees: MergeTrio<SyntaxTree>, _ dialect: ContentLineDialect) {
        self.trees = trees
        self.dialect = dialect
    }

    /// Checks a component that both sides have, and those in it; or the documents.
    mutating func check(_ nodes: MergeTrio<SyntaxNode>) {
        let bytes = MergeTrio(
            base: bytes(nodes, .base), ours: bytes(nodes, .ours), theirs: bytes(nodes, .theirs))
        guard bytes.isChangedApart, let ours = contents(nodes, .ours),
            let theirs = contents(nodes, .theirs)
        else { return }
        let base = contents(nodes, .base) ?? ComponentContents(emptyIn: ours.tree)
        let contents = MergeTrio(base: base, ours: ours, theirs: theirs)
        if ours.type == "VTIMEZONE" {
            guard contents.map(\.says).isChangedApart else { return }
            return decline("", "Both sides changed the time zone.")
        }
        let repeated = checkRepeated(contents)
        checkProperties(contents)
        checkUnidentified(contents)
        if ours.type == "VCALENDAR", let series = SeriesCheck(contents) {
            for (name, reason) in series.conflicts { decline(name, reason) }
        }
        for component in ours.components {
            guard !repeated.contains(component.key),
                let other = theirs.component(component.key)
            else { continue }
            place.enter(component.name)
            check(
                MergeTrio(
                    base: base.component(component.key)?.node, ours: component.node,
                    theirs: other.node))
            place.leave()
        }
    }

    private func bytes(
        _ nodes: MergeTrio<SyntaxNode>, _ version: MergeVersion
    ) -> ArraySlice<UInt8>? {
        nodes[version].flatMap { trees[version]?.slice($0.range) }
    }

    private func contents(
        _ nodes: MergeTrio<SyntaxNode>, _ version: MergeVersion
    ) -> ComponentContents? {
        guard let node = nodes[version], let tree = trees[version] else { return nil }
        return ComponentContents(node, tree)
    }

    private mutating func decline(_ name: String, _ reason: String) {
        decline(Array(name.utf8), reason)
    }

    private mutating func decline(_ name: [UInt8], _ reason: String) {
        if !name.isEmpty { place.enter(name) }
        if conflicts.last?.place != place.pointer {
            conflicts.append(MergeConflict(place.pointer, reason))
        }
        if !name.isEmpty { place.leave() }
    }

    // MARK: Properties

    private mutating func checkProperties(_ contents: Contents) {
        guard let ours = contents.ours, let theirs = contents.theirs else { return }
        if ours.saying(["VERSION"]) != theirs.saying(["VERSION"]) {
            decline("VERSION", "The two sides have different versions of the format.")
        }
        for names in dialect.groups where contents.map({ $0.saying(names) }).isChangedApart {
            let name = names.first { ours.saying([$0]) != theirs.saying([$0]) }
            decline(name ?? "", "Both sides changed properties that belong together.")
        }
        let groups = contents.map(\.groups)
        let groupNames = Set((groups.ours ?? [:]).keys).union((groups.theirs ?? [:]).keys)
        for group in groupNames.sorted() where groups.map({ $0[group] }).isChangedApart {
            decline(group, "Both sides changed properties of one group.")
        }
        let times = contents.map { $0.saying(ContentLineDialect.times) }
        let occurrences = contents.map { $0.saying(ContentLineDialect.occurrences) }
        if occurrences.ours != occurrences.theirs, times.ours != times.theirs,
            times.ours != times.base && occurrences.theirs != occurrences.base
                || times.theirs != times.base && occurrences.ours != occurrences.base
        {
            decline("DTSTART", "One side changed the time, and the other single occurrences.")
        }
        checkReplaced(contents)
    }

    /// Declines where a value of a set is gone from both sides, which may have replaced it, each by another one.
    private mutating func checkReplaced(_ contents: Contents) {
        guard let base = contents.base, let ours = contents.ours, let theirs = contents.theirs
        else { return }
        let kept = Set((ours.properties + theirs.properties).map(\.key))
        let removed = Set(base.properties.filter { !kept.contains($0.key) }.map(\.name))
        guard !removed.isEmpty else { return }
        let old = Set(base.properties.map(\.key))
        let added = [ours, theirs].map { side -> [String: Set<[UInt8]>] in
            side.properties.filter { removed.contains($0.name) && !old.contains($0.key) }
                .reduce(into: [:]) { $0[$1.name, default: []].insert($1.says) }
        }
        for name in removed.sorted() where added[0][name] != added[1][name] {
            decline(name, "Both sides replaced a value.")
        }
    }

    // MARK: Items without an identity

    /// Declines where both sides changed items that have one key.
    ///
    /// - Returns: The keys that a version has more than once.
    private mutating func checkRepeated(_ contents: Contents) -> Set<ByteKey> {
        let names = contents.map { part in
            Self.repeated(part.properties.map(\.key) + part.components.map(\.key))
        }
        let repeated = [names.base, names.ours, names.theirs].compactMap(\.self)
            .reduce(into: Set()) { $0.formUnion($1) }
        let says = contents.map { $0.saying(keys: repeated) }
        for key in repeated.sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) })
        where says.map({ $0[key] }).isChangedApart {
            let name = Array(key.bytes.prefix { $0 != 0 })
            decline(
                name,
                "Both sides changed \(String(decoding: name, as: UTF8.self)), which occurs more than once."
            )
        }
        return repeated
    }

    private static func repeated(_ keys: [ByteKey]) -> Set<ByteKey> {
        var seen: Set<ByteKey> = []
        seen.reserveCapacity(keys.count)
        return Set(keys.filter { !seen.insert($0).inserted })
    }

    /// Declines where both sides changed components that nothing identifies.
    private mutating func checkUnidentified(_ contents: Contents) {
        guard let base = contents.base, let ours = contents.ours, let theirs = contents.theirs
        else { return }
        let reason = "Both sides changed components without a UID."
        for component in ours.components where component.isNamed {
            guard let other = theirs.component(component.key),
                base.component(component.key) == nil,
                ours.says(component) != theirs.says(other)
            else { continue }
            decline(component.name, reason)
        }
        let removed = base.components.filter { component in
            !component.isIdentified && ours.component(component.key) == nil
                && theirs.component(component.key) == nil
        }
        let types = Set(removed.map(\.type))
        let added = [ours, theirs].map { side -> [String: Set<[UInt8]>] in
            side.components.filter { component in
                types.contains(component.type) && base.component(component.key) == nil
            }.reduce(into: [:]) { $0[$1.type, default: []].insert(side.says($1) ?? []) }
        }
        for type in types.sorted() where added[0][type] != added[1][type] {
            decline(removed.first { $0.type == type }?.name ?? [], reason)
        }
    }
}
