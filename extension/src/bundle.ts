// The page bundle: all code of ours that runs in pages. It is a file of the extension,
// and its hash tells a server whether both mean the same functions.

// Bundle is the script and its hash.
export interface Bundle {
  source: string;
  hash: string; // SHA-256, hex
}

// pageBundle reads the bundle.
export async function pageBundle(): Promise<Bundle> {
  const response = await fetch(chrome.runtime.getURL('page.js'));
  const bytes = await response.arrayBuffer();
  const digest = await crypto.subtle.digest('SHA-256', bytes);
  const hash = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return { source: new TextDecoder().decode(bytes), hash };
}
