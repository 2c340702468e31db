/// A name, parameters and a value, which may be folded: a line end and a space or tab inside it say nothing.
///
/// It is plain numbers: a document has tens of thousands of lines, and a copy of one counts no references.
struct ContentLine: BitwiseCopyable {
    /// The number of the name, with the group of a vCard, in ``ContentLineNames``.
    let name: Int
    let start: Int
    /// The place of the semicolon before the parameters, or of the colon.
    let nameEnd: Int
    /// The colon before the value.
    let colon: Int
    let valueEnd: Int
    /// Behind the line end.
    let end: Int
    let isFolded: Bool
    /// Whether line ends inside the value say something, as in quoted-printable text.
    let isQuotedPrintable: Bool
    /// Whether the value is Base64, which a blank line ends in vCard 2.1.
    let isBase64: Bool

    var hasParameters: Bool { nameEnd < colon }

    /// - Parameters:
    ///   - start: Where a line begins.
    ///   - names: Gets the name of the line.
    /// - Returns: nil where it is not a content line.
    init?(_ bytes: [UInt8], at start: Int, _ names: inout ContentLineNames) {
        self.start = start
        let firstEnd = bytes.lineEnd(from: start)
        var end = firstEnd
        while end < bytes.count, bytes[end].isSpaceOrTab { end = bytes.lineEnd(from: end) }
        guard let (nameEnd, colon) = Self.delimiters(bytes, start..<end) else { return nil }
        let parameters = nameEnd < colon ? bytes[nameEnd..<colon].unfolded : []
        isQuotedPrintable = Self.hasWord(parameters, "QUOTED-PRINTABLE")
        isBase64 = Self.hasWord(parameters, "BASE64") || Self.hasWord(parameters, "B")
        if isQuotedPrintable {
            while end < bytes.count,
                bytes[end].isSpaceOrTab
                    || bytes[colon..<bytes.textEnd(before: end)].last == UInt8(ascii: "=")
            {
                end = bytes.lineEnd(from: end)
            }
        }
        let valueEnd = bytes.textEnd(before: end)
        (self.nameEnd, self.colon, self.valueEnd, self.end) = (nameEnd, colon, valueEnd, end)
        isFolded = firstEnd <= valueEnd && bytes[firstEnd - 1] == 10
        guard Self.isText(bytes, start..<end),
            let name = names.number(of: bytes[start..<nameEnd].unfolded)
        else { return nil }
        self.name = name
    }

    /// Whether a parameter has a word as its name or value, in any case of the letters.
    private static func hasWord(_ parameters: ArraySlice<UInt8>, _ word: String) -> Bool {
        var start = parameters.startIndex
        while start < parameters.endIndex {
            var end = start
            while end < parameters.endIndex, parameters[end] != UInt8(ascii: ";"),
                parameters[end] != UInt8(ascii: "=")
            {
                end += 1
            }
            if end - start == word.utf8.count,
                parameters[start..<end].map(\.uppercasedASCII).elementsEqual(word.utf8)
            {
                return true
            }
            start = end + 1
        }
        return false
    }

    /// The first semicolon or colon, and the first colon that is not between quotes.
    private static func delimiters(_ bytes: [UInt8], _ range: Range<Int>) -> (Int, Int)? {
        var nameEnd: Int?
        var isQuoted = false
        for place in range {
            switch bytes[place] {
            case UInt8(ascii: "\"") where nameEnd != nil: isQuoted.toggle()
            case UInt8(ascii: ";") where nameEnd == nil: nameEnd = place
            case UInt8(ascii: ":") where !isQuoted: return (nameEnd ?? place, place)
            default: break
            }
        }
        return nil
    }

    /// Whether there are no control characters but tabs, and no carriage returns but before newlines.
    private static func isText(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
        for place in range where bytes[place] < 0x20 {
            switch bytes[place] {
            case 9, 10: continue
            case 13 where place + 1 < bytes.count && bytes[place + 1] == 10: continue
            default: return false
            }
        }
        return true
    }
}

extension UInt8 {
    /// The letter in upper case; any other byte as it is.
    var uppercasedASCII: UInt8 {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= self ? self & ~0x20 : self
    }

    /// Whether it is a space or a tab.
    var isSpaceOrTab: Bool { self == 0x20 || self == 0x09 }
}

extension [UInt8] {
    /// The end of a line's text, whose line end may be at this place.
    func textEnd(before end: Int) -> Int {
        guard end > 0, self[end - 1] == 10 else { return end }
        return end > 1 && self[end - 2] == 13 ? end - 2 : end - 1
    }

    /// The place behind line ends, each with the space or tab that follows it.
    func foldEnd(from start: Int) -> Int {
        var place = start
        while place < count {
            let end = self[place] == 13 ? place + 1 : place
            guard end + 1 < count, self[end] == 10, self[end + 1].isSpaceOrTab else { break }
            place = end + 2
        }
        return place
    }
}

extension ArraySlice<UInt8> {
    /// Without line ends and the spaces or tabs that follow them; the same slice where it has none.
    var unfolded: ArraySlice<UInt8> {
        guard contains(10) else { return self }
        var result: [UInt8] = []
        result.reserveCapacity(count)
        var place = startIndex
        while place < endIndex {
            let end = self[place] == 13 ? place + 1 : place
            if end < endIndex, self[end] == 10 {
                place = end + 1 < endIndex && self[end + 1].isSpaceOrTab ? end + 2 : end + 1
            } else {
                result.append(self[place])
                place += 1
            }
        }
        return result[...]
    }
}
