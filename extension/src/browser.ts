// What the browser and the extension say of themselves.

// identity is the extension's own id and version.
export function identity(): { id: string; version: string } {
  return { id: chrome.runtime.id, version: chrome.runtime.getManifest().version };
}

interface Brand {
  brand: string;
  version: string;
}

interface Brands {
  getHighEntropyValues(hints: string[]): Promise<{ fullVersionList?: Brand[] }>;
}

// browserVersion is the browser's name in one word, and its full version.
export async function browserVersion(): Promise<[name: string, version: string]> {
  const data = (navigator as { userAgentData?: Brands }).userAgentData;
  return named((await data?.getHighEntropyValues(['fullVersionList']))?.fullVersionList ?? []);
}

// named picks the browser out of the list, which has Chromium and a made-up name too.
export function named(list: Brand[]): [name: string, version: string] {
  const real = list.filter(({ brand }) => !/not.*a.*brand/i.test(brand));
  const found = real.find(({ brand }) => brand !== 'Chromium') ?? real[0];
  const name = (found?.brand ?? 'Chrome').replace(/^(Google|Microsoft) /, '');
  return [name.toLowerCase().replace(/\W+/g, '-'), found?.version ?? ''];
}
