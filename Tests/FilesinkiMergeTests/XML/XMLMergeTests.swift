import Testing

@testable import FilesinkiMerge

@Suite("XML merged by element and attribute")
struct XMLMergeTests {
    private static let base = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!-- top -->
        <svg xmlns="u" width="10" height="20">
          <!-- the first -->
          <rect id="a" x="1"
                y="2"/>

          <!-- alone -->

          <g id="g" >
            <path id="p" d="M0 0"/> <!-- line -->
          </g>
          <text id="t" x='1'>Hi <b>you</b></text>
          <title>Sun</title>
        </svg>

        """

    /// The base with parts replaced.
    private static func edited(_ parts: String...) -> String {
        stride(from: 0, to: parts.count, by: 2).reduce(base) { text, index in
            text.replacing(parts[index], with: parts[index + 1])
        }
    }

    /// A storyboard with scenes that have an identity, and what is in each.
    private static func scenes(_ parts: String...) -> String {
        let scenes = stride(from: 0, to: parts.count, by: 2).map { index in
            let views = (0..<4).map {
                "<view tag=\"\(parts[index + 1])\($0)\" w=\"\(parts[index + 1])\"/>"
            }
            return
                "    <scene sceneID=\"\(parts[index])\"><objects>\(views.joined())</objects></scene>\n"
        }
        return "<document>\n  <scenes>\n\(scenes.joined())  </scenes>\n</document>\n"
    }

    static let rows: [MergeCase] = [
        MergeCase(
            "attributes of one element", base, edited("width=\"10\"", "width=\"11\""),
            edited("height=\"20\"", "height=\"21\" fill=\"red\""),
            edited("width=\"10\" height=\"20\"", "width=\"11\" height=\"21\" fill=\"red\"")),
        MergeCase(
            "one attribute, by both", base, edited("x=\"1\"", "x=\"3\""),
            edited("x=\"1\"", "x=\"4\""), "declined: /rect[a]/x"),
        MergeCase(
            "one attribute in other quotes, and another one", base, edited("x='1'", "x=\"1\""),
            edited("id=\"t\"", "id='t' y=\"2\""),
            edited("id=\"t\" x='1'", "id='t' y=\"2\" x=\"1\"")),
        MergeCase(
            "an attribute removed, the only one of its line, and one added behind it", base,
            edited("\n        y=\"2\"", ""), edited("y=\"2\"", "y=\"2\" z=\"3\""),
            edited("\n        y=\"2\"", " z=\"3\"")),
        MergeCase(
            "scenes of a storyboard that are drawn anew, and a new one between them",
            scenes("a", "1", "b", "2"),
            scenes("a", "3", "b", "4"), scenes("a", "1", "c", "9", "b", "2"),
            scenes("a", "3", "c", "9", "b", "4")),
        MergeCase(
            "an attribute removed and changed", base, edited(" width=\"10\"", ""),
            edited("width=\"10\"", "width=\"11\""), "declined: /width"),
        MergeCase(
            "children added at one place and at another", base,
            edited("line -->\n", "line -->\n    <path id=\"q\"/>\n"),
            edited("</title>\n", "</title>\n  <circle id=\"c\"/>\n"),
            edited(
                "line -->\n", "line -->\n    <path id=\"q\"/>\n", "</title>\n",
                "</title>\n  <circle id=\"c\"/>\n")),
        MergeCase(
            "an element moved within its parent, and edited", base,
            edited("  <title>Sun</title>\n", "", "  <text", "  <title>Sun</title>\n  <text"),
            edited("Sun", "Moon"),
            edited("  <title>Sun</title>\n", "", "  <text", "  <title>Moon</title>\n  <text")),
        MergeCase(
            "an element removed, and another one edited", base,
            edited("  <title>Sun</title>\n", ""), edited("M0 0", "M1 1"),
            edited("  <title>Sun</title>\n", "", "M0 0", "M1 1")),
        MergeCase(
            "an element removed, and edited", base, edited("  <title>Sun</title>\n", ""),
            edited("Sun", "Moon"), "declined: /title"),
        MergeCase(
            "text with elements in it is one value", base, edited("Hi ", "Ho "),
            edited("you", "all"), "declined: /text[t]/text()"),
        MergeCase(
            "text, and an attribute beside it", base, edited("Hi <b>you</b>", "<![CDATA[<]]>"),
            edited("x='1'", "x='2'"), edited("Hi <b>you</b>", "<![CDATA[<]]>", "x='1'", "x='2'")),
        MergeCase(
            "a comment and the element below it", base, edited("the first", "a frame"),
            edited("x=\"1\"", "x=\"3\""), edited("the first", "a frame", "x=\"1\"", "x=\"3\"")),
        MergeCase(
            "a comment moves with the element below it", base,
            edited("  <!-- the first -->\n  <rect id=\"a\" x=\"1\"\n        y=\"2\"/>\n", ""),
            edited("Sun", "Moon"),
            edited(
                "  <!-- the first -->\n  <rect id=\"a\" x=\"1\"\n        y=\"2\"/>\n", "", "Sun",
                "Moon")),
        MergeCase(
            "a comment changed by both", base, edited("the first", "a frame"),
            edited("the first", "a box"), "declined: /rect[a]"),
        MergeCase(
            "comments that stand alone, and at the end of a line", base,
            edited("alone", "lonely"), edited("<!-- line", "<!-- long"),
            edited("alone", "lonely", "<!-- line", "<!-- long")),
        MergeCase(
            "what is before the root", base, edited("<!-- top", "<!-- The top"),
            edited("Sun", "Moon"), edited("<!-- top", "<!-- The top", "Sun", "Moon")),
        MergeCase(
            "an empty element stays as it is written", base,
            edited("<path id=\"p\" d=\"M0 0\"/>", "<path id=\"p\" d=\"M0 0\"></path>"),
            edited("M0 0", "M1 1"),
            edited("<path id=\"p\" d=\"M0 0\"/>", "<path id=\"p\" d=\"M1 1\"></path>")),
        MergeCase(
            "a child in an element that was empty, and an attribute of it", base,
            edited("M0 0\"/>", "M0 0\"><title>T</title></path>"), edited("M0 0", "M1 1"),
            edited("M0 0\"/>", "M1 1\"><title>T</title></path>")),
        MergeCase(
            "one namespace, declared otherwise by both", base, edited("xmlns=\"u\"", "xmlns=\"v\""),
            edited("xmlns=\"u\"", "xmlns=\"w\""), "declined: /xmlns"),
        MergeCase(
            "a namespace removed here, used there", edited("xmlns=\"u\"", "xmlns:n=\"u\""), base,
            edited("xmlns=\"u\"", "xmlns:n=\"u\"", "<title>", "<n:a/>\n  <title>"), "declined: "),
        MergeCase(
            "the same element added by both", base, edited("</svg>", "  <circle r=\"1\"/>\n</svg>"),
            edited("</svg>", "  <circle r=\"1\"/>\n</svg>"),
            edited("</svg>", "  <circle r=\"1\"/>\n</svg>")),
        MergeCase(
            "an element of one name, added otherwise by both", base,
            edited("</svg>", "  <circle r=\"1\"/>\n</svg>"),
            edited("</svg>", "  <circle r=\"2\"/>\n</svg>"), "declined: "),
        MergeCase(
            "one identifier, added by both at different places", base,
            edited("</svg>", "  <circle id=\"c\"/>\n</svg>"),
            edited("line -->", "line --><use id=\"c\"/>"), "declined: "),
        MergeCase(
            "the root renamed here, a child edited there", base, edited("svg", "SVG"),
            edited("Sun", "Moon"), edited("svg", "SVG", "Sun", "Moon")),
    ]

    @Test("each row merges as it says, from both sides", arguments: rows)
    func table(_ row: MergeCase) {
        #expect(TreeMerge(format: XMLFormat()).merge(row.input).shown == row.merged)
        #expect(TreeMerge(format: XMLFormat()).merge(row.input.swapped).shown == row.merged)
    }

    /// A list of what nothing identifies.
    private static func list(_ elements: String...) -> String {
        "<l>\n" + elements.map { "  \($0)\n" }.joined() + "</l>\n"
    }

    static let listRows: [MergeCase] = [
        MergeCase(
            "neighbours edited", list("<p>a</p>", "<p>b</p>", "<p>c</p>"),
            list("<p>A</p>", "<p>b</p>", "<p>c</p>"), list("<p>a</p>", "<p>b</p>", "<p>C</p>"),
            list("<p>A</p>", "<p>b</p>", "<p>C</p>")),
        MergeCase(
            "one edited, one added behind it", list("<p>a</p>", "<p>b</p>"),
            list("<p>z</p>", "<p>b</p>"), list("<p>a</p>", "<p>m</p>", "<p>b</p>"),
            list("<p>z</p>", "<p>m</p>", "<p>b</p>")),
        MergeCase(
            "both added one behind the last", list("<p>a</p>", "<p>b</p>"),
            list("<p>a</p>", "<p>b</p>", "<p>d</p>"), list("<p>a</p>", "<p>b</p>", "<p>c</p>"),
            list("<p>a</p>", "<p>b</p>", "<p>c</p>", "<p>d</p>")),
        MergeCase(
            "one added behind another here, one below a blank line there",
            "<l>\n<p id=\"a\"/>\n\n<r/>\n</l>\n",
            "<l>\n<p id=\"a\"/>\n<p id=\"z\"/>\n\n<r/>\n</l>\n",
            "<l>\n<p id=\"a\"/>\n\n<i f=\"b\"/>\n\n<r/>\n</l>\n",
            "<l>\n<p id=\"a\"/>\n<p id=\"z\"/>\n\n<i f=\"b\"/>\n\n<r/>\n</l>\n"),
        MergeCase(
            "a comment that both added at the end, where one moved an element behind it",
            list("<q x=\"1\"/>", "<p id=\"a\"/>"),
            list("<p id=\"a\"/>", "<p id=\"n\"/>", "<!-- c -->", "<q x=\"1\"/>"),
            list("<q x=\"1\"/>", "<p id=\"a\"/>", "<p id=\"n\"/>", "<!-- c -->"),
            list("<p id=\"a\"/>", "<p id=\"n\"/>", "<!-- c -->", "<q x=\"1\"/>")),
        MergeCase(
            "equal ones, of which one was removed", list("<p/>", "<q/>", "<p/>", "<p>c</p>"),
            list("<q/>", "<p/>", "<p>c</p>"), list("<p/>", "<q/>", "<p/>", "<p>C</p>"),
            list("<q/>", "<p/>", "<p>C</p>")),
        MergeCase(
            "attributes of one among others", list("<p x=\"1\" y=\"1\" z=\"1\"/>", "<p/>"),
            list("<p x=\"2\" y=\"1\" z=\"1\"/>", "<p/>"),
            list("<p x=\"1\" y=\"2\" z=\"1\"/>", "<p/>"),
            list("<p x=\"2\" y=\"2\" z=\"1\"/>", "<p/>")),
        MergeCase(
            "the first removed and one added here, the second, which is like both, edited there",
            list("<p x=\"1\" y=\"1\" z=\"1\"/>", "<p x=\"2\" y=\"1\" z=\"1\"/>"),
            list("<p x=\"2\" y=\"1\" z=\"1\"/>", "<p x=\"3\" y=\"1\" z=\"1\"/>"),
            list("<p x=\"1\" y=\"1\" z=\"1\"/>", "<p x=\"2\" y=\"1\" z=\"4\"/>"),
            list("<p x=\"2\" y=\"1\" z=\"4\"/>", "<p x=\"3\" y=\"1\" z=\"1\"/>")),
        MergeCase(
            "one of others that is not recognizable any more", list("<p a=\"1\">x</p>", "<p/>"),
            list("<p a=\"2\">y</p>", "<p/>"), list("<p a=\"1\" b=\"1\">x</p>", "<p/>"),
            "declined: "),
        MergeCase(
            "an only one that was replaced here and edited there", list("<p a=\"1\">x</p>"),
            list("<p a=\"2\">y</p>"), list("<p a=\"1\" b=\"1\">x</p>"), "declined: "),
        MergeCase(
            "elements that the name identifies", list("<p name=\"a\">1</p>", "<p name=\"b\">1</p>"),
            list("<p name=\"b\">1</p>", "<p name=\"a\">2</p>"),
            list("<p name=\"a\">1</p>", "<p name=\"b\">3</p>"),
            list("<p name=\"b\">3</p>", "<p name=\"a\">2</p>")),
        MergeCase(
            "a comment at the end of a line is not that of the next element",
            list("<p id=\"a\"/> <!-- a -->", "<p id=\"b\"/>"),
            list("<p id=\"a\"/> <!-- a -->", "<p id=\"n\"/>", "<p id=\"b\"/>"),
            list("<p id=\"a\"/> <!-- A -->", "<p id=\"b\"/>"),
            list("<p id=\"a\"/> <!-- A -->", "<p id=\"n\"/>", "<p id=\"b\"/>")),
        MergeCase(
            "an element that the name identifies, with all else changed",
            list("<p name=\"a\" x=\"1\" y=\"1\" z=\"1\"/>", "<p name=\"b\"/>"),
            list("<p name=\"a\" x=\"2\" y=\"2\" z=\"2\"/>", "<p name=\"b\"/>"),
            list("<p name=\"a\" x=\"1\" y=\"1\" z=\"1\" w=\"1\"/>", "<p name=\"b\"/>"),
            list("<p name=\"a\" x=\"2\" y=\"2\" z=\"2\" w=\"1\"/>", "<p name=\"b\"/>")),
        MergeCase(
            "an identity that one version has twice",
            list("<p id=\"a\">1</p>", "<p id=\"a\">2</p>"),
            list("<p id=\"a\">3</p>", "<p id=\"a\">2</p>"),
            list("<p id=\"a\">1</p>", "<p id=\"a\">4</p>"),
            list("<p id=\"a\">3</p>", "<p id=\"a\">4</p>")),
        MergeCase(
            "an element that keeps its white space is one value",
            list("<p xml:space=\"preserve\">\n<a>1</a>\n<b>1</b></p>"),
            list("<p xml:space=\"preserve\">\n<a>2</a>\n<b>1</b></p>"),
            list("<p xml:space=\"preserve\">\n<a>1</a>\n<b>2</b></p>"), "declined: /p/text()"),
        MergeCase(
            "elements of one line with spaces between them are one value",
            list("<p><a>1</a> <b>1</b></p>"), list("<p><a>2</a> <b>1</b></p>"),
            list("<p><a>1</a> <b>2</b></p>"), "declined: /p/text()"),
        MergeCase(
            "elements of one line without spaces", list("<p><a>1</a><b>1</b></p>"),
            list("<p><a>2</a><b>1</b></p>"), list("<p><a>1</a><b>2</b></p>"),
            list("<p><a>2</a><b>2</b></p>")),
        MergeCase(
            "an element without contents, added by both at different places",
            list("<a name=\"x\"/>", "<a name=\"y\"/>"),
            list("<a name=\"x\"/>", "<a name=\"separator\"/>", "<a name=\"y\"/>"),
            list("<a name=\"x\"/>", "<a name=\"y\"/>", "<a name=\"separator\"/>"), "declined: "),
        MergeCase(
            "one with contents, added by both at different places", list("<a name=\"x\"/>"),
            list("<a name=\"x\"/>", "<a name=\"z\">1</a>"),
            list("<a name=\"z\">1</a>", "<a name=\"x\"/>"),
            list("<a name=\"x\"/>", "<a name=\"z\">1</a>")),
        MergeCase(
            "indented otherwise here, an element added before it there", list("<a/>", "<b/>"),
            list("<a/>", "    <b/>"), list("<a/>", "<n/>", "<b/>"),
            list("<a/>", "<n/>", "    <b/>")),
        MergeCase(
            "indented anew here, a value changed there", list("<p>", "<a>1</a></p>"),
            "<l>\n\t<p>\n\t\t<a>1</a></p>\n</l>\n", list("<p>", "<a>2</a></p>"),
            "<l>\n\t<p>\n\t\t<a>2</a></p>\n</l>\n"),
    ]

    @Test("elements without an identity follow their neighbours", arguments: listRows)
    func lists(_ row: MergeCase) {
        #expect(TreeMerge(format: XMLFormat()).merge(row.input).shown == row.merged)
        #expect(TreeMerge(format: XMLFormat()).merge(row.input.swapped).shown == row.merged)
    }

    static let referenceRows: [MergeCase] = [
        MergeCase(
            "a shape removed here, an arrow to it added there",
            list("<m id=\"1\"/>", "<m id=\"2\"/>"), list("<m id=\"1\"/>"),
            list("<m id=\"1\"/>", "<m id=\"2\"/>", "<m id=\"3\" source=\"1\" target=\"2\"/>"),
            "declined: /2"),
        MergeCase(
            "a shape removed here, an arrow between others added there",
            list("<m id=\"1\"/>", "<m id=\"2\"/>"), list("<m id=\"1\"/>"),
            list("<m id=\"1\"/>", "<m id=\"2\"/>", "<m id=\"3\" source=\"1\" target=\"1\"/>"),
            list("<m id=\"1\"/>", "<m id=\"3\" source=\"1\" target=\"1\"/>")),
        MergeCase(
            "a gradient renamed here, used anew there",
            list("<g id=\"red\"/>", "<p style=\"fill:blue\"/>"),
            list("<g id=\"r\"/>", "<p style=\"fill:blue\"/>"),
            list("<g id=\"red\"/>", "<p style=\"fill:url(#red);x:y\"/>"), "declined: /red"),
        MergeCase(
            "a gradient removed with what used it, and edited elsewhere",
            list("<g id=\"a\"/>", "<u href=\"#a\"/>", "<p z=\"1\"/>"), list("<p z=\"1\"/>"),
            list("<g id=\"a\"/>", "<u href=\"#a\"/>", "<p z=\"2\"/>"), list("<p z=\"2\"/>")),
    ]

    @Test("an identifier that is used anew is not removed", arguments: referenceRows)
    func references(_ row: MergeCase) {
        #expect(TreeMerge(format: XMLFormat()).merge(row.input).shown == row.merged)
        #expect(TreeMerge(format: XMLFormat()).merge(row.input.swapped).shown == row.merged)
    }

    @Test(
        "what is not read",
        arguments: [
            "", "text", "<a>", "<a></b>", "<a/><b/>", "<a x=1/>", "<a x='1' x='2'/>", "<a>&b;</a>",
            "<n:a/>", "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "<!DOCTYPE a []><a/>",
            "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a/>", "<a>\u{1}</a>",
            String(repeating: "<a>", count: 101) + String(repeating: "</a>", count: 101),
        ])
    func unread(_ text: String) {
        #expect(!DocumentFormat.xml.reads(Array(text.utf8)))
    }

    @Test(
        "what is read",
        arguments: [
            "<a/>", "\u{FEFF}<a/>", "<a>&amp;&#65;</a>",
            "<?xml version='1.0' encoding='utf-8'?><a/>",
            "<!DOCTYPE html SYSTEM \"about:legacy-compat\"><html>&nbsp;</html>",
            String(repeating: "<a>", count: 100) + String(repeating: "</a>", count: 100),
        ])
    func read(_ text: String) {
        #expect(DocumentFormat.xml.reads(Array(text.utf8)))
    }

    @Test(
        "a tree covers every byte",
        arguments: FuzzTarget.xml.corpus
            + (rows + listRows + PropertyListMergeTests.rows).map(\.theirs))
    func covered(_ text: String) throws {
        let bytes = Array(text.utf8)
        let tree = try #require(XMLFormat().read(bytes))
        let margins = [tree.before, tree.after].map { Array(tree.slice($0)) }
        #expect(margins[0] + TreeMergeLawTests.written(tree.root, of: tree) + margins[1] == bytes)
    }

    @Test("bytes that are not UTF-8 are not read")
    func encoding() {
        #expect(!DocumentFormat.xml.reads(Array("<a>".utf8) + [0xE4] + Array("</a>".utf8)))
    }

    @Test(
        "names select it",
        arguments: ["a.xml", "A.SVG", "b.drawio", "c.opml", "Info.plist", "d.gpx", "e.csproj"])
    func names(_ name: String) {
        #expect(DocumentFormat(fileName: name.utf8)?.word == "xml")
    }
}
