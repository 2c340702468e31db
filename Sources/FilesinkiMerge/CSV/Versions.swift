/// One thing as it is in the base, here and there.
struct Versions<Value> {
    var base: Value
    var here: Value
    var there: Value

    var all: [Value] { [base, here, there] }

    func map<Result>(_ transform: (Value) -> Result) -> Versions<Result> {
        Versions<Result>(base: transform(base), here: transform(here), there: transform(there))
    }
}

extension Versions where Value: Equatable {
    /// The value of the side that changed it; nil if both did, to different ones.
    var settled: Value? {
        if here == there || there == base { return here }
        return here == base ? there : nil
    }
}
