import Testing

/// Each rule finds what it is for: a rule that cannot fail holds nothing.
@Suite struct LayeringRulesTests {
    let manifest = PackageManifest(
        parsing: """
            func module(_ name: String) -> Target { .target(name: name) }
            let package = Package(
                name: "filesinki",
                dependencies: [.package(url: "https://example.org/x", from: "1.0.0")],
                targets: [
                    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["x-dev"])]),
                    .target(name: "CKernel"),
                    module("FilesinkiModel", ["FilesinkiEngine"]),
                    module("FilesinkiReconcile", ["FilesinkiModel", "FilesinkiRemote"]),
                    module("FilesinkiRemote", ["FilesinkiModel"]),
                    module(
                        "FilesinkiManifest",
                        ["FilesinkiModel", "CSQLite", .product(name: "Logging", package: "swift-log")],
                        resources: [.embedInCode("SQL")]),
                    module("FilesinkiEngine", ["FilesinkiTesting", "FilesinkiDirectory"]),
                    module("FilesinkiNew", []),
                    module("FilesinkiTesting", ["FilesinkiEngine"]),
                    tests("FilesinkiModelTests", ["FilesinkiModel", "FilesinkiTesting"]),
                ])
            """)

    func file(_ target: String, _ text: String, _ name: String = "A.swift") -> SourceFile {
        SourceFile(target: target, path: "Sources/\(target)/\(name)", text: text)
    }

