// The module's words are in the files beside this one.
