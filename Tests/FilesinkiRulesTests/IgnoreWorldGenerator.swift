/// Makes random ignore files and paths that have a fair chance to match, the same for a seed.
struct IgnoreWorldGenerator {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(state: seed) }

    mutating func world() -> IgnoreWorld {
        var world = IgnoreWorld()
        var known: [[UInt8]] = []
        for _ in 0..<80 {
            let path = self.path(known)
            known.append(path)
            world.add(path, isDirectory: chance(6))
        }
        world.rules[[]] = file(about: known)
        for folder in world.folders.sorted(by: { $0.lexicographicallyPrecedes($1) })
        where chance(8) {
            let below = known.filter { $0.starts(with: folder + [0x2F]) }
            world.rules[folder] = file(about: below.map { Array($0.dropFirst(folder.count + 1)) })
        }
        return world
    }

    private mutating func path(_ known: [[UInt8]]) -> [UInt8] {
        let parent = chance(3) ? known.randomElement(using: &random) : nil
        let isShort = (parent?.count ?? 0) < 40
        return (isShort ? parent.map { $0 + [0x2F] } ?? [] : []) + name()
    }

    private static let nameParts: [[UInt8]] =
        [
            "a", "b", "c", "a", "b", "A", "1", ".", ".o", "-", "!", "[", "]", "*", "\\", "?", "é",
            " ", ":", "^",
            "#", "\u{0B}", "ab", "foo", "bar",
        ].map { Array($0.utf8) } + [[0xFF]]

    private mutating func name() -> [UInt8] {
        while true {
            let count = Int.random(in: 1...3, using: &random)
            let name = (0..<count).flatMap { _ in pick(Self.nameParts) }
            if !name.allSatisfy({ $0 == UInt8(ascii: ".") }) { return name }
        }
    }

    private mutating func file(about paths: [[UInt8]]) -> [UInt8] {
        let ends = ["\n", "\n", "\n", "\r\n"].map { Array($0.utf8) }
        var result: [UInt8] = chance(10) ? [0xEF, 0xBB, 0xBF] : []
        for _ in 0..<Int.random(in: 1...10, using: &random) {
            result += pattern(about: paths) + pick(ends)
        }
        if chance(5) { result.removeLast() }
        return result
    }

    private mutating func pattern(about paths: [[UInt8]]) -> [UInt8] {
        var body = chance(3) ? soup() : blurred(paths.randomElement(using: &random) ?? name())
        if chance(5) { body = Array("/".utf8) + body }
        if chance(5) { body = Array("!".utf8) + body }
        let tails = ["/", "/*", "/**", " ", "  ", "\\ ", "\\", "\t", "**", "*", "\0x"]
        if chance(4) { body += Array(pick(tails).utf8) }
        return body
    }

    private static let soupParts = [
        "*", "**", "***", "?", "/", "**/", "/**/", "[", "]", "!", "^", "-", "\\", "a", "b", "o",
        "1",
        "[:alpha:]", "[[:digit:]]", "[[:alnum:]_]", "[a-c]", "[!a]", "[^b]", "[]a]", "[!]a]",
        "[a-]",
        "[--0]", "[\\]]", "[\\a-c]", "[a-\\c]", "[[:x:]]", "[[:]", "[[:a]", "[[:space:]]",
        "[[:punct:]]",
        "[[:cntrl:]]", " ", "#", ".", "foo", "bar", "[c-a]", "[a-c-e]", "\\*", "\\[", "\\!", "\\#",
        "**\\/", "[a/b]",
    ]

    private mutating func soup() -> [UInt8] {
        (0..<Int.random(in: 1...6, using: &random)).flatMap { _ in Array(pick(Self.soupParts).utf8)
        }
    }

    /// A path with parts of it replaced by wildcards.
    private mutating func blurred(_ path: [UInt8]) -> [UInt8] {
        var names = path.split(separator: 0x2F).map(Array.init)
        if chance(2) { names = names.suffix(Int.random(in: 1...names.count, using: &random)) }
        let result = names.map { name -> [UInt8] in
            if chance(6) { return Array(pick(["*", "**", "***"]).utf8) }
            return name.flatMap { blurred($0) }
        }
        return Array(result.joined(separator: [0x2F]))
    }

    private mutating func blurred(_ byte: UInt8) -> [UInt8] {
        guard chance(5) else { return [byte] }
        let text = UInt8(ascii: "\\")
        switch Int.random(in: 0..<9, using: &random) {
        case 0: return Array("*".utf8)
        case 1: return Array("?".utf8)
        case 2: return [text, byte]
        case 3: return Array("[".utf8) + [byte] + Array("]".utf8)
        case 4: return Array("[!".utf8) + [byte] + Array("]".utf8)
        case 5: return Array("[a-c]".utf8)
        case 6: return Array("[[:alpha:]]".utf8)
        case 7: return Array("**".utf8)
        default: return Array("[^[:upper:]]".utf8)
        }
    }

    private mutating func chance(_ oneIn: Int) -> Bool {
        Int.random(in: 0..<oneIn, using: &random) == 0
    }

    private mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[Int.random(in: choices.indices, using: &random)]
    }
}

/// SplitMix64, Steele, Lea and Flood 2014, <https://doi.org/10.1145/2660193.2660195>.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
