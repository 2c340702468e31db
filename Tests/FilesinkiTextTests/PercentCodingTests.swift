import FilesinkiModel
import FilesinkiText
import Testing

@Suite struct PercentCodingTests {
    @Test func `every byte makes the round trip, and only safe ones stay unencoded`() {
        let all = [UInt8](0...255)
        let text = PercentCoding.encode(all)
        #expect(PercentCoding.decode(text) == all)
        #expect(text.utf8.allSatisfy { $0 > 32 && $0 < 127 })
        #expect(PercentCoding.encode("aZ09-._~".utf8) == "aZ09-._~")
        #expect(PercentCoding.encode("/ +".utf8) == "%2F%20%2B")
        #expect(PercentCoding.encodePath("a b/c/") == "a%20b/c/")
    }

    @Test("malformed input is not decoded", arguments: ["%", "%2", "%zz", "a%2"])
    func malformed(_ text: String) {
        #expect(PercentCoding.decode(text) == nil)
    }

    @Test func `both cases of digits are read, and the text must be UTF-8`() {
        #expect(PercentCoding.decodedText("%c3%A4") == "ä")
        #expect(PercentCoding.decodedText("%c3") == nil)
    }
}
