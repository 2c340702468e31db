import FilesinkiModel
import FilesinkiText
import Testing

@Suite struct Base64Tests {
    @Test(
        "each value has one base 64 text",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"), ("æ~?", "w6Z+Pw=="),
        ])
    func base64(_ plain: String, _ coded: String) {
        #expect(Base64.encode(plain.utf8) == coded)
        #expect(Base64.decode(coded) == Array(plain.utf8))
        let full = coded.replacing("+", with: "-").replacing("/", with: "_")
        let bare = full.split(separator: "=").first.map(String.init) ?? ""
        #expect(Base64.encode(plain.utf8, .url) == bare)
        #expect(Base64.decode(bare, .url) == Array(plain.utf8))
        #expect(bare == coded || Base64.decode(bare) == nil)
    }

    @Test func `base 64 with stray bits or characters is refused`() {
        for wrong in ["Zh==", "Zg=", "Z", "Zg==Zg==", "Zm 9v", "Zm9v=", "Zg-_"] {
            #expect(Base64.decode(wrong) == nil, "\(wrong)")
        }
    }
}
