import FilesinkiHashing
import FilesinkiModel
import FilesinkiStore
import Testing

@testable import FilesinkiEngine

@Suite struct CarriedContentsTests {
    private func content(_ byte: UInt8, _ size: Int) -> InlineContent {
        InlineContent(
            id: ContentHasher.hash([byte]), bytes: [UInt8](repeating: byte, count: size))
    }

    @Test func `16 MiB of contents are kept, each counted once`() {
        let third = (16 << 20) / 3
        var carried = CarriedContents()
        for _ in 0..<4 { carried.keep([content(1, third), content(2, third)]) }
        carried.keep([content(3, third + 5), content(4, third)])
        #expect(
            Set(carried.contents.keys)
                == Set([1, 2, 4].map { ContentHasher.hash([UInt8($0)]) }))
        var whole = CarriedContents()
        whole.keep([content(1, 16 << 20), content(2, 1)])
        #expect(whole.contents.count == 1)
    }
}