    @Test func `reads names, dependencies and kinds from a manifest`() {
        #expect(
            manifest.targets.map(\.name) == [
                "CSQLite", "CKernel", "FilesinkiModel", "FilesinkiReconcile", "FilesinkiRemote",
                "FilesinkiManifest", "FilesinkiEngine", "FilesinkiNew", "FilesinkiTesting",
                "FilesinkiModelTests",
            ])
        #expect(
            manifest["FilesinkiManifest"]?.dependencies == ["FilesinkiModel", "CSQLite", "Logging"])
        #expect(manifest["CSQLite"]?.dependencies == [])
        #expect(manifest.targets.filter(\.isTest).map(\.name) == ["FilesinkiModelTests"])
    }

    @Test(
        "finds an import in every form",
        arguments: [
            "import X", "package import X", "internal import X", "@testable import X", "  import X",
            "@_exported public import struct X.Y", "import func X.y",
        ])
    func imports(_ line: String) {
        #expect(file("FilesinkiModel", "// import Z\n\(line)\nlet important = 1").imports == ["X"])
    }

    @Test func `finds an import that is not declared`() {
        let files = [
            file(
                "FilesinkiRemote", "import FilesinkiModel\nimport Glibc\nimport FilesinkiReconcile"),
            file("FilesinkiModelTests", "import Testing\nimport Foundation\nimport CSQLite"),
            file("FilesinkiRemote", "import Testing"), file("FilesinkiUnknown", "import Logging"),
        ]
        #expect(
            LayeringRules.undeclaredImports(files, manifest) == [
                "Sources/FilesinkiRemote/A.swift imports FilesinkiReconcile, "
                    + "which FilesinkiRemote does not declare.",
                "Sources/FilesinkiModelTests/A.swift imports CSQLite, "
                    + "which FilesinkiModelTests does not declare.",
                "Sources/FilesinkiRemote/A.swift imports Testing, "
                    + "which FilesinkiRemote does not declare.",
                "Sources/FilesinkiUnknown/A.swift imports Logging, "
                    + "which FilesinkiUnknown does not declare.",
            ])
    }

    @Test func `finds dependencies that point up or sideways, and modules without a layer`() {
        #expect(
            LayeringRules.upwardArrows(manifest) == [
                "FilesinkiModel must not know FilesinkiEngine.",
                "FilesinkiReconcile must not know FilesinkiRemote.",
                "FilesinkiEngine must not know FilesinkiDirectory.",
                "FilesinkiNew has no place among the layers.",
            ])
    }

    @Test func `finds a use of a system library outside of the module that wraps it`() {
        let manifest = PackageManifest(
            parsing: """
                let targets = [
                    module("FilesinkiHashing", ["CCrypto"]),
                    module("FilesinkiS3", ["CCrypto", "CExpat", "CSQLite"]),
                ]
                """)
        #expect(
            LayeringRules.borrowedLibraries(manifest) == [
                "FilesinkiS3 must not use CCrypto.", "FilesinkiS3 must not use CExpat.",
                "FilesinkiS3 must not use CSQLite.",
            ])
    }

    @Test func `finds testing tools in the product`() {
        #expect(
            LayeringRules.productsWithTools(manifest)
                == ["FilesinkiEngine depends on FilesinkiTesting, which is for tests only."])
    }

    @Test func `finds Foundation in the product, but not in generated code`() {
        let files = [
            file("A", "import Foundation"), file("B", "internal import FoundationEssentials"),
            file("C", "import Foundation", "x.pb.swift"), file("D", "import Glibc"),
        ]
        #expect(
            LayeringRules.foundationInProducts(files)
                == [
                    "Sources/A/A.swift imports Foundation.",
                    "Sources/B/A.swift imports Foundation.",
                ])
    }

    @Test func `finds engine types in a library's API`() {
        let files = [
            file("FileSinki", "public import FilesinkiModel\n  import FilesinkiEngine"),
            file("FileSinkiKeyValue", "@_exported import struct FilesinkiRules.Rule"),
            file("FileSinkiKeyValue", "package import FilesinkiModel\npublic import Foundation"),
            file("FilesinkiHTTP", "public import FilesinkiModel"),
        ]
        #expect(
            LayeringRules.engineInPublic(files) == [
                "Sources/FileSinki/A.swift shows FilesinkiModel to its users.",
                "Sources/FileSinkiKeyValue/A.swift shows FilesinkiRules to its users.",
            ])
    }

    @Test(
        "H1 finds a second system layer, in code only",
        arguments: [
            ("FilesinkiEngine", "guard fsync(file) == 0 else { return }", 1),
            ("FilesinkiSystem", "guard fsync(file) == 0 else { return }", 0),
            ("FilesinkiTesting", "let stream = opendir(path)", 0),
            ("FilesinkiStore", "// fsync( is not called here", 0),
            ("FilesinkiServer", "let text = String(cString: strerror(number))", 1),
            ("FilesinkiMerge", "code = number == ENOSPC ? .full : .io", 1),
            ("FilesinkiLiveDatabase", "var lock = flock()", 0),
            ("FilesinkiDirectory", "flock(file, LOCK_EX)", 1),
        ])
    func system(_ target: String, _ line: String, findings: Int) {
        #expect(LayeringRules.secondSystemLayers([file(target, line)]).count == findings)
    }

    @Test(
        "H1 finds a second back-off",
        arguments: [
            ("pause = min(pause * 2, longest)", 1), ("pause *= 2", 1),
            ("length = min(length * 2, Jobs.pauses.upperBound)", 1),
            ("let longest = first * (1 << min(failures, 6))", 1),
            ("let pause = backoff.next()", 0), ("total *= 2", 0),
        ])
    func backoff(_ line: String, findings: Int) {
        #expect(LayeringRules.secondBackoffs([file("FilesinkiEngine", line)]).count == findings)
    }

    @Test(
        "H2 finds a second wrapper of SQLite, in code only",
        arguments: [
            ("FilesinkiMerge", "let code = sqlite3_step(handle)", 1),
            ("FilesinkiManifest", "internal import CSQLite", 1),
            ("FilesinkiSQLite", "let code = sqlite3_step(handle)", 0),
            ("FilesinkiTesting", "let code = sqlite3_step(handle)", 0),
            ("FilesinkiKeyValue", "// sqlite3_step is not called here", 0),
            ("FilesinkiMerge", "\"SELECT name FROM sqlite_schema\"", 0),
        ])
    func sqlite(_ target: String, _ line: String, findings: Int) {
        #expect(LayeringRules.secondSQLiteWrappers([file(target, line)]).count == findings)
    }

    @Test(
        "H1 finds a second text codec, in code only",
        arguments: [
            ("FilesinkiS3", "return Int64(timegm(&parts))", 1),
            ("FilesinkiText", "return Int64(timegm(&parts))", 0),
            ("FilesinkiS3", #"case "u": codePoint()"#, 1),
            ("FilesinkiHTTP", #"case UInt8(ascii: "u"): codePoint()"#, 1),
            ("FilesinkiServer", #"result += "\\u" + digits"#, 1),
            ("FilesinkiServer", "held = held << 6 | UInt32(value)", 1),
            ("FilesinkiS3", #"result.append(UInt8(ascii: "%"))"#, 1),
            ("FilesinkiServer", "// timegm(&parts)", 0),
            ("FilesinkiServer", #"case "up": 1"#, 0),
        ])
    func text(_ target: String, _ line: String, findings: Int) {
        #expect(LayeringRules.secondTextCodecs([file(target, line)]).count == findings)
    }

    @Test("finds a file that is too long", arguments: [(400, 0), (401, 1)])
    func length(_ lines: Int, findings: Int) {
        let text = String(repeating: "let a = 1\n", count: lines)
        #expect(LayeringRules.longFiles([file("A", text)]).count == findings)
        #expect(LayeringRules.longFiles([file("A", text, "x.pb.swift")]).isEmpty)
    }

    @Test(
        "finds code that may end the process, in code only",
        arguments: [
            ("let a = try! f()", 1), ("let a = b as! C", 1), ("fatalError(\"x\")", 1),
            ("// never try! anything", 0), ("let a = try f() // TO" + "DO", 1),
            ("let a = b as? C", 0),
            ("/// FIX" + "ME: later", 1),
        ])
    func words(_ line: String, findings: Int) {
        #expect(LayeringRules.bannedWords([file("A", "\n" + line)]).count == findings)
    }

    @Test func `finds log code in the kinds of items`() {
        let text = "let log = try CommitLog(remote)\n// A CommitLog.\nzone.fetch()"
        #expect(LayeringRules.logCode([file("FilesinkiKeyValue", text)]).count == 1)
        #expect(LayeringRules.logCode([file("FilesinkiEngine", text, "Sync/A.swift")]).count == 1)
        #expect(LayeringRules.logCode([file("FilesinkiEngine", text, "History/A.swift")]).isEmpty)
        let other = file("FilesinkiScores", text + "\nfinal class A: ZoneMemory {", "A.swift")
        #expect(LayeringRules.logCode([other]).count == 1)
    }

    @Test func `H4 finds an extension of the replica outside of its folder`() {
        let slice = file("FilesinkiEngine", "extension Replica {\n}", "Sync/A.swift")
        #expect(LayeringRules.replicaSlices([slice]).count == 1)
        let own = file("FilesinkiEngine", "extension Replica {\n}", "Replica/A.swift")
        #expect(LayeringRules.replicaSlices([own]).isEmpty)
        let long = file(
            "FilesinkiEngine", String(repeating: "\n", count: 301), "Replica/Replica.swift")
        #expect(LayeringRules.replicaSlices([long]).count == 1)
    }
}
