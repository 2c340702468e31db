/// How far a search came on each of its diagonals.
struct FurthestReachingPaths {
    private var places: [Int]
    /// What is put in where diagonal 0 is.
    private let zero: Int
    /// What stands for a diagonal that was not reached: further back than any place.
    private let beyond: Int
    private var bounds = 0...0
    private(set) var middle = 0
    /// The outermost diagonals. Every second one between them is of the present round.
    private(set) var first = 0
    private(set) var last = 0

    init(oldCount: Int, newCount: Int, beyond: Int) {
        places = Array(repeating: beyond, count: oldCount + newCount + 5)
        zero = newCount + 2
        self.beyond = beyond
    }

    subscript(diagonal: Int) -> Int {
        get { places[zero + diagonal] }
        set { places[zero + diagonal] = newValue }
    }

    func holds(_ diagonal: Int) -> Bool {
        first <= diagonal && diagonal <= last
    }

    mutating func start(at place: Int, on diagonal: Int, within bounds: ClosedRange<Int>) {
        self.bounds = bounds
        middle = diagonal
        first = diagonal
        last = diagonal
        self[diagonal] = place
    }

    /// One diagonal more on each side; at the bounds one less, for only every second is of a round.
    mutating func grow() {
        if first > bounds.lowerBound {
            first -= 1
            self[first - 1] = beyond
        } else {
            first += 1
        }
        if last < bounds.upperBound {
            last += 1
            self[last + 1] = beyond
        } else {
            last -= 1
        }
    }
}
