import FileSinki
import Foundation

/// `ExampleBinaryMerge ROOT STORE PAGE`: a document of pages, such as a PDF, as bytes that only this
/// program understands. Pages that were added apart are all kept.
@main
struct Main {
    private static let path = "document.pages"
    private static let separator = UInt8(ascii: "\u{0C}")

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 3 else {
            print("usage: ExampleBinaryMerge ROOT STORE PAGE")
            exit(2)
        }
        let root = URL(filePath: arguments[0])
        let sinki = try await FileSinki(root: root, remote: "dir:" + arguments[1])
        var document = Data()
        if let here = try? Data(contentsOf: sinki.url(of: path)) { document = here }
        document += Data(arguments[2].utf8) + [separator]
        let outcome = try await sinki.save(document, to: path, merge: merge)
        let pages = (outcome.final ?? document).split(separator: separator)
        print(pages.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " "))
    }

    /// The pages of both, each once, in an order that does not depend on who merges.
    @Sendable private static func merge(_ here: Data, _ there: Data, _ base: Data?) -> Data? {
        let pages = Set((here + there).split(separator: separator).map { Data($0) })
        return pages.sorted { $0.lexicographicallyPrecedes($1) }
            .reduce(Data()) { $0 + $1 + [separator] }
    }
}
