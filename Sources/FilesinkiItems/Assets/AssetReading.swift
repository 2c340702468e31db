import FilesinkiHashing
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiSystem

extension ItemZone {
    /// Gives the bytes of an asset piece by piece: from this device while it waits, else from the store. They are the
    /// asset only once this returns.
    ///
    /// - Throws: `Failure` with code `corrupt` when the asset is nowhere or damaged, `away` when the store cannot
    ///   be reached; what `body` throws.
    package func readAsset(
        _ asset: ItemAsset, of key: ItemKey,
        _ body: @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        if asset.isEmpty { return }
        if let file = try assets.open(asset.content) {
            var hasher = ContentHasher()
            try file.forEachPiece { piece in
                hasher.update(piece)
                try body(piece)
            }
            guard hasher.finish() == asset.content else {
                throw Failure.missingAsset(asset, of: key, Kind.names)
            }
            return
        }
        if try await readStored(asset, body) { return }
        // A prune may have put it into another pack since this device was there.
        var options = ExchangeOptions()
        options.onlyFetches = true
        _ = try await exchange(options)
        guard try await readStored(asset, body) else {
            throw Failure.missingAsset(asset, of: key, Kind.names)
        }
    }

    /// - Returns: False, before `body` was called, when the asset was not found.
    private func readStored(
        _ asset: ItemAsset, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) async throws -> Bool {
        let remote = try await zone.connected().remote
        for generation in try database.generationsWithPacks() {
            guard let locator = try await locator(of: generation, with: asset, at: remote) else {
                continue
            }
            var isBegun = false
            do {
                try await locator.stream(asset.content, size: asset.size) { piece in
                    isBegun = true
                    try body(piece)
                }
                return true
            } catch let failure as Failure where failure.code == .corrupt && !isBegun {
                continue
            }
        }
        return false
    }

    /// Whether an asset is on this device or in the store, so that an item may name it.
    ///
    /// - Throws: `Failure` with code `away` when that cannot be found out.
    package func knowsAsset(_ asset: ItemAsset) async throws -> Bool {
        if asset.isEmpty { return true }
        if let file = try assets.open(asset.content) { return try file.size == asset.size }
        let generations = try database.generationsWithPacks()
        guard place.address != nil, !generations.isEmpty else { return false }
        let remote = try await zone.connected().remote
        for generation in generations {
            if try await locator(of: generation, with: asset, at: remote) != nil { return true }
        }
        return false
    }

    /// Finds what the packs of a generation hold; nil if it is not the asset. A prune may have removed the packs of a
    /// former generation, as those of a deleted one.
    func locator(
        of generation: UInt64, with asset: ItemAsset, at remote: any Remote
    ) async throws -> ContentLocator? {
        let locator = try locator(of: generation, at: remote)
        do {
            return try await locator.size(of: asset.content) == asset.size ? locator : nil
        } catch let failure as Failure
            where generation != self.generation && failure.code == .corrupt
        {
            return nil
        }
    }
}
