package import FilesinkiModel

/// Whether packs hold all of a content.
///
/// The recipe of a large content may be there without its chunks: a damaged pack had them, or a prune removed them.
extension ContentLocator {
    /// Whether the packs hold the content, a large one with all of its chunks.
    ///
    /// - Throws: What the remote throws.
    package func isWhole(_ id: ContentID) async throws -> Bool {
        guard let place = try await find(id) else { return false }
        guard place.member.kind == .recipe, let recipe = try await recipe(of: id) else {
            return true
        }
        return try await holdsChunks(of: recipe)
    }

    /// Whether the packs hold the chunks that a recipe names.
    ///
    /// - Parameter others: Chunks that are known to be elsewhere.
    /// - Throws: What the remote throws.
    package func holdsChunks(
        of recipe: Recipe, besides others: Set<ContentID> = []
    ) async throws -> Bool {
        for chunk in Set(recipe.parts.map(\.id)).subtracting(others) {
            guard try await find(chunk)?.member.kind == .chunk else { return false }
        }
        return true
    }

    /// The size of a content that the packs hold with all its parts; nil for any other.
    ///
    /// - Throws: What the remote throws. A damaged copy without another one counts as none.
    package func size(of id: ContentID) async throws -> Int64? {
        do {
            let place = try await existingPlace(of: id)
            if place.member.kind == .chunk { return Int64(place.member.length) }
            guard let recipe = try await recipe(of: id) else { return nil }
            for part in Set(recipe.parts) {
                let place = try await existingPlace(of: part.id)
                guard place.member.kind == .chunk, place.member.length == part.length else {
                    return nil
                }
            }
            return recipe.size
        } catch let failure as Failure where Self.isDamage(failure) {
            return nil
        }
    }
}
