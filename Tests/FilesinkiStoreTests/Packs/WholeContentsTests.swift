import FilesinkiHashing
import FilesinkiModel
import FilesinkiStore
import FilesinkiTesting
import Testing

/// Contents whose recipe is there and whose chunks are not all.
struct WholeContentsTests {
    private static let large = noise(3 * Chunker.maximumSize)
    private static let small = noise(100, seed: 2)

    /// Packs of some chunks of the large content, and its recipe, in packs of their own.
    private static func packs(chunks numbers: [Int]) async throws -> (ContentLocator, Recipe) {
        let parts = chunks(of: large).map(Array.init)
        let recipe = Recipe(
            parts.map { Recipe.Part(id: ContentHasher.hash($0), length: $0.count) })
        var fixture = try await PackFixture([small] + numbers.map { parts[$0] })
        try await fixture.store(recipe, of: ContentHasher.hash(large))
        return (fixture.locator, recipe)
    }

    private static let count = chunks(of: large).count

    @Test("a content is whole with all of its chunks only")
    func wholeContents() async throws {
        let id = ContentHasher.hash(Self.large)
        for missing in -1..<Self.count {
            let numbers = (0..<Self.count).filter { $0 != missing }
            let (locator, recipe) = try await Self.packs(chunks: numbers)
            let isWhole = missing < 0
            #expect(try await locator.isWhole(id) == isWhole, "without chunk \(missing)")
            #expect(try await locator.holdsChunks(of: recipe) == isWhole)
            #expect(try await locator.size(of: id) == (isWhole ? Int64(Self.large.count) : nil))
        }
    }

    @Test("chunks that are elsewhere need not be in the packs")
    func chunksElsewhere() async throws {
        let (locator, recipe) = try await Self.packs(chunks: [0])
        let ids = recipe.parts.map(\.id)
        #expect(try await locator.holdsChunks(of: recipe, besides: Set(ids.dropFirst())))
        #expect(try await !locator.holdsChunks(of: recipe, besides: Set(ids.dropFirst(2))))
    }

    @Test("a small content is whole if it is there")
    func smallContents() async throws {
        let (locator, _) = try await Self.packs(chunks: [])
        #expect(try await locator.isWhole(ContentHasher.hash(Self.small)))
        #expect(try await locator.size(of: ContentHasher.hash(Self.small)) == 100)
        #expect(try await !locator.isWhole(ContentHasher.hash([1])))
        #expect(try await locator.size(of: ContentHasher.hash([1])) == nil)
    }

    @Test("a recipe that names another recipe is not whole")
    func recipesOfRecipes() async throws {
        let (locator, _) = try await Self.packs(chunks: Array(0..<Self.count))
        let outer = Recipe([
            Recipe.Part(id: ContentHasher.hash(Self.large), length: Self.large.count)
        ])
        #expect(try await !locator.holdsChunks(of: outer))
    }
}
