import FilesinkiRPC
import Testing

@Suite("Lines of a stream")
struct RPCLinesTests {
    /// What the bytes are cut into when they come in pieces of a size.
    private func lines(_ text: String, limit: Int, pieces size: Int) -> [RPCLines.Line] {
        var lines = RPCLines(limit: limit)
        var found: [RPCLines.Line] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            found += lines.add(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        return found + [lines.finish()].compactMap(\.self)
    }

    private func text(_ text: String) -> RPCLines.Line { .text(Array(text.utf8)) }

    @Test("are the same however the bytes arrive", arguments: [1, 2, 3, 5, 64])
    func pieces(size: Int) {
        let found = lines("one\n\n\ntwo\r\nlong line\nfive5\nlast", limit: 5, pieces: size)
        #expect(
            found == [text("one"), text("two\r"), .tooLong, text("five5"), text("last")])
    }

    @Test func `a line may be as long as the limit, and one byte more is too long`() {
        #expect(
            lines("12345\n123456\n1\n", limit: 5, pieces: 64) == [
                text("12345"), .tooLong, text("1"),
            ])
    }

    @Test func `a line without an end is reported once, and keeps no memory`() {
        var lines = RPCLines(limit: 4)
        #expect(lines.add(Array("12345".utf8)) == [.tooLong])
        for _ in 0..<100 { #expect(lines.add(Array("12345".utf8)).isEmpty) }
        #expect(lines.add(Array("5\nnext\n".utf8)) == [text("next")])
        #expect(lines.finish() == nil)
    }
}
