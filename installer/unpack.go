package installer

// Unpack makes sure that the unpacked extension is in its folder, current, and in the
// record, and returns the folder.
func Unpack(s System, o Options) (string, error) {
	dir := o.Extension(s)
	return dir, Apply(&Plan{System: s, Options: o, Steps: []Step{{Kind: PutExtension, Path: dir}}}, "")
}
