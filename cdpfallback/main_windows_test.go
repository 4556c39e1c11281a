package cdpfallback

// otherMain is for the tests of locks and orphans, which are Unix's.
func otherMain() bool { return false }
