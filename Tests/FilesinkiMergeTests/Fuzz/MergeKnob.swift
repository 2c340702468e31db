import Glibc
import Testing

/// A number that the environment may set for a longer run, or to repeat one.
enum MergeKnob: String {
    /// How many generated triples the oracle judges.
    case cases = "FILESINKI_MERGE_CASES"
    case seed = "FILESINKI_MERGE_SEED"
    case fuzzSeconds = "FILESINKI_FUZZ_SECONDS"
    case fuzzSeed = "FILESINKI_FUZZ_SEED"

    func value() throws -> Int? {
        guard let value = getenv(rawValue) else { return nil }
        let number: Int = try #require(
            Int(String(cString: value)), "\(rawValue) must be a number")
        return number
    }
}
