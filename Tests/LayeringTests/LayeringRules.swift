/// The architecture as rules over the text of the package. Each returns what breaks it, one sentence
/// for each place.
enum LayeringRules {
    /// From the top down: a module depends only on modules of lower lines.
    static let layers: [Set<String>] = [
        ["FileSinkiC"],
        [
            "filesinki-cli", "filesinki-net", "FileSinki", "FileSinkiKeyValue", "FileSinkiRecords",
        ],
        ["FilesinkiLibrary"],
        ["FilesinkiCommands", "FilesinkiNetwork", "FilesinkiServer"],
        ["FilesinkiSSH", "FilesinkiStoreIndex"],
        [
            "FilesinkiEngine", "FilesinkiHTTPClient", "FilesinkiKeyValue", "FilesinkiRecordZones",
            "FilesinkiS3", "FilesinkiServerRemote", "FilesinkiWebDAV",
        ],
        ["FilesinkiItems"],
        [
            "FilesinkiDirectory", "FilesinkiFileSystem", "FilesinkiHTTP", "FilesinkiLiveDatabase",
            "FilesinkiManifest", "FilesinkiProtocol", "FilesinkiRules", "FilesinkiStore",
            "FilesinkiWatch",
        ],
        ["FilesinkiEncryption"],
        [
            "FilesinkiHashing", "FilesinkiMerge", "FilesinkiReconcile", "FilesinkiRPC",
            "FilesinkiRecords", "FilesinkiRemote",
        ],
        ["FilesinkiSQLite"],
        ["FilesinkiCompression", "FilesinkiSystem", "FilesinkiText", "FilesinkiXML"],
        ["FilesinkiModel"],
    ]

    /// The modules that a module must not import, beyond what the layers forbid.
    static let forbidden: [String: Set<String>] = [
        "FilesinkiRemote": ["FilesinkiReconcile", "FilesinkiEngine"],
        "FilesinkiDirectory": ["FilesinkiReconcile", "FilesinkiEngine", "FilesinkiManifest"],
        "FilesinkiManifest": ["FilesinkiRemote", "FilesinkiReconcile"],
        // Values and pure functions, as FilesinkiReconcile is.
        "FilesinkiRecords": ["FilesinkiSystem", "FilesinkiSQLite", "CSQLite"],
        "FilesinkiLiveDatabase": ["FilesinkiReconcile", "FilesinkiRemote", "FilesinkiMerge"],
        "FilesinkiMerge": ["FilesinkiReconcile", "FilesinkiRemote", "FilesinkiFileSystem"],
        "FilesinkiFileSystem": ["FilesinkiRemote", "FilesinkiManifest", "CSQLite"],
        "FilesinkiStore": ["FilesinkiReconcile", "FilesinkiFileSystem", "FilesinkiManifest"],
        "FilesinkiWatch": ["FilesinkiRemote", "FilesinkiManifest", "CSQLite"],
        "FilesinkiEngine": ["FilesinkiDirectory", "CSQLite", "CLZMA", "CZlib", "CZstd"],
        // Scripts call it in loops: it starts without the network.
        "filesinki-cli": ["FilesinkiNetwork", "FilesinkiServer", "FilesinkiHTTPClient"],
        "FilesinkiCommands": [
            "FilesinkiHTTPClient", "FilesinkiManifest", "FilesinkiSQLite", "FilesinkiStore",
            "CSQLite", "CLZMA", "CZlib", "CZstd",
        ],
        // What the small program has, too.
        "FilesinkiHTTP": [
            "FilesinkiStore", "FilesinkiDirectory", "AsyncHTTPClient", "NIOCore", "NIOPosix",
        ],
        "FilesinkiHTTPClient": ["FilesinkiStore", "FilesinkiDirectory"],
        "FilesinkiServer": [
            "FilesinkiEngine", "FilesinkiStore", "FilesinkiStoreIndex", "FilesinkiHTTP",
            "FilesinkiHTTPClient",
        ],
        "FilesinkiS3": ["FilesinkiStore", "FilesinkiDirectory"],
        "FilesinkiWebDAV": ["FilesinkiStore", "FilesinkiDirectory"],
        "FilesinkiServerRemote": [
            "FilesinkiStore", "FilesinkiDirectory", "FilesinkiHTTPClient",
        ],
        "FilesinkiSSH": ["FilesinkiStore", "FilesinkiDirectory", "FilesinkiHTTPClient"],
        "FilesinkiItems": ["FilesinkiDirectory", "FilesinkiFileSystem", "CSQLite"],
        "FilesinkiRecordZones": [
            "FilesinkiDirectory", "FilesinkiFileSystem", "FilesinkiRemote", "FilesinkiStore",
            "CSQLite",
        ],
        "FilesinkiKeyValue": [
            "FilesinkiDirectory", "FilesinkiFileSystem", "FilesinkiRemote", "CSQLite",
        ],
    ]

