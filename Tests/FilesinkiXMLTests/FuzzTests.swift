import FilesinkiModel
import FilesinkiTesting
import FilesinkiXML
import Testing

/// Mutated documents either are read within the bounds or are refused as corrupt.
@Suite struct FuzzTests {
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

    private static let pieces = [
        "<", ">", "&", ";", "\"", "</", "/>", "<!DOCTYPE a [", "<!ENTITY e \"&f;\">", "]>", "&e;",
        "<![CDATA[", "]]>", "<!--", "-->", "xmlns=\"u\"", "&#1114111;", "<?", "?>", "\u{FEFF}",
    ].map { Array($0.utf8) }

    @Test func `no mutated document exceeds a limit`() {
        let counts = Fuzz(Self.corpus, pieces: Self.pieces).run { document in
            do throws(Failure) {
                let node = try XMLReader.parse(document, maximumElements: Self.maximumElements)
                let size = node.size
                #expect(size.elements <= Self.maximumElements, "\(document)")
                #expect(size.depth <= XMLReader.maximumDepth, "\(document)")
                // A character reference is longer than its character, and there is no other kind.
                #expect(size.text <= document.count * 3, "\(document)")
                return true
            } catch {
                #expect(error.code == .corrupt, "\(document)")
                return false
            }
        }
        #expect(counts.isMixed, "\(counts)")
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
