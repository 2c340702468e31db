/// The targets of a package and what each may import, read from the text of its manifest.
struct PackageManifest {
    struct Target: Equatable {
        var name: String
        var dependencies: Set<String>
        var isTest: Bool
    }

    var targets: [Target] = []

    subscript(_ name: String) -> Target? { targets.first { $0.name == name } }

    /// Reads every call that declares a target. Other uses of those words, such as the helpers' own
    /// declarations, name no target by a literal and are passed over.
    init(parsing text: String) {
        for start in text.indices where text[start] == "(" {
            let before = text[..<start]
            guard let word = Self.words.first(where: { before.hasSuffix($0) }),
                let target = Self.target(Self.arguments(text, from: start), isTest: word.isTest)
            else { continue }
            targets.append(target)
        }
    }

    private static let words = [
        " module", " tests", " .target", " .executableTarget", " .systemLibrary", " .testTarget",
    ]

    /// The text between a parenthesis and the one that closes it.
    private static func arguments(_ text: String, from start: String.Index) -> Substring {
        var depth = 0
        for index in text[start...].indices {
            if text[index] == "(" { depth += 1 }
            if text[index] == ")" { depth -= 1 }
            if depth == 0 { return text[text.index(after: start)..<index] }
        }
        return text[start...]
    }

    private static func target(_ arguments: Substring, isTest: Bool) -> Target? {
        let other = /(?:resources|exclude|providers):\s*\[[^\]]*\]|(?:package|pkgConfig):\s*"[^"]*"/
        let kept = arguments.replacing(other, with: "")
        let literals = kept.matches(of: /"([^"\\]*)"/).map { String($0.output.1) }
        guard let name = literals.first else { return nil }
        return Target(name: name, dependencies: Set(literals.dropFirst()), isTest: isTest)
    }
}

extension String {
    /// Whether this word of the manifest declares a test target.
    fileprivate var isTest: Bool { self == " tests" || self == " .testTarget" }
}