    /// The modules that may use a library of the system; all others use these modules.
    static let libraries: [String: Set<String>] = [
        // The server uses it for its own certificate only. Hashes come from FilesinkiHashing.
        "CCrypto": ["FilesinkiEncryption", "FilesinkiHashing", "FilesinkiServer"],
        "CExpat": ["FilesinkiXML"],
        "CLZMA": ["FilesinkiCompression"],
        // The tests act as another program, with its own connection.
        "CSQLite": ["FilesinkiSQLite", tools, "FilesinkiMergeTests"],
        "CZlib": ["FilesinkiCompression"],
        "CZstd": ["FilesinkiCompression"],
    ]

    /// Modules of the toolchain that need no declaration.
    static let toolchain: Set<String> = [
        "Dispatch", "Glibc", "Observation", "Swift", "Synchronization",
    ]

    /// What a program that uses the library imports anyway: the library's public types need it.
    static let foundation: Set<String> = ["Foundation", "FoundationEssentials"]

    /// Whether a target may import Foundation: the library's own, and its examples.
    static func isWithFoundation(_ target: String) -> Bool {
        target.hasPrefix("FileSinki") || target.hasPrefix("Example")
    }

    /// The module with the helpers of the tests. It is not part of the product.
    static let tools = "FilesinkiTesting"

    /// Imports that the manifest does not declare. The compiler alone accepts those of the same layer.
    static func undeclaredImports(_ files: [SourceFile], _ manifest: PackageManifest) -> [String] {
        files.flatMap { file in
            let target = manifest[file.target]
            var allowed = toolchain.union(target?.dependencies ?? [])
            if target?.isTest == true { allowed.formUnion(["Testing", "Foundation"]) }
            if isWithFoundation(file.target) { allowed.formUnion(foundation) }
            if file.isGenerated { allowed.formUnion(["Foundation", "FoundationEssentials"]) }
            return file.imports.subtracting(allowed).sorted().map {
                "\(file.path) imports \($0), which \(file.target) does not declare."
            }
        }
    }

    /// Dependencies that do not go down, and modules without a layer.
    static func upwardArrows(_ manifest: PackageManifest) -> [String] {
        let ours = manifest.targets.filter {
            !$0.isTest && $0.name != tools && $0.name.lowercased().hasPrefix("filesinki")
        }
        return ours.flatMap { target -> [String] in
            guard let place = layers.firstIndex(where: { $0.contains(target.name) }) else {
                return ["\(target.name) has no place among the layers."]
            }
            let above = layers[...place].reduce(into: Set<String>()) { $0.formUnion($1) }
            let wrong = target.dependencies.intersection(above)
                .union(target.dependencies.intersection(forbidden[target.name] ?? []))
            return wrong.sorted().map { "\(target.name) must not know \($0)." }
        }
    }

    /// Dependencies on a library of the system that only other modules may have.
    static func borrowedLibraries(_ manifest: PackageManifest) -> [String] {
        manifest.targets.flatMap { target in
            target.dependencies.sorted().compactMap { library in
                guard let users = libraries[library], !users.contains(target.name) else {
                    return nil
                }
                return "\(target.name) must not use \(library)."
            }
        }
    }

    /// Nothing in the product depends on the tests' tools.
    static func productsWithTools(_ manifest: PackageManifest) -> [String] {
        manifest.targets.filter { !$0.isTest && $0.dependencies.contains(tools) }.map {
            "\($0.name) depends on \(tools), which is for tests only."
        }
    }

