package import FilesinkiModel

extension FaultyRemote {
    /// What a remote is asked for.
    package enum Verb: String, Hashable, Sendable, CaseIterable {
        case get, publish, put, list, delete, wait
    }

    /// One way to fail.
    package enum Fault: Hashable, Sendable {
        /// Nothing happens at the remote, not even in part: a torn write is never visible.
        case before(Failure.Code)
        /// It happens at the remote, and the answer is lost.
        case after(Failure.Code)
        /// This and the following requests, so many in all, do not reach the remote.
        case away(requests: Int)
        /// A list leaves out this many of the objects written last; of other verbs, no fault.
        case stale(Int)
    }

    /// A fault that happens once, at a certain request.
    package struct Script: Hashable, Sendable {
        package var fault: Fault
        /// Nil for every verb.
        package var verb: Verb?
        /// What the key, or the prefix of a list, begins with.
        package var prefix: String
        /// How many such requests go well before.
        package var skip: Int

        package init(_ fault: Fault, verb: Verb? = nil, prefix: String = "", skip: Int = 0) {
            self.fault = fault
            self.verb = verb
            self.prefix = prefix
            self.skip = skip
        }

        func matches(_ verb: Verb, _ key: String) -> Bool {
            (self.verb ?? verb) == verb && key.hasPrefix(prefix)
        }
    }

    /// The chance of each fault at each request, 0 to 1.
    package struct Rates: Hashable, Sendable {
        package var before: Double
        package var after: Double
        package var away: Double
        package var stale: Double

        package init(before: Double = 0, after: Double = 0, away: Double = 0, stale: Double = 0) {
            self.before = before
            self.after = after
            self.away = away
            self.stale = stale
        }
    }

    /// One request, and what became of it.
    package struct Event: Hashable, Sendable, CustomStringConvertible {
        /// From 1 on.
        package var number: Int
        package var verb: Verb
        package var key: String
        package var fault: Fault?

        package var description: String {
            "\(number) \(verb.rawValue) \(key)" + (fault.map { ": \($0)" } ?? "")
        }
    }
}
