/// Finds what both sides changed in a calendar that does not go together: a series and single occurrences of it, a
/// time zone and events that use it.
struct SeriesCheck {
    typealias Contents = ComponentCheck.Contents

    private let base: ComponentContents
    private let ours: ComponentContents
    private let theirs: ComponentContents

    init?(_ contents: Contents) {
        guard let base = contents.base, let ours = contents.ours, let theirs = contents.theirs
        else { return nil }
        (self.base, self.ours, self.theirs) = (base, ours, theirs)
    }

    /// The names and reasons.
    var conflicts: [(name: [UInt8], reason: String)] {
        var result: [(name: [UInt8], reason: String)] = []
        let exceptions = [base, ours, theirs].map(\.exceptions)
        for master in masters {
            func changes(_ side: ComponentContents, _ version: MergeVersion) -> SeriesChanges {
                let old = exceptions[MergeVersion.base.rawValue][master] ?? []
                let new = exceptions[version.rawValue][master] ?? []
                return SeriesChanges(of: master, from: base, to: side, exceptions: old + new)
            }
            let (one, other) = (changes(ours, .ours), changes(theirs, .theirs))
            if one.contradicts(other) || other.contradicts(one) {
                let name = master.bytes.drop { $0 != UInt8(ascii: "=") }.dropFirst()
                result.append(
                    (Array(name), "One side changed the series, and the other single occurrences."))
            }
        }
        for (side, other) in [(ours, theirs), (theirs, ours)] {
            let zones = base.components.filter { zone in
                zone.type == "VTIMEZONE" && side.component(zone.key) == nil
            }
            let changes = zones.isEmpty ? [] : changes(of: other)
            for zone in zones where changes.contains(where: { $0.contains(zone.name) }) {
                result.append((zone.name, "One side removed a time zone that the other uses."))
            }
        }
        return result
    }

    /// The keys of the series that have exceptions in some version.
    private var masters: [ByteKey] {
        var seen: Set<ByteKey> = []
        return [base, ours, theirs].flatMap(\.components).compactMap { component in
            guard let exception = component.exception else { return nil }
            return seen.insert(exception.master).inserted ? exception.master : nil
        }
    }

    /// The bytes of the components that a side added or changed.
    private func changes(of side: ComponentContents) -> [ArraySlice<UInt8>] {
        side.components.filter { component in
            component.type != "VTIMEZONE"
                && side.says(component) != base.says(base.component(component.key))
        }.map { side.tree.slice($0.node.range).unfolded }
    }
}

/// What one side changed in a series.
private struct SeriesChanges {
    /// When and how often it takes place; empty without a component for the whole series.
    private let times: Set<[UInt8]>
    private let hasOtherTimes: Bool
    /// The dates that the side added to the lists or removed from them.
    private let dates: Set<OccurrenceDate>
    /// What the exceptions say that the side added, changed or removed; empty for those that it removed.
    private var exceptions: [OccurrenceDate: [UInt8]] = [:]

    /// - Parameter components: The exceptions in both versions.
    init(
        of master: ByteKey, from base: ComponentContents, to side: ComponentContents,
        exceptions components: [ComponentContents.Component]
    ) {
        func series(_ version: ComponentContents) -> ComponentContents? {
            version.component(master).map { ComponentContents($0.node, version.tree) }
        }
        let (old, new) = (series(base), series(side))
        times = new?.saying(ContentLineDialect.times) ?? []
        hasOtherTimes = times != old?.saying(ContentLineDialect.times) ?? []
        dates = (old?.dates ?? []).symmetricDifference(new?.dates ?? [])
        for component in components {
            let says = side.says(side.component(component.key))
            if let date = component.exception?.date,
                says != base.says(base.component(component.key))
            {
                exceptions[date] = says ?? []
            }
        }
    }

    /// Whether what the other side changed in single occurrences depends on what this one changed.
    func contradicts(_ other: SeriesChanges) -> Bool {
        let theirExceptions = other.exceptions.filter { exceptions[$0.key] != $0.value }
        if hasOtherTimes, times != other.times, !theirExceptions.isEmpty { return true }
        let ourExceptions = exceptions.filter { other.exceptions[$0.key] != $0.value }
        let theirDates = other.dates.subtracting(dates)
        return ourExceptions.keys.contains { date in
            theirDates.contains(where: date.mayBe)
                || theirExceptions.keys.contains { $0 != date && date.mayBe($0) }
        }
    }
}

/// A date and time of an occurrence as a document writes it.
struct OccurrenceDate: Hashable {
    /// With a semicolon before each.
    var parameters: [UInt8]
    var value: [UInt8]

    /// Whether both can be the same occurrence: dates of different time zones are not compared.
    func mayBe(_ other: OccurrenceDate) -> Bool {
        let isRange = [parameters, other.parameters].contains { $0.contains(Array("RANGE=".utf8)) }
        return isRange || parameters != other.parameters || value == other.value
    }

    init(parameters: some Sequence<UInt8>, value: some Sequence<UInt8>) {
        self.parameters = Array(parameters)
        self.value = Array(value)
    }
}

extension ComponentContents {
    /// The exceptions by the keys of their series.
    fileprivate var exceptions: [ByteKey: [Component]] {
        components.reduce(into: [:]) { result, component in
            guard let master = component.exception?.master else { return }
            result[master, default: []].append(component)
        }
    }
}

extension ComponentContents.Component {
    /// The key of the series, and the date of the occurrence that the component is an exception for.
    fileprivate var exception: (master: ByteKey, date: OccurrenceDate)? {
        let bytes = key.bytes
        guard isIdentified, let mark = bytes.lastIndex(of: 0),
            mark - bytes.startIndex > type.utf8.count,
            let colon = bytes[mark...].lastIndex(of: UInt8(ascii: ":"))
        else { return nil }
        let date = OccurrenceDate(
            parameters: bytes[(mark + 1)..<colon], value: bytes[(colon + 1)...])
        return (ByteKey(bytes[..<mark]), date)
    }
}
