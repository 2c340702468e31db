/// The lines of base, here and there, and what each side changed.
struct ThreeTexts {
    let bytes: [UInt8]
    /// Where the first line of each number is in the bytes.
    let firsts: [Range<Int>]
    let base: LineClasses.Lines
    let here: LineClasses.Lines
    let there: LineClasses.Lines
    let hereChanges: [LineChange]
    let thereChanges: [LineChange]
    /// For differences between pieces of these texts.
    var diff: LineDiff

    init(base: [UInt8], here: [UInt8], there: [UInt8]) {
        let lines = LineClasses(of: [base, here, there])
        diff = LineDiff(classCount: lines.count)
        bytes = lines.bytes
        firsts = lines.firsts
        self.base = lines.texts[0]
        self.here = lines.texts[1]
        self.there = lines.texts[2]
        hereChanges = diff.changes(from: self.base.classes[...], to: self.here.classes[...])
        thereChanges = diff.changes(from: self.base.classes[...], to: self.there.classes[...])
    }
}
