import FilesinkiCompression
import FilesinkiHashing
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Testing

/// Reading a whole pack, and saying which contents are damaged.
@Suite struct PackVerificationTests {
    private static let contents = (0..<4).map { noise(200, seed: UInt64($0 + 1)) }

    private func verification(
        _ fixture: PackFixture, damaging place: Int? = nil
    ) async throws -> PackVerification {
        let reference = fixture.references[0]
        var bytes = try #require(fixture.remote.objects.values.first)
        if let place { bytes[place] ^= 1 }
        let remote = ShelfRemote()
        try await remote.put(bytes, to: ObjectKey(reference.keyText))
        return try await PackReader(remote: remote, reference: reference).verify()
    }

    @Test func `a whole pack has all its bytes, and no failures`() async throws {
        let fixture = try await PackFixture(Self.contents, blockSize: 100)
        let result = try await verification(fixture)
        #expect(result.bytes == 800)
        #expect(result.failures.isEmpty)
        #expect(result.recipes.isEmpty)
    }

    @Test func `a damaged beginning is a failure of the whole pack`() async throws {
        let fixture = try await PackFixture(Self.contents, blockSize: 100)
        let result = try await verification(fixture, damaging: 0)
        #expect(result.failures.map(\.failure.code) == [.corrupt])
        #expect(result.failures.map(\.contents) == [[]])
        #expect(result.bytes == 0)
    }

    @Test func `a damaged block names its contents, and the others are verified`() async throws {
        let fixture = try await PackFixture(Self.contents, blockSize: 100)
        // Noise is stored plain, so the blocks lie one after the other behind the magic.
        for number in 0..<4 {
            let result = try await verification(fixture, damaging: 8 + number * 200 + 50)
            #expect(result.failures.map(\.failure.code) == [.corrupt])
            #expect(
                result.failures.map(\.contents) == [[ContentHasher.hash(Self.contents[number])]])
            #expect(result.bytes == 600)
        }
    }

    @Test func `a block whose codec fails names all that it holds`() async throws {
        let contents = (0..<3).map { [UInt8](repeating: UInt8($0), count: 500) }
        let fixture = try await PackFixture(contents, blockSize: 1000)
        // The first byte of the second block's frame.
        let first = try await fixture.readers[0].index().blocks[0].stored.upperBound
        let result = try await verification(fixture, damaging: Int(first))
        #expect(result.failures.map(\.contents) == [[ContentHasher.hash(contents[2])]])
        #expect(result.bytes == 1000)
    }
}
