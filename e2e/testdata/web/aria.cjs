// Prints Playwright's own snapshots of pages, as it gives them to agents.
// Usage: node aria.cjs CHROMIUM '[{"url": …, "ready": expression}, …]'
const { chromium } = require('playwright-core');

(async () => {
  const browser = await chromium.launch({ executablePath: process.argv[2], args: ['--no-sandbox'] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const snapshots = [];
  for (const { url, ready } of JSON.parse(process.argv[3])) {
    await page.goto(url, { waitUntil: 'domcontentloaded' });
    await page.waitForFunction(ready);
    snapshots.push(await page.locator('body').ariaSnapshot({ mode: 'ai' }));
  }
  console.log(JSON.stringify(snapshots));
  await browser.close();
})();
