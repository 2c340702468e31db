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

/// Asynchronous functions run on the actor that calls them: the parts of the engine, and the store below
/// it, belong to the replica's actor.
let onCallersActor: [SwiftSetting] = [
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
    .enableUpcomingFeature("NonisolatedNonsendingByDefault")
]

/// A module of the product. The list of its dependencies is the architecture; `LayeringTests` and
/// the build's `--explicit-target-dependency-import-check error` hold it.
func module(
    _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [],
    resources: [Resource]? = nil, settings: [SwiftSetting] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, exclude: exclude, resources: resources,
        swiftSettings: strict + settings)
}

/// A small program that uses the library as a program of its user's does.
func example(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Examples/\(name)", swiftSettings: strict)
}

/// The tests of one module, in a folder that mirrors it.
func tests(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

let package = Package(
    name: "filesinki",
    products: [
        .executable(name: "filesinki", targets: ["filesinki-cli"]),
        .executable(name: "filesinki-net", targets: ["filesinki-net"]),
        .library(name: "FileSinki", targets: ["FileSinki"]),
        // `make library` installs it as libfilesinki.so; the name of the product is taken.
        .library(name: "filesinki-c", type: .dynamic, targets: ["FileSinkiC"]),
        .library(name: "FileSinkiKeyValue", targets: ["FileSinkiKeyValue"]),
        .library(name: "FileSinkiRecords", targets: ["FileSinkiRecords"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0", traits: []),
        // Only filesinki-net carries what follows.
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.30.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(
            url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // The system's libraries.
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CLZMA", pkgConfig: "liblzma", providers: [.apt(["liblzma-dev"])]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CCrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .target(name: "CKernel"),

        // The version, which a release build takes from git: see Docs/Decisions/0520-versions.md.
        .target(name: "CVersion"),

        // The words, which import nothing.
        module("FilesinkiModel"),

        // The one layer over the operating system.
        module("FilesinkiSystem", ["FilesinkiModel", "CKernel"]),

        // Text and values: JSON, TOML, dates, base 64, percent coding.
        module("FilesinkiText", ["FilesinkiModel"]),
        module("FilesinkiXML", ["FilesinkiModel", "CExpat"]),

        // JSON-RPC over streams, whatever the methods are.
        module("FilesinkiRPC", ["FilesinkiModel", "FilesinkiText", "FilesinkiSystem"]),

        // What each knows one thing and no other.
        module("FilesinkiHashing", ["FilesinkiModel", "CCrypto"]),
        module("FilesinkiCompression", ["FilesinkiModel", "CLZMA", "CZlib", "CZstd"]),
        module("FilesinkiReconcile", ["FilesinkiModel"]),
        module(
            "FilesinkiSQLite", ["FilesinkiModel", "FilesinkiText", "FilesinkiSystem", "CSQLite"]),
        module(
            "FilesinkiMerge",
            [
                "FilesinkiModel", "FilesinkiText", "FilesinkiXML", "FilesinkiSystem",
                "FilesinkiSQLite", "FilesinkiCompression",
            ]),
        module(
            "FilesinkiRules",
            ["FilesinkiModel", "FilesinkiReconcile", "FilesinkiMerge", "FilesinkiText"]),
        module(
            "FilesinkiFileSystem",
            ["FilesinkiModel", "FilesinkiText", "FilesinkiSystem", "FilesinkiHashing", "CKernel"]),
        module("FilesinkiWatch", ["FilesinkiModel", "FilesinkiSystem", "CKernel"]),
        module(
            "FilesinkiLiveDatabase",
            ["FilesinkiModel", "FilesinkiSystem", "FilesinkiHashing", "FilesinkiSQLite"]),
        module(
            "FilesinkiManifest", ["FilesinkiModel", "FilesinkiSystem", "FilesinkiSQLite"],
            resources: [.embedInCode("SQL")]),
        module("FilesinkiRemote", ["FilesinkiModel", "FilesinkiText", "FilesinkiSystem"]),
        module(
            "FilesinkiEncryption",
            [
                "FilesinkiModel", "FilesinkiSystem", "FilesinkiHashing", "FilesinkiRemote",
                "CCrypto",
            ]),
        module(
            "FilesinkiStore",
            [
                "FilesinkiModel", "FilesinkiSystem", "FilesinkiHashing", "FilesinkiCompression",
                "FilesinkiRemote",
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ],
            // The schema of Generated/store.pb.swift.
            exclude: ["Schema"], settings: onCallersActor),

        // Where replicas meet.
        module(
            "FilesinkiDirectory",
            ["FilesinkiModel", "FilesinkiSystem", "FilesinkiRemote", "CKernel"]),

        // Where replicas meet over ssh: a folder of another machine.
        module(
            "FilesinkiSSH",
            [
                "FilesinkiModel", "FilesinkiText", "FilesinkiSystem", "FilesinkiRemote",
                "FilesinkiHTTP", "FilesinkiProtocol", "FilesinkiServerRemote",
            ]),

        // Where replicas meet over a network.
        // Requests and replies, without a network.
        module("FilesinkiHTTP", ["FilesinkiModel", "FilesinkiText", "FilesinkiRemote"]),
        module(
            "FilesinkiHTTPClient",
            [
                "FilesinkiModel", "FilesinkiSystem", "FilesinkiHashing", "FilesinkiRemote",
                "FilesinkiHTTP",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        module(
            "FilesinkiWebDAV",
            [
                "FilesinkiModel", "FilesinkiText", "FilesinkiSystem", "FilesinkiHashing",
                "FilesinkiRemote",
                "FilesinkiHTTP", "FilesinkiXML",
            ]),
        module(
            "FilesinkiS3",
            [
                "FilesinkiModel", "FilesinkiText", "FilesinkiSystem", "FilesinkiHashing",
                "FilesinkiRemote",
                "FilesinkiHTTP", "FilesinkiXML",
            ]),
        // What the own server and its client say to each other.
        module(
            "FilesinkiProtocol",
            ["FilesinkiModel", "FilesinkiText", "FilesinkiSystem", "FilesinkiRemote"]),
        module(
            "FilesinkiServerRemote",
            [
                "FilesinkiModel", "FilesinkiSystem", "FilesinkiHashing", "FilesinkiRemote",
                "FilesinkiHTTP", "FilesinkiProtocol",
            ]),
        module(
            "FilesinkiServer",
            [
                "FilesinkiModel", "FilesinkiText", "FilesinkiSystem", "FilesinkiHashing",
                "FilesinkiRemote",
                "FilesinkiDirectory", "FilesinkiProtocol", "CCrypto",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            // The files of the page of `ui`.
            resources: [.embedInCode("Resources")]),

        // Addresses and credentials, and the remotes that they lead to.
        module(
            "FilesinkiNetwork",
            [
                "FilesinkiModel", "FilesinkiSystem", "FilesinkiRemote", "FilesinkiText",
                "FilesinkiHashing", "FilesinkiDirectory", "FilesinkiHTTP", "FilesinkiHTTPClient",
                "FilesinkiServerRemote", "FilesinkiWebDAV", "FilesinkiS3", "FilesinkiSSH",
                "CKernel",
            ]),

        // The only one who both decides and acts.
        module(
            "FilesinkiEngine",
            [
                "FilesinkiModel", "FilesinkiHashing", "FilesinkiCompression", "FilesinkiReconcile",
                "FilesinkiMerge", "FilesinkiRules", "FilesinkiFileSystem", "FilesinkiLiveDatabase",
                "FilesinkiManifest", "FilesinkiSystem", "FilesinkiRemote", "FilesinkiEncryption",
                "FilesinkiRecords", "FilesinkiStore", "FilesinkiText", "FilesinkiWatch",
            ],
            settings: onCallersActor),

        // The library.
        module(
            "FileSinki",
            [
                "FilesinkiModel", "FilesinkiEngine", "FilesinkiCompression", "FilesinkiDirectory",
                "FilesinkiNetwork", "FilesinkiSystem", "FilesinkiReconcile", "FilesinkiRemote",
                "FilesinkiRules",
            ]),

        // A store as pages show it: its log by path, by commit and by day.
        module(
            "FilesinkiStoreIndex",
            [
                "FilesinkiModel", "FilesinkiText", "FilesinkiSystem", "FilesinkiHashing",
                "FilesinkiSQLite", "FilesinkiRemote", "FilesinkiStore", "FilesinkiEngine",
            ], resources: [.embedInCode("SQL")], settings: onCallersActor),

        // The library's window for C: the header, and the functions that it declares.
        .target(name: "CFileSinki"),
        module(
            "FileSinkiC",
            [
                "CFileSinki", "FileSinki", "FilesinkiCommands", "FilesinkiModel",
                "FilesinkiNetwork", "FilesinkiSystem",
            ]),

        // Small programs that use the library; `ExampleTests` runs them.
        example("ExampleSaveGame", ["FileSinki"]),
        example("ExampleTrophies", ["FileSinki"]),
        example("ExampleBinaryMerge", ["FileSinki"]),
        example("ExampleObserver", ["FileSinki"]),
        example("ExampleRecords", ["FileSinkiRecords"]),

        // Zones of small items beside the files: what every kind of item has in common.
        module(
            "FilesinkiItems",
            [
                "FilesinkiModel", "FilesinkiText", "FilesinkiHashing", "FilesinkiSystem",
                "FilesinkiRemote", "FilesinkiEncryption", "FilesinkiSQLite", "FilesinkiStore",
                "FilesinkiWatch",
            ], resources: [.embedInCode("SQL")]),

        // A second window onto the same store: keys and values.
        module(
            "FilesinkiKeyValue",
            [
                "FilesinkiModel", "FilesinkiText", "FilesinkiSystem", "FilesinkiSQLite",
                "FilesinkiStore", "FilesinkiItems",
            ]),

        // Records: typed fields under names, their merge and queries, as pure functions.
        module("FilesinkiRecords", ["FilesinkiModel", "FilesinkiText"]),

        // Zones of records: what is on this device, saves, queries, the exchange.
        module(
            "FilesinkiRecordZones",
            [
                "FilesinkiModel", "FilesinkiText", "FilesinkiHashing", "FilesinkiSystem",
                "FilesinkiSQLite", "FilesinkiItems", "FilesinkiRecords",
            ], resources: [.embedInCode("SQL")]),

        // What the libraries of items share: how a program opens a replica.
        module(
            "FilesinkiLibrary",
            [
                "FilesinkiModel", "FilesinkiSystem", "FilesinkiRemote", "FilesinkiEngine",
                "FilesinkiItems", "FilesinkiNetwork",
            ]),

        // The library's key-value store.
        module(
            "FileSinkiKeyValue",
            [
                "FilesinkiModel", "FilesinkiItems", "FilesinkiKeyValue", "FilesinkiLibrary",
                "FilesinkiSystem",
            ]),

        // The library's records.
        module(
            "FileSinkiRecords",
            [
                "FilesinkiModel", "FilesinkiItems", "FilesinkiRecords", "FilesinkiRecordZones",
                "FilesinkiLibrary", "FilesinkiSystem",
            ]),

        // The command line.
        module(
            "FilesinkiCommands",
            [
                "FilesinkiModel", "FilesinkiText", "FilesinkiEngine", "FilesinkiDirectory",
                "FilesinkiHashing", "FilesinkiItems", "FilesinkiKeyValue", "FilesinkiRecords",
                "FilesinkiRecordZones", "FilesinkiRPC", "FilesinkiSSH",
                "FilesinkiRemote", "FilesinkiEncryption",
                "FilesinkiCompression", "FilesinkiMerge", "FilesinkiSystem", "FilesinkiReconcile",
                "FilesinkiRules", "FilesinkiWatch", "CVersion",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .executableTarget(
            name: "filesinki-cli", dependencies: ["CKernel", "FilesinkiCommands"],
            swiftSettings: strict),
        // The same commands with the network: `filesinki` becomes it when an address needs one.
        .executableTarget(
            name: "filesinki-net",
            dependencies: [
                "CKernel", "FilesinkiCommands", "FilesinkiDirectory", "FilesinkiModel",
                "FilesinkiNetwork", "FilesinkiServer", "FilesinkiStoreIndex", "FilesinkiSystem",
            ], swiftSettings: strict),

        // Helpers of the tests; nothing in the product imports it.
        module(
            "FilesinkiTesting",
            [
                "FilesinkiModel", "FilesinkiHashing", "FilesinkiRemote", "FilesinkiReconcile",
                "FilesinkiRules", "FilesinkiDirectory", "FilesinkiFileSystem", "FilesinkiEngine",
                "FilesinkiStore", "FilesinkiManifest", "FilesinkiSystem", "FilesinkiHTTP",
                "CSQLite",
            ]),

        // tests: one target for each module, in alphabetical order.
        tests("EndToEndTests", ["FilesinkiSystem", "FilesinkiTesting"], exclude: ["Golden"]),
        tests(
            "FileSinkiTests",
            [
                "FileSinki", "FileSinkiKeyValue", "FilesinkiModel", "FilesinkiSystem",
                "FilesinkiServer", "FilesinkiTesting",
            ],
            // Programs that are not in Swift.
            exclude: ["C"]),
        tests("FileSinkiKeyValueTests", ["FileSinkiKeyValue", "FilesinkiTesting"]),
        tests(
            "FileSinkiRecordsTests", ["FileSinkiRecords", "FilesinkiModel", "FilesinkiTesting"]),
        tests(
            "FilesinkiCommandsTests",
            [
                "FilesinkiCommands", "FilesinkiCompression", "FilesinkiDirectory",
                "FilesinkiEngine", "FilesinkiHashing", "FilesinkiModel", "FilesinkiText",
                "FilesinkiReconcile",
                "FilesinkiRemote",
                "FilesinkiRules", "FilesinkiStore", "FilesinkiSystem", "FilesinkiTesting",
                "FilesinkiWatch",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            // Read where they are, and written there when somebody wants them anew.
            exclude: ["Golden"]),
        tests(
            "FilesinkiCompressionTests",
            ["FilesinkiCompression", "FilesinkiModel", "FilesinkiTesting"]),
        tests(
            "FilesinkiDirectoryTests",
            [
                "FilesinkiDirectory", "FilesinkiModel", "FilesinkiRemote", "FilesinkiTesting",
            ]),
        tests(
            "FilesinkiEncryptionTests",
            [
                "FilesinkiEncryption", "FilesinkiHashing", "FilesinkiModel", "FilesinkiRemote",
                "FilesinkiTesting",
            ]),
        tests(
            "FilesinkiEngineTests",
            [
                "FilesinkiCompression", "FilesinkiDirectory", "FilesinkiEncryption",
                "FilesinkiEngine",
                "FilesinkiFileSystem", "FilesinkiHashing", "FilesinkiItems", "FilesinkiManifest",
                "FilesinkiModel", "FilesinkiRecordZones", "FilesinkiRecords",
                "FilesinkiSystem", "FilesinkiMerge", "FilesinkiReconcile", "FilesinkiRemote",
                "FilesinkiRules", "FilesinkiStore", "FilesinkiTesting", "FilesinkiWatch",
            ]),
        tests(
            "FilesinkiFileSystemTests",
            [
                "CKernel", "FilesinkiFileSystem", "FilesinkiHashing", "FilesinkiModel",
                "FilesinkiSystem", "FilesinkiTesting",
            ]),
        tests(
            "FilesinkiHTTPClientTests",
            [
                "FilesinkiHTTP", "FilesinkiHTTPClient", "FilesinkiModel", "FilesinkiRemote",
                "FilesinkiTesting",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        tests("FilesinkiHTTPTests", ["FilesinkiHTTP", "FilesinkiModel"]),
        tests("FilesinkiHashingTests", ["FilesinkiHashing", "FilesinkiModel"]),
        tests(
            "FilesinkiItemsTests",
            [
                "FilesinkiHashing", "FilesinkiItems", "FilesinkiModel", "FilesinkiRemote",
                "FilesinkiSQLite", "FilesinkiStore", "FilesinkiSystem", "FilesinkiTesting",
            ]),
        tests(
            "FilesinkiKeyValueTests",
            [
                "FilesinkiHashing", "FilesinkiItems", "FilesinkiKeyValue", "FilesinkiModel",
                "FilesinkiText", "FilesinkiRemote", "FilesinkiSQLite", "FilesinkiStore",
                "FilesinkiTesting",
            ]),
        tests(
            "FilesinkiLiveDatabaseTests",
            ["FilesinkiLiveDatabase", "FilesinkiModel", "FilesinkiTesting"]),
        tests(
            "FilesinkiManifestTests",
            ["FilesinkiManifest", "FilesinkiModel", "FilesinkiSQLite", "FilesinkiTesting"]),
        tests(
            "FilesinkiMergeTests",
            [
                "CSQLite", "FilesinkiCompression", "FilesinkiMerge", "FilesinkiModel",
                "FilesinkiTesting", "FilesinkiText",
            ]),
        tests("FilesinkiModelTests", ["FilesinkiModel"]),
        tests(
            "FilesinkiNetworkTests",
            [
                "FilesinkiCommands", "FilesinkiDirectory", "FilesinkiEngine", "FilesinkiHTTP",
                "FilesinkiHTTPClient", "FilesinkiModel", "FilesinkiNetwork", "FilesinkiSystem",
                "FilesinkiRemote",
                "FilesinkiS3", "FilesinkiServer", "FilesinkiServerRemote", "FilesinkiStore",
                "FilesinkiTesting", "FilesinkiWebDAV",
            ]),
        tests(
            "FilesinkiStoreIndexTests",
            [
                "FilesinkiEngine", "FilesinkiHashing", "FilesinkiModel", "FilesinkiRemote",
                "FilesinkiStore", "FilesinkiStoreIndex", "FilesinkiTesting", "FilesinkiText",
            ]),
        tests(
            "FilesinkiSystemTests", ["FilesinkiModel", "FilesinkiSystem", "FilesinkiTesting"]),
        tests(
            "FilesinkiProtocolTests",
            ["FilesinkiModel", "FilesinkiProtocol", "FilesinkiRemote", "FilesinkiTesting"]),
        tests("FilesinkiReconcileTests", ["FilesinkiModel", "FilesinkiReconcile"]),
        tests(
            "FilesinkiRPCTests",
            ["FilesinkiModel", "FilesinkiRPC", "FilesinkiSystem", "FilesinkiTesting"]),
        tests(
            "FilesinkiRecordZonesTests",
            [
                "FilesinkiHashing", "FilesinkiItems", "FilesinkiModel", "FilesinkiRecords",
                "FilesinkiRecordZones", "FilesinkiRemote", "FilesinkiSQLite", "FilesinkiStore",
                "FilesinkiSystem", "FilesinkiTesting",
            ]),
        tests(
            "FilesinkiRecordsTests",
            ["FilesinkiModel", "FilesinkiRecords", "FilesinkiText", "FilesinkiTesting"]),
        tests("FilesinkiRemoteTests", ["FilesinkiModel", "FilesinkiRemote", "FilesinkiTesting"]),
        tests(
            "FilesinkiRulesTests",
            [
                "FilesinkiMerge", "FilesinkiModel", "FilesinkiReconcile", "FilesinkiRules",
                "FilesinkiTesting", "FilesinkiText",
            ]),
        tests(
            "FilesinkiS3Tests",
            [
                "FilesinkiHTTP", "FilesinkiHTTPClient", "FilesinkiModel", "FilesinkiText",
                "FilesinkiSystem",
                "FilesinkiRemote",
                "FilesinkiS3", "FilesinkiTesting",
            ],
            // A test runs it where it is.
            exclude: ["sign-with-botocore.py"]),
        tests(
            "FilesinkiSQLiteTests",
            ["FilesinkiModel", "FilesinkiSQLite", "FilesinkiSystem", "FilesinkiTesting"]),
        tests(
            "FilesinkiSSHTests",
            [
                "FilesinkiDirectory", "FilesinkiModel", "FilesinkiProtocol", "FilesinkiRemote",
                "FilesinkiSSH", "FilesinkiSystem", "FilesinkiTesting",
            ]),
        tests(
            "FilesinkiServerRemoteTests",
            [
                "FilesinkiDirectory", "FilesinkiHTTP", "FilesinkiHTTPClient", "FilesinkiModel",
                "FilesinkiSystem",
                "FilesinkiProtocol", "FilesinkiRemote", "FilesinkiServer", "FilesinkiServerRemote",
                "FilesinkiTesting",
            ]),
        tests(
            "FilesinkiServerTests",
            [
                "FilesinkiDirectory", "FilesinkiHashing", "FilesinkiModel", "FilesinkiText",
                "FilesinkiProtocol",
                "FilesinkiRemote", "FilesinkiServer", "FilesinkiStoreIndex", "FilesinkiSystem",
                "FilesinkiTesting",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        tests(
            "FilesinkiStoreTests",
            [
                "FilesinkiCompression", "FilesinkiDirectory", "FilesinkiHashing", "FilesinkiModel",
                "FilesinkiRemote", "FilesinkiStore", "FilesinkiTesting",
            ]),
        tests(
            "FilesinkiTextTests", ["FilesinkiModel", "FilesinkiText", "FilesinkiTesting"]),
        tests("FilesinkiWatchTests", ["FilesinkiModel", "FilesinkiTesting", "FilesinkiWatch"]),
        tests(
            "FilesinkiWebDAVTests",
            [
                "FilesinkiHTTP", "FilesinkiHTTPClient", "FilesinkiModel", "FilesinkiRemote",
                "FilesinkiTesting",
                "FilesinkiWebDAV",
            ]),
        tests("FilesinkiXMLTests", ["FilesinkiModel", "FilesinkiTesting", "FilesinkiXML"]),
        tests("LayeringTests", []),
        tests(
            "SimulationTests",
            [
                "FilesinkiEngine", "FilesinkiModel", "FilesinkiRemote", "FilesinkiTesting",
            ]),
    ],
    swiftLanguageModes: [.v6]
)
