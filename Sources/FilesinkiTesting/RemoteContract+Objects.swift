import FilesinkiRemote

extension RemoteContract {
    /// What `get` and `put` promise.
    static let reading = [
        RemoteContract("what was put is read back whole") { subject in
            for size in [0, 1, 255, 65_536, 1_000_001] {
                let content = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
                try await subject.remote.put(content, to: key("other/\(size)"))
                let found = try await subject.remote.get(key("other/\(size)"), range: nil)
                try demand(found == content, is: true, "equality of \(size) bytes")
            }
        },
        RemoteContract("a range is held to the object's end") { subject in
            try await subject.remote.put(bytes("0123456789"), to: key("other/00/a"))
            let cases: [(Range<Int64>, String)] = [
                (0..<10, "0123456789"), (0..<1, "0"), (3..<7, "3456"), (8..<99, "89"), (4..<4, ""),
                (10..<12, ""), (50..<60, ""), (0..<Int64.max, "0123456789"),
            ]
            for (range, wanted) in cases {
                let found = try await subject.remote.get(key("other/00/a"), range: range)
                try demand(found, is: bytes(wanted), "\(range)")
            }
        },
        RemoteContract("an absent key reads as nil, wherever it is") { subject in
            try await subject.remote.put(bytes("x"), to: key("a/b"))
            for absent in ["b", "a", "a/c", "a/b/c", "c/d/e", "zones/main/log/1/c"] {
                try demand(
                    try await subject.remote.get(key(absent), range: nil), is: nil, absent)
                try demand(
                    try await subject.remote.get(key(absent), range: 2..<5), is: nil, absent)
            }
        },
        RemoteContract("putting twice is harmless") { subject in
            for _ in 0..<2 { try await subject.remote.put(bytes("same"), to: key("other/00/a")) }
            let found = try await subject.remote.get(key("other/00/a"), range: nil)
            try demand(found, is: bytes("same"), "the object")
        },
        RemoteContract("16 may put one object at once") { subject in
            let content = [UInt8](repeating: 7, count: 100_000)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<16 {
                    group.addTask {
                        try await subject.connection(number).put(content, to: key("other/00/a"))
                        let found = try await subject.connection(number + 1).get(
                            key("other/00/a"), range: nil)
                        try demand(found == content, is: true, "equality after put")
                    }
                }
                try await group.waitForAll()
            }
        },
    ]

    /// What `delete` promises.
    static let deleting = [
        RemoteContract("delete of a missing key succeeds") { subject in
            try await subject.remote.delete(key("other/00/a"))
            try await subject.remote.put(bytes("x"), to: key("other/00/a"))
            for _ in 0..<2 { try await subject.remote.delete(key("other/00/a")) }
            let found = try await subject.remote.get(key("other/00/a"), range: nil)
            try demand(found, is: nil, "a deleted object")
        },
        RemoteContract("delete takes no other object with it") { subject in
            for name in ["a", "a-b", "a.b", "ab", "b/c"] {
                try await subject.remote.put(bytes(name), to: key("other/\(name)"))
            }
            for name in ["other/a", "other", "other/b"] {
                try await subject.remote.delete(key(name))
            }
            let left = try await subject.remote.list(prefix: "", after: nil, limit: 10)
            try demand(
                left.map(\.key.description),
                is: ["other/a-b", "other/a.b", "other/ab", "other/b/c"],
                "the list")
        },
        RemoteContract("a key can be put again after its deletion, and beside it") { subject in
            for round in 0..<20 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await subject.connection(0).delete(key("other/00/a")) }
                    group.addTask {
                        try await subject.connection(1).put([1], to: key("other/00/b"))
                    }
                    group.addTask {
                        _ = try await subject.connection(2).publish(
                            [2], to: key("other/01/\(round)/c"))
                    }
                    try await group.waitForAll()
                }
                let found = try await subject.remote.get(key("other/00/b"), range: nil)
                try demand(found, is: [1], "the object beside")
                for left in ["other/00/b", "other/01/\(round)/c"] {
                    try await subject.remote.delete(key(left))
                }
            }
        },
    ]

    /// What `wait` promises.
    static let waiting = [
        RemoteContract("wait ends when its time is over") { subject in
            for prefix in ["", "zones/main/log/", "nowhere/at/all"] {
                try await subject.remote.wait(prefix: prefix, timeout: .milliseconds(5))
                try await subject.remote.wait(prefix: prefix, timeout: .zero)
            }
        },
        RemoteContract("what comes between two waits ends the second") { subject in
            let prefix = "zones/main/log/"
            try await subject.remote.wait(prefix: prefix, timeout: .zero)
            _ = try await subject.connection(2).publish([1], to: key(prefix + "0001/c"))
            // The time limit of the test run is the judge, where time passes.
            try await subject.remote.wait(prefix: prefix, timeout: .seconds(86_400))
        },
        RemoteContract("wait ends when its task is cancelled") { subject in
            let task = Task {
                try await subject.remote.wait(prefix: "zones/", timeout: .seconds(600))
            }
            task.cancel()
            // The time limit of the test run is the judge.
            _ = await task.result
        },
    ]
}
