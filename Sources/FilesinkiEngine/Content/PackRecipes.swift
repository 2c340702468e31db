import FilesinkiModel
import FilesinkiStore

extension PackReader {
    /// Reads recipes of the pack, neighbouring blocks in one request.
    ///
    /// - Parameters:
    ///   - members: Members of the kind recipe.
    ///   - body: Receives each recipe.
    /// - Throws: What the remote throws, and code `corrupt` for a damaged recipe.
    func readRecipes(
        _ members: [(id: ContentID, member: PackMember)], _ body: (ContentID, Recipe) -> Void
    ) async throws {
        let sorted = members.sorted { $0.member.block < $1.member.block }
        let blocks = sorted.map { BlockBatchRead.Block(pack: self, number: $0.member.block) }
        var position = 0
        for batch in try await BlockBatchRead.plan(blocks) {
            for number in 0..<batch.count {
                let (id, member) = sorted[position]
                body(id, try Recipe(decoding: try await batch.read(number)[member.range]))
                position += 1
            }
        }
    }
}
