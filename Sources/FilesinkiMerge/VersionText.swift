/// A version of software in a text, such as `1.10.0-rc.2`, or `^1.10.0` with what stands before it.
///
/// Source: Semantic Versioning 2.0.0, section 11, <https://semver.org>. One to four numbers are read, as programs write
/// them; what is missing counts as 0.
struct VersionText {
    /// What stands before the number, such as `^` or `v`.
    private let prefix: [UInt8]
    private let numbers: [[UInt8]]
    /// The parts between dots of what makes it a version before the release; empty for a release.
    private let prerelease: [[UInt8]]

    /// - Returns: nil for what is no version.
    init?(_ text: some Sequence<UInt8>) {
        let text = Array(text)
        let start = text.firstIndex(where: Self.isDigit) ?? text.count
        prefix = Array(text[..<start])
        guard Self.prefixes.contains(String(decoding: prefix, as: UTF8.self)) else { return nil }
        let withoutBuild = text[start...].prefix { $0 != UInt8(ascii: "+") }
        let build = text[withoutBuild.endIndex...].dropFirst()
        let core = withoutBuild.prefix { $0 != UInt8(ascii: "-") }
        numbers = Self.parts(core)
        prerelease =
            core.count == withoutBuild.count ? [] : Self.parts(withoutBuild[(core.endIndex + 1)...])
        let isBuilt = withoutBuild.endIndex < text.count
        guard 1...4 ~= numbers.count, numbers.allSatisfy({ $0.allSatisfy(Self.isDigit) }),
            (numbers + prerelease + (isBuilt ? Self.parts(build) : [])).allSatisfy(Self.isPart)
        else { return nil }
    }

    private static let prefixes = [
        "", "v", "^", "~", "~>", "~> ", ">=", ">= ", "=", "==", "= ", "== ",
    ]

    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }

    private static func isPart(_ part: [UInt8]) -> Bool {
        !part.isEmpty
            && part.allSatisfy { byte in
                isDigit(byte) || byte == UInt8(ascii: "-")
                    || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte.lowercasedASCII
            }
    }

    private static func parts(_ text: ArraySlice<UInt8>) -> [[UInt8]] {
        text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Array.init)
    }

    /// Whether the version is newer than another one.
    ///
    /// - Returns: nil where neither is, or where different things stand before the numbers.
    func isNewer(than other: VersionText) -> Bool? {
        guard prefix == other.prefix else { return nil }
        for index in 0..<max(numbers.count, other.numbers.count) {
            let one = index < numbers.count ? numbers[index] : [0x30]
            let two = index < other.numbers.count ? other.numbers[index] : [0x30]
            if let isLess = Self.isLess(one, two) { return !isLess }
        }
        if prerelease.isEmpty != other.prerelease.isEmpty { return prerelease.isEmpty }
        for (one, two) in zip(prerelease, other.prerelease) {
            let areNumbers = [one, two].map { $0.allSatisfy(Self.isDigit) }
            if areNumbers[0] != areNumbers[1] { return areNumbers[1] }
            if areNumbers[0] {
                if let isLess = Self.isLess(one, two) { return !isLess }
            } else if one != two {
                return two.lexicographicallyPrecedes(one)
            }
        }
        return prerelease.count == other.prerelease.count
            ? nil : prerelease.count > other.prerelease.count
    }

    /// Compares numbers of any length; nil for equal ones.
    private static func isLess(_ one: [UInt8], _ other: [UInt8]) -> Bool? {
        let (left, right) = (Array(one.drop { $0 == 0x30 }), Array(other.drop { $0 == 0x30 }))
        if left.count != right.count { return left.count < right.count }
        return left == right ? nil : left.lexicographicallyPrecedes(right)
    }

    /// Whether the first of two texts is the newer version; nil where neither is, or one is no version.
    static func isNewer(_ one: some Sequence<UInt8>, _ other: some Sequence<UInt8>) -> Bool? {
        guard let one = VersionText(one), let other = VersionText(other) else { return nil }
        return one.isNewer(than: other)
    }

    /// Why neither of two values is taken.
    static let reason = "Neither value is a newer version."
}
