// The page bundle's entry: see package bundle and package pagefn.
export {};