    /// Foundation makes the start slower and the program larger.
    static func foundationInProducts(_ files: [SourceFile]) -> [String] {
        let product = files.filter { !$0.isGenerated && !isWithFoundation($0.target) }
        return product.filter { $0.imports.contains { $0.hasPrefix("Foundation") } }.map {
            "\($0.path) imports Foundation."
        }
    }

    /// The libraries show no type of the engine: an import that is not public cannot.
    static func engineInPublic(_ files: [SourceFile]) -> [String] {
        files.filter { $0.target.hasPrefix("FileSinki") }.flatMap { file in
            file.publicImports.filter { $0.hasPrefix("Filesinki") }.sorted().map {
                "\(file.path) shows \($0) to its users."
            }
        }
    }

    /// The calls that only the system layer makes, each with the modules beside it that may, and why.
    static let systemCalls: [(call: String, elsewhere: Set<String>)] = [
        // One table of error numbers.
        ("strerror(", []), ("strerror_r(", []), ("== ENOSPC", []), ("case ENOSPC", []),
        // One durable replace. What the staging folder of a tree does is not a replace of one file.
        ("fsync(", []), ("fdatasync(", []),
        // One listing.
        ("opendir(", []), ("fdopendir(", []), ("readdir(", []), ("fsk_read_folder(", []),
        // One loop over each of these calls. The probes of a pipe's bytes are no loops.
        ("pread(", []), ("pwrite(", []), ("Glibc.read(", []), ("Glibc.write(", []), ("EINTR", []),
        // Swift's arguments, which are none without /proc.
        ("CommandLine.", []),
        // One lock.
        ("flock(", ["FilesinkiLiveDatabase"]),
        // One thread for blocking work; the thread that waits for signals ends with the process.
        ("DispatchQueue.global()", ["FilesinkiCommands"]),
    ]

    /// A second way to do what `FilesinkiSystem` does.
    static func secondSystemLayers(_ files: [SourceFile]) -> [String] {
        files.filter { !$0.isGenerated && !systemTargets.contains($0.target) }
            .flatMap { file -> [String] in
                let calls = systemCalls.filter {
                    file.holds($0.call) && !$0.elsewhere.contains(file.target)
                }
                guard !calls.isEmpty else { return [] }
                return file.code.flatMap { number, line in
                    calls.filter { line.holds($0.call) }
                        .map { "\(file.path):\(number): \($0.call) belongs to FilesinkiSystem." }
                }
            }
    }

