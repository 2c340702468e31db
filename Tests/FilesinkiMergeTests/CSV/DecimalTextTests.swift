import Testing

@testable import FilesinkiMerge

@Suite struct DecimalTextTests {
    @Test(arguments: [
        "", "-", "+", ".", ".5", "5.", "-.5", "1.2.3", "1..2", "1e3", "0x1", " 1", "1 ", "1,5",
        "--1", "+-1",
        "1-", "\u{0661}",
    ])
    func `is no plain decimal number`(_ text: String) {
        #expect(DecimalText(Array(text.utf8)) == nil)
    }

    /// A number, and how it is written.
    @Test(arguments: [
        ("0", "0"), ("-0", "0"), ("-0.00", "0.00"), ("+5", "5"), ("007", "7"), ("-007.50", "-7.50"),
        ("0.05", "0.05"), ("00.5", "0.5"), ("100", "100"),
    ])
    func `is written with its places behind the point`(_ text: String, _ written: String) {
        #expect(Self.number(text).map { String(decoding: $0.text, as: UTF8.self) } == written)
    }

    /// Two numbers and their sum.
    @Test(arguments: [
        ("1", "2", "3"), ("5", "5", "10"), ("99", "1", "100"), ("999", "999", "1998"),
        ("1", "-1", "0"), ("1", "-2", "-1"), ("-1", "2", "1"), ("-1", "-2", "-3"),
        ("100", "-1", "99"), ("1000", "-1", "999"), ("0.1", "0.2", "0.3"), ("0.5", "0.50", "1.00"),
        ("1", "0.001", "1.001"), ("1", "-0.001", "0.999"), ("-0.9", "0.95", "0.05"),
        ("0.99", "0.01", "1.00"), ("12", "-11.5", "0.5"), ("-5", "0", "-5"),
    ])
    func `sums are exact`(_ one: String, _ other: String, _ sum: String) throws {
        let first = try #require(Self.number(one))
        let second = try #require(Self.number(other))
        #expect(String(decoding: (first + second).text, as: UTF8.self) == sum)
        #expect(String(decoding: (second + first).text, as: UTF8.self) == sum)
    }

    /// From the least to the greatest.
    @Test func `numbers have an order`() throws {
        let texts = [
            "-100", "-99.5", "-10", "-9", "-1.01", "-1", "-0.1", "-0.09", "0", "0.09", "0.1",
            "0.11", "1",
            "1.01", "1.1", "9", "10", "10.0001", "99.5", "100", "00101",
        ]
        let numbers = try texts.map { try #require(Self.number($0)) }
        for (place, one) in numbers.enumerated() {
            for (other, two) in numbers.enumerated() {
                #expect((one < two) == (place < other), "\(texts[place]) < \(texts[other])")
            }
        }
    }

    @Test(arguments: [
        ("0", "-0"), ("0.0", "-0"), ("1", "1.00"), ("+1", "01"), ("-2", "-2.0"), ("0.10", "0.1"),
    ])
    func `are equal`(_ one: String, _ other: String) throws {
        #expect(try #require(Self.number(one)) == #require(Self.number(other)))
    }

    @Test func `numbers of hundredths add up and compare as whole numbers do`() throws {
        var dice = Dice(seed: 3)
        func text(_ hundredths: Int) -> String {
            let size = abs(hundredths)
            let cents = size % 100
            return (hundredths < 0 ? "-" : "") + "\(size / 100)." + (cents < 10 ? "0" : "")
                + "\(cents)"
        }
        for _ in 0..<500 {
            let (one, other) = (dice.below(20_000) - 10_000, dice.below(20_000) - 10_000)
            let first = try #require(Self.number(text(one)))
            let second = try #require(Self.number(text(other)))
            #expect(String(decoding: (first + second).text, as: UTF8.self) == text(one + other))
            #expect(String(decoding: (first + -second).text, as: UTF8.self) == text(one - other))
            #expect((first < second) == (one < other))
        }
    }

    private static func number(_ text: String) -> DecimalText? { DecimalText(Array(text.utf8)) }
}
