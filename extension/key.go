package extension

// Key is the public half of the key that pins the extension's id, as Chrome wants
// it in the manifest: base64 of the DER SubjectPublicKeyInfo. The private half was
// thrown away; the unpacked extension never needs it.
const Key = "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAyfEW6u5ebeUUHSlkaDkz8vIpt7BC77Mc9EduGOnxB4PnuVAWu6yMMc53Pt5WfwOQb1caUw5hjbN/8JJ8WkmdX3NsO8GQRxPczfh/QDRjcAp3xkMSjxiN92aggi/dNcdsivxzQ/mK844s0IlM7jrxmAdUvmN6LyKANRuwZcwKYJx36n+jqjQPMlkP2T6E0NubfOxIFY1S7ANzASVGN1DGszf0oLU/1YNXhvcH1dkEe5nZR0ehLwYLQN7dDLoI61sj4bNcxFMsg2Ze84YGw2AtYdlSh5WTKuV6753kjW+ZxqXCbSuoy95I0OcTbkW0koY2wdez9/pzQbX3gnH+tbolFwIDAQAB"

// ID is the extension id that Key yields: SHA-256 of the DER key, the first 32 hex
// digits, 0-f written as a-p. A test recomputes it.
const ID = "nbjkcdnkielgggfebglhmpjifnojhmgb"

// Origin is what Chrome hands a native messaging host as its first argument.
const Origin = "chrome-extension://" + ID + "/"
