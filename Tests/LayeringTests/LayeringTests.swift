import Testing

/// The package keeps the architecture.
@Suite struct LayeringTests {
    private static let read = Result { try SourceTree() }
    let tree: SourceTree

    init() throws { tree = try Self.read.get() }

    @Test func `the package manifest is read correctly`() {
        #expect(tree.sources.count > 50)
        #expect(tree.tests.contains { $0.path == "Tests/LayeringTests/LayeringTests.swift" })
        #expect(tree.manifest["FilesinkiReconcile"]?.dependencies == ["FilesinkiModel"])
        #expect(tree.manifest["FilesinkiModel"]?.dependencies == [])
        let folders = Set(tree.sources.map(\.target) + tree.tests.map(\.target))
        #expect(folders.filter { tree.manifest[$0] == nil } == [], "folders without a target")
    }

    @Test func `every import is declared in the manifest`() {
        #expect(LayeringRules.undeclaredImports(tree.sources, tree.manifest) == [])
        #expect(LayeringRules.undeclaredImports(tree.tests, tree.manifest) == [])
    }

    @Test func `dependencies only point down`() {
        #expect(LayeringRules.upwardArrows(tree.manifest) == [])
    }

    @Test func `system libraries are used only by the modules that wrap them`() {
        #expect(LayeringRules.libraries.keys.allSatisfy { tree.manifest[$0] != nil })
        #expect(LayeringRules.borrowedLibraries(tree.manifest) == [])
    }

    @Test func `no product module imports the testing tools`() {
        #expect(LayeringRules.productsWithTools(tree.manifest) == [])
    }

    @Test func `no product module imports Foundation`() {
        #expect(LayeringRules.foundationInProducts(tree.sources) == [])
    }

    @Test func `the public API of the libraries has no engine types`() {
        #expect(tree.sources.contains { $0.publicImports.contains("FoundationEssentials") })
        #expect(LayeringRules.engineInPublic(tree.sources) == [])
    }

    @Test func `H1 one error table, one durable replace, one listing, one lock, one offload`() {
        #expect(LayeringRules.secondSystemLayers(tree.sources) == [])
    }

    @Test func `H1 one back-off`() {
        #expect(LayeringRules.secondBackoffs(tree.sources) == [])
    }

    @Test func `H2 one wrapper of SQLite`() {
        #expect(tree.sources.contains { $0.imports.contains("CSQLite") })
        #expect(LayeringRules.secondSQLiteWrappers(tree.sources) == [])
    }

    @Test
    func `H1 one JSON reader, one JSON writer, one date codec, one base 64, one percent coder`() {
        #expect(LayeringRules.secondTextCodecs(tree.sources) == [])
    }

    @Test func `no file is longer than 400 lines`() {
        #expect(LayeringRules.longFiles(tree.sources + tree.tests) == [])
    }

    @Test func `files and keys write no log code`() {
        #expect(LayeringRules.logCode(tree.sources) == [])
    }

    @Test func `H4 the engine's parts are types of their own`() {
        #expect(LayeringRules.replicaSlices(tree.sources) == [])
    }

    @Test func `nothing ends the process, and no code is marked as unfinished`() {
        #expect(LayeringRules.bannedWords(tree.sources) == [])
    }
}
