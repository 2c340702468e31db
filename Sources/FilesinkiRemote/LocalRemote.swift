/// A remote whose requests cost no round trip, so that one more of them does not matter.
package protocol LocalRemote: Remote {}
