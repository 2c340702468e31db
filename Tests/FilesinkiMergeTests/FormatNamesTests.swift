import FilesinkiModel
import Testing

@testable import FilesinkiMerge

@Suite("Names that select a format")
struct FormatNamesTests {
    @Test("each pattern selects the format that it is listed for", arguments: FormatNames.all)
    func patterns(_ format: (format: ContentFormat, patterns: [String])) {
        for pattern in format.patterns {
            let name = pattern.split(separator: "*", omittingEmptySubsequences: false)
                .joined(separator: "x")
            #expect(FormatNames.format(of: Array(name.utf8)) == format.format, "\(name)")
            #expect(FormatNames.format(of: Array(name.uppercased().utf8)) == format.format)
        }
    }

    @Test("other names select none", arguments: ["a", "json", "toml", "a.json.bak", "xini", ""])
    func others(_ name: String) {
        #expect(FormatNames.format(of: Array(name.utf8)) == nil)
    }

    @Test("every format has one merge, but databases, which are files")
    func merges() {
        for format in ContentFormat.allCases {
            let document = DocumentFormat(format, fileName: "x".utf8)
            #expect(document?.format == (format == .sqlite ? nil : format))
        }
    }
}
