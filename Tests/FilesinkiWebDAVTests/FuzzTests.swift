import FilesinkiHTTP
import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiWebDAV

@Suite("Replies of a hostile server and mutated input")
struct FuzzTests {
    @Test func `a listing that is read has names below the root only`() {
        let listings = [
            ["/dav/", "/dav/a", "/dav/b%20c", "http://h/dav/%C3%A6/", "/dav//d"],
            ["/dav/../d", "/dav/./e", "/dav/%2e%2e/f", "/dav/d%2Fe", "mailto:h", "/dav/%zz", ""],
        ].map { hrefs in
            let reply = ListingTests.listing(hrefs.map { ($0, isCollection: $0.hasSuffix("/")) })
            return String(decoding: reply.body, as: UTF8.self)
        }
        // Mutations seldom make a size that is only just wrong.
        let corpus = ["1", "-1", "9223372036854775808"].flatMap { size in
            listings.map { Array($0.replacing(">1<", with: ">\(size)<").utf8) }
        }
        let pieces = ["%2F", "%2e%2e", "..", "/", "-1", "<href>", "</href>", "404", "&#0;", "://"]
        let counts = Fuzz(corpus, pieces: pieces.map { Array($0.utf8) }).run { bytes in
            do throws(Failure) {
                let listing = try MultiStatus(bytes)
                for resource in listing.all {
                    for name in resource.names {
                        #expect(!name.isEmpty && !name.contains(UInt8(ascii: "/")))
                        #expect(name != Array(".".utf8) && name != Array("..".utf8))
                    }
                    #expect(resource.size ?? 0 >= 0)
                }
                return !listing.all.isEmpty
            } catch {
                #expect(error.code == .corrupt, "\(error)")
                return false
            }
        }
        #expect(counts.isMixed, "\(counts)")
    }
}
