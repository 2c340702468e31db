import FilesinkiModel
import Glibc

/// The forms of time that AWS uses: one in what is signed, one in what a command answers.
enum BasicTime {
    /// `20130524T000000Z`, in UTC.
    static func text(_ time: Timestamp) -> String {
        let moment = CalendarTime(utc: time.seconds)
        return moment.date.filter { $0 != "-" } + "T" + moment.clock.filter { $0 != ":" } + "Z"
    }

    /// Reads `2013-05-24T00:00:00Z`, also with a fraction of a second, which is left out, or with
    /// `+02:00` for the `Z`; nil for anything else.
    static func parse(_ text: String) -> Timestamp? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes[4] == dash, bytes[7] == dash, bytes[13] == colon,
            bytes[16] == colon, bytes[10] == UInt8(ascii: "T"),
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]),
            let day = number(bytes[8..<10]), let hour = number(bytes[11..<13]),
            let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60,
            let offset = offset(of: bytes[19...])
        else { return nil }
        var parts = tm()
        parts.tm_year = year - 1900
        parts.tm_mon = month - 1
        parts.tm_mday = day
        parts.tm_hour = hour
        parts.tm_min = minute
        parts.tm_sec = second
        return Timestamp(seconds: Int64(timegm(&parts)) - offset, nanoseconds: 0)
    }

    private static let dash = UInt8(ascii: "-")
    private static let colon = UInt8(ascii: ":")

    private static func number(_ digits: ArraySlice<UInt8>) -> Int32? {
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return Int32(String(decoding: digits, as: UTF8.self))
    }

    /// The seconds that a zone is ahead of UTC.
    private static func offset(of text: ArraySlice<UInt8>) -> Int64? {
        var zone = text
        if zone.first == UInt8(ascii: ".") {
            zone = zone.dropFirst().drop { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        }
        if zone.elementsEqual("Z".utf8) { return 0 }
        let digits = zone.dropFirst().filter { $0 != colon }
        guard let sign = zone.first, sign == dash || sign == UInt8(ascii: "+"), digits.count == 4,
            let hours = number(digits[0..<2]), let minutes = number(digits[2..<4])
        else { return nil }
        let seconds = Int64(hours) * 3600 + Int64(minutes) * 60
        return sign == dash ? -seconds : seconds
    }
}