    /// What only `FilesinkiText` writes: each of its codecs has a line that a second one needs, too.
    static let textCode: [(code: String, tool: String)] = [
        ("gmtime_r(", "a date codec"), ("localtime_r(", "a date codec"),
        ("timegm(", "a date codec"),
        ("mktime(", "a date codec"), ("strftime(", "a date codec"), ("strptime(", "a date codec"),
        // A reader of JSON reads \u, and a writer writes it.
        (#"case "u""#, "a JSON reader"), (#"(ascii: "u")"#, "a JSON reader"),
        (#""\\u"#, "a JSON writer"),
        (#"(ascii: "%")"#, "a percent coder"),
        // Base 64 puts six bits at a time together.
        ("<< 6 |", "a base 64 codec"),
    ]

    /// A second JSON reader or writer, date codec, base 64 or percent coder.
    static func secondTextCodecs(_ files: [SourceFile]) -> [String] {
        files.filter { $0.target != "FilesinkiText" && !$0.isGenerated }
            .flatMap { file -> [String] in
                let likely = textCode.filter { file.holds($0.code) }
                guard !likely.isEmpty else { return [] }
                return file.code.flatMap { number, line in
                    likely.filter { line.holds($0.code) }.map {
                        "\(file.path):\(number): \($0.tool) belongs to FilesinkiText."
                    }
                }
            }
    }

    /// The system layer itself, and the tests' tools, which look at files behind its back.
    private static let systemTargets: Set<String> = ["FilesinkiSystem", tools]

    /// A back-off that is not ``Backoff``: a pause that grows by itself.
    static func secondBackoffs(_ files: [SourceFile]) -> [String] {
        let growing = /(\w*[pP]ause\w*|length|delay|wait)\s*(=\s*min\(\s*\1\s*\*|\*=)|<<\s*min\(/
        return files.filter { !systemTargets.contains($0.target) }.flatMap { file in
            file.code.compactMap { number, line in
                let isLikely = line.holds("min(") || line.holds("*=")
                return isLikely && line.contains(growing)
                    ? "\(file.path):\(number): a pause that grows belongs to Backoff." : nil
            }
        }
    }

    /// A second wrapper of SQLite: a call of its C interface outside `FilesinkiSQLite`, and outside the tests' tools.
    static func secondSQLiteWrappers(_ files: [SourceFile]) -> [String] {
        let own: Set = ["FilesinkiSQLite", "CSQLite", tools]
        let likely = files.filter {
            !own.contains($0.target) && ($0.holds("sqlite3_") || $0.holds("import CSQLite"))
        }
        return likely.flatMap { file in
            file.code.compactMap { number, line in
                line.holds("sqlite3_") || line.holds("import CSQLite")
                    ? "\(file.path):\(number): SQLite's C interface belongs to FilesinkiSQLite."
                    : nil
            }
        }
    }

    /// A file holds one concept, in 400 lines at most.
    static func longFiles(_ files: [SourceFile]) -> [String] {
        files.filter { !$0.isGenerated && $0.lines.count > 401 }.map {
            "\($0.path) has \($0.lines.count - 1) lines."
        }
    }

    /// Log code in a kind of item that a zone may hold: kinds use the zone client. A kind is also any
    /// folder with a `ZoneMemory`.
    static func logCode(_ files: [SourceFile]) -> [String] {
        let memories = files.filter { file in
            file.holds(": ZoneMemory") && file.code.contains { $0.line.holds(": ZoneMemory") }
        }
        let folders = memories.map {
            $0.path.prefix(through: $0.path.lastIndex(of: "/") ?? $0.path.startIndex)
        }
        let kinds =
            [
                "Sources/FilesinkiItems/", "Sources/FilesinkiKeyValue/",
                "Sources/FilesinkiRecordZones/", "Sources/FilesinkiEngine/Sync/",
            ]
            + folders.map(String.init)
        let words = ["CommitLog", "LogReader", "CheckpointStore", "DeviceRegistry", "LogEndProof"]
        return files.filter { file in kinds.contains { file.path.hasPrefix($0) } }.flatMap { file in
            file.code.flatMap { number, line in
                words.filter(line.holds).map { "\(file.path):\(number): \($0)" }
            }
        }
    }

    /// `Replica` opens, locks, closes and lists the operations; the parts of the engine do the work.
    static func replicaSlices(_ files: [SourceFile]) -> [String] {
        files.filter { $0.path.hasPrefix("Sources/FilesinkiEngine/") }.flatMap { file in
            let isOwn = file.path.hasPrefix("Sources/FilesinkiEngine/Replica/")
            var findings = file.code.compactMap { number, line in
                !isOwn && line.hasPrefix("extension Replica ")
                    ? "\(file.path):\(number): a part of the engine is a type of its own." : nil
            }
            if file.path.hasSuffix("/Replica.swift"), file.lines.count > 301 {
                findings.append("\(file.path) has \(file.lines.count - 1) lines.")
            }
            return findings
        }
    }

    /// No bad input may end the process, and nothing is left for later.
    static func bannedWords(_ files: [SourceFile]) -> [String] {
        var findings: [String] = []
        for file in files where !file.isGenerated {
            for word in ["try!", " as!", "fatalError("] where file.holds(word) {
                for (number, line) in file.code where line.holds(word) {
                    findings.append("\(file.path):\(number): \(word)")
                }
            }
            for word in ["TO" + "DO", "FIX" + "ME"] where file.holds(word) {
                for (index, line) in file.lines.enumerated() where line.holds(word) {
                    findings.append("\(file.path):\(index + 1): \(word)")
                }
            }
        }
        return findings
    }
}
