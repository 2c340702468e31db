// swift-tools-version: 6.2
import PackageDescription

/// Every target of ours is built with the same strictness: warnings are errors, existentials are
/// spelled `any`, and an import is internal unless it says otherwise.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    .enableUpcomingFeature("ExistentialAny"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    .enableUpcomingFeature("InternalImportsByDefault"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A module of the product. The list of its dependencies is the architecture; `LayeringTests` and
/// the build's `--explicit-target-dependency-import-check error` hold it.
func module(
    _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [],
    resources: [Resource]? = nil
) -> Target {
    .target(
        name: name, dependencies: dependencies, exclude: exclude, resources: resources,
        swiftSettings: strict)
}

/// The tests of one module, in a folder that mirrors it.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

let package = Package(
    name: "filesinki",
    products: [
        .executable(name: "filesinki", targets: ["filesinki-cli"])
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
    ],
    targets: [
        // The system's libraries.
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CLZMA", pkgConfig: "liblzma", providers: [.apt(["liblzma-dev"])]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .target(name: "CSystem"),

        // The words, which import nothing.
        module("FilesinkiModel"),

        // What each knows one thing and no other.
        module(
            "FilesinkiHashing",
            ["FilesinkiModel", .product(name: "Crypto", package: "swift-crypto")]),
        module("FilesinkiCompression", ["FilesinkiModel", "CLZMA", "CZstd"]),
        module("FilesinkiReconcile", ["FilesinkiModel"]),
        module("FilesinkiMerge", ["FilesinkiModel", "CSQLite"]),
        module("FilesinkiRules", ["FilesinkiModel", "FilesinkiReconcile", "FilesinkiMerge"]),
        module("FilesinkiFileSystem", ["FilesinkiModel", "FilesinkiHashing", "CSystem"]),
        module("FilesinkiLiveDatabase", ["FilesinkiModel", "CSQLite"]),
        module(
            "FilesinkiManifest", ["FilesinkiModel", "CSQLite"], resources: [.embedInCode("SQL")]),
        module("FilesinkiRemote", ["FilesinkiModel"]),
        module(
            "FilesinkiStore",
            [
                "FilesinkiModel", "FilesinkiHashing", "FilesinkiCompression", "FilesinkiRemote",
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ],
            // The schema of Generated/store.pb.swift.
            exclude: ["Schema"]),

        // Where replicas meet.
        module("FilesinkiDirectory", ["FilesinkiModel", "FilesinkiRemote", "CSystem"]),

        // The only one who both decides and acts.
        module(
            "FilesinkiEngine",
            [
                "FilesinkiModel", "FilesinkiHashing", "FilesinkiCompression", "FilesinkiReconcile",
                "FilesinkiMerge", "FilesinkiRules", "FilesinkiFileSystem", "FilesinkiLiveDatabase",
                "FilesinkiManifest", "FilesinkiRemote", "FilesinkiStore",
            ]),

        // The command line.
        module(
            "FilesinkiCommands",
            [
                "FilesinkiModel", "FilesinkiEngine", "FilesinkiDirectory", "FilesinkiRemote",
                "FilesinkiCompression", "FilesinkiMerge", "FilesinkiReconcile", "FilesinkiRules",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .executableTarget(
            name: "filesinki-cli", dependencies: ["CSystem", "FilesinkiCommands"],
            swiftSettings: strict),

        // Helpers of the tests; nothing in the product imports it.
        module(
            "FilesinkiTesting",
            [
                "FilesinkiModel", "FilesinkiHashing", "FilesinkiRemote", "FilesinkiReconcile",
                "FilesinkiRules", "FilesinkiFileSystem", "FilesinkiEngine", "FilesinkiStore",
                "FilesinkiManifest",
            ]),

        // tests: one target for each module, in alphabetical order.
        tests("EndToEndTests", []),
        tests(
            "FilesinkiCommandsTests",
            [
                "FilesinkiCommands", "FilesinkiCompression", "FilesinkiDirectory",
                "FilesinkiEngine", "FilesinkiModel", "FilesinkiReconcile", "FilesinkiRemote",
                "FilesinkiRules", "FilesinkiTesting",
            ]),
        tests("FilesinkiCompressionTests", ["FilesinkiCompression", "FilesinkiModel"]),
        tests(
            "FilesinkiDirectoryTests",
            [
                "FilesinkiDirectory", "FilesinkiModel", "FilesinkiRemote", "FilesinkiTesting",
            ]),
        tests(
            "FilesinkiEngineTests",
            [
                "CSQLite", "FilesinkiCompression", "FilesinkiDirectory", "FilesinkiEngine",
                "FilesinkiFileSystem", "FilesinkiHashing", "FilesinkiManifest", "FilesinkiModel",
                "FilesinkiReconcile", "FilesinkiRemote", "FilesinkiRules", "FilesinkiStore",
                "FilesinkiTesting",
            ]),
        tests(
            "FilesinkiFileSystemTests",
            [
                "FilesinkiFileSystem", "FilesinkiHashing", "FilesinkiModel",
            ]),
        tests(
            "FilesinkiLiveDatabaseTests", ["CSQLite", "FilesinkiLiveDatabase", "FilesinkiModel"]),
        tests("FilesinkiManifestTests", ["FilesinkiManifest", "FilesinkiModel"]),
        tests("FilesinkiMergeTests", ["CSQLite", "FilesinkiMerge", "FilesinkiModel"]),
        tests("FilesinkiModelTests", ["FilesinkiModel"]),
        tests("FilesinkiReconcileTests", ["FilesinkiModel", "FilesinkiReconcile"]),
        tests("FilesinkiRemoteTests", ["FilesinkiModel", "FilesinkiRemote", "FilesinkiTesting"]),
        tests("FilesinkiRulesTests", ["FilesinkiModel", "FilesinkiReconcile", "FilesinkiRules"]),
        tests(
            "FilesinkiStoreTests",
            [
                "FilesinkiCompression", "FilesinkiDirectory", "FilesinkiHashing", "FilesinkiModel",
                "FilesinkiRemote", "FilesinkiStore", "FilesinkiTesting",
            ]),
        tests("LayeringTests", []),
        tests(
            "SimulationTests",
            [
                "FilesinkiEngine", "FilesinkiModel", "FilesinkiRemote", "FilesinkiTesting",
            ]),
    ],
    swiftLanguageModes: [.v6]
)
