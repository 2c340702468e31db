package import FilesinkiItems
package import FilesinkiModel
package import FilesinkiRecords

/// A position in all zones of records of a database of a replica.
package struct DatabaseToken: Hashable, Sendable, CustomStringConvertible {
    /// A position in one zone.
    struct Mark: Hashable, Sendable {
        /// Nil for a zone that has no file on this device.
        var feed: FeedToken?
        var generation: UInt64
        var isLive: Bool
    }

    var marks: [String: Mark] = [:]

    package init() {}

    /// Reads what ``description`` wrote.
    ///
    /// - Throws: `Failure` with code `usage` for anything else.
    package init(parsing text: String) throws(Failure) {
        var parts = text.split(separator: ",", omittingEmptySubsequences: false)[...]
        guard parts.popFirst() == "zones" else { throw Self.invalid(text) }
        for part in parts {
            let sides = part.split(separator: "=", omittingEmptySubsequences: false)
            guard sides.count == 2, (try? RecordPlace.check(name: String(sides[0]))) != nil else {
                throw Self.invalid(text)
            }
            let isLive = !sides[1].hasSuffix("x")
            let words = (isLive ? sides[1] : sides[1].dropLast())
                .split(separator: ".", omittingEmptySubsequences: false)
            guard words.count == 2, let generation = UInt64(words[1]) else {
                throw Self.invalid(text)
            }
            let feed = words[0].isEmpty ? nil : try FeedToken(parsing: String(words[0]))
            marks[String(sides[0])] = Mark(feed: feed, generation: generation, isLive: isLive)
        }
    }

    private static func invalid(_ text: String) -> Failure {
        Failure(
            .usage, path: text, "Invalid token.",
            remedy: "Give one that rec zones changes printed.")
    }

    package var description: String {
        let zones = marks.sorted { $0.key < $1.key }.map { name, mark in
            let feed = mark.feed?.description ?? ""
            return ",\(name)=\(feed).\(mark.generation)\(mark.isLive ? "" : "x")"
        }
        return "zones" + zones.joined()
    }
}

/// What happened to a zone since a token.
package struct ZoneChange: Hashable, Sendable {
    package var zone: String
    /// Nil when records changed, and the zone is the same.
    package var state: ZoneCause?
    /// Whether the zone was not known, or was created again.
    package var isNew: Bool
    /// Where the changes of its records begin; nil for all of them.
    package var since: FeedToken?
}

/// Changes of all zones since a token.
package struct DatabaseChanges: Sendable {
    package var changes: [ZoneChange] = []
    package var token: DatabaseToken
    package var hasMore = false
}

extension ZoneCatalogue {
    /// The zones that changed since a token, as far as this device knows, in the order of names.
    ///
    /// - Parameter limit: The most zones.
    package func changes(
        since token: DatabaseToken?, limit: Int = .max
    ) throws -> DatabaseChanges {
        var page = DatabaseChanges(token: token ?? DatabaseToken())
        for (zone, entry) in try knownZones() {
            let file = RecordPlace.file(of: zone, in: place.state, place.scope)
            let mark = DatabaseToken.Mark(
                feed: try ItemDatabase<RecordKind>(reading: file)?.position(),
                generation: entry.generation, isLive: entry.isLive)
            let former = page.token.marks[zone]
            guard mark != former else { continue }
            guard page.changes.count < limit else {
                page.hasMore = true
                break
            }
            let isSame = former?.generation == mark.generation && former?.isLive == mark.isLive
            page.changes.append(
                ZoneChange(
                    zone: zone, state: isSame ? nil : entry.state,
                    isNew: !isSame && entry.state == nil, since: former?.feed))
            page.token.marks[zone] = mark
        }
        return page
    }

    /// The zones of the database that have an entry or a file on this device, in the order of names.
    package func knownZones() throws -> [(zone: String, entry: ZoneEntry)] {
        var zones: [String: ZoneEntry] = [:]
        for name in try LocalZones<RecordKind>.names(state: place.state, place.scope) {
            zones[name] = ZoneEntry()
        }
        for found in try entries() { zones[found.zone] = found.entry }
        return zones.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
