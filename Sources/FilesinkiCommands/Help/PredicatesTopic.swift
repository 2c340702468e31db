extension HelpTopic {
    /// Lines of at most 80 columns.
    static let predicatesText = """
        PREDICATES

        What rec query --where and rec subscribe add --where test, as CloudKit has it:

          count > 3 AND title = 'eggs'       also ==, !=, <>, <, <=, >=, &&, NOT, ( )
          count BETWEEN {3, 5}               both ends belong to it
          count IN {3, 5}                    one of the values
          title BEGINSWITH 'Al'              regards case
          tags CONTAINS 'red'                an element of a list
          ANY tags BEGINSWITH 'r'            an element of a list passes the test
          self CONTAINS 'blue sky'           words in any text of the record
          distanceToLocation:fromLocation:(place, location(52.5, 13.4)) < 30000

        Not with --strict:

          title = 'a' OR title = 'b'         also ||
          title ENDSWITH 'a'                 regards case
          title LIKE 'Al*a?'                 * any characters, ? one; regards case

        Values:

          'eggs'  "eggs"                     a text is always in quotes
          -3  2.5  1e6                       a number
          now  date('2024-01-01')            also date('2024-05-01T09:30:00Z')
          data('AP8K')                       base 64
          location(52.5, 13.4)  reference('NAME')

        Every record has recordName, createdAt, modifiedAt, createdBy and modifiedBy.
        A field that a record lacks, or that has another type than the value, fails
        every test, also !=. A field with the name of a word here is written with #:
        #no = 1. In a shell put the predicate into double quotes:

          filesinki rec query Note --where "due < date('2024-01-01')" --sort -due
        """
}
