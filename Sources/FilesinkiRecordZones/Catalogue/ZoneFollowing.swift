package import FilesinkiItems
package import FilesinkiModel
package import FilesinkiRecords
import FilesinkiSQLite
import FilesinkiSystem
import FilesinkiText

extension RecordKind {
    /// Reads the catalogue, and does to the zone on this device what other devices did to it.
    ///
    /// - Throws: `Failure` with code `not-found` for a zone that is deleted.
    package static func willExchange(
        _ zone: isolated RecordZone, _ options: ExchangeOptions
    ) async throws -> [Failure] {
        let catalogue = try ZoneCatalogue.open(zone.cataloguePlace)
        var own = options
        own.onPhase = { _ in }
        // Saves depend on what became of their zone.
        own.onlySends = false
        let report: ItemReport<CatalogueKind.State>
        do { report = try await catalogue.exchange(own) } catch let failure as Failure
            where failure.code == .notAllowed
        {
            // A token for some zones only; these can be neither deleted nor reset by others then.
            return []
        }
        let entry = try await catalogue.entry(zone.place.name)
        if options.acceptsAccount, entry.generation < zone.generation {
            try zone.adopt(way: entry.way)
        }
        let notices = try await zone.follow(entry) { former in
            var fetch = options
            (fetch.onlyFetches, fetch.onlySends, fetch.onPhase) = (true, false, { _ in })
            // The reset may have been needed because the log cannot be read.
            do { _ = try await former.exchangeItems(fetch) } catch let failure as Failure
                where ![.away, .busy, .interrupted].contains(failure.code)
            {}
        }
        if !entry.isLive { throw Failure.gone(zone.place, entry, zone.keptFile(of: entry)) }
        return report.notices + notices
    }
}

extension RecordZone {
    /// Where the catalogue of the replica's zones is.
    package var cataloguePlace: ItemPlace<CatalogueKind> {
        place(of: CatalogueKind.self, CatalogueKind.name)
    }

    /// Does to the zone on this device what its entry says: see ``ItemZone/move(_:from:keep:)``.
    ///
    /// - Parameter receive: Receives what the former generation has, before it is left for a reset.
    /// - Returns: What there is to tell.
    package func follow(
        _ entry: ZoneEntry, receive: (isolated RecordZone) async throws -> Void = { _ in }
    ) async throws -> [Failure] {
        try followGeneration()
        let former = try way()
        guard let move = entry.move(from: former) else {
            if former == entry.way { try setGone(!entry.isLive) }
            return []
        }
        if move.cause == .reset, place.address != nil { try await receive(self) }
        let file = keptFile(generation: UInt64(former.utf8.count) + 1)
        var kept = 0
        let isDone = try self.move(move, from: former) { items in
            kept = try keep(items, in: file)
        }
        guard isDone else { return [] }
        if move.cause == .reset { return [.reset(place, entry)] }
        guard entry.isLive else { return [] }
        return [.createdAgain(place, entry, kept > 0 ? file : nil)]
    }

    /// Writes what would be nowhere else as operations that `rec batch` reads. The file has the same name
    /// when a killed run is repeated. What it has of another generation with this number stays.
    ///
    /// - Returns: How many records there are.
    private func keep(_ items: [Item<RecordState>], in file: String) throws -> Int {
        var records = items.compactMap(\.ours.record)
        let names = Set(records.map(\.name))
        records += try database.conflicts().compactMap(\.client).filter { !names.contains($0.name) }
        try database.connection.execute("DELETE FROM conflict")
        guard !records.isEmpty else { return 0 }
        let waiting = Set(records.flatMap { $0.assets.map(\.content) })
        let files = try assets.keep(waiting, in: file + ".assets")
        var bytes: [UInt8] = []
        for record in records {
            var object = RecordJSON.object(record) { files[$0.content] }
            object.add("op", "force-replace")
            bytes += object.bytes + [UInt8(ascii: "\n")]
        }
        let former = try StateFile.read(file) ?? []
        if !former.suffix(bytes.count).elementsEqual(bytes) {
            try StateFile.replace(file, with: former + bytes)
        }
        return records.count
    }

    /// Where this device keeps what it had of a generation when the zone was deleted.
    private func keptFile(generation: UInt64) -> String {
        "\(place.folder)/\(place.name).deleted-\(generation).jsonl"
    }

    /// The file of the last deletion of the zone; nil when there was nothing to keep.
    package func keptFile(of entry: ZoneEntry) -> String? {
        // A generation that this device had on its own may have had a greater number.
        for generation in (1...entry.generation).reversed() {
            let file = keptFile(generation: generation)
            if StateFile.exists(file) { return file }
        }
        return nil
    }
}

extension Failure {
    /// The zone was deleted.
    static func gone(_ zone: RecordPlace, _ entry: ZoneEntry, _ file: String?) -> Failure {
        let kept = file.map { " What was not published is in \($0)." } ?? ""
        return Failure(
            .notFound, path: zone.title, "The zone was \(entry.history).\(kept)",
            remedy: zone.createAgain + (file.map { ", then \(zone.batch(of: $0))." } ?? "."))
    }

    /// The zone was deleted, as far as is known without the remote.
    static func gone(_ zone: RecordPlace) -> Failure {
        Failure(
            .notFound, path: zone.title, "The zone was deleted; nothing was saved.",
            remedy: zone.createAgain + ".")
    }

    fileprivate static func reset(_ zone: RecordPlace, _ entry: ZoneEntry) -> Failure {
        Failure(
            .differs, path: zone.title,
            "The zone was \(entry.history); what is here is sent again.",
            remedy: "Nothing has to be done.")
    }

    fileprivate static func createdAgain(
        _ zone: RecordPlace, _ entry: ZoneEntry, _ file: String?
    ) -> Failure {
        Failure(
            .differs, path: zone.title,
            "The zone was deleted and created again; what was here is removed."
                + (file.map { " What was not published is in \($0)." } ?? ""),
            remedy: file.map { "To save it again, run \(zone.batch(of: $0))." }
                ?? "Nothing has to be done.")
    }
}

extension RecordPlace {
    /// How a deleted zone comes back, as the begin of a sentence.
    fileprivate var createAgain: String {
        "To use it again, run filesinki rec zones create\(database) \(name)"
    }

    /// The command that saves the records of a file in the zone.
    fileprivate func batch(of file: String) -> String {
        "filesinki rec batch\(choice) \(ShellWord.shown(file.utf8))"
    }

    /// The options that name the zone to a command of records, behind a blank; empty for the standard zone.
    package var choice: String { (name == "default" ? "" : " --zone \(name)") + database }
}

extension ZoneEntry {
    /// What happened to the zone last, as a part of a sentence.
    fileprivate var history: String {
        guard let last = endings.last else { return "created" }
        let time = DateText.text(last.mark.time / 1_000_000)
        return "\(last.cause.rawValue) by \(printable(last.mark.device.name.utf8)) at \(time)"
    }
}
