package policy

// Evaluate decides whether access to the document at url is allowed.
//
// origin is the security origin of the document where it is known: it judges blob:,
// about:blank and about:srcdoc documents, whose URL does not say who made them. "" is
// unknown, "null" is opaque. For a destination of a navigation origin is "".
func Evaluate(url, origin string, access Access, p Policy) Decision {
	return Decision{Reason: "not yet"}
}
