package import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiSystem

/// An asset that a change names and that is nowhere.
struct MissingAsset: Sendable {
    let key: ItemKey
    let asset: ItemAsset
    /// The row of the superseded item that names it; nil for the item itself.
    let loser: Int64?
}

extension ItemZone {
    package nonisolated var assets: AssetFolder {
        AssetFolder(path: place.folder + "/" + place.name + ".assets")
    }

    /// Begins to keep the bytes of an asset on this device. Without an item that names it they are removed
    /// again.
    ///
    /// - Parameter write: Gives the bytes.
    package nonisolated func stageAsset(
        _ write: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws -> (asset: StagedAsset, content: ContentID, size: Int64) {
        let staged = try assets.stage(place.systemContext.randomBytes(16))
        try write { try staged.write($0) }
        let (content, size) = try staged.finish()
        return (staged, content, size)
    }

    /// Removes the bytes on this device that nothing needs any more.
    package func removeUnneededAssets() throws {
        guard Kind.hasAssets, StateFile.exists(assets.path) else { return }
        try database.write { try assets.sweep(database.isWaiting) }
    }

    /// As ``removeUnneededAssets()``, of some contents only.
    package func removeUnneeded(_ contents: Set<ContentID>) throws {
        guard !contents.isEmpty else { return }
        try database.write {
            for content in contents where try !database.isWaiting(content) {
                assets.remove(content)
            }
        }
    }
}

extension ItemZone {
    // MARK: Storing

    /// Stores what the changes name and the store lacks. To be repeated before each attempt to publish: a prune
    /// that was received since may have taken packs out of use.
    ///
    /// - Parameter progress: Called now and then.
    /// - Returns: The packs that the commit has to name, and what is nowhere.
    func storeAssets(
        of pending: PendingCommit<State>, _ progress: @escaping @Sendable (AssetProgress) -> Void
    ) async throws -> (packs: [PackReference], missing: [MissingAsset]) {
        let wanted = pending.newAssets
        guard !wanted.isEmpty else { return ([], []) }
        let remote = try await zone.connected().remote
        try await forgetUnfinishedPacks(at: remote)
        let held = try locator(of: generation, at: remote)
        let meter = AssetMeter(pending.assetsByContent, progress)
        var missing: [MissingAsset] = []
        var done: Set<ContentID> = []
        var packer = packer(held, remote)
        do {
            for one in wanted where done.insert(one.asset.content).inserted {
                var isThere = try await held.size(of: one.asset.content) == one.asset.size
                if !isThere { isThere = try await add(one.asset, to: &packer, remote, meter) }
                if isThere {
                    meter.end(one.asset)
                } else {
                    missing.append(one)
                    done.remove(one.asset.content)
                }
            }
            try await packer.finish()
        } catch {
            await packer.abandon()
            throw error
        }
        let unnamed = try database.packs(of: generation, zone: storeZone).filter {
            $0.sequence == 0
        }
        return (unnamed.map(\.pack), missing)
    }

    /// Adds an asset that is on this device, or in a former generation of the zone.
    ///
    /// - Returns: False when it is nowhere.
    private func add(
        _ asset: ItemAsset, to packer: inout ContentPacker, _ remote: any Remote,
        _ meter: AssetMeter
    ) async throws -> Bool {
        if let file = try assets.open(asset.content) {
            try await packer.add(asset.content) { try meter.counted(file.read(upTo: $0)) }
            return true
        }
        for former in try database.generationsWithPacks() where former != generation {
            guard let locator = try await locator(of: former, with: asset, at: remote) else {
                continue
            }
            let staged = try assets.stage(place.systemContext.randomBytes(16))
            do {
                try await locator.stream(asset.content, size: asset.size) { try staged.write($0) }
            } catch let failure as Failure where failure.code == .corrupt {
                continue
            }
            _ = try staged.finish()
            try await packer.add(asset.content) { try meter.counted(staged.read(upTo: $0)) }
            return true
        }
        return false
    }

    private func packer(_ held: ContentLocator, _ remote: any Remote) -> ContentPacker {
        let (systemContext, zone, cache) = (place.systemContext, storeZone, indexes)
        return ContentPacker(held: held) {
            PackWriter(remote: remote, systemContext: systemContext, zone: zone, cache: cache)
        } onStored: { [database, generation] packs in
            try database.write {
                // Another process may have left the generation.
                if try database.generation() == generation { try database.add(packs, sequence: 0) }
            }
        }
    }

    /// Forgets packs that no commit names and that the store does not have: an upload may have been cut off.
    private func forgetUnfinishedPacks(at remote: any Remote) async throws {
        let unnamed = try database.packs(of: generation, zone: storeZone)
            .filter { $0.sequence == 0 }.map(\.pack)
        guard !unnamed.isEmpty else { return }
        let present = Set(try await PackReference.present(unnamed, at: remote).map(\.id))
        let gone = unnamed.map(\.id).filter { !present.contains($0) }
        guard !gone.isEmpty else { return }
        try database.write { try database.removePacks(gone) }
    }

    /// Ends the wait of superseded items whose assets are lost: they stay in the history of this device.
    func giveUpLosers(_ missing: [MissingAsset]) throws {
        let rows = missing.compactMap(\.loser)
        guard !rows.isEmpty else { return }
        try database.write { for row in rows { try database.markPublished(loser: row) } }
    }
}

extension ItemZone {
    // MARK: Where they are

    /// The zone's name in the store.
    var storeZone: String { place.storeZone(generation: generation) }

    private var indexes: IndexFolder {
        IndexFolder(path: place.folder + "/" + place.name + ".packs")
    }

    /// Finds what the packs of a generation hold.
    func locator(of generation: UInt64, at remote: any Remote) throws -> ContentLocator {
        let name = place.storeZone(generation: generation)
        let packs = try database.packs(of: generation, zone: name)
        return ContentLocator(
            packs: packs.map { PackReader(remote: remote, reference: $0.pack, cache: indexes) },
            joined: MultiPackIndex(folder: indexes.path + "/joined"))
    }
}

extension PendingCommit {
    /// What is to be sent, each content once.
    fileprivate var assetsByContent: some Sequence<ItemAsset> {
        Dictionary(newAssets.map { ($0.asset.content, $0.asset) }) { first, _ in first }.values
    }

    /// What the changes name and the last agreed items do not.
    var newAssets: [MissingAsset] {
        let ofItems = items.flatMap { item in
            // After a reset, the last agreed item is that of another log.
            let known = Set(item.version > 0 ? item.base.assets.map(\.content) : [])
            return item.ours.assets.filter { !$0.isEmpty && !known.contains($0.content) }.map {
                MissingAsset(key: item.key, asset: $0, loser: nil)
            }
        }
        return ofItems
            + losers.flatMap { row, loser in
                loser.held.assets.filter { !$0.isEmpty }.map {
                    MissingAsset(key: loser.key, asset: $0, loser: row)
                }
            }
    }
}
