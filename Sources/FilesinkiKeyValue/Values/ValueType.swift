/// The type of a value, by the name that commands and JSON use.
package enum ValueType: String, CaseIterable, Sendable {
    case null, bool, double, date, string, data, url, array, dictionary
    case integer = "int"
}
