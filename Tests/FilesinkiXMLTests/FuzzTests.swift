import FilesinkiModel
import FilesinkiXML
import Glibc
import Testing

/// Mutated documents either are read within the bounds or are refused as corrupt.
///
/// `FILESINKI_FUZZ_SECONDS` makes it run so long, `FILESINKI_FUZZ_SEED` repeats a run or makes
/// another one. A crash ends the run, a hang is seen as a run that does not end.
@Suite struct FuzzTests {
    private static let usualCount = 3000
    private static let maximumElements = 40

    private static let corpus = [
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<D:multistatus xmlns:D=\"DAV:\" xmlns:n=\"u\">"
            + "<D:response><D:href>/dav/a%20b/</D:href><D:propstat><D:prop><D:resourcetype>"
            + "<D:collection/></D:resourcetype><n:x/></D:prop><D:status>HTTP/1.1 200 OK</D:status>"
            + "</D:propstat></D:response></D:multistatus>",
        "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>b</Name>"
            + "<IsTruncated>false</IsTruncated><Contents><Key>a&amp;b</Key><Size>1</Size>"
            + "</Contents></ListBucketResult>",
        "<!DOCTYPE a [<!ENTITY b \"c\"><!ENTITY d \"&b;&b;\">]><a>&d;<![CDATA[&d;]]></a>",
        "<Error><Code>NoSuchKey</Code><!-- x --><Message>&#x26;&lt;</Message></Error>",
        "<html><head><title>Log in</title></head><body/></html>", "<a/>",
    ].map { Array($0.utf8) }

    @Test func `no mutated document exceeds a limit`() throws {
        let seed = try Self.knob("FILESINKI_FUZZ_SEED") ?? 1
        let seconds = try Self.knob("FILESINKI_FUZZ_SECONDS")
        var mutator = Mutator(seed: UInt64(clamping: seed))
        let start = ContinuousClock.now
        var counts = (all: 0, read: 0)
        while seconds.map({ start.duration(to: .now) < .seconds($0) })
            ?? (counts.all < Self.usualCount)
        {
            let document = mutator.document(from: Self.corpus)
            counts.all += 1
            do throws(Failure) {
                let node = try XMLReader.parse(document, maximumElements: Self.maximumElements)
                counts.read += 1
                let size = node.size
                #expect(size.elements <= Self.maximumElements, "seed \(seed): \(document)")
                #expect(size.depth <= XMLReader.maximumDepth, "seed \(seed): \(document)")
                // A character reference is longer than its character, and there is no other kind.
                #expect(size.text <= document.count * 3, "seed \(seed): \(document)")
            } catch {
                #expect(error.code == .corrupt, "seed \(seed): \(document)")
            }
        }
        #expect(counts.read > counts.all / 50, "mutation must not break every document: \(counts)")
    }

    private static func knob(_ name: String) throws -> Int? {
        guard let value = getenv(name) else { return nil }
        return try #require(Int(String(cString: value)), "\(name) must be a number") as Int
    }
}

extension XMLNode {
    /// What is in the element and all below it; text in bytes.
    fileprivate var size: (elements: Int, depth: Int, text: Int) {
        children.map(\.size).reduce((elements: 1, depth: 1, text: text.utf8.count)) { sum, child in
            (sum.elements + child.elements, max(sum.depth, child.depth + 1), sum.text + child.text)
        }
    }
}

/// Changes documents by chance that a seed repeats (SplitMix64).
private struct Mutator: RandomNumberGenerator {
    private var state: UInt64
    private static let pieces = [
        "<", ">", "&", ";", "\"", "</", "/>", "<!DOCTYPE a [", "<!ENTITY e \"&f;\">", "]>", "&e;",
        "<![CDATA[", "]]>", "<!--", "-->", "xmlns=\"u\"", "&#1114111;", "<?", "?>", "\u{FEFF}",
    ].map { Array($0.utf8) }

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func document(from corpus: [[UInt8]]) -> [UInt8] {
        var document = corpus.randomElement(using: &self) ?? []
        for _ in 0..<Int.random(in: 0...3, using: &self) { mutate(&document, corpus) }
        return Array(document.prefix(20_000))
    }

    private mutating func mutate(_ document: inout [UInt8], _ corpus: [[UInt8]]) {
        let start = Int.random(in: 0...document.count, using: &self)
        let end = min(document.count, start + Int.random(in: 0...30, using: &self))
        switch Int.random(in: 0..<7, using: &self) {
        case 0: document.removeSubrange(start..<end)
        case 1 where start < document.count:
            document[start] ^= 1 << UInt8.random(in: 0..<8, using: &self)
        case 2: document.insert(contentsOf: document[start..<end], at: start)
        case 3: document.insert(contentsOf: corpus.randomElement(using: &self) ?? [], at: start)
        case 4: document.removeSubrange(start...)
        case 5:
            let copies = repeatElement(document[start..<end], count: 200).joined()
            document.insert(contentsOf: Array(copies), at: start)
        default:
            document.insert(contentsOf: Self.pieces.randomElement(using: &self) ?? [], at: start)
        }
    }
}
