import FilesinkiHTTP
import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiS3

@Suite("Replies of a hostile service and mutated input")
struct FuzzTests {
    @Test func `a listing that is read goes on behind the key that was asked for`() {
        let entries = ["&#x26;", "a", "b b/log/2/c", "b%2Fc"].map {
            "<Contents><Key>\($0)</Key><Size>1</Size></Contents>"
        }
        // Mutations seldom make a size that is only just wrong.
        let corpus = ["1", "-1", "9223372036854775808"].flatMap { size in
            [("", true), ("<EncodingType>url</EncodingType>", false)].map { coding, truncated in
                "<ListBucketResult>\(coding)<IsTruncated>\(truncated)</IsTruncated>"
                    + entries.joined() + "<Contents><Key>c+d</Key><Size>\(size)</Size></Contents>"
                    + "</ListBucketResult>"
            }
        }
        .map { Array($0.utf8) }
        let pieces = [
            "<Key>", "</Key>", "<Size>", "-1", "%00", "%ff", "+", "&#0;", "9223372036854775808",
        ]
        let counts = Fuzz(corpus, pieces: pieces.map { Array($0.utf8) }).run { bytes in
            do throws(Failure) {
                let reply = HTTPReply(status: 200, body: bytes)
                guard let listing = try S3Listing(reply, after: "%") else { return false }
                var last = "%"
                for object in listing.objects {
                    #expect(last.utf8.lexicographicallyPrecedes(object.key.utf8))
                    #expect(object.size >= 0)
                    last = object.key
                }
                #expect(!listing.isTruncated || !listing.objects.isEmpty)
                return true
            } catch {
                #expect(error.code == .unfitStore, "\(error)")
                return false
            }
        }
        #expect(counts.isMixed, "\(counts)")
    }
}
